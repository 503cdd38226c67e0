package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/assets"
)

// canaries is a Bundle with a canary in every place that can hold a value.
const canaries = `{"resourceType":"Bundle","id":"CANARY-1","identifier":{"system":"CANARY-2","value":"CANARY-3"},
"CANARY-4":"CANARY-5","meta":{"profile":["CANARY-6|CANARY-7"],"lastUpdated":"CANARY-8"},"timestamp":"CANARY-9","entry":[
{"fullUrl":"urn:CANARY-10","resource":{"resourceType":"Patient","id":"CANARY-11","meta":{"profile":["CANARY-12/Patient-mother-vr"]},
 "extension":[{"url":"http://CANARY-13/CANARY-14","valueString":"CANARY-15"}],"name":[{"family":"CANARY-16","given":["CANARY-17"]}],
 "birthDate":"CANARY-18","CANARY-19":"CANARY-20","address":[{"use":"home","postalCode":"CANARY-21"}],"gender":"CANARY-22"}},
{"resource":{"resourceType":"Patient","id":"CANARY-23","meta":{"profile":["Patient-child-vr"]},"name":[{"family":"CANARY-24"}],
 "identifier":[{"value":"CANARY-25"}]}},
{"resource":{"resourceType":"Patient","id":"CANARY-26"}},
{"resource":{"resourceType":"Observation","id":"CANARY-27","status":"CANARY-28","code":{"text":"CANARY-29",
 "coding":[{"system":"http://loinc.org","code":"8339-4","display":"CANARY-30"}]},"valueString":"CANARY-31"}},
{"resource":{"resourceType":"Observation","code":{"coding":[{"system":"http://loinc.org","code":"CANARY-32"}]},"valueString":"CANARY-33"}},
{"resource":{"resourceType":"Condition","code":{"coding":[{"system":"http://loinc.org","code":"8339-4","display":"CANARY-34"},
 {"system":"http://snomed.info/sct","code":"CANARY-35"}]}}},
{"resource":{"resourceType":"CANARY-36"}},
{"resource":{"resourceType":"Encounter","status":"finished","type":[{"text":"CANARY-37 transfer to hospital"}],"reasonCode":[{"text":"CANARY-38"}]}},
{"resource":{"resourceType":"Practitioner","id":"CANARY-39","name":[{"text":"CANARY-40"}]}},
{"request":{"method":"DELETE","url":"Bundle/CANARY-41"}}]}`

func lintFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, body := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(body), 0o600))
	}
	return folder
}

func TestLintPrintsNoSubmittedValueUnlessItIsAskedTo(t *testing.T) {
	for _, flags := range [][]string{{}, {"--json"}, {"--reading", "bfdr"}, {"--reading", "bfdr", "--json"}} {
		r := command(t, canaries, append([]string{"lint", "-"}, flags...)...)
		require.NotContains(t, r.out+r.talk, "CANARY", "%v", flags)
		require.NotContains(t, r.out+r.talk, "urn:CANARY")
		require.Contains(t, r.out, "8339-4", "a code of the registry is no value")
	}
	for _, flags := range [][]string{{}, {"--json"}} {
		r := command(t, canaries, append([]string{"lint", "-", "--reveal"}, flags...)...)
		for _, value := range []string{"CANARY-3", "CANARY-11", "CANARY-16", "CANARY-40"} {
			require.Contains(t, r.out, value)
		}
		require.NotContains(t, r.out, "CANARY-25", "what is not kept is not shown")
	}
}

// A diagnosis that is sent as a Condition is a value, whatever its code.
func TestLintShowsOnlyTheCodeOfAnObservation(t *testing.T) {
	r := command(t, canaries, "lint", "-", "--json")
	require.Equal(t, 1, strings.Count(r.out, `"code": "8339-4"`), r.out)
}

func TestLintsExitCodeShowsWhetherEverythingWouldBeAccepted(t *testing.T) {
	folder := lintFolder(t, map[string]string{
		"b.json": apptest.Course{Chart: "b"}.Bundle(), "a.json": apptest.Course{Chart: "a", Mother: "Hale"}.Bundle(), "notes.txt": "{",
	})
	good := command(t, "", "lint", folder)
	require.Zero(t, good.code, good.talk)
	require.Empty(t, good.talk)
	require.Contains(t, good.out, "2 files read as spec: 2 accepted, 0 rejected, 0 files refused, 0 not readable")
	require.Less(t, strings.Index(good.out, "a.json"), strings.Index(good.out, "b.json"))

	rejected := command(t, apptest.Course{Chart: "c", Kids: -1}.Bundle(), "lint", "-")
	require.Equal(t, 1, rejected.code)
	require.Empty(t, rejected.talk, "the report says why")
	require.Contains(t, rejected.out, "rejected, no-child")
	require.Equal(t, 2, command(t, "", "lint").code)
	require.Equal(t, 2, command(t, "", "lint", folder, "--reading", "other").code)
	require.Equal(t, 2, command(t, "", "lint", folder, "--max-body", "nothing").code)
}

