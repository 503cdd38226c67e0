package app_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/assets"
)

// refuses starts the service, which must say why it doesn't serve, in the words of the page on
// recovery.
func (s *installation) refuses(says string) {
	s.t.Helper()
	page, err := assets.Guides.ReadFile("guides/recover.md")
	require.NoError(s.t, err)
	require.Contains(s.t, string(page), says)
	s.log.Reset()
	s.launch()
	ended := make(chan error, 1)
	go func() { ended <- s.server.Wait() }()
	select {
	case err := <-ended:
		require.Error(s.t, err)
		require.Contains(s.t, s.log.String(), says)
	case <-time.After(patience):
		require.NoError(s.t, s.server.Process.Kill())
		require.Error(s.t, <-ended)
		require.FailNow(s.t, "it serves", "%s", &s.log)
	}
}

// cannotWrite starts the service, which must say why it can't write. It may exit; or, with a
// few bytes left, it may serve reads, and the test kills it. If no Bundle waits in the queue,
// the service has nothing to write yet, and only its health check says so.
func (s *installation) cannotWrite(says string) {
	s.t.Helper()
	s.log.Reset()
	s.launch()
	answer := ""
	refused := func() bool {
		response, err := http.Get("http://" + s.address + "/health/json")
		if err != nil {
			return false
		}
		body, err := io.ReadAll(response.Body)
		answer = string(body)
		return errors.Join(err, response.Body.Close()) == nil && response.StatusCode == http.StatusServiceUnavailable
	}
	require.Eventually(s.t, func() bool { return s.ended() || refused() }, patience, 10*time.Millisecond, "%s%s", answer, &s.log)
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end) && !s.ended(); {
		time.Sleep(10 * time.Millisecond) // it may still exit
	}
	if !s.ended() {
		require.Contains(s.t, answer, `"disk:free"`)
		require.NoError(s.t, s.server.Process.Kill())
		_ = s.server.Wait() // it was killed
		return
	}
	require.Error(s.t, s.server.Wait())
	require.Contains(s.t, s.log.String(), says)
}

// Where machines share a file system and its locks, a frozen process keeps the others out.
// When it wakes up, it notices if its folder is gone. The test needs no disks.
func TestWhileAFrozenProcessHasItsLockNobodyElseServes(t *testing.T) {
	shared := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(shared, "a"), 0o700))
	s := newInstallationIn(t, filepath.Join(shared, "a"))
	s.start()
	l := &load{installation: s, singles: true}
	for range 20 {
		require.NoError(t, l.submit(l.submission()))
	}
	require.NoError(t, s.server.Process.Signal(syscall.SIGSTOP))
	other := &installation{t: t, binary: s.binary, db: s.db, address: freeAddress(t), key: s.key}
	other.refuses("another process serves this database")
	require.NoError(t, os.Rename(filepath.Dir(s.db), filepath.Join(shared, "b")))
	other.db = filepath.Join(shared, "b", "registry.db")
	other.refuses("another process serves this database") // the file is the same
	require.NoError(t, s.server.Process.Signal(syscall.SIGCONT))
	require.Error(t, s.server.Wait())
	require.Contains(t, s.log.String(), "the volume of the database is lost")
	other.start()
	defer other.kill()
	l.installation = other
	for _, p := range l.acknowledged {
		require.NoError(t, l.submit(p), "the same key")
	}
	require.Contains(t, other.command("check"), "ok")
	t.Logf("injected: a frozen process with its lock, and its folder moved; %d Bundles acknowledged, lost none", 20)
}

// A machine that can't take over says so and leaves the volume unchanged, so that the next
// machine takes over everything.
func TestAMachineThatCannotTakeOverSaysWhyAndLeavesEverything(t *testing.T) {
	for name, c := range map[string]struct {
		amiss func(t *testing.T, s *installation) (mend func())
		says  string
	}{
		"it has no key": {func(_ *testing.T, s *installation) func() {
			env := s.env
			s.env = nil
			return func() { s.env = env }
		}, "the key file is missing"},
		"its program is an older one": {func(t *testing.T, s *installation) func() {
			behind(t, s.db, "insert into goose_db_version (version_id, is_applied) values (999, 1)")
			return func() { behind(t, s.db, "delete from goose_db_version where version_id = 999") }
		}, "the database was written by a newer version"},
		"the volume isn't there": {func(t *testing.T, s *installation) func() {
			db := s.db
			s.db = filepath.Join(t.TempDir(), "registry.db")
			return func() { s.db = db }
		}, "there is no database at "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newInstallation(t)
			credentials := t.TempDir()
			require.NoError(t, os.Rename(keyOf(s.db), filepath.Join(credentials, "registry.key")))
			s.env = []string{"CREDENTIALS_DIRECTORY=" + credentials}
			s.start()
			l := &load{installation: s, singles: true}
			for range 20 {
				require.NoError(t, l.submit(l.submission()))
			}
			s.kill()
			mend := c.amiss(t, s)
			s.refuses(c.says)
			mend()
			s.start()
			defer s.kill()
			reconcile(t, s, l.acknowledged)
		})
	}
}

// The volume is full to the last byte, without room even for the WAL's index. The other
// machine says so, changes nothing, and serves once it is started again with room.
func TestAFullVolumeIsTakenOverOnceThereIsRoom(t *testing.T) {
	d := newTakeover(t, newDisk(t, 100))
	d.a.kill()
	folder := filepath.Dir(d.a.db)
	require.NoError(t, os.Remove(d.a.db+"-shm"))
	ballast(t, folder, 0)
	d.volume.run("umount", folder)
	d.b = emptyInstallation(t, d.volume.attach())
	d.b.key, d.b.env = d.a.key, d.a.env
	d.b.cannotWrite("the disk is full")
	require.NoError(t, os.Remove(filepath.Join(filepath.Dir(d.b.db), "ballast")))
	d.b.start()
	defer d.b.kill()
	d.reconcile()
	t.Logf("injected: a volume without a free byte at a takeover; %d Bundles acknowledged, lost none, doubled none", len(d.load.acknowledged))
}
