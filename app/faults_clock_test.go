package app_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

// jumping builds the program over a standard library whose wall clock is set by
// as many seconds as the file that $CLOCK_JUMP names says, while the clock that
// only runs goes on: what a hand, NTP or a dead battery does to a machine.
func jumping(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	source := filepath.Join(strings.TrimSpace(string(out)), "src", "time", "time.go")
	text, err := os.ReadFile(source)
	require.NoError(t, err)
	const now = "	sec, nsec, mono := runtimeNow()\n"
	require.Contains(t, string(text), now)
	patched := bytes.Replace(text, []byte(now), []byte(now+"	sec += Jump()\n"), 1)
	patched = append(patched, "\n// Jump is by how many seconds the clock was set.\nvar Jump = func() int64 { return 0 }\n"...)
	folder := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		source: write("time.go", patched),
		filepath.Join(root, "jump.go"): write("jump.go", []byte(`package main
import ("os"; "strconv"; "strings"; "sync/atomic"; "time")
var by atomic.Int64
func init() {
	time.Jump = by.Load
	go func() {
		for ; ; time.Sleep(20 * time.Millisecond) {
			text, _ := os.ReadFile(os.Getenv("CLOCK_JUMP"))
			n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
			by.Store(n)
		}
	}()
}
`)),
	}})
	require.NoError(t, err)
	program := filepath.Join(folder, "birthregistry")
	build := exec.Command("go", "build", "-overlay", write("overlay.json", overlay), "-o", program, "birthregistry")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	said, err := build.CombinedOutput()
	require.NoError(t, err, "%s", said)
	return program
}

// REL-7: the clock jumps while the service runs, with Bundles in the queue.
func TestAClockThatIsSetLosesNothingAndStopsNothing(t *testing.T) {
	s := newSite(t)
	s.binary = jumping(t)
	clock := filepath.Join(t.TempDir(), "clock")
	t.Setenv("CLOCK_JUMP", clock)
	set := func(by time.Duration) {
		require.NoError(t, os.WriteFile(clock, []byte(fmt.Sprint(int64(by/time.Second))), 0o600))
		time.Sleep(100 * time.Millisecond)
	}
	l := &load{site: s}
	post := func(n int) {
		for range n {
			p := l.submission()
			location, err := l.post(p)
			require.NoError(t, err)
			p.location, p.body = location, ""
			l.promised = append(l.promised, p)
		}
	}
	const year = 365 * 24 * time.Hour
	for _, by := range []time.Duration{-time.Hour, time.Hour, 10 * year, -20 * year} {
		set(0)
		s.start("--buffer-ttl", "4s") // so that the sweep comes every second
		post(11)
		set(by)
		post(11)
		code, body, _ := s.status("GET", "/health/json", "")
		require.Equal(t, 200, code, body)
		require.Contains(t, body, "clock:jump")
		time.Sleep(2 * time.Second)
		post(11)
		reconcile(t, s, l.promised)
		s.kill()
	}
	set(0)
	s.start()
	defer s.kill()
	reconcile(t, s, l.promised)
	for _, p := range l.promised {
		require.Equal(t, "completed", string(s.receipt(p.location).Status))
	}
	require.Contains(t, s.command("check"), "ok")
	t.Logf("injected: the clock set by -1 h, +1 h, +10 and -20 years while it ran; %d Bundles acknowledged, lost none", len(l.promised))
}
