package app_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// appliance is a running installation on a machine of its own.
func appliance(t *testing.T) *guideRun {
	t.Helper()
	d := newGuideRun(t, "host").downloaded()
	binary, err := os.ReadFile(d.path("home/birthregistry-linux-amd64"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(d.path("usr/local/bin/birthregistry"), binary, 0o700))
	d.shell(`birthregistry practice add "The first" > /dev/null
systemctl start birthregistry`)
	return d
}

// Two appliances run, and a practice moves from one to the other. The stand-ins for ssh and scp
// stay on the machine that they are typed on.
func TestThePageOnHostingCanBeFollowedWordByWord(t *testing.T) {
	t.Parallel()
	from, to := appliance(t), appliance(t)
	var all strings.Builder
	for n := 2; n <= 12; n++ {
		fmt.Fprintf(&all, "Practice %d,America/New_York,admin-%d@example.org\n", n, n)
	}
	require.NoError(t, os.WriteFile(from.path("home/new.csv"), []byte(all.String()), 0o600))
	added := from.follow("Add practices")
	require.Equal(t, 11, strings.Count(added, "https://a07.births.example.org/"), "an invitation for each admin")
	listed, err := os.ReadFile(from.path("home/practices.csv"))
	require.NoError(t, err)
	require.Contains(t, string(listed), "12,Practice 12\n")

	require.NoError(t, os.WriteFile(from.path("home/birth.json"), []byte(apptest.Course{Chart: "2026-0001", Mother: "Okonkwo"}.Bundle()), 0o600))
	from.shell(`birthregistry practice set 12 --ehr-beta=true
birthregistry key mint --practice 12 --label drill --scope ingest:write,ingest:read > api.key
birthregistry push birth.json --key-file api.key --url http://` + from.address)

	to.follow("Move a practice: prepare")
	carried(t, to, from, "move.pub")
	exported := from.follow("Move a practice: export")
	require.Contains(t, exported, "Exported Practice 12 (births: 1, versions: 1, ")
	from.shell(`! birthregistry push birth.json --key-file api.key --url http://` + from.address)
	carried(t, from, to, "move.age")
	imported := to.follow("Move a practice: import")
	require.Contains(t, imported, "Imported Practice 12 as practice 2 (births: 1, versions: 1).")
	require.Contains(t, exported, digestOf.FindString(imported), "the file arrived as it was exported")
	require.NotContains(t, imported, "PROBLEM")
	require.Contains(t, to.shell("birthregistry record show 2026-0001 --practice 2 --reveal"), "Okonkwo")
	require.NoFileExists(t, to.path("home/move.key"))

	from.program("ssh", "shift; exec bash -euc \"$*\"\n")
	from.program("scp", "[ \"$2\" = a01: ] || [ \"$2\" = a02: ]\n")
	require.NotContains(t, from.follow("Upgrade one after the other"), "PROBLEM")
	require.FileExists(t, from.path("usr/local/bin/birthregistry.before"))
}

var digestOf = regexp.MustCompile(`[0-9a-f]{64}`)

// carried copies a file from one machine to another.
func carried(t *testing.T, from, to *guideRun, name string) {
	t.Helper()
	content, err := os.ReadFile(from.path("home/" + name))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to.path("home/"+name), content, 0o600))
}
