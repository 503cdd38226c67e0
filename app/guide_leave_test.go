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

// The practice, the operator of its installation, and the operator of another installation each
// have their own machine.
func TestThePageOnLeavingCanBeFollowedWordByWord(t *testing.T) {
	t.Parallel()
	own := newGuideRun(t, "leave").installed()
	own.stands("age", "unzip")
	d, other := appliance(t, "leave", "Riverside"), appliance(t, "leave", "Elsewhere")
	require.NoError(t, os.WriteFile(d.path("home/birth.json"), []byte(apptest.Course{Chart: "2026-0001", Mother: "Okonkwo"}.Bundle()), 0o600))
	d.shell(`birthregistry practice set 1 --ehr-beta=true
birthregistry key mint --practice 1 --label drill --scope ingest:write,ingest:read > api.key
birthregistry push birth.json --key-file api.key --url http://` + d.address)
	typed := own.blocks["Take the data along"]
	require.Len(t, typed, 3)
	own.shell(typed[0])
	carried(t, own, d, "recipient.txt")
	other.shell(typed[1])
	carried(t, other, d, "new-recipient.txt")
	exported := d.shell(typed[2])
	require.Contains(t, exported, "Exported Riverside (births: 1, versions: 1, ")
	carried(t, d, other, "riverside.age")
	imported := other.follow("Bring it into another installation")
	require.Contains(t, imported, "Imported Riverside as practice 2 (births: 1, versions: 1).")
	require.Contains(t, imported, "birthregistry key mint --practice 2 --label drill --scope ingest:write,ingest:read")
	require.Contains(t, other.shell("birthregistry record show 2026-0001 --practice 2 --reveal"), "Okonkwo")
	require.NotContains(t, other.shell("birthregistry check"), "PROBLEM")
	erased := d.follow("Erase it here")
	require.Equal(t, 2, strings.Count(erased, "Riverside (number 1)"))
	require.Contains(t, erased, "1  births\n")
	require.Contains(t, erased, "were erased with their practice")
	require.Contains(t, erased, "Nothing that was deleted is left in it")
	require.NotContains(t, d.shell("birthregistry practice list"), "Riverside")
	require.NotContains(t, d.shell("birthregistry check"), "PROBLEM")
	carried(t, d, own, "riverside.age")
	digests := own.follow("Read the file without this program")
	for _, member := range []string{"versions.ndjson", "audit.ndjson", "births.csv"} {
		require.Contains(t, digests, member)
	}
	manifest, err := os.ReadFile(own.path("home/riverside/manifest.json"))
	require.NoError(t, err)
	for _, line := range digestLine.FindAllStringSubmatch(digests, -1) {
		require.Contains(t, string(manifest), line[1], line[2])
	}
	births, err := os.ReadFile(own.path("home/riverside/births.csv"))
	require.NoError(t, err)
	require.Contains(t, string(births), "Okonkwo")
}
