package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// jumping builds the program with a standard library whose wall clock is off by as many
// seconds as the file named by $CLOCK_JUMP says, while the monotonic clock runs on. That is
// what a person, NTP or a dead battery does to a machine. The built program sweeps every
// second, and sweeps receipts from the start. set sets the clock for the next process; jump
// sets that of a running one.
func jumping(t *testing.T) (program string, set, jump func(by time.Duration)) {
	t.Helper()
	clock := filepath.Join(t.TempDir(), "clock")
	t.Setenv("CLOCK_JUMP", clock)
	seconds := func(by time.Duration) string { return fmt.Sprint(int64(by / time.Second)) }
	set = func(by time.Duration) {
		next := clock + ".next"
		require.NoError(t, os.WriteFile(next, []byte(seconds(by)), 0o600))
		require.NoError(t, os.Rename(next, clock)) // the file is never half written
	}
	jump = func(by time.Duration) {
		set(by)
		require.Eventually(t, func() bool {
			taken, _ := os.ReadFile(clock + ".taken")
			return string(taken) == seconds(by)
		}, patience, time.Millisecond, "the clock is not set")
	}
	const now = "	sec, nsec, mono := runtimeNow()\n"
	return tampered(t, []edit{
		{"$GOROOT/src/time/time.go", now, now + "	sec += Jump()\n"},
		{"$GOROOT/src/time/time.go", "", "\n// Jump is by how many seconds the clock was set.\nvar Jump = func() int64 { return 0 }\n"},
		{"app/ingest/retention.go", "const retentionAfter = time.Hour", "const retentionAfter = time.Second"},
		{"app/worker/worker.go", "sweepEvery    = time.Minute", "sweepEvery    = time.Second"},
		{"jump.go", "", `package main
import ("os"; "strconv"; "strings"; "sync/atomic"; "time")
var by atomic.Int64
func init() {
	read := func() {
		text, _ := os.ReadFile(os.Getenv("CLOCK_JUMP"))
		n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if by.Swap(n) != n {
			_ = os.WriteFile(os.Getenv("CLOCK_JUMP")+".taken", []byte(strconv.FormatInt(n, 10)), 0o600)
		}
	}
	time.Jump = by.Load
	read()
	go func() {
		for ; ; time.Sleep(20 * time.Millisecond) {
			read()
		}
	}()
}
`},
	}), set, jump
}

// REL-7: the clock jumps while the service runs with Bundles in the queue.
func TestSettingTheClockLosesNothingAndStopsNothing(t *testing.T) {
	s := newInstallation(t)
	program, set, jump := jumping(t)
	ordinary := s.binary
	s.binary = program
	l := &load{installation: s}
	post := func(n int) {
		for range n {
			p := l.submission()
			location, err := l.post(p)
			require.NoError(t, err)
			p.location, p.body = location, ""
			l.acknowledged = append(l.acknowledged, p)
		}
	}
	const year = 365 * 24 * time.Hour
	for _, by := range []time.Duration{-time.Hour, time.Hour, 10 * year, -20 * year} {
		set(0)
		s.start("--buffer-ttl", "50m") // shorter than any of the jumps
		post(11)
		jump(by)
		post(11)
		code, body, _ := s.status("GET", "/health/json", "")
		require.Equal(t, 200, code, body)
		require.Contains(t, body, "clock:jump")
		time.Sleep(2 * time.Second)
		post(11)
		reconcile(t, s, l.acknowledged)
		s.kill()
	}
	// By the right clock, the receipts of twenty years ago have expired. The built program
	// sweeps them from the start; the ordinary one waits for an hour first.
	s.binary = ordinary
	s.start()
	defer s.kill()
	reconcile(t, s, l.acknowledged)
	for _, p := range l.acknowledged {
		require.Equal(t, "completed", string(s.receipt(p.location).Status))
	}
	require.Contains(t, s.command("check"), "ok")
	t.Logf("injected: the clock set by -1 h, +1 h, +10 and -20 years while it ran; %d Bundles acknowledged, lost none", len(l.acknowledged))
}
