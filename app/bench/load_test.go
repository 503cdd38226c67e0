package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// served returns a plan against a server.
func served(t *testing.T, answer http.HandlerFunc) plan {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return plan{Address: strings.TrimPrefix(s.URL, "http://"), Method: "POST", Path: "/", Status: 200, Callers: 1, Time: 60}
}

// counting returns a plan against a server that answers each request after a while, and how often
// the server got each body. The map may be read once the plan has ended.
func counting(t *testing.T, wait time.Duration) (plan, map[string]int) {
	t.Helper()
	var mu sync.Mutex
	seen := map[string]int{}
	return served(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		time.Sleep(wait)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			seen[string(body)]++
		}
	}), seen
}

func TestEveryRequestHasItsOwnNumberAndTheLoadEndsAtItsLimit(t *testing.T) {
	p, seen := counting(t, 0)
	p.Body, p.Callers, p.Most, p.From = mark+" and "+mark, 4, 10, 95
	d, err := p.run()
	require.NoError(t, err)
	require.EqualValues(t, 10, d.Asked)
	require.Len(t, seen, 10)
	require.Equal(t, 1, seen["000000000095 and 000000000095"])
	require.Equal(t, 1, seen["000000000104 and 000000000104"])
}

func TestRequestsDueWhileTheServerStalledAreCounted(t *testing.T) {
	const stall = 300 * time.Millisecond
	var once sync.Once
	p := served(t, func(http.ResponseWriter, *http.Request) { once.Do(func() { time.Sleep(stall) }) })
	p.Every, p.Most = 0.01, 20
	d, err := p.run()
	require.NoError(t, err)
	require.GreaterOrEqual(t, d.P99, stall.Seconds())
	require.GreaterOrEqual(t, d.P50, stall.Seconds()/2, "half of twenty were due in the first 100 ms of the stall")
}

// On a busy machine, even the first answer may come after a brief plan has ended.
func TestAPlanThatEndsBeforeTheFirstAnswerRunsAgainForLonger(t *testing.T) {
	p, seen := counting(t, 50*time.Millisecond)
	p.Body, p.Time = mark, 0.01
	d, err := p.run()
	require.NoError(t, err)
	require.Positive(t, d.Rate)
	require.Len(t, seen, int(d.Asked), "each request has a number of its own, also those of the runs that were too brief")
}

func TestAnAnswerOfAnotherStatusEndsTheLoad(t *testing.T) {
	p := served(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	_, err := p.run()
	require.ErrorContains(t, err, "answered 503")
}

func TestAnswersInChunksAndInOnePieceAreReadToTheirEnd(t *testing.T) {
	long := strings.Repeat("0123456789", 10_000)
	p := served(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunks" {
			w.(http.Flusher).Flush()
		} else {
			w.Header().Set("Content-Length", "100000")
		}
		w.Header().Set("Content-Location", "/here")
		_, _ = io.WriteString(w, long) // the caller notices that the rest is missing
	})
	w, err := dial(p.Address)
	require.NoError(t, err)
	defer w.conn.Close() //nolint:errcheck // the test's own connection
	for _, path := range []string{"/chunks", "/", "/chunks", "/"} {
		status, err := w.ask(request("GET", p.Address, path, nil, ""))
		require.NoError(t, err)
		require.Equal(t, 200, status)
		require.Equal(t, long, string(w.body), path)
	}
	require.Equal(t, "/here", w.location)
}