func TestLintNeedsNoDatabaseAndMakesNone(t *testing.T) {
	db := database(t)
	require.Zero(t, command(t, apptest.Course{Chart: "c"}.Bundle(), "lint", "-").code)
	require.NoFileExists(t, db)
}

func TestLintSaysPlainlyWhatItCannotRead(t *testing.T) {
	folder := lintFolder(t, map[string]string{
		"1-empty.json": "", "2-text.json": "births", "3-list.json": "[]", "4-patient.json": `{"resourceType":"Patient"}`,
		"5-lines.json": "{\"resourceType\":\"Bundle\"}\n{\"resourceType\":\"Bundle\"}\n", "6-unreadable.json": "{}",
		"7-good.json": apptest.Course{Chart: "a"}.Bundle(), "8-large.json": strings.Repeat(" ", 50<<20),
	})
	require.NoError(t, os.Remove(filepath.Join(folder, "6-unreadable.json")))
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "inner"), 0o700))
	require.NoError(t, os.Symlink(folder, filepath.Join(folder, "inner", "loop")))
	gone := filepath.Join(folder, "6-unreadable.json")
	r := command(t, "", "lint", folder, "--json")
	require.Equal(t, 1, r.code)
	var report lintReport
	require.NoError(t, json.Unmarshal([]byte(r.out), &report))
	answer := map[string]string{}
	for _, l := range report.Files {
		answer[filepath.Base(l.File)] = l.Status
		if l.Problem != nil {
			answer[filepath.Base(l.File)] += " " + l.Problem.Issue[0].Details.Coding[0].Code
		}
	}
	require.Equal(t, map[string]string{
		"1-empty.json": "refused not-json", "2-text.json": "refused not-json", "3-list.json": "refused not-a-bundle",
		"4-patient.json": "refused not-a-bundle", "5-lines.json": "refused not-json", "7-good.json": "completed",
		"8-large.json": "refused too-large",
	}, answer)
	require.Equal(t, lintSummary{Files: 7, Accepted: 1, Refused: 6, Kept: report.Summary.Kept, Dropped: report.Summary.Dropped}, report.Summary)

	missing := command(t, "", "lint", gone)
	require.Equal(t, 1, missing.code)
	require.Contains(t, missing.talk, "no such file")
	require.Contains(t, command(t, "", "lint", t.TempDir()).talk, "there is no .json file")
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(folder, link))
	require.Contains(t, command(t, "", "lint", link).out, "7-good.json", "a folder may be named by a link")
}

func TestLintContinuesAfterAFileThatItCannotRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root can read every file: a folder in place of one stands for it")
	}
	folder := lintFolder(t, map[string]string{"a.json": "{}", "b.json": apptest.Course{Chart: "b"}.Bundle()})
	require.NoError(t, os.Chmod(filepath.Join(folder, "a.json"), 0))
	first := filepath.Join(folder, "a.json")
	if os.Geteuid() == 0 {
		first = "/proc/self/mem" // nobody can read its first byte
	}
	r := command(t, "", "lint", first, filepath.Join(folder, "b.json"))
	require.Equal(t, 1, r.code)
	require.Contains(t, r.out, first+": the file cannot be read: ")
	require.Contains(t, r.out, "1 accepted, 0 rejected, 0 files refused, 1 not readable")
}

func TestLintFitsATerminalOf80Columns(t *testing.T) {
	for _, name := range []string{"01-single-birth", "02-twins", "03-fetal-death", "06-batch-with-one-bad-course"} {
		doc, err := assets.Samples.ReadFile("samples/" + name + ".json")
		require.NoError(t, err)
		for _, flags := range [][]string{{}, {"--reveal"}} {
			out := command(t, string(doc), append([]string{"lint", "-"}, flags...)...).out
			for line := range strings.Lines(out) {
				require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), pageWidth, line)
			}
			require.NotContains(t, out, "\n\n\n")
			require.NotContains(t, out, "…", "no value of the samples is so long that it is cut")
		}
	}
}

// Lint gives places in a batch relative to their course, whether or not it drops anything
// there.
func TestLintNamesThePlacesOfABatchWithinTheirCourse(t *testing.T) {
	course := apptest.Course{Chart: "a"}.Bundle()
	batch := `{"resourceType":"Bundle","type":"batch","entry":[{"resource":` + course + `}]}`
	single, within := command(t, course, "lint", "-"), command(t, batch, "lint", "-")
	_, kept, found := strings.Cut(single.out, "  Kept")
	require.True(t, found)
	require.Contains(t, within.out, kept)
	require.Contains(t, kept, "entry[0].name")
}

