package archive

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fixture"
	"birthregistry/store"
)

// canary is in every hostile archive as a value. No error repeats it.
const canary = "CNRY"

// hostile is an archive that is refused: what is wrong with it, and what the error says about it.
type hostile struct {
	name  string
	spoil func(*forged)
	error string
}

func repeated(text string, n int) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }

// inFile are wrong as files.
var inFile = []hostile{
	{"no age file", func(f *forged) { f.raw = []byte(canary) }, "is not an archive of a practice"},
	{"a zip that is not sealed", func(f *forged) { f.raw = append([]byte("PK\x03\x04"), make([]byte, 1000)...) }, "is not an archive of a practice"},
	{"no manifest", func(f *forged) {
		f.members["x"] = f.members[manifestName]
		delete(f.members, manifestName)
		f.manifest = nil
	}, "is not an archive of a practice"},
	{"another format", func(f *forged) { f.manifest = func(m *Manifest) { m.Format = 2 } }, "cannot read the archive's format"},
	{"a member twice", func(f *forged) { f.file = also("records" + lines) }, "a member is there twice"},
	{"a member missing", func(f *forged) { delete(f.members, "drafts"+lines) }, "a member that is missing, listed twice or of another size"},
	{"a member that is not in the manifest", func(f *forged) { f.file = also(canary) }, "a member that format 1 does not have"},
	{"a member outside the folder", func(f *forged) { f.file = also("../" + canary) }, "a member that format 1 does not have"},
	{"a member too few in the manifest", func(f *forged) { f.manifest = func(m *Manifest) { m.Members = m.Members[1:] } }, "users.ndjson is missing"},
	{"a member twice in the manifest", func(f *forged) { f.manifest = func(m *Manifest) { m.Members = append(m.Members, m.Members[0]) } }, "a member that is missing, listed twice or of another size"},
	{"a member that expands to much more", func(f *forged) { f.members[birthsName] = make([]byte, 300<<20) }, "too large for the file"},
	{"a manifest with other counts", func(f *forged) { f.manifest = func(m *Manifest) { m.Versions++ } }, "states wrong numbers of rows"},
	{"a manifest with other rows", func(f *forged) { f.manifest = func(m *Manifest) { m.Members[0].Rows-- } }, "differs from what the manifest states"},
	{"a manifest with other checksums", func(f *forged) { f.manifest = func(m *Manifest) { m.Members[0].SHA256 = canary } }, "differs from what the manifest states"},
	{"a manifest with other numbers", func(f *forged) { f.manifest = func(m *Manifest) { m.Members[0].To = 1 << 60 } }, "numbers out of range"},
	{"a manifest of another practice", func(f *forged) { f.manifest = func(m *Manifest) { m.Practice = canary } }, "names another practice"},
	{"a manifest that speaks to the terminal", func(f *forged) {
		f.manifest = func(m *Manifest) { m.MadeAgain.Keys = []Key{{Label: canary + "\x1b[2J"}} }
	}, manifestName},
	{"a chain that breaks", func(f *forged) {
		f.members["audit"+lines] = bytes.Replace(f.members["audit"+lines], []byte("record.create"), []byte(canary), 1)
	}, "the chain of audit.ndjson breaks at line"},
	{"a chain that ends elsewhere", func(f *forged) { f.texts("audit", func(all []string) []string { return all[:len(all)-1] }) }, "ends elsewhere"},
}

// also writes a further member.
func also(name string) func(*zip.Writer) {
	return func(z *zip.Writer) { _, _ = z.Create(name) }
}

