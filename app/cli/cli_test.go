package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/certs"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// ran is the result of a command line.
type ran struct {
	code      int
	out, talk string
}

func command(t *testing.T, in string, args ...string) ran {
	t.Helper()
	var out, talk bytes.Buffer
	code := Run(context.Background(), args, strings.NewReader(in), &out, &talk)
	return ran{code, out.String(), talk.String()}
}

// database sets the database of all commands to a file in a temporary folder.
func database(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "registry.db")
	t.Setenv("REGISTRY_DB", path)
	return path
}

// installed is like database, and makes the file with a practice.
func installed(t *testing.T) string {
	t.Helper()
	path := storetest.Blank(t, database(t), store.Open)
	require.Zero(t, command(t, "", "practice", "add", "Riverside").code)
	return path
}

func TestPracticeAddPrintsOnlyTheID(t *testing.T) {
	database(t)
	require.Equal(t, "1\n", command(t, "", "practice", "add", "Riverside").out)
	require.Equal(t, "2\n", command(t, "", "practice", "add", "Sandbox", "--sandbox", "--ehr-beta").out)
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(command(t, "", "practice", "list", "--json").out), &all))
	require.Len(t, all, 2)
	require.Equal(t, true, all[1]["is_sandbox"])
	require.Equal(t, true, all[1]["ehr_beta"])
	require.Contains(t, command(t, "", "practice", "list").out, "Riverside")
}

func TestTheFirstCommandSaysWhichFilesItCreatedWhere(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	folder, err := os.Getwd() // as the system names the folder
	require.NoError(t, err)
	first := command(t, "", "practice", "add", "Riverside")
	require.Equal(t, "1\n", first.out)
	require.Contains(t, first.talk, filepath.Join(folder, "registry.db"))
	require.Contains(t, first.talk, filepath.Join(folder, "registry.key"))
	require.Empty(t, command(t, "", "practice", "add", "Hillside").talk)
}

func TestKeyMintPrintsOnlyTheKeyAndOnlyForABetaPractice(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	mint := []string{"key", "mint", "--practice", "1", "--label", "sync", "--scope", "ingest:write", "--scope", "ingest:read"}
	refused := command(t, "", mint...)
	require.Equal(t, 1, refused.code)
	require.Empty(t, refused.out)
	require.Contains(t, refused.talk, "--ehr-beta=true", "the error says what to do")
	require.Zero(t, command(t, "", "practice", "set", "1", "--ehr-beta=true").code)
	minted := command(t, "", mint...)
	require.Zero(t, minted.code)
	require.Regexp(t, `^rgk_[0-9A-Za-z]{38}\n$`, minted.out)
	list := command(t, "", "key", "list", "--practice", "1").out
	require.Contains(t, list, "ingest:write ingest:read")
	require.NotContains(t, list, strings.TrimSpace(minted.out))
	require.Contains(t, list, minted.out[:8])
	require.Zero(t, command(t, "", "key", "revoke", "1").code)
	again := command(t, "", "key", "revoke", "1")
	require.Equal(t, 1, again.code)
	require.Contains(t, again.talk, "no such key in force")
	require.Equal(t, 1, command(t, "", "key", "mint", "--practice", "9", "--label", "x", "--scope", "ingest:read").code)
}

func TestAKeyThatCannotBePrintedIsRevoked(t *testing.T) {
	database(t)
	require.Zero(t, command(t, "", "practice", "add", "Riverside", "--ehr-beta").code)
	full := writer(func([]byte) (int, error) { return 0, errors.New("the disk is full") })
	var talk bytes.Buffer
	args := []string{"key", "mint", "--practice", "1", "--label", "nightly", "--scope", "ingest:write"}
	require.Equal(t, exitFailed, Run(context.Background(), args, strings.NewReader(""), full, &talk))
	require.Contains(t, talk.String(), "the key could not be printed, and is revoked: the disk is full\n")
	require.NotContains(t, command(t, "", "key", "list", "--practice", "1").out, "in force")
}

