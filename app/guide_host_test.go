package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// appliance is a running installation on its own machine, for a page, with a practice.
func appliance(t *testing.T, page, practice string) *guideRun {
	t.Helper()
	d := newGuideRun(t, page).downloaded()
	binary, err := os.ReadFile(d.path("home/birthregistry-linux-amd64"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(d.path("usr/local/bin/birthregistry"), binary, 0o700))
	d.shell(`birthregistry practice add "` + practice + `" > /dev/null
systemctl start birthregistry`)
	return d
}

// Two appliances run, and a practice moves from one to the other.
func TestThePageOnHostingCanBeFollowedWordByWord(t *testing.T) {
	t.Parallel()
	from, to := appliance(t, "host", "The first"), appliance(t, "host", "The first")
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

	from.reaches(map[string]*guideRun{"a01": from, "a02": to})
	upgraded := from.follow("Upgrade one after the other")
	require.NotContains(t, upgraded, "PROBLEM")
	for _, d := range []*guideRun{from, to} {
		require.Contains(t, upgraded, d.address+" answers", "the settings were taken")
		require.FileExists(t, d.path("usr/local/bin/birthregistry.before"))
		copies, err := filepath.Glob(d.path("mnt/backup/before-upgrade-*.db"))
		require.NoError(t, err)
		require.Len(t, copies, 1)
	}
}

// reaches puts stand-ins for ssh and scp into the path, which reach these machines. As over a
// real connection, a command has nothing of this shell's environment, and begins in the home
// folder of the other machine.
func (d *guideRun) reaches(machines map[string]*guideRun) {
	d.t.Helper()
	var known strings.Builder
	for name, m := range machines {
		fmt.Fprintf(&known, "%s | %s:) there=%s ;;\n", name, name, m.folder)
	}
	find := "case $%d in\n" + known.String() + "*) exit 255 ;;\nesac\n"
	d.program("ssh", fmt.Sprintf(find, 1)+`shift
here=`+d.folder+`
text="$*"
cd "$there/home"
exec env -i HOME="$there/home" PATH="$there/bin:$there/usr/local/bin:`+os.Getenv("PATH")+`" bash -c "${text//"$here"/"$there"}"
`)
	d.program("scp", fmt.Sprintf(find, 2)+`[ "$there/home/$1" -ef "$1" ] || cp "$1" "$there/home/"
`)
}

var digestOf = regexp.MustCompile(`[0-9a-f]{64}`)

// carried copies a file from one machine to another.
func carried(t *testing.T, from, to *guideRun, name string) {
	t.Helper()
	content, err := os.ReadFile(from.path("home/" + name))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to.path("home/"+name), content, 0o600))
}
