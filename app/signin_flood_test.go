package app_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// RL-9: strangers from a hundred addresses try one name that exists and many that don't, as
// fast as they are answered.
func TestRL_9_AFloodOfSignInsLeavesRoomForAKnownBrowserAndForPushes(t *testing.T) {
	longtest.Only(t, "a flood of sign-ins")
	s := newInstallation(t)
	passwords := filepath.Join(t.TempDir(), "password")
	const email, password = "olive@example.org", "correct horse battery"
	require.NoError(t, os.WriteFile(passwords, []byte(password), 0o600))
	s.command("user", "add", email, "--practice", "1", "--role", "admin", "--password-file", passwords)
	s.start()
	defer s.kill()
	b := apptest.NewBrowser(t, "http://"+s.address).From("127.0.0.3")
	signIn := func() (int, time.Duration) {
		began := time.Now()
		page := b.Post("/sign-in", url.Values{"email": {email}, "password": {password}})
		return page.StatusCode, time.Since(began)
	}
	code, _ := signIn()
	require.Equal(t, http.StatusSeeOther, code)
	b.Post("/sign-out", url.Values{})
	b.From("127.0.0.4") // the browser has moved
	s.stop()
	s.start() // and the service has forgotten every address

	answers := flood(t, s.address, email)
	p := newPusher(t, s, s.key, nil)
	var took []time.Duration
	for range 20 {
		code, long := signIn()
		require.Equal(t, http.StatusSeeOther, code)
		took = append(took, long)
		b.Post("/sign-out", url.Values{})
		for range 5 {
			p.push()
		}
	}
	slices.Sort(took)
	slices.Sort(p.took)
	tried, put := answers()
	t.Logf("injected: %d sign-ins from 100 addresses, of which %d had to wait; 20 sign-ins of a known browser meanwhile: median %v, worst %v; pushes: p99 %v; lost nothing",
		tried, put, took[len(took)/2], took[len(took)-1], p.at(99))
	require.Positive(t, put, "it was a flood")
}

// flood signs in from a hundred addresses until answers is called, which returns how many
// tries there were and how many of them had to wait.
func flood(t *testing.T, address, victim string) (answers func() (tried, put int64)) {
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var tried, put atomic.Int64
	for n := range 100 {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(fmt.Sprintf("127.0.2.%d", n+1))}}
		client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}, Timeout: 20 * time.Second}
		all.Go(func() {
			defer client.CloseIdleConnections()
			for try := 0; ctx.Err() == nil; try++ {
				name := fmt.Sprintf("nobody-%d-%d@example.org", n, try)
				if try%10 == 0 {
					name = victim
				}
				form := strings.NewReader(url.Values{"email": {name}, "password": {"a wrong one, and long"}}.Encode())
				request, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/sign-in", form)
				request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				request.Header.Set("Origin", "http://"+address)
				if answer, err := client.Do(request); err == nil {
					_, _ = io.Copy(io.Discard, answer.Body)
					_ = answer.Body.Close()
					tried.Add(1)
					if answer.StatusCode == http.StatusTooManyRequests {
						put.Add(1)
					}
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	answers = sync.OnceValues(func() (int64, int64) {
		stop()
		all.Wait()
		return tried.Load(), put.Load()
	})
	t.Cleanup(func() { answers() })
	return answers
}
