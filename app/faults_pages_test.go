package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// REL-5: a page of the file is overwritten while the service is down. The service must notice
// soon after its start and acknowledge nothing more, and the backup must restore everything
// acknowledged before it.
func TestADamagedDatabasePageStopsWritesAndTheBackupRestoresEverything(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "damaged pages under load")
	s := newInstallation(t)
	s.start()
	l := &load{installation: s}
	for range 60 {
		p := l.submission()
		location, err := l.post(p)
		require.NoError(t, err)
		p.location = location
		l.acknowledged = append(l.acknowledged, p)
	}
	reconcile(t, s, l.acknowledged)
	kept := t.TempDir() + "/kept.db"
	s.command("backup", kept)
	s.kill()
	s.command("check") // which checkpoints the WAL into the file
	damage(t, s.db)
	s.launch()
	require.Eventually(t, func() bool { // it may exit, or keep running and refuse requests
		answer, err := exec.Command("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://"+s.address+"/health/json").Output()
		return err != nil && s.ended() || string(answer) == "503"
	}, patience, 50*time.Millisecond)
	if !s.ended() {
		code, body, _ := s.status("POST", apptest.BundlePath, apptest.Course{Chart: "refused"}.Bundle())
		require.Equal(t, 503, code, body)
		found, code := s.doctor()
		require.Equal(t, 1, code)
		require.Contains(t, problems(found), "pages")
	}
	_ = s.server.Process.Kill() // it may have exited already
	_ = s.server.Wait()
	require.Contains(t, s.log.String(), "damaged")
	s.command("restore", kept)
	s.start()
	defer s.kill()
	reconcile(t, s, l.acknowledged)
	require.Contains(t, s.command("check"), "ok")
	t.Logf("injected: half of the pages damaged; %d Bundles acknowledged before the backup, lost none", len(l.acknowledged))
}

// A database is moved away and another put in its place while the service runs. An open file
// can be written wherever it is, but what is acknowledged that way would be missing at the
// next start.
func TestADatabaseThatWasMovedAwayIsNoLongerWritten(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "a database moved away under load")
	s := newInstallation(t)
	kept := filepath.Join(t.TempDir(), "kept.db")
	l := &load{installation: s, singles: true}
	aside := s.db + ".aside"
	for name, c := range map[string]struct{ do, undo func() error }{
		"moved":               {func() error { return os.Rename(s.db, aside) }, func() error { return os.Rename(aside, s.db) }},
		"replaced":            {func() error { return os.Rename(kept, s.db) }, func() error { return os.Rename(aside, s.db) }},
		"without its log":     {func() error { return os.Rename(s.db+"-wal", aside) }, func() error { return os.Rename(aside, s.db+"-wal") }},
		"without its index":   {func() error { return os.Remove(s.db + "-shm") }, func() error { return nil }},
		"without its lock":    {func() error { return os.Remove(s.db + ".lock") }, func() error { return nil }},
		"in a renamed folder": {func() error { return os.Rename(filepath.Dir(s.db), aside) }, func() error { return os.Rename(aside, filepath.Dir(s.db)) }},
	} {
		s.start()
		require.NoError(t, l.submit(l.submission()))
		if name == "replaced" {
			s.command("backup", kept)
			require.NoError(t, os.Link(s.db, aside))
		}
		if name == "in a renamed folder" {
			aside = filepath.Dir(s.db) + "-aside"
		}
		require.NoError(t, c.do(), name)
		for !s.ended() {
			require.Error(t, l.submit(l.submission()), name)
		}
		require.Error(t, s.server.Wait())
		require.Contains(t, s.log.String(), "moved or deleted", name)
		s.log.Reset()
		require.NoError(t, c.undo(), name)
		aside = s.db + ".aside"
	}
	s.start()
	defer s.kill()
	reconcile(t, s, l.acknowledged)
	t.Logf("injected: the file, its log, its index, its lock and its folder moved away or replaced; %d Bundles acknowledged, lost none", len(l.acknowledged))
}

// ended reports whether the serving process has exited on its own.
func (s *installation) ended() bool { return ended(s.server.Process) }

func ended(process *os.Process) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/exe", process.Pid))
	return err != nil
}
