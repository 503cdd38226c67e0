package app_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// lag is how far the copy may be behind: it contains everything acknowledged earlier.
const lag = 5 * time.Second

// copier is the real Litestream for an installation, configured by the program's own unit.
type copier struct {
	installation    *installation
	program, config string
	running         *exec.Cmd
	output          strings.Builder
}

// litestream returns the path of Litestream, or skips the test.
func litestream(t testing.TB) (program string) {
	t.Helper()
	longtest.Only(t, "continuous copies by Litestream")
	if program = os.Getenv("REGISTRY_LITESTREAM"); program == "" {
		longtest.Needs(t, "Litestream", errors.New("set REGISTRY_LITESTREAM to the program; .ci/run does"))
	}
	return program
}

func newCopier(s *installation) *copier {
	c := &copier{installation: s, program: litestream(s.t)}
	away := s.t.TempDir()
	c.config = filepath.Join(away, "litestream.yml")
	text := s.command("unit", "litestream.yml", "--replica", filepath.Join(away, "copy"))
	require.NoError(s.t, os.WriteFile(c.config, []byte(text), 0o600))
	s.t.Cleanup(func() {
		if c.running != nil {
			_ = c.running.Process.Kill() // it may have exited already
		}
	})
	return c
}

func (c *copier) start() {
	c.installation.t.Helper()
	c.running = exec.Command(c.program, "replicate", "-config", c.config)
	c.running.Stdout, c.running.Stderr = &c.output, &c.output
	require.NoError(c.installation.t, c.running.Start())
}

// caughtUp waits until the copy contains everything that is on file now, however slow the
// machine is. It calls change so that there is something to copy, and waits for two more files
// in the copy, since only the second of them surely started after the call.
func caughtUp(t testing.TB, copied string, change func()) {
	t.Helper()
	last := lastPiece(copied)
	for further, end := 0, time.Now().Add(patience); further < 2; time.Sleep(100 * time.Millisecond) {
		require.True(t, time.Now().Before(end), "no more is copied into %s", copied)
		change()
		if now := lastPiece(copied); now > last {
			last = now
			further++
		}
	}
}

// lastPiece returns the number of the last transaction in a copy, according to the names of
// its files (0000000000000001-0000000000000007.ltx).
func lastPiece(copied string) (last string) {
	_ = filepath.WalkDir(copied, func(path string, _ fs.DirEntry, err error) error {
		_, number, piece := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".ltx"), "-")
		if err == nil && piece && strings.HasSuffix(path, ".ltx") {
			last = max(last, number)
		}
		return nil // a file that disappeared meanwhile doesn't matter
	})
	return last
}

// copied returns the folder of the copy.
func (c *copier) copied() string { return filepath.Join(filepath.Dir(c.config), "copy") }

func (c *copier) end(by os.Signal) {
	c.installation.t.Helper()
	require.NoError(c.installation.t, c.running.Process.Signal(by))
	_ = c.running.Wait() // however it ends
}

// replaceDisk deletes everything but the key and restores the copy.
func (c *copier) replaceDisk() {
	s := c.installation
	s.t.Helper()
	key, err := os.ReadFile(keyOf(s.db))
	require.NoError(s.t, err)
	require.NoError(s.t, os.RemoveAll(filepath.Dir(s.db)))
	require.NoError(s.t, os.Mkdir(filepath.Dir(s.db), 0o700))
	require.NoError(s.t, os.WriteFile(keyOf(s.db), key, 0o600))
	out, err := exec.Command(c.program, "restore", "-config", c.config, s.db).CombinedOutput()
	require.NoError(s.t, err, "%s\n%s", out, &c.output)
}

