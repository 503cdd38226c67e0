package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// REL-5: a page of the file turns into nonsense while the service is down. It
// finds that out soon after the start, promises nothing more, and the backup
// brings back what was acknowledged before it.
func TestADamagedPageStopsWritingAndTheBackupBringsEverythingBack(t *testing.T) {
	s := newSite(t)
	s.start()
	l := &load{site: s}
	for range 60 {
		p := l.submission()
		location, err := l.post(p)
		require.NoError(t, err)
		p.location = location
		l.promised = append(l.promised, p)
	}
	reconcile(t, s, l.promised)
	kept := t.TempDir() + "/kept.db"
	s.command("backup", kept)
	s.kill()
	s.command("check") // which empties the log into the file
	damage(t, s.db)
	s.launch()
	require.Eventually(t, func() bool { // it may end by itself, or live and refuse
		answer, err := exec.Command("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://"+s.address+"/health/json").Output()
		return err != nil && s.ended() || string(answer) == "503"
	}, 20*time.Second, 50*time.Millisecond)
	if !s.ended() {
		code, body, _ := s.status("POST", apptest.BundlePath, apptest.Course{Chart: "refused"}.Bundle())
		require.Equal(t, 503, code, body)
		found, code := s.doctor()
		require.Equal(t, 1, code)
		require.Contains(t, troubled(found), "pages")
	}
	_ = s.server.Process.Kill() // it may have ended
	_ = s.server.Wait()
	require.Contains(t, s.log.String(), "damaged")
	s.command("restore", kept)
	s.start()
	defer s.kill()
	reconcile(t, s, l.promised)
	require.Contains(t, s.command("check"), "ok")
	t.Logf("injected: half of the pages damaged; %d Bundles acknowledged before the backup, lost none", len(l.promised))
}

// Somebody moves the database away, and puts another in its place, while the
// service runs: a file that is open can be written wherever it is, and what is
// acknowledged so would not be there at the next start.
func TestADatabaseThatIsMovedAwayUnderTheServiceIsNotWritten(t *testing.T) {
	s := newSite(t)
	s.start()
	defer func() {
		s.kill()
		require.Contains(t, s.log.String(), "moved or deleted")
	}()
	kept := t.TempDir() + "/kept.db"
	s.command("backup", kept)
	post := func(chart string) int {
		code, _, _ := s.status("POST", apptest.BundlePath, apptest.Course{Chart: chart}.Bundle())
		return code
	}
	require.Equal(t, 202, post("before"))
	aside := s.db + ".aside"
	require.NoError(t, os.Rename(s.db, aside))
	require.Equal(t, 503, post("moved"))
	code, body, _ := s.status("GET", "/health/json", "")
	require.Equal(t, 503, code)
	require.Contains(t, body, "moved or deleted")
	require.NoError(t, os.Rename(kept, s.db))
	require.Equal(t, 503, post("replaced"))
	require.NoError(t, os.Rename(aside, s.db))
	require.Equal(t, 202, post("after"), "it goes on by itself")
	for _, chart := range []string{"before", "after"} {
		require.Eventually(t, func() bool {
			return exec.Command(s.binary, "record", "show", chart, "--practice", "1", "--db", s.db).Run() == nil
		}, 20*time.Second, 50*time.Millisecond, chart)
	}
	t.Log("injected: the file was moved away, and another put in its place; 2 Bundles acknowledged, lost none")
}

// ended reports whether the serving process has ended by itself.
func (s *site) ended() bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/exe", s.server.Process.Pid))
	return err != nil
}
