package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

func TestThePageOnInstallingCanBeFollowedWordByWord(t *testing.T) {
	t.Parallel()
	d := newGuideRun(t, "install").downloaded()
	d.program("useradd", "exit 0\n")
	d.program("runuser", "shift 3; exec \"$@\"\n")
	d.program("install", `while [ $# -gt 0 ]; do case $1 in -o | -g) shift 2 ;; *) args+=("$1"); shift ;; esac; done
PATH=/usr/bin:/bin exec install "${args[@]}"
`)
	output := d.follow("Step by step")
	require.Contains(t, output, "birthregistry-linux-amd64: OK")
	require.NotContains(t, output, "PROBLEM")
	require.Contains(t, output, "https://births.example.org/", "the invitation")
	unit, err := os.ReadFile(d.path("etc/systemd/system/birthregistry.service"))
	require.NoError(t, err)
	require.Contains(t, string(unit), "ExecStart="+d.path("usr/local/bin/birthregistry")+" serve\n")
	for _, file := range []string{"var/lib/birthregistry/registry.db", "etc/birthregistry/registry.key"} {
		info, err := os.Stat(d.path(file))
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode().Perm(), file)
	}
	require.NoFileExists(t, d.path("var/lib/birthregistry/registry.key"))

	// The proxy that the page names is on this machine, as the page says.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+d.address+"/health/live", nil)
	require.NoError(t, err)
	request.Header.Set("X-Forwarded-For", "203.0.113.77")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	log, err := os.ReadFile(d.path("log"))
	require.NoError(t, err)
	require.Contains(t, string(log), "serving")
	require.NotContains(t, string(log), "not a trusted proxy")
}

func TestThePageOnUpgradingCanBeFollowedWordByWord(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("testdata/upgrade/*.db.gz")
	require.NoError(t, err)
	db, key := earlier(t, strings.TrimSuffix(filepath.Base(found[0]), ".db.gz"))
	d := newGuideRun(t, "upgrade").downloaded()
	// The earlier program is a stand-in: this one, except that its backup migrates nothing.
	require.NoError(t, os.WriteFile(d.path("usr/local/bin/birthregistry"), []byte("#!/bin/sh\n"+
		`[ "$1" != backup ] || exec cp "$REGISTRY_DB" "$2"`+"\nexec "+apptest.Binary(t)+" \"$@\"\n"), 0o700))
	require.NoError(t, os.Rename(key, d.path("etc/birthregistry/registry.key")))
	require.NoError(t, os.Rename(db, d.path("var/lib/birthregistry/registry.db")))
	count := func() int {
		return strings.Count(d.shell("birthregistry record list --practice 1 --json"), `"chart_number"`)
	}
	output := d.follow("To a new version")
	require.NotContains(t, output, "PROBLEM")
	require.Contains(t, output, d.address+" answers", "the settings were taken")
	require.Equal(t, 5, count())
	copies, err := filepath.Glob(d.path("var/lib/birthregistry/registry.db.before-*"))
	require.NoError(t, err)
	require.Len(t, copies, 1)
	require.NoError(t, os.WriteFile(d.path("home/later.json"), []byte(apptest.Course{Chart: "later", Mother: "later"}.Bundle()), 0o600))
	later := func() {
		d.shell(`birthregistry key mint --practice 1 --label drill --scope ingest:write,ingest:read > api.key
birthregistry push later.json --key-file api.key --url http://` + d.address)
		require.Equal(t, 6, count())
	}
	later()
	d.follow("Back to the one before")
	require.Equal(t, 5, count(), "what was recorded since is not in it")
	require.NoFileExists(t, d.path("usr/local/bin/birthregistry.before"))
	later()
	d.follow("To a new version") // nothing in the database has to change
	require.NotContains(t, d.follow("Back to the one before"), "Restored", "the copy of the earlier upgrade stays where it is")
	require.Equal(t, 6, count())
	require.NotContains(t, d.shell("birthregistry check"), "PROBLEM")
}

func TestThePageOnOperatingCanBeFollowedWordByWord(t *testing.T) {
	t.Parallel()
	d := newGuideRun(t, "operate").installed()
	d.settings("REGISTRY_BASE_URL=http://"+d.address, "REGISTRY_BACKUP_DIR="+d.path("mnt/backup"))
	d.shell(`export REGISTRY_DB=/var/lib/birthregistry/registry.db REGISTRY_KEY_FILE=/etc/birthregistry/registry.key
birthregistry practice add Riverside
systemctl start birthregistry`)
	d.backups()
	output := d.follow("When something is wrong")
	require.NotContains(t, output, "PROBLEM")
	require.Contains(t, output, d.address+" answers", "the settings were taken")
	require.NotContains(t, output, "PROBLEM")
	require.Contains(t, d.follow("Leave nothing of what was deleted"), "Nothing that was deleted is left in it")
	require.NotContains(t, d.follow("When something is wrong"), "PROBLEM", "the service runs again")
}