// Otherwise a command in the wrong folder would make an empty database, back that up and
// report it as verified, and a service whose disk is not mounted would know no users.
func TestACommandThatNeedsADatabaseDoesNotCreateOne(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for _, args := range [][]string{
		{"backup", filepath.Join(t.TempDir(), "copy.db")},
		{"check"},
		{"secrets", "show"},
		{"secrets", "rotate"},
		{"audit", "verify"},
		{"practice", "list"},
		{"user", "list"},
		{"key", "list", "--practice", "1"},
		{"record", "list", "--practice", "1"},
		{"ehr", "list"},
		{"ehr", "check", "https://ehr.example.org/fhir"},
	} {
		r := command(t, "", args...)
		require.Equal(t, 1, r.code, "%v: %s", args, r.talk)
		require.Contains(t, r.talk, filepath.Join(folder, "registry.db"), "%v says where it looked", args)
		require.Contains(t, r.talk, "--db", "%v", args)
	}
	require.NoError(t, os.WriteFile("registry.key", []byte("a key"), 0o600))
	for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"check"}} {
		r := command(t, "", args...)
		require.Equal(t, 1, r.code, "%v: %s", args, r.talk)
		require.Contains(t, r.talk, "mount", "%v", args)
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing was made")
}

func TestCommandsCalledWronglyExitWithTwoAndSayWhereToLook(t *testing.T) {
	installed(t)
	for _, args := range [][]string{
		{"fly"},
		{"practice", "fly"},
		{"practice", "add"},
		{"practice", "add", "a", "b"},
		{"practice", "add", "River\x1b[2Jside"},
		{"practice", "add", ""},
		{"practice", "add", " \t"},
		{"practice", "set", "one", "--ehr-beta=true"},
		{"practice", "set", "1"},
		{"key", "mint", "--practice", "1"},
		{"key", "mint", "--practice", "1", "--label", "x", "--scope", "everything"},
		{"key", "mint", "--practice", "1", "--label", "x", "--scope", ""},
		{"key", "mint", "--practice", "1", "--label", " ", "--scope", "ingest:read"},
		{"key", "list", "--practice", "x"},
		{"key", "revoke", "x"},
		{"record", "show", "--practice", "1"},
		{"record", "show", "x", "--practice", "1", "--version", "-1"},
		{"push", "x"},
		{"push", "--url", "http://x"},
		{"push", "x", "--url", "ftp://x", "--key-file", os.DevNull},
		{"serve", "--max-body", "plenty"},
		{"serve", "--disk-reserve", "9EiB"},
		{"doctor", "--disk-reserve", "9EiB"},
		{"serve", "--trusted-proxies", "0.0.0.0/0"},
		{"serve", "--trusted-proxies", "somebody"},
		{"serve", "--trusted-proxies", "127.0.0.1"},
		{"serve", "--base-url", "registry"},
		{"practice", "list", "--db", ""},
		{"serve", "--domain", "*.example.org"},
		{"serve", "--domain", "localhost"},
		{"serve", "--domain", "10.0.0.5"},
		{"serve", "--domain", "[::1]"},
		{"serve", "--domain", "example.org."},
		{"serve", "--domain", "example.org:443"},
		{"serve", "--domain", "a..org"},
		{"serve", "--domain", "-a.org"},
		{"serve", "--domain", "exämple.org"},
		{"serve", "--workers", "-1"},
		{"serve", "--rate-limit", "0"},
		{"serve", "--buffer-ttl", "0s"},
		{"serve", "--stale-after", "soon"},
		{"serve", "--reading", "everything"},
		{"demo", "--reading", ""},
		{"serve", "--fly"},
		{"health", "--listen", "somewhere"},
		{"health", "--url", "ftp://x"},
		{"backup"},
		{"restore", ""},
	} {
		r := command(t, "", args...)
		require.Equal(t, 2, r.code, "%v: %s", args, r.talk)
		require.Empty(t, r.out, "%v", args)
		require.Contains(t, r.talk, "--help", "%v", args)
	}
}

func TestEveryCommandExplainsItselfWithAnExample(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		require.NotEmpty(t, cmd.Short, cmd.CommandPath())
		if cmd.HasParent() {
			require.Contains(t, cmd.Example, cmd.CommandPath(), "the example of %s", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(rootCommand())
	help := command(t, "", "--help")
	require.Zero(t, help.code)
	require.Contains(t, help.out, "birthregistry demo")
}

func TestEveryFlagHasAnEnvironmentVariable(t *testing.T) {
	path := database(t)
	command(t, "", "practice", "add", "Riverside")
	require.FileExists(t, path)
	require.FileExists(t, strings.TrimSuffix(path, ".db")+".key", "the key is next to the database by default")
	t.Setenv("REGISTRY_MAX_BODY", "plenty")
	require.Equal(t, 2, command(t, "", "serve").code)
	t.Setenv("REGISTRY_JSON", "true")
	require.Contains(t, command(t, "", "practice", "list").out, `"name": "Riverside"`)
}

func TestTheVersionFlagHasNoEnvironmentVariable(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "A"}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	t.Setenv("REGISTRY_VERSION", "v2.0.0")
	require.Zero(t, command(t, "", "record", "show", "A", "--practice", "1").code)
}

func TestTheDatabasesKeyIsNeverSentAsAnAPIKey(t *testing.T) {
	database(t)
	t.Setenv("REGISTRY_KEY_FILE", filepath.Join(t.TempDir(), "registry.key"))
	r := command(t, "{}", "push", "-", "--url", "http://127.0.0.1:1")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.talk, "REGISTRY_API_KEY")
}

