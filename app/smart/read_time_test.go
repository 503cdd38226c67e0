package smart

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestABusyEHRIsAskedOnceMore(t *testing.T) {
	for _, code := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		for _, busyFor := range []int32{1, 2} {
			s := startStore(t).full()
			var calls atomic.Int32
			s.before = func(w http.ResponseWriter, r *http.Request) bool {
				busy := strings.HasSuffix(r.URL.Path, "/Condition") && calls.Add(1) <= busyFor
				if busy {
					w.Header().Set("Retry-After", "0")
					w.WriteHeader(code)
				}
				return busy
			}
			chart, unread, err := s.read(t)
			require.NoError(t, err)
			require.EqualValues(t, 2, calls.Load())
			if busyFor == 1 {
				require.Empty(t, unread)
				requireRead(t, chart, 1, 1, 1)
			} else {
				require.Equal(t, []string{"Diagnoses could not be read: the EHR was too busy."}, unread)
				requireRead(t, chart, 0, 1, 1)
			}
		}
	}
}

func TestRetryAfterIsHonoredWithinTheTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		after := func(text string) http.Header { return http.Header{"Retry-After": {text}} }
		began := time.Now()
		require.True(t, wait(ctx, after("1")))
		require.Equal(t, time.Second, time.Since(began))
		require.True(t, wait(ctx, after(began.UTC().Format(http.TimeFormat))))
		for _, bad := range []string{"5", "3600", "99999999999999", began.Add(time.Hour).UTC().Format(http.TimeFormat)} {
			require.False(t, wait(ctx, after(bad)), bad)
		}
		require.Equal(t, time.Second, time.Since(began), "the others are not waited for")
		require.False(t, wait(context.Background(), after("11")), "longer than a clinician waits")
	})
}

// othersWithin is how long the other searches of a read may take while one is too slow: many
// times what they need.
const othersWithin = 4 * time.Second

func TestAnEHRTooBusyToSendThePatientIsReportedAsBusy(t *testing.T) {
	s := startStore(t)
	s.on("Patient/1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	_, _, err := s.read(t)
	require.ErrorIs(t, err, ErrBusy)
}

func TestASlowSearchIsNamedAndTheRestIsKept(t *testing.T) {
	t.Parallel()
	s := startStore(t).full()
	s.on("Encounter", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(context.Background(), keepWithin+othersWithin)
	defer cancel()
	chart, unread, err := s.readOf(t, ctx, "1")
	require.NoError(t, err)
	require.NoError(t, ctx.Err(), "time must be left to keep what was read")
	require.Equal(t, []string{"Visits could not be read: the EHR was too slow."}, unread)
	requireRead(t, chart, 1, 0, 1)
}

func TestAPatientThatTakesTooLongIsReportedAsSlow(t *testing.T) {
	s := startStore(t)
	s.on("Patient/1", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(context.Background(), keepWithin+200*time.Millisecond)
	defer cancel()
	_, _, err := s.readOf(t, ctx, "1")
	require.ErrorIs(t, err, ErrSlow)
}

func TestABrowserThatLeavesEndsTheRead(t *testing.T) {
	s := startStore(t).full()
	s.on("Encounter", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, _, err := s.readOf(t, ctx, "1")
	require.ErrorIs(t, err, context.Canceled)
}

func TestSearchesDoNotWaitForEachOther(t *testing.T) {
	s := startStore(t).full()
	var now, most atomic.Int32
	three, enough := make(chan struct{}), sync.Once{}
	s.before = func(_ http.ResponseWriter, r *http.Request) bool {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n > 2 {
			enough.Do(func() { close(three) })
		}
		if !strings.HasSuffix(r.URL.Path, "/Patient/1") { // the Patient is read before them
			select { // each waits for others
			case <-three:
			case <-time.After(10 * time.Second):
			}
		}
		time.Sleep(20 * time.Millisecond)
		return false
	}
	_, unread, err := s.read(t)
	require.NoError(t, err)
	require.Empty(t, unread)
	require.Greater(t, most.Load(), int32(2))
	require.LessOrEqual(t, most.Load(), int32(atOnce))
}

func TestAChartOf1000ObservationsOver50PagesFitsInTimeAndMemory(t *testing.T) {
	s := startStore(t).full()
	s.pageSize = 20
	for i := range 999 {
		s.add("Observation", fmt.Sprint("x", i), heightIn+`,"status":"final","effectiveDateTime":"2026-01-02T03:04:05Z",
			"text":{"div":"`+strings.Repeat("narrative ", 100)+`"},"valueQuantity":{"value":170.2,"unit":"cm","code":"cm"}`)
	}
	s.before = func(http.ResponseWriter, *http.Request) bool { time.Sleep(20 * time.Millisecond); return false }
	runtime.GC()
	before := heap()
	most := before
	done := make(chan struct{})
	sampled := make(chan struct{})
	go func() {
		defer close(sampled)
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				most = max(most, heap())
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), readWithin+keepWithin)
	defer cancel()
	began := time.Now()
	chart, unread, err := s.readOf(t, ctx, "1")
	took := time.Since(began)
	close(done)
	<-sampled
	require.NoError(t, err)
	require.Empty(t, unread)
	requireRead(t, chart, 1, 1, 1000)
	require.LessOrEqual(t, len(s.calls), 70, "fifty pages and the first of each search")
	require.Less(t, most-before, uint64(50<<20))
	t.Logf("%d calls, %v, %d KB more memory at most", len(s.calls), took.Round(time.Millisecond), (most-before)>>10)
}

// heap returns the bytes of all objects, including those not yet collected.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