// inLines are wrong as lines or as single rows.
var inLines = []hostile{
	{"a line longer than the bound", func(f *forged) { f.first("records", func(l string) string { return l + strings.Repeat(" ", MaxLine) }) }, "a line is longer than 8 MiB"},
	{"a line that is not JSON", func(f *forged) { f.first("records", func(string) string { return canary }) }, "not one JSON object"},
	{"two objects on a line", func(f *forged) { f.first("records", func(l string) string { return l + l }) }, "not one JSON object"},
	{"a last line without an end", func(f *forged) {
		f.members["records"+lines] = bytes.TrimSuffix(f.members["records"+lines], []byte("\n"))
	}, "the last line has no end"},
	{"a member of a line twice", func(f *forged) {
		f.first("records", func(l string) string { return `{"chart":"` + canary + `",` + l[1:] })
	}, "not one JSON object"},
	{"an unknown member of a line", func(f *forged) {
		f.row("records", "chart", "x")
		f.first("records", func(l string) string { return `{"` + canary + `":1,` + l[1:] })
	}, "a line has a member that format 1 does not have"},
	{"a million unknown members", func(f *forged) {
		var l strings.Builder
		for n := range 500_000 {
			fmt.Fprintf(&l, `"%x":1,`, n)
		}
		f.first("records", func(was string) string { return "{" + l.String() + was[1:] })
	}, "a line has a member that format 1 does not have"},
	{"a text in a number's place", func(f *forged) { f.row("records", "version", canary) }, "version is of another type or out of range"},
	{"a null", func(f *forged) { f.row("records", "version", nil) }, "version is of another type"},
	{"a text in the place of what is sealed", func(f *forged) { f.row("versions", "patient", "age-encryption.org/v1 "+canary) }, "patient is of another type"},
	{"a number below its range", func(f *forged) { f.row("records", "version", -1) }, "out of range"},
	{"a number above its range", func(f *forged) { f.row("ingestions", "size", int64(1)<<60) }, "out of range"},
	{"a moment in the year 0", func(f *forged) { f.row("records", "created_at", "0000-01-01T00:00:00Z") }, "created_at is of another type or out of range"},
	{"a moment in the year 9999", func(f *forged) { f.row("records", "created_at", "9999-12-31T00:00:00Z") }, "out of range"},
	{"a stamp in the year 9999", func(f *forged) { f.row("records", "stamp", "9999-12-31T00:00:00Z") }, "out of range"},
	{"a stamp that blocks every amendment", func(f *forged) { f.row("records", "stamp", "2099-12-31T00:00:00Z") }, "a stamp in the future"},
	{"an id that is none", func(f *forged) { f.row("records", "uuid", canary) }, "a row of records does not have the form"},
	{"a chart number with a control character", func(f *forged) { f.row("records", "chart", canary+"\x00") }, "a row of records does not have the form"},
	{"a time zone that is none", func(f *forged) { f.row("practice", "time_zone", canary) }, "a row of practice does not have the form"},
	{"an address that is none", func(f *forged) { f.row("users", "email", canary) }, "a row of users does not have the form"},
	{"a source that is none", func(f *forged) {
		f.row("versions", "clinical", columns{"care": columns{"plurality": columns{"value": 1, "source": canary}}})
	}, "a row of versions does not have the form"},
	{"a draft that is none", func(f *forged) { f.row("drafts", "content", columns{canary: 1}) }, "a draft is not readable"},
	{"more children than a birth has", func(f *forged) {
		f.first("versions", func(string) string {
			return `{"record":1,"version":1,"content":1,"change":"create","source":"manual","created_at":"2026-01-01T00:00:00Z","patient":{},"clinical":{"children":[` + repeated("{}", 1_000_000) + `]}}`
		})
	}, "more than 100 newborns"},
	{"more transfers than a birth has", func(f *forged) {
		f.row("versions", "clinical", columns{"transfers": make([]columns, 101)})
	}, "100 transfers"},
	{"a million values of custom fields", func(f *forged) {
		var l strings.Builder
		for n := range 500_000 {
			fmt.Fprintf(&l, `,"%x":""`, n)
		}
		f.first("custom_values", func(was string) string { return strings.Replace(was, `"yes"`, `"yes"`+l.String(), 1) })
	}, "has more than 500 custom fields"},
}