func TestAMisspelledEnvironmentVariableIsNamedWithoutItsValue(t *testing.T) {
	installed(t)
	t.Setenv("REGISTRY_BACKUPS_DIR", "CNRY")
	t.Setenv("REGISTRY_BACKUP_EVERY", "12h")
	t.Setenv("REGISTRY_API_KEY", "CNRY")
	talk := command(t, "", "doctor").talk
	require.Contains(t, talk, "REGISTRY_BACKUPS_DIR")
	require.NotContains(t, talk, "REGISTRY_BACKUP_EVERY", "which is one of serve")
	require.NotContains(t, talk, "REGISTRY_API_KEY")
	require.NotContains(t, talk, "REGISTRY_DB")
	require.NotContains(t, talk, "CNRY")
	t.Setenv("REGISTRY_LISTEN", "127.0.0.1:0")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var served bytes.Buffer
	Run(stopped, []string{"serve"}, nil, &served, &served) // it gets that far before it stops
	require.Contains(t, served.String(), "REGISTRY_BACKUPS_DIR")
}

func TestAMissingOrWrongKeyIsAnErrorAndNeverANewKey(t *testing.T) {
	path := database(t)
	command(t, "", "practice", "add", "Riverside")
	key := strings.TrimSuffix(path, ".db") + ".key"
	require.NoError(t, os.Rename(key, key+".away"))
	missing := command(t, "", "practice", "list")
	require.Equal(t, 1, missing.code)
	require.Contains(t, missing.talk, "--key-file")
	require.NoFileExists(t, key)
	require.Zero(t, command(t, "", "practice", "list", "--key-file", key+".away").code)
}

func TestRecordShowDistinguishesTwoRecordsWhoseNumbersReadAlike(t *testing.T) {
	i := apptest.Start(t)
	t.Setenv("REGISTRY_DB", i.Config.DB)
	file := csvFile(t, "mother_family_name,birth_date,birth_weight_g\nOkonkwo,2026-03-02,3400\n")
	require.Zero(t, command(t, "", "import", file, "--practice", "1").code)
	given := command(t, "", "record", "show", "B-000001", "--practice", "1")
	require.Zero(t, given.code, given.talk)
	require.Contains(t, given.out, "assigned by the registry")
	sent := i.Push(apptest.Course{Chart: "B-000001", Mother: "Haddad"}.Bundle()).Accepted[0].Submission

	both := command(t, "", "record", "show", "B-000001", "--practice", "1")
	require.Equal(t, 1, both.code)
	require.Contains(t, both.talk, sent+"  it was sent or typed with this number")
	require.Contains(t, both.talk, "the registry gave it this number")
	one := command(t, "", "record", "show", sent, "--practice", "1")
	require.Zero(t, one.code)
	require.NotContains(t, one.out, "assigned by the registry")
	require.Contains(t, command(t, "", "record", "list", "--practice", "1", "--json").out, `"chart_number_given": true`)

	odd := command(t, "", "record", "show", "B-\a000001", "--practice", "1")
	require.Equal(t, 1, odd.code)
	require.NotContains(t, odd.talk, sent, "a control character is not taken out")
}

