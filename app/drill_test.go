package app_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/assets"
)

// drill is a machine on which the page "Back up and recover" is followed word by
// word: only its four folders are elsewhere, and systemctl starts and stops the
// built binary.
type drill struct {
	t        *testing.T
	folder   string
	sections map[string]string // by heading, the lines to type
}

func newDrill(t *testing.T) *drill {
	t.Helper()
	d := &drill{t: t, folder: t.TempDir(), sections: map[string]string{}}
	page, err := assets.Docs.ReadFile("docs/recover.md")
	require.NoError(t, err)
	heading := ""
	for _, m := range regexp.MustCompile("(?ms)^## ([^\n]+)$|^```sh drill\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		if m[1] != "" {
			heading = m[1]
		} else {
			d.sections[heading] += m[2]
		}
	}
	for _, folder := range []string{"bin", "home", "var/lib/birthregistry", "etc/birthregistry", "media/stick", "mnt/backup"} {
		require.NoError(t, os.MkdirAll(filepath.Join(d.folder, folder), 0o700))
	}
	require.NoError(t, os.Symlink(apptest.Binary(t), d.path("bin/birthregistry")))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	require.NoError(t, os.WriteFile(d.path("bin/systemctl"), fmt.Appendf(nil, `#!/bin/bash
case $1 in
start)
  birthregistry serve --listen %[1]s --backup-dir %[2]s/mnt/backup >>%[2]s/log 2>&1 &
  echo $! >%[2]s/pid
  for _ in $(seq 200); do (exec 3<>/dev/tcp/%[3]s) 2>/dev/null && exit 0; sleep 0.05; done
  exit 1 ;;
stop)
  kill "$(cat %[2]s/pid)" 2>/dev/null
  while kill -0 "$(cat %[2]s/pid)" 2>/dev/null; do sleep 0.05; done ;;
esac
`, address, d.folder, strings.Replace(address, ":", "/", 1)), 0o700))
	t.Cleanup(func() { d.shell("systemctl stop birthregistry") })
	return d
}

func (d *drill) path(name string) string { return filepath.Join(d.folder, name) }

// shell types lines, with the page's first ones before them.
func (d *drill) shell(lines string) string {
	d.t.Helper()
	lines = d.sections[""] + lines
	for _, folder := range []string{"/var/lib/birthregistry", "/etc/birthregistry", "/media/stick", "/mnt/backup"} {
		lines = strings.ReplaceAll(lines, folder, d.path(folder))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", lines)
	shell.Dir = d.path("home")
	shell.Env = []string{"PATH=" + d.path("bin") + ":" + os.Getenv("PATH"), "HOME=" + d.path("home")}
	said, err := shell.CombinedOutput()
	log, _ := os.ReadFile(d.path("log"))
	require.NoError(d.t, err, "%s\n%s\n%s", lines, said, log)
	return string(said)
}

// follow types the lines of a section.
func (d *drill) follow(heading string) string {
	d.t.Helper()
	require.NotEmpty(d.t, d.sections[heading], "the page has no lines under %s", heading)
	began := time.Now()
	said := d.shell(d.sections[heading])
	d.t.Logf("%s: %v", heading, time.Since(began).Round(10*time.Millisecond))
	return said
}

// everything requires that all births are there, with the patients' names.
func (d *drill) everything() {
	d.t.Helper()
	require.Contains(d.t, d.shell("birthregistry record show 2026-0001 --practice 1 --reveal"), "Okonkwo")
	require.Equal(d.t, 3, strings.Count(d.shell("birthregistry record list --practice 1"), "active"))
	require.NotContains(d.t, d.shell("birthregistry check"), "PROBLEM")
}

// backups waits until the service has made one.
func (d *drill) backups() {
	d.t.Helper()
	require.Eventually(d.t, func() bool {
		made, err := filepath.Glob(d.path("mnt/backup/registry-*Z.db"))
		return err == nil && len(made) > 0
	}, 20*time.Second, 10*time.Millisecond)
}

func TestThePageOnRecoveryCanBeFollowedWordByWord(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("needs bash")
	}
	d := newDrill(t)
	d.shell("birthregistry practice add Riverside --ehr-beta")
	d.follow("Once: a recovery key")
	courses := make([]string, 3)
	for n := range courses {
		courses[n] = apptest.Course{Chart: fmt.Sprintf("2026-%04d", n+1), Mother: "Okonkwo"}.Bundle()
	}
	require.NoError(t, os.WriteFile(d.path("home/births.json"), []byte(apptest.Batch(courses...)), 0o600))
	d.shell(`birthregistry key mint --practice 1 --label drill --scope ingest:write,ingest:read > api.key
birthregistry serve --listen 127.0.0.1:0 2>first.log & server=$!
until grep -q serving first.log; do sleep 0.05; done
birthregistry push births.json --key-file api.key --url "$(grep -o 'http://[0-9.:]*' first.log | head -n 1)"
kill $server; wait $server
systemctl start birthregistry`)
	d.backups()
	d.everything()

	require.Contains(t, d.follow("Every day: backups"), "verified")
	drilled := d.follow("Twice a year: the drill")
	require.Equal(t, 3, strings.Count(drilled, "active"))
	require.NotContains(t, drilled, "PROBLEM")
	require.NoDirExists(t, d.path("home/drill"))

	d.shell(`kill -9 "$(cat ` + d.path("pid") + `)"`)
	require.NoError(t, os.WriteFile(d.path("var/lib/birthregistry/registry.db"), []byte(strings.Repeat("damaged ", 9000)), 0o600))
	said := d.follow("The database is damaged")
	d.everything()
	d.shell("systemctl stop birthregistry")
	undo := regexp.MustCompile(`(?m)^  (birthregistry restore .*replaced.*)$`).FindStringSubmatch(said)
	require.NotNil(t, undo, "it says how to undo: %s", said)
	d.shell("! " + undo[1]) // and refuses to put back what is damaged
	d.everything()
	d.shell("systemctl start birthregistry")

	require.NoError(t, os.Remove(d.path("etc/birthregistry/registry.key")))
	d.follow("The key file is lost")
	d.everything()

	d.shell("systemctl stop birthregistry")
	for _, folder := range []string{"var/lib/birthregistry", "etc/birthregistry"} {
		require.NoError(t, os.RemoveAll(d.path(folder)))
		require.NoError(t, os.Mkdir(d.path(folder), 0o700))
	}
	d.follow("The machine is gone")
	d.everything()

	d.follow("The key may have been seen")
	d.everything()
	d.shell("systemctl stop birthregistry; systemctl start birthregistry")
	d.everything()
	log, err := os.ReadFile(d.path("log"))
	require.NoError(t, err)
	require.NotContains(t, string(log), `"level":"ERROR"`)
}