// inTables are wrong only as rows together.
var inTables = []hostile{
	{"more custom fields than a practice has", func(f *forged) {
		f.texts("custom_fields", func(all []string) []string { return append(all, strings.Split(repeated(all[0], 500), ",{")...) })
	}, "custom_fields.ndjson has more than 500 rows"},
	{"more users than a practice has", func(f *forged) {
		f.texts("users", func(all []string) []string {
			for n := range maxUsers {
				all = append(all, fmt.Sprintf(`{"id":1,"email":"%d@example.org","name":""}`, n))
			}
			return all
		})
	}, "users.ndjson has more than 10000 rows"},
	{"more providers than a birth has", func(f *forged) {
		f.texts("participants", func(all []string) []string {
			for range 201 {
				all = append([]string{all[0]}, all...)
			}
			return all
		})
	}, "more than 200 providers"},
	{"two practices", func(f *forged) { f.texts("practice", func(all []string) []string { return append(all, all[0]) }) }, "practice.ndjson has more than 1 rows"},
	{"two users of one address", func(f *forged) {
		f.rows("users", func(all []columns) []columns { all[1]["email"] = all[0]["email"]; return all })
	}, "two users have the same address"},
	{"two records of one chart number", func(f *forged) {
		f.rows("records", func(all []columns) []columns {
			all[0]["chart"], all[1]["chart"], all[0]["given"], all[1]["given"] = canary, canary, false, false
			return all
		})
	}, "two rows of records contradict each other"},
	{"two records of one id", func(f *forged) {
		f.rows("records", func(all []columns) []columns { all[1]["uuid"] = all[0]["uuid"]; return all })
	}, "two rows of records contradict each other"},
	{"two places of one user", func(f *forged) { f.texts("memberships", func(all []string) []string { return append(all, all[0]) }) }, "a user has two roles"},
	{"records out of order", func(f *forged) {
		f.rows("records", func(all []columns) []columns { all[0], all[1] = all[1], all[0]; return all })
	}, "rows are out of order"},
	{"a reference out of range", func(f *forged) { f.row("versions", "ingestion", 1<<39) }, "ingestion names a row that is not there"},
	{"a reference below the range", func(f *forged) { f.row("versions", "ingestion", 0) }, "ingestion names a row that is not there"},
	{"a reference to a row that is left out", func(f *forged) {
		f.rows("reviews", func(all []columns) []columns { return append(all[:1], all[2:]...) })
		f.rows("versions", func(all []columns) []columns {
			for _, row := range all {
				if row["review"] == 2.0 {
					return all
				}
			}
			all[0]["review"] = 2
			return all
		})
	}, "rows do not fit together"},
	{"a record that is merged into itself", func(f *forged) {
		f.rows("records", func(all []columns) []columns {
			for _, row := range all {
				if row["state"] == "merged" {
					row["merged_into"] = row["id"]
				}
			}
			return all
		})
	}, "a merged record does not name another record, or an active record does"},
	{"a merged provider without a survivor", func(f *forged) { f.row("providers", "survivor", nil) }, "survivor is of another type"},
	{"a provider merged into one that is merged", func(f *forged) {
		f.rows("providers", func(all []columns) []columns {
			var merged any
			for _, row := range all {
				if row["survivor"] != nil && merged != nil {
					row["survivor"] = merged
				}
				if row["survivor"] != nil {
					merged = row["id"]
				}
			}
			return all
		})
	}, "a merged provider has no survivor"},
	{"a role that is none", func(f *forged) { f.row("memberships", "role", canary) }, "rows do not fit together"},
	{"a state that is none", func(f *forged) { f.row("records", "state", canary) }, "rows do not fit together"},
	{"a version too few", func(f *forged) { f.texts("versions", func(all []string) []string { return all[1:] }) }, "a record lacks a version"},
	{"a record voided by no version", func(f *forged) {
		f.rows("records", func(all []columns) []columns {
			for _, row := range all {
				if row["state"] == "active" {
					row["state"] = "voided"
					return all
				}
			}
			return all
		})
	}, "disagree on whether it is voided"},
	{"a pair kept apart in one direction", func(f *forged) { f.texts("not_duplicates", func(all []string) []string { return all[1:] }) }, "one direction only"},
}

// perImport bounds the memory that refusing an archive allocates in all, including memory that is
// freed meanwhile.
const perImport = 256 << 20

func TestAHostileArchiveIsRefusedWithOneSentenceAndChangesNothing(t *testing.T) {
	p := full(t)
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	good := members(t, file, secret)
	for _, all := range [][]hostile{inFile, inLines, inTables} {
		for _, h := range all {
			t.Run(h.name, func(t *testing.T) {
				b, f := fixture.New(t), &forged{T: t, members: maps.Clone(good)}
				h.spoil(f)
				file, secret := f.write()
				var before, after runtime.MemStats
				f.members = nil
				runtime.ReadMemStats(&before)
				_, err := of(b).Import(t.Context(), file, Opening{KeyFiles: []string{secret}}, silent)
				runtime.ReadMemStats(&after)
				require.ErrorContains(t, err, h.error)
				require.NotContains(t, err.Error(), canary)
				require.NotContains(t, err.Error(), "\n", "one sentence")
				require.Regexp(t, "export it again|use the version of the program", err.Error(), "says what to do")
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(perImport))
				changesNothing(t, b)
				b.Clean()
			})
		}
	}
}

func TestAForgedArchiveWithNothingSpoiledIsGood(t *testing.T) {
	p := full(t)
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	f := &forged{T: t, members: members(t, file, secret)}
	for i := range store.ArchiveTables {
		if name := store.ArchiveTables[i].Name; name != "audit" {
			f.rows(name, func(all []columns) []columns { return all })
		}
	}
	file, secret = f.write()
	_, err := of(fixture.New(t)).Import(t.Context(), file, Opening{KeyFiles: []string{secret}}, silent)
	require.NoError(t, err)
}
