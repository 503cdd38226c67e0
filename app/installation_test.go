package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/ingest"
	"birthregistry/store"
)

// installation is the built binary over one database; tests kill it and start it again.
type installation struct {
	t       testing.TB
	binary  string
	db      string
	address string
	key     string
	env     []string // in addition to the test's own
	server  *exec.Cmd
	log     apptest.Log
}

func newInstallation(t testing.TB) *installation {
	t.Helper()
	return newInstallationIn(t, t.TempDir())
}

func newInstallationIn(t testing.TB, folder string) *installation {
	t.Helper()
	s := emptyInstallation(t, folder)
	s.key = s.practice("Crash")
	return s
}

// emptyInstallation returns an installation that has neither database nor key yet.
func emptyInstallation(t testing.TB, folder string) *installation {
	t.Helper()
	return &installation{t: t, binary: apptest.Binary(t), db: filepath.Join(folder, "registry.db"), address: freeAddress(t)}
}

// practice adds a practice and returns its API key.
func (s *installation) practice(name string) (key string) {
	s.t.Helper()
	id := s.command("practice", "add", name, "--ehr-beta")
	return s.command("key", "mint", "--practice", id, "--label", "load", "--scope", "ingest:write,ingest:read")
}

// patience is how long a test waits for an event, however slow and busy the machine is. It
// isn't a requirement: a test that passes doesn't wait that long.
const patience = 3 * time.Minute

// lateness measures how late this machine, busy with other things, wakes a sleeping goroutine.
// late returns five times the longest delay so far, since a timed operation includes several
// wakeups, and the machine's delays are not the service's fault.
func lateness(t testing.TB) (late func() time.Duration) {
	t.Helper()
	const nap = 5 * time.Millisecond
	var worst atomic.Int64
	over := make(chan struct{})
	var sleeping sync.WaitGroup
	sleeping.Go(func() {
		for {
			began := time.Now()
			select {
			case <-over:
				return
			case <-time.After(nap):
				worst.Store(max(worst.Load(), int64(time.Since(began)-nap)))
			}
		}
	})
	t.Cleanup(func() {
		close(over)
		sleeping.Wait()
	})
	return func() time.Duration { return 5 * time.Duration(worst.Load()) }
}

func freeAddress(t testing.TB) string {
	t.Helper()
	return apptest.FreeAddress(t)
}

func (s *installation) command(args ...string) string {
	s.t.Helper()
	cmd := exec.Command(s.binary, append(args, "--db", s.db)...)
	cmd.Env = append(os.Environ(), s.env...)
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.Output()
	require.NoError(s.t, err, "%s: %s%s", strings.Join(args, " "), out, talk.String())
	return strings.TrimSpace(string(out))
}

func (s *installation) start(flags ...string) {
	s.t.Helper()
	s.launch(flags...)
	require.Eventually(s.t, func() bool {
		answer, err := http.Get("http://" + s.address + "/openapi.json")
		if err != nil {
			return false
		}
		return answer.Body.Close() == nil
	}, patience, time.Millisecond, "the service does not start: %s", &s.log)
}

// launch starts the service without waiting for it.
func (s *installation) launch(flags ...string) {
	s.t.Helper()
	s.server = exec.Command(s.binary, append([]string{"serve", "--db", s.db, "--listen", s.address, "--rate-limit", "1000000"}, flags...)...)
	s.server.Env = append(os.Environ(), s.env...)
	s.server.Stderr = &s.log
	require.NoError(s.t, s.server.Start())
}

// stop ends the process cleanly.
func (s *installation) stop() {
	s.t.Helper()
	require.NoError(s.t, s.server.Process.Signal(os.Interrupt))
	ended := make(chan error, 1)
	go func() { ended <- s.server.Wait() }()
	select {
	case err := <-ended:
		require.NoError(s.t, err, "exit code 0: %s", &s.log)
	case <-time.After(patience):
		require.FailNow(s.t, "it does not stop")
	}
}

// kill ends the process without a warning (SIGKILL).
func (s *installation) kill() {
	require.NoError(s.t, s.server.Process.Kill())
	_ = s.server.Wait() // it was killed
}

// killedIn launches the service and kills it as soon as so returns true.
func (s *installation) killedIn(what string, so func() bool) {
	s.t.Helper()
	s.launch()
	s.killIn(what, so)
}

// killIn kills the running service as soon as so returns true (stoppedIn).
func (s *installation) killIn(what string, so func() bool) {
	s.t.Helper()
	s.stoppedIn(s.server.Process, what, so)
	require.False(s.t, s.ended(), "%s: %s", what, &s.log)
	s.kill()
	require.Eventually(s.t, so, patience, time.Millisecond, what) // another process may be recovering the file
}

// stoppedIn stops a process as soon as so returns true. Until then, the process alternates between
// running for a millisecond and standing still while so looks at it. So the test works on a machine
// of any speed.
func (s *installation) stoppedIn(process *os.Process, what string, so func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); ; {
		require.NoError(s.t, process.Signal(syscall.SIGSTOP))
		if so() {
			return
		}
		require.False(s.t, ended(process), "%s: it has ended: %s", what, &s.log)
		require.True(s.t, time.Now().Before(end), "%s does not come: %s", what, &s.log)
		require.NoError(s.t, process.Signal(syscall.SIGCONT))
		time.Sleep(time.Millisecond)
	}
}

// receipt waits until a submission has ended, and returns its receipt.
func (s *installation) receipt(location string) ingest.Receipt {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if r := s.poll(location); r.Status == store.Completed || r.Status == store.Failed {
			return r
		}
	}
	require.FailNow(s.t, "an ingestion does not end")
	return ingest.Receipt{}
}

// poll requests a submission's receipt once.
func (s *installation) poll(location string) (r ingest.Receipt) {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodGet, location, nil)
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+s.key)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(s.t, errors.Join(err, answer.Body.Close()))
	require.Equal(s.t, http.StatusOK, answer.StatusCode, "the acknowledged %s is lost", location)
	require.NoError(s.t, json.Unmarshal(body, &r))
	return r
}

// records returns the version of every record by chart number.
func (s *installation) records() map[string]int {
	s.t.Helper()
	var all []struct {
		Chart   string `json:"chart_number"`
		Version int    `json:"version"`
	}
	require.NoError(s.t, json.Unmarshal([]byte(s.command("record", "list", "--practice", "1", "--json")), &all))
	versions := map[string]int{}
	for _, r := range all {
		_, twice := versions[r.Chart]
		require.False(s.t, twice, "two records for %s", r.Chart)
		versions[r.Chart] = r.Version
	}
	return versions
}

// healthy reports whether the health check passes.
func (s *installation) healthy() bool {
	answer, err := http.Get("http://" + s.address + "/health/json")
	if err != nil {
		return false
	}
	return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
}

// resident returns the memory of the serving process in bytes: all of it, and the part that no
// file backs.
func (s *installation) resident(t testing.TB) (all, anonymous int64) {
	return s.memory(t, "VmRSS"), s.memory(t, "RssAnon")
}

// peak returns the most memory that the serving process has had so far, in bytes.
func (s *installation) peak(t testing.TB) int64 { return s.memory(t, "VmHWM") }

// memory returns a figure of the serving process by its name in proc(5).
func (s *installation) memory(t testing.TB, name string) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.server.Process.Pid))
	if err != nil {
		t.Skip("there is no /proc here")
	}
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, found, name)
	kb, err := strconv.ParseInt(string(found[1]), 10, 64)
	require.NoError(t, err)
	return kb << 10
}
