package app_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
	"birthregistry/assets"
)

// guideRun is a machine on which a test follows a page of the guide word by word. Only the
// folders differ, and a stand-in for systemctl starts and stops the built binary. Steps that
// need root or systemd itself are skipped: no user is added, no file changes its owner, and
// the unit is only read (unit_test.go). As on a real machine, a shell has no settings but those
// that the page's lines set, and the service has only those of its file.
type guideRun struct {
	t        *testing.T
	folder   string
	address  string
	sections map[string]string   // the lines to type, by heading
	blocks   map[string][]string // the same, for pages whose lines are typed on several machines
}

// within are the system folders that a drill replaces with folders of its own.
var within = []string{
	"/var/lib/birthregistry", "/etc/birthregistry", "/media/stick", "/mnt/backup", "/etc/systemd/system", "/usr/local/bin",
}

func newGuideRun(t *testing.T, name string) *guideRun {
	t.Helper()
	longtest.Only(t, "the pages for operators followed word by word")
	_, err := exec.LookPath("bash")
	longtest.Needs(t, "bash", err)
	d := &guideRun{t: t, folder: t.TempDir(), address: freeAddress(t), sections: map[string]string{}, blocks: map[string][]string{}}
	page, err := assets.Guides.ReadFile("guides/" + name + ".md")
	require.NoError(t, err)
	heading := ""
	for _, m := range regexp.MustCompile("(?ms)^## ([^\n]+)$|^```sh drill\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		if m[1] != "" {
			heading = m[1]
		} else {
			d.sections[heading] += m[2]
			d.blocks[heading] = append(d.blocks[heading], m[2])
		}
	}
	for _, folder := range append(within, "bin", "home") {
		require.NoError(t, os.MkdirAll(d.path(folder), 0o700))
	}
	d.settings()
	d.program("systemctl", fmt.Sprintf(`
stop() {
  kill "$(cat %[2]s/pid)" 2>/dev/null
  while kill -0 "$(cat %[2]s/pid)" 2>/dev/null; do sleep 0.05; done
}
start() {
  unset "${!REGISTRY_@}" # the service has none of the shell's settings, and a copy of the key, as the unit says
  mkdir -p %[2]s/credentials
  cp -f %[2]s/etc/birthregistry/registry.key %[2]s/credentials/registry.key
  set -a
  CREDENTIALS_DIRECTORY=%[2]s/credentials
  REGISTRY_DB=%[2]s/var/lib/birthregistry/registry.db
  [ ! -f %[2]s/etc/birthregistry/env ] || . %[2]s/etc/birthregistry/env
  birthregistry serve --listen %[1]s >>%[2]s/log 2>&1 &
  echo $! >%[2]s/pid
  for _ in $(seq 3600); do (exec 3<>/dev/tcp/%[3]s) 2>/dev/null && exit 0; sleep 0.05; done
  exit 1
}
case $* in
*litestream)
  litestream replicate -config %[2]s/etc/litestream.yml >>%[2]s/log.litestream 2>&1 &
  echo $! >%[2]s/pid.litestream
  exit 0
  ;;
stop*) # they are bound together
  if [ -f %[2]s/pid.litestream ]; then
    kill "$(cat %[2]s/pid.litestream)" 2>/dev/null || true
    while kill -0 "$(cat %[2]s/pid.litestream)" 2>/dev/null; do sleep 0.05; done
  fi
  ;;
esac
case $1 in
daemon-reload) ;;
start | enable) start ;;
stop) stop || true ;;
restart) stop; start ;;
esac
`, d.address, d.folder, strings.Replace(d.address, ":", "/", 1)))
	t.Cleanup(func() { d.shell("systemctl stop birthregistry") })
	return d
}

// settings writes the file with the service's settings: its address, because another program may
// use the usual port on this machine, and these lines.
func (d *guideRun) settings(lines ...string) {
	d.t.Helper()
	text := strings.Join(append([]string{"REGISTRY_LISTEN=" + d.address}, lines...), "\n") + "\n"
	require.NoError(d.t, os.WriteFile(d.path("etc/birthregistry/env"), []byte(text), 0o600))
}

// dies kills the service and waits until it has ended.
func (d *guideRun) dies() {
	d.t.Helper()
	d.shell(`while kill -9 "$(cat ` + d.path("pid") + `)" 2>/dev/null; do sleep 0.05; done`)
}

// program puts a shell script into the path.
func (d *guideRun) program(name, text string) {
	d.t.Helper()
	require.NoError(d.t, os.WriteFile(d.path("bin/"+name), []byte("#!/bin/bash\n"+text), 0o700))
}