func TestRecordShowPrintsTheCanonicalRecord(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "2026-0147", Stamp: "2026-03-03T10:00:00.5Z", Weight: 3400}.Bundle())
	i.Push(apptest.Course{Chart: "2026-0147", Stamp: "2026-03-04T10:00:00Z", Weight: 3500}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	show := func(args ...string) map[string]any {
		r := command(t, "", append([]string{"record", "show", "--practice", "1", "--json"}, args...)...)
		require.Zero(t, r.code, r.talk)
		var doc map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.out), &doc))
		return doc
	}
	doc := show("2026-0147")
	require.Equal(t, "2026-0147", doc["chart_number"])
	require.Equal(t, "active", doc["state"])
	require.EqualValues(t, 2, doc["version"])
	require.Equal(t, "2026-03-04T10:00:00Z", doc["source_stamp"])
	child := doc["children"].([]any)[0].(map[string]any)
	require.Equal(t, map[string]any{"value": 3500.0, "unit": "g", "source": "fhir_push"}, child["birth_weight_g"])
	require.Equal(t, map[string]any{"sealed": true, "source": "fhir_push"}, child["birth_date"])
	require.Equal(t, map[string]any{"granted": false}, doc["consent"])
	require.NotContains(t, doc, "ig_version", "absent when not stated")
	require.Equal(t, doc, show(doc["id"].(string)), "by the submission's id as well")
	revealed := show("2026-0147", "--reveal", "--version", "1")
	require.EqualValues(t, 1, revealed["version"])
	require.Equal(t, "2026-03-03T10:00:00.5Z", revealed["source_stamp"])
	require.Equal(t, map[string]any{"value": "Okonkwo", "source": "fhir_push"}, revealed["mother"].(map[string]any)["mother_family_name"])
	providers := command(t, "", "record", "show", "--practice", "1", "2026-0147")
	require.Contains(t, providers.out, "(sealed)")
	require.NotContains(t, providers.out, "Okonkwo")
	require.Contains(t, providers.out, "3,500 g")
	require.Contains(t, providers.talk, "--reveal shows what is sealed")
	require.Empty(t, command(t, "", "record", "show", "--practice", "1", "2026-0147", "--reveal").talk)
	for _, args := range [][]string{
		{"record", "show", "nobody", "--practice", "1"},
		{"record", "show", "2026-0147", "--practice", "1", "--version", "3"},
		{"record", "show", "2026-0147", "--practice", "2"},
		{"record", "list", "--practice", "2"},
	} {
		require.Equal(t, 1, command(t, "", args...).code, "%v", args)
	}
}

func TestHostNamesAreAcceptedAsBrowsersWriteThem(t *testing.T) {
	base, err := baseURL("HTTPS://Births.Example.org/")
	require.NoError(t, err)
	require.Equal(t, "https://births.example.org", base, "which is what decides on TLS")
	config := app.Config{TLS: certs.Settings{Domains: []string{"Births.Example.org", "xn--exmple-cua.org"}}}
	require.NoError(t, checkTLS(&config))
	require.Equal(t, "https://births.example.org", config.Web.BaseURL)
}

func TestABaseURLWithAPathIsRefusedBecauseItsLinksWouldLeadNowhere(t *testing.T) {
	for _, args := range [][]string{
		{"serve", "--base-url", "https://clinic.example.org/births"},
		{"user", "add", "olive@example.org", "--practice", "1", "--role", "admin", "--base-url", "https://clinic.example.org/births/"},
	} {
		installed(t)
		r := command(t, "", args...)
		require.Equal(t, exitUsage, r.code, args)
		require.Contains(t, r.talk, "--base-url takes an address without a path")
	}
}

func TestServeSaysWhyItCannotListen(t *testing.T) {
	database(t)
	used, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = used.Close() })
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "--listen takes an address such as 127.0.0.1:8080\n", []string{"--listen", "8080"}},
		{exitUsage, "--metrics-listen takes an address such as 127.0.0.1:8080\n", []string{"--listen", "127.0.0.1:0", "--metrics-listen", "9090"}},
		{exitFailed, "another program uses " + used.Addr().String() + "; stop it, or choose another address with --listen\n", []string{"--listen", used.Addr().String()}},
		{exitFailed, "192.0.2.1:9090 is not an address of this machine; name one of its own with --metrics-listen", []string{"--listen", "127.0.0.1:0", "--metrics-listen", "192.0.2.1:9090"}},
	} {
		r := command(t, "", append([]string{"serve"}, c.args...)...)
		require.Equal(t, c.code, r.code, r.talk)
		require.Contains(t, r.talk, c.says)
	}
}

func TestAMistypedCommandIsAnsweredWithTheOneThatIsMeant(t *testing.T) {
	for typed, says := range map[string]string{
		"demmo":           `there is no command "demmo"; did you mean demo?`,
		"practice exprot": `there is no command "practice exprot"; did you mean export`,
		"fly":             `there is no command "fly"` + "\n",
	} {
		r := command(t, "", strings.Fields(typed)...)
		require.Equal(t, exitUsage, r.code)
		require.Contains(t, r.talk, "birthregistry: "+says)
	}
}

