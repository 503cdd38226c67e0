package app_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// crowdOf opens connections and sends the beginning of something on each.
func crowdOf(t *testing.T, address string, n int, beginning string) (all []net.Conn) {
	t.Helper()
	for range n {
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		_, _ = io.WriteString(c, beginning) // it may have been closed already
		all = append(all, c)
	}
	t.Cleanup(func() {
		for _, c := range all {
			_ = c.Close()
		}
	})
	return all
}

// files is how many files and connections the serving process has open.
func (s *site) files() int {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.server.Process.Pid))
	if err != nil {
		return 0
	}
	return len(entries)
}

// RL-10 (security.md §8).
func TestSlowAndStuckClientsDoNotKeepAnHonestOneWaiting(t *testing.T) {
	s := newSite(t)
	s.start("--anonymous-rate-limit", "1000000")
	defer s.kill()
	before := s.files()
	head := "POST " + apptest.BundlePath + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.key + "\r\n"
	crowds := []struct {
		what      string
		n         int
		beginning string
	}{
		{"2,000 connections that say nothing", 2000, ""},
		{"500 that send a byte of a header", 500, "G"},
		{"300 that never end their headers", 300, head + "X-Slow: "},
		{"200 that stop within the body", 200, head + "Content-Length: 100000\r\n\r\n{"},
	}
	var took []time.Duration
	for _, c := range crowds {
		crowdOf(t, s.address, c.n, c.beginning)
		for n := range 20 {
			began := time.Now()
			chart := fmt.Sprintf("%d-%d", c.n, n)
			_, err := (&load{site: s}).post(sent{key: chart, body: apptest.Course{Chart: chart, Mother: chart}.Bundle()})
			require.NoError(t, err, "an honest client beside %s", c.what)
			took = append(took, time.Since(began))
		}
		require.LessOrEqual(t, s.files(), before+1100, "%s", c.what)
	}
	slices.Sort(took)
	memory, _ := s.resident(t)
	require.Less(t, took[len(took)*95/100], time.Second)
	require.Less(t, memory, int64(200<<20))
	require.Eventually(t, func() bool { return s.files() < before+250 }, 30*time.Second, 100*time.Millisecond,
		"those that send nothing are gone after ten seconds, and those within a body after two minutes")
	t.Logf("injected: %d slow and stuck connections; 80 Bundles beside them, slowest of 95 %%: %v; %d MiB resident; lost nothing",
		3000, took[len(took)*95/100], memory>>20)
}