// Next to "rejected", the word "kept" would be a contradiction.
func TestLintShowsWhatAStaleCourseWouldHaveKept(t *testing.T) {
	folder := lintFolder(t, map[string]string{
		"1.json": apptest.Course{Chart: "a", Stamp: "2026-03-03T10:00:00Z"}.Bundle(),
		"2.json": apptest.Course{Chart: "a", Stamp: "2026-03-03T09:00:00Z"}.Bundle(),
	})
	r := command(t, "", "lint", folder)
	_, stale, found := strings.Cut(r.out, "rejected, stale")
	require.True(t, found, r.out)
	require.Contains(t, stale, "\n  Would be kept (")
	require.NotContains(t, stale, "\n  Kept (")
}

// A stamp too far in the future is ignored (decision 20), and the next one is kept.
func TestLintDropsAStampThatTheServerDoesNotUse(t *testing.T) {
	ahead := apptest.Course{Chart: "a", Stamp: "2099-01-01T00:00:00Z"}.Bundle()
	alone := command(t, ahead, "lint", "-")
	require.NotContains(t, alone.out, "source_stamp")
	require.Regexp(t, `too-far-ahead\n(.*\n)+ +meta.lastUpdated +of the Bundle`, alone.out)

	both := command(t, strings.Replace(ahead, `"entry"`, `"timestamp":"2026-03-03T10:00:00Z","entry"`, 1), "lint", "-", "--reveal")
	require.Regexp(t, `source_stamp +2026-03-03T10:00:00Z +timestamp`, both.out)
	require.Regexp(t, `too-far-ahead\n(.*\n)+ +meta.lastUpdated +of the Bundle`, both.out)
}

// Without a stamp, the server can't tell which version of a birth is newer, so its sender has
// to learn why the stamp is missing.
func TestLintReportsAStampOfTheWrongType(t *testing.T) {
	course := strings.Replace(apptest.Course{Chart: "a"}.Bundle(), `"entry"`, `"meta":{"lastUpdated":20260303},"timestamp":["2026"],"entry"`, 1)
	r := command(t, course, "lint", "-")
	require.Contains(t, r.out, "accepted, a new record")
	require.Regexp(t, `not-a-date\n(.*\n)+ +meta.lastUpdated +of the Bundle\n +timestamp +of the Bundle`, r.out)
}

// A date that does not exist counts as absent, so the date comes from the time of birth.
func TestLintNamesTheTimeOfBirthIfTheDateIsReadFromIt(t *testing.T) {
	bundle := `{"resourceType":"Bundle","entry":[
{"resource":{"resourceType":"Patient","meta":{"profile":["Patient-mother-vr"]}}},
{"resource":{"resourceType":"Patient","meta":{"profile":["Patient-child-vr"]},"birthDate":"2026-02-30","_birthDate":{"extension":[
 {"url":"http://hl7.org/fhir/StructureDefinition/patient-birthTime","valueDateTime":"2026-03-02T04:18:00-05:00"}]}}}]}`
	r := command(t, bundle, "lint", "-")
	require.Regexp(t, `birth_date +entry\[1\]\._birthDate\n`, r.out)
	require.Regexp(t, `not-a-date\n(.*\n)+ +Patient.birthDate +entry\[1\]`, r.out)
	year := command(t, strings.Replace(bundle, "2026-02-30", "2026", 1), "lint", "-").out
	require.Regexp(t, `birth_date +entry\[1\]\.birthDate\n +entry\[1\]\._birthDate\n`, year, "the year is of the one, the day of the other")
}

// Programs read --json, so members may be added but never removed.
func TestLintJSONHasTheDocumentedShape(t *testing.T) {
	r := command(t, canaries, "lint", "-", "--json")
	var report map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.out), &report))
	for _, name := range []string{"version", "reading", "revealed", "files", "summary"} {
		require.Contains(t, report, name)
	}
	file := report["files"].([]any)[0].(map[string]any)
	for _, name := range []string{"file", "status", "http", "accepted", "rejected", "outcome", "courses"} {
		require.Contains(t, file, name)
	}
	course := file["courses"].([]any)[1].(map[string]any)
	for _, name := range []string{"reference", "result", "action", "kept", "dropped"} {
		require.Contains(t, course, name)
	}
	kept := course["kept"].([]any)[0].(map[string]any)
	require.Contains(t, kept, "field")
	require.Contains(t, kept["from"].([]any)[0], "at")
	require.NotContains(t, kept, "value")
	require.Contains(t, course["dropped"].([]any)[0], "why")
}