// installed puts the program into its place.
func (d *guideRun) installed() *guideRun {
	d.t.Helper()
	require.NoError(d.t, os.Symlink(apptest.Binary(d.t), d.path("usr/local/bin/birthregistry")))
	return d
}

// downloaded puts the program, built like a release, where the page's lines expect the
// download.
func (d *guideRun) downloaded() *guideRun {
	d.t.Helper()
	content, err := os.ReadFile(apptest.Binary(d.t))
	require.NoError(d.t, err)
	require.NoError(d.t, os.WriteFile(d.path("home/birthregistry-linux-amd64"), content, 0o600))
	d.shell("sha256sum birthregistry-linux-amd64 > SHA256SUMS; echo \"$(printf '%064d' 0)  birthregistry-linux-arm64\" >> SHA256SUMS")
	return d
}

func (d *guideRun) path(name string) string { return filepath.Join(d.folder, name) }

// shell runs lines after the page's opening lines.
func (d *guideRun) shell(lines string) string {
	d.t.Helper()
	lines = strings.ReplaceAll(d.sections[""]+lines, "/etc/litestream.yml", d.path("etc/litestream.yml"))
	for _, folder := range within {
		lines = strings.ReplaceAll(lines, folder, d.path(folder))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", lines)
	shell.Dir = d.path("home")
	shell.Env = []string{"PATH=" + d.path("bin") + ":" + d.path("usr/local/bin") + ":" + os.Getenv("PATH"), "HOME=" + d.path("home")}
	output, err := shell.CombinedOutput()
	log, _ := os.ReadFile(d.path("log"))
	require.NoError(d.t, err, "%s\n%s\n%s", lines, output, log)
	return string(output)
}

// follow runs the lines of a section.
func (d *guideRun) follow(heading string) string {
	d.t.Helper()
	require.NotEmpty(d.t, d.sections[heading], "the page has no lines under %s", heading)
	began := time.Now()
	output := d.shell(d.sections[heading])
	d.t.Logf("%s: %v", heading, time.Since(began).Round(10*time.Millisecond))
	return output
}

// everything requires that all births are there, with the patients' names.
func (d *guideRun) everything() {
	d.t.Helper()
	require.Contains(d.t, d.shell("birthregistry record show 2026-0001 --practice 1 --reveal"), "Okonkwo")
	require.Equal(d.t, 3, strings.Count(d.shell("birthregistry record list --practice 1"), "active"))
	require.NotContains(d.t, d.shell("birthregistry check"), "PROBLEM")
}

// backups waits until the service has made a backup.
func (d *guideRun) backups() {
	d.t.Helper()
	var log strings.Builder // the service's log, in case it makes none
	require.Eventually(d.t, func() bool {
		output, _ := os.ReadFile(d.path("log"))
		log.Reset()
		log.Write(output)
		made, err := filepath.Glob(d.path("mnt/backup/registry-*Z.db"))
		return err == nil && len(made) > 0
	}, patience, 10*time.Millisecond, "%s", &log)
}

func TestThePageOnRecoveryCanBeFollowedWordByWord(t *testing.T) {
	t.Parallel()
	d := newGuideRun(t, "recover").installed()
	d.program("chown", "exit 0\n")
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
	d.everything()

	require.Contains(t, d.follow("Every day: backups"), "verified")
	d.backups()
	drilled := d.follow("Twice a year: the drill")
	require.Len(t, regexp.MustCompile(`(?m)^.*2026-000\d.*\bactive\b`).FindAllString(drilled, -1), 3)
	require.NotContains(t, drilled, "PROBLEM")
	require.NoDirExists(t, d.path("home/drill"))

	d.dies()
	require.NoError(t, os.WriteFile(d.path("var/lib/birthregistry/registry.db"), []byte(strings.Repeat("damaged ", 9000)), 0o600))
	output := d.follow("The database is damaged")
	d.everything()
	d.shell("systemctl stop birthregistry")
	undo := regexp.MustCompile(`(?m)^  (birthregistry restore .*replaced.*)$`).FindStringSubmatch(output)
	require.NotNil(t, undo, "it says how to undo: %s", output)
	d.shell("! " + undo[1]) // it refuses to put back a damaged file
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
	d.settings("REGISTRY_BACKUP_DIR=" + d.path("mnt/backup"))
	d.follow("The machine is gone")
	d.everything()

	d.takenOver()
	d.everything()

	d.follow("The key may have been seen")
	d.everything()
	d.shell("systemctl stop birthregistry; systemctl start birthregistry")
	d.everything()
	log, err := os.ReadFile(d.path("log"))
	require.NoError(t, err)
	require.NotContains(t, string(log), `"level":"ERROR"`)
}