func TestVersionPrintsTheVersion(t *testing.T) {
	require.Contains(t, command(t, "", "version").out, "birthregistry dev")
	require.Equal(t, command(t, "", "version").out, command(t, "", "--version").out)
	require.Contains(t, command(t, "", "version", "--json").out, `"version"`)
}

func TestAnErrorIsPrintedWithoutThePackageItComesFrom(t *testing.T) {
	database(t)
	command(t, "", "practice", "add", "Riverside")
	wrong := command(t, "", "user", "add", "nobody", "--practice", "1", "--role", "admin")
	require.Equal(t, 2, wrong.code)
	require.Regexp(t, "^birthregistry: [^:]+\n", wrong.talk)
	for text, want := range map[string]string{
		"auth: no": "no", "line 3: auth: no": "line 3: no", "store: seal: a: no": "a: no",
		"one\ningest: two": "one\ntwo", "open store: no": "open store: no",
	} {
		require.Equal(t, want, plain(errors.New(text)))
	}
}

func TestAnErrorOfTheSystemSaysWhatToDo(t *testing.T) {
	for code, says := range map[syscall.Errno]string{syscall.EACCES: "run this as root", syscall.EPERM: "run this as root", syscall.EROFS: "birthregistry doctor"} {
		require.Contains(t, plain(fmt.Errorf("the file cannot be opened: %w", &os.PathError{Op: "open", Path: "/x", Err: code})), says)
	}
}

func TestAPracticeGetsATimeZone(t *testing.T) {
	database(t)
	require.Zero(t, command(t, "", "practice", "add", "Riverside", "--time-zone", "America/New_York", "--ehr-beta").code)
	require.Regexp(t, "yes +optional +America/New_York", command(t, "", "practice", "list").out)
	require.Zero(t, command(t, "", "practice", "set", "1", "--time-zone", "America/Denver").code)
	require.Regexp(t, "yes +optional +America/Denver", command(t, "", "practice", "list").out, "the beta stays as it was")
	for _, wrong := range []string{"Moon/Base", "Local", "", "EST5"} {
		require.Equal(t, 2, command(t, "", "practice", "set", "1", "--time-zone", wrong).code, wrong)
		require.Equal(t, 2, command(t, "", "practice", "add", "Hill", "--time-zone", wrong).code, wrong)
	}
	require.Equal(t, 2, command(t, "", "practice", "set", "1").code, "nothing to set")
	require.Equal(t, 1, command(t, "", "practice", "set", "7", "--time-zone", "UTC").code)
}

func TestACommandThatIsCalledIncorrectlySaysHowToCallIt(t *testing.T) {
	for _, call := range []struct {
		args []string
		says string
	}{
		{[]string{"backup"}, "call it as: birthregistry backup DEST"},
		{[]string{"key", "mint", "--practice", "1"}, "it needs --label, --scope"},
		{[]string{"practice", "set", "1", "--foo"}, "unknown flag: --foo"},
		{[]string{"unit", "systemd"}, `"systemd" is not one of birthregistry, litestream, litestream.yml`},
	} {
		answer := command(t, "", call.args...)
		require.Equal(t, 2, answer.code)
		require.Contains(t, answer.talk, call.says)
		require.Contains(t, answer.talk, " --help")
	}
}

func TestAnEmptyFileIsNotTakenForADatabase(t *testing.T) {
	path := installed(t)
	require.NoError(t, os.WriteFile(path, nil, 0o600)) // its content was lost; its key is still there
	dest := filepath.Join(t.TempDir(), "copy.db")
	for _, args := range [][]string{{"check"}, {"user", "list"}, {"backup", dest}, {"serve", "--listen", "127.0.0.1:0"}} {
		r := command(t, "", args...)
		require.Equal(t, 1, r.code, "%v", args)
		require.Contains(t, r.talk, path+" is empty and holds no database, but its key is at ", "%v", args)
		require.Contains(t, r.talk, "birthregistry restore BACKUP")
		file, err := os.Stat(path)
		require.NoError(t, err)
		require.Zero(t, file.Size(), "%v writes nothing", args)
	}
	require.NoFileExists(t, dest)

	require.NoError(t, os.Remove(strings.TrimSuffix(path, ".db")+".key"))
	require.Contains(t, command(t, "", "user", "list").talk, "is empty and holds no database; name it with --db")
	require.NoFileExists(t, strings.TrimSuffix(path, ".db")+".key", "a command that reads makes no key")
}
