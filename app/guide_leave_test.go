package app_test

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// standIn names the program that this test binary stands in for, which may be missing here.
const standIn = "REGISTRY_STAND_IN"

// stands puts programs into the path that this test binary stands in for: age and unzip, as
// far as the page uses them.
func (d *guideRun) stands(names ...string) {
	d.t.Helper()
	self, err := os.Executable()
	require.NoError(d.t, err)
	for _, name := range names {
		d.program(name, fmt.Sprintf("%s=%s exec %s -test.run '^TestStandIn$' -test.v=false -- \"$@\" > /dev/null\n", standIn, name, self))
	}
}

// arguments are those behind --.
func arguments() []string {
	for i, arg := range os.Args {
		if arg == "--" {
			return os.Args[i+1:]
		}
	}
	return nil
}

func TestStandIn(t *testing.T) {
	args := arguments()
	switch os.Getenv(standIn) {
	case "age": // -d -i KEY -o OUT FILE
		require.Len(t, args, 6)
		key, err := os.Open(args[2])
		require.NoError(t, err)
		identities, err := age.ParseIdentities(key)
		require.NoError(t, err)
		sealed, err := os.Open(args[5])
		require.NoError(t, err)
		opened, err := age.Decrypt(sealed, identities...)
		require.NoError(t, err)
		content, err := io.ReadAll(opened)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(args[4], content, 0o600))
	case "unzip": // FILE -d FOLDER
		require.Len(t, args, 3)
		z, err := zip.OpenReader(args[0])
		require.NoError(t, err)
		require.NoError(t, os.Mkdir(args[2], 0o700))
		for _, member := range z.File {
			r, err := member.Open()
			require.NoError(t, err)
			content, err := io.ReadAll(r)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(args[2], filepath.Base(member.Name)), content, 0o600))
		}
	}
}

var digestLine = regexp.MustCompile(`(?m)^([0-9a-f]{64})  (\S+)$`)

// port is the address as bash names it.
func (d *guideRun) port() string { return strings.Replace(d.address, ":", "/", 1) }

func TestThePageOnLeavingCanBeFollowedWordByWord(t *testing.T) {
	t.Parallel()
	d := newGuideRun(t, "leave").installed()
	d.stands("age", "unzip")
	require.NoError(t, os.WriteFile(d.path("home/birth.json"), []byte(apptest.Course{Chart: "2026-0001", Mother: "Okonkwo"}.Bundle()), 0o600))
	d.shell(`export REGISTRY_DB=registry.db
birthregistry practice add Riverside --ehr-beta
birthregistry key mint --practice 1 --label drill --scope ingest:write,ingest:read > api.key
birthregistry serve --listen ` + d.address + ` >>log 2>&1 & trap "kill $!" EXIT
for _ in $(seq 3600); do (exec 3<>/dev/tcp/` + d.port() + `) 2>/dev/null && break; sleep 0.05; done
birthregistry push birth.json --key-file api.key --url http://` + d.address)
	exported := d.follow("Take the data along")
	require.Contains(t, exported, "Exported Riverside (births: 1, versions: 1, ")
	imported := d.follow("Bring it into another installation")
	require.Contains(t, imported, "Imported Riverside as practice 1 (births: 1, versions: 1).")
	require.Contains(t, imported, "birthregistry key mint --practice 1 --label drill --scope ingest:write,ingest:read")
	require.Contains(t, d.shell("birthregistry record show 2026-0001 --practice 1 --reveal --db elsewhere.db"), "Okonkwo")
	require.NotContains(t, d.shell("birthregistry check --db elsewhere.db"), "PROBLEM")
	erased := d.follow("Erase it here")
	require.Equal(t, 2, strings.Count(erased, "Riverside (number 1)"))
	require.Contains(t, erased, "1  births\n")
	require.Contains(t, erased, "were erased with their practice")
	require.Contains(t, erased, "Nothing that was deleted is left in it")
	require.NotContains(t, d.shell("birthregistry practice list"), "Riverside")
	require.NotContains(t, d.shell("birthregistry check"), "PROBLEM")
	digests := d.follow("Read the file without this program")
	for _, member := range []string{"versions.ndjson", "audit.ndjson", "births.csv"} {
		require.Contains(t, digests, member)
	}
	manifest, err := os.ReadFile(d.path("home/riverside/manifest.json"))
	require.NoError(t, err)
	for _, line := range digestLine.FindAllStringSubmatch(digests, -1) {
		require.Contains(t, string(manifest), line[1], line[2])
	}
	births, err := os.ReadFile(d.path("home/riverside/births.csv"))
	require.NoError(t, err)
	require.Contains(t, string(births), "Okonkwo")
}
