package app_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// crowdOf opens up to n connections, as many as are let in, and sends the beginning of a
// request on each.
func crowdOf(t *testing.T, address string, n int, beginning string) (all []net.Conn) {
	t.Helper()
	for range n {
		c, err := net.Dial("tcp", address)
		if err != nil {
			continue // refused before the system had reported the connection
		}
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

// files returns how many files and connections the serving process has open.
func (s *installation) files() int {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.server.Process.Pid))
	if err != nil {
		return 0
	}
	return len(entries)
}

// RL-10: stuck connections from an honest client's address make room for that client.
func TestRL_10_StuckClientsMakeRoomForAnHonestOneFromTheirOwnAddress(t *testing.T) {
	longtest.Only(t, "connections held by the hundred")
	s := newInstallation(t)
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
		http.DefaultClient.CloseIdleConnections()
		post := func(chart string) error {
			_, err := (&load{installation: s}).post(sent{key: chart, body: apptest.Course{Chart: chart, Mother: chart}.Bundle()})
			return err
		}
		time.Sleep(2 * time.Second)         // until then, no connection is closed for a newcomer
		require.Eventually(t, func() bool { // the last of the crowd may have come in since
			return post(fmt.Sprint(c.n, "-first")) == nil
		}, patience, 50*time.Millisecond, "an honest client during %s", c.what)
		require.Greater(t, s.files(), before+100, "room was made before the crowd had gone")
		for n := range 20 {
			began := time.Now()
			require.NoError(t, post(fmt.Sprintf("%d-%d", c.n, n)), "an honest client during %s", c.what)
			took = append(took, time.Since(began))
		}
		require.LessOrEqual(t, s.files(), before+150, "%s", c.what)
	}
	slices.Sort(took)
	require.Less(t, took[len(took)*95/100], time.Second)
	require.Eventually(t, func() bool { return s.files() < before+10 }, patience, 100*time.Millisecond,
		"whoever sends nothing is gone after ten seconds, and within a body after sixteen")
	t.Logf("injected: %d stuck connections; 80 Bundles from their address meanwhile, slowest of 95%%: %v; lost nothing",
		3000, took[len(took)*95/100])
}