// The disk is lost with everything on it but the key. Litestream's copy must contain every
// Bundle that was acknowledged before the lag.
func TestNothingAcknowledgedBeforeTheLagIsLostWithTheDisk(t *testing.T) {
	s := newInstallation(t)
	c := newCopier(s)
	c.start()
	s.start()
	l := &load{installation: s}
	var callers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		callers.Go(func() { l.run(stop) })
	}
	time.Sleep(10 * time.Second)
	l.acknowledges(21)
	l.mu.Lock()
	safe := len(l.acknowledged)
	l.mu.Unlock()
	time.Sleep(lag)
	caughtUp(t, c.copied(), func() {})
	s.kill()
	c.end(os.Kill)
	close(stop)
	callers.Wait()
	c.replaceDisk()
	s.start()
	defer s.kill()

	for _, p := range l.acknowledged[:safe] {
		s.receipt(p.location)
	}
	lost := 0
	for _, p := range l.acknowledged[safe:] {
		request, err := http.NewRequest(http.MethodGet, p.location, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+s.key)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		if answer.StatusCode != http.StatusOK {
			lost++
		}
	}
	t.Logf("killed the service and its disk: %d Bundles acknowledged, %d of them in the last %v; lost %d of these, none of the others",
		len(l.acknowledged), len(l.acknowledged)-safe, lag, lost)
	require.Contains(t, s.command("check"), "ok")
}

// Litestream always keeps a read open, so deleted data stays in the WAL until Litestream's
// daily restart (its unit). That restart must lose nothing of the copy.
func TestDeletedDataLeavesTheWALWhenLitestreamRestarts(t *testing.T) {
	s := newInstallation(t)
	c := newCopier(s)
	l := &load{installation: s}
	post := func() {
		for range 9 {
			require.NoError(t, l.submit(l.submission()))
		}
	}
	s.start("--workers", "0")
	post()
	secrets := s.buffered()
	s.kill()
	c.start()
	require.Eventually(t, func() bool { // from now on Litestream keeps a read open
		return lastPiece(c.copied()) != ""
	}, patience, 50*time.Millisecond)
	s.start()
	reconcile(t, s, l.acknowledged)
	require.NotEmpty(t, s.left(secrets))
	c.end(os.Interrupt)
	took := s.wiped(secrets)
	c.start()
	post()
	reconcile(t, s, l.acknowledged)
	time.Sleep(lag)
	caughtUp(t, c.copied(), func() { s.command("practice", "add", "Another") })
	s.kill()
	c.end(os.Kill)
	c.replaceDisk()
	s.start()
	defer s.kill()
	reconcile(t, s, l.acknowledged)
	t.Logf("injected: Litestream stopped, and then the disk lost; gone from the WAL %v after the stop; %d Bundles acknowledged, lost none",
		took.Round(time.Second), len(l.acknowledged))
}

// The test follows the page on recovery, both to set up Litestream and to restore a lost
// machine from its copy instead of a backup.
func TestThePageOnRecoveryBringsBackWhatLitestreamCopied(t *testing.T) {
	program := litestream(t)
	d := newGuideRun(t, "recover").installed()
	require.NoError(t, os.Symlink(program, d.path("usr/local/bin/litestream")))
	d.program("install", `while [ $# -gt 0 ]; do case $1 in -o | -g) shift 2 ;; *) args+=("$1"); shift ;; esac; done
PATH=/usr/bin:/bin exec install "${args[@]}"
`)
	d.shell("birthregistry practice add Riverside --ehr-beta; systemctl start birthregistry")
	d.follow("Once: a recovery key")
	const copying = "A copy within seconds"
	setUp, back, found := strings.Cut(d.sections[copying], "litestream restore")
	require.True(t, found)
	d.shell(setUp)
	births := make([]string, 3)
	for n := range births {
		births[n] = apptest.Course{Chart: fmt.Sprintf("2026-%04d", n+1), Mother: "Okonkwo"}.Bundle()
	}
	require.NoError(t, os.WriteFile(d.path("home/births.json"), []byte(apptest.Batch(births...)), 0o600))
	d.shell("birthregistry key mint --practice 1 --label drill --scope ingest:write,ingest:read > api.key\n" +
		"birthregistry push births.json --key-file api.key --url http://" + d.address)
	time.Sleep(lag)
	caughtUp(t, d.path("mnt/backup"), func() { d.shell("birthregistry practice add Another") })
	d.shell("systemctl stop birthregistry")
	for _, folder := range []string{"var/lib/birthregistry", "etc/birthregistry/registry.key"} {
		require.NoError(t, os.RemoveAll(d.path(folder)))
	}
	require.NoError(t, os.Mkdir(d.path("var/lib/birthregistry"), 0o700))
	d.shell("litestream restore" + back)
	d.shell("birthregistry restore copy.db --with /media/stick/recovery.key; systemctl start birthregistry")
	d.everything()
}
