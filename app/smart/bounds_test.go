package smart

import (
	"context"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// silent makes an EHR answer requests for a path only when the test allows it.
func (e *ehr) silent(path string) (asked *atomic.Int32, answer chan bool) {
	asked, answer = new(atomic.Int32), make(chan bool)
	usual := e.answers[path]
	e.answers[path] = func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-answer
		usual(w, r)
	}
	return asked, answer
}

func TestASilentEHRIsAskedOnceAndHoldsFewLaunches(t *testing.T) {
	r, e := ready(t)
	asked, answer := e.silent(wellKnown)
	results := make(chan error, 40)
	for range cap(results) {
		go func() {
			_, err := r.launch(e.base())
			results <- err
		}()
	}
	for range cap(results) - maxWaiting - 1 {
		require.ErrorIs(t, <-results, ErrSlow)
	}
	close(answer)
	for range maxWaiting + 1 {
		require.NoError(t, <-results)
	}
	require.EqualValues(t, 1, asked.Load())
	r.mustLaunch(e.base())
	require.EqualValues(t, 1, asked.Load())
}

func TestAnEHRsAnswerIsWaitedForThoughTheVisitorWhoAskedHasLeft(t *testing.T) {
	r, e := ready(t)
	asked, answer := e.silent(wellKnown)
	visitor, leave := context.WithCancel(t.Context())
	first, second := make(chan bool, 1), make(chan error, 1)
	go func() {
		_, err := r.Launch(visitor, url.Values{"iss": {e.base()}, "launch": {"opaque"}}, browser)
		first <- err == nil
	}()
	require.Eventually(t, func() bool { return asked.Load() == 1 }, time.Minute, time.Millisecond)
	go func() {
		_, err := r.launch(e.base())
		second <- err
	}()
	leave()
	close(answer)
	require.NoError(t, <-second)
	<-first // it may fail, because the visitor has left
	require.LessOrEqual(t, asked.Load(), int32(1))
}

func TestALaunchWhoseVisitorHasLeftNoLongerWaitsForASilentEHR(t *testing.T) {
	r, e := ready(t)
	asked, answer := e.silent(wellKnown)
	first := make(chan error, 1)
	go func() {
		_, err := r.launch(e.base())
		first <- err
	}()
	require.Eventually(t, func() bool { return asked.Load() == 1 }, time.Minute, time.Millisecond)
	for range 2 * maxWaiting {
		visitor, leave := context.WithTimeout(t.Context(), time.Millisecond)
		_, err := r.Launch(visitor, url.Values{"iss": {e.base()}, "launch": {"opaque"}}, browser)
		require.Error(t, err)
		leave()
	}
	r.known.mu.Lock()
	for _, q := range r.known.asking {
		require.Zero(t, q.waiting)
	}
	r.known.mu.Unlock()
	close(answer)
	require.NoError(t, <-first)
}

func TestAFewChartsOfOneEHRAreReadAtATime(t *testing.T) {
	r, e := ready(t)
	asked, answer := e.silent("/token")
	other := anEHR(t)
	other.says("/fhir/Patient/p-1", `{"resourceType": "Patient", "id": "p-1"}`)
	r.list(other.base())
	var states []string
	for range readsAtOnce + 3 {
		states = append(states, r.mustLaunch(e.base()))
	}
	results := make(chan error, len(states))
	for _, state := range states {
		go func() {
			_, err := r.back(state)
			results <- err
		}()
	}
	require.Eventually(t, func() bool { return asked.Load() == readsAtOnce }, time.Minute, time.Millisecond)
	_, err := r.back(r.mustLaunch(other.base()))
	require.NoError(t, err, "another EHR's chart")
	require.EqualValues(t, readsAtOnce, asked.Load())
	answer <- true
	require.NoError(t, <-results)
	require.Eventually(t, func() bool { return asked.Load() == readsAtOnce+1 }, time.Minute, time.Millisecond)
	close(answer)
	for range len(states) - 1 {
		require.NoError(t, <-results)
	}
}

func TestACallbackThatWaitsTooLongSaysThatTheEHRIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t)
		for range readsAtOnce {
			_, err := r.waitToRead(t.Context(), store.EHR{ID: 1})
			require.NoError(t, err)
		}
		_, err := r.waitToRead(t.Context(), store.EHR{ID: 1})
		require.ErrorIs(t, err, ErrBusy)
	})
}

func TestACallbackWithoutACodeDoesNotWait(t *testing.T) {
	r, e := ready(t)
	state := r.mustLaunch(e.base())
	listed, err := store.Read(t.Context(), r.db, (*store.View).EHRs)
	require.NoError(t, err)
	for range readsAtOnce {
		_, err := r.waitToRead(t.Context(), listed[0])
		require.NoError(t, err)
	}
	began := time.Now()
	_, err = r.back(state, set("code"), set("error", "access_denied"))
	require.ErrorIs(t, err, ErrDenied)
	require.Less(t, time.Since(began), waitWithin/2)
}
