package web

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	limit  = 120
	window = time.Minute
)

// inBubble runs a test on a clock that advances only while the test sleeps.
func inBubble(t *testing.T, name string, test func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// RL-1.
func TestRL_1_ALimiterAllowsExactlyItsLimitInAnyWindow(t *testing.T) {
	inBubble(t, "in a burst", func(t *testing.T) {
		l := newLimiter[string](limit, window)
		for n := range limit {
			require.True(t, l.allow("a").allowed, "request %d", n+1)
		}
		require.False(t, l.allow("a").allowed)
		time.Sleep(window - time.Nanosecond)
		require.False(t, l.allow("a").allowed, "just inside the window")
		time.Sleep(time.Nanosecond)
		for n := range limit {
			require.True(t, l.allow("a").allowed, "request %d of the next window", n+1)
		}
		require.False(t, l.allow("a").allowed)
	})
	inBubble(t, "evenly spread", func(t *testing.T) {
		l := newLimiter[string](limit, window)
		for n := range 10 * limit { // two a second, for ten minutes: never refused
			require.True(t, l.allow("a").allowed, "request %d", n+1)
			time.Sleep(window / limit)
		}
		require.True(t, l.allow("a").allowed)
		time.Sleep(window/limit - time.Nanosecond)
		require.False(t, l.allow("a").allowed, "a little faster than that")
	})
	inBubble(t, "half at the end of one minute, half at the beginning of the next", func(t *testing.T) {
		l := newLimiter[string](limit, window)
		time.Sleep(50 * time.Second)
		for range limit {
			require.True(t, l.allow("a").allowed)
		}
		time.Sleep(15 * time.Second) // a counter that restarts every minute would allow requests again
		require.False(t, l.allow("a").allowed)
	})
	inBubble(t, "at random", func(t *testing.T) {
		l := newLimiter[string](limit, window)
		random := rand.New(rand.NewPCG(1, 2))
		var let []time.Time
		for range 20_000 {
			now := time.Now()
			inside := 0
			for n := len(let) - 1; n >= 0 && now.Sub(let[n]) < window; n-- {
				inside++
			}
			v := l.allow("a")
			require.Equal(t, inside < limit, v.allowed)
			if v.allowed {
				let = append(let, now)
				inside++
			}
			require.Equal(t, limit-inside, v.remaining)
			time.Sleep(time.Duration(random.Int64N(int64(700 * time.Millisecond))))
		}
		require.Less(t, len(let), 20_000, "the limit was never met")
	})
}

func TestARefusedRequestDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter[string](limit, window)
		for range limit {
			l.allow("a")
		}
		for range 59 {
			time.Sleep(time.Second)
			for range 100 {
				require.False(t, l.allow("a").allowed)
			}
		}
		time.Sleep(time.Second)
		require.True(t, l.allow("a").allowed)
	})
}

func TestAfterWaitingForRetryAfterARequestIsAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter[string](3, window)
		for _, pause := range []time.Duration{0, 1500 * time.Millisecond, 7 * time.Second} {
			time.Sleep(pause)
			require.True(t, l.allow("a").allowed)
		}
		for range 10 {
			h := http.Header{}
			v := l.allow("a")
			v.describe("default", h)
			require.False(t, v.allowed)
			seconds, err := strconv.Atoi(h.Get("Retry-After"))
			require.NoError(t, err)
			require.Equal(t, `"default";r=0;t=`+strconv.Itoa(seconds), h.Get("RateLimit"))
			time.Sleep(time.Duration(seconds-1) * time.Second)
			require.False(t, l.allow("a").allowed, "a second is too early")
			time.Sleep(time.Second)
			v = l.allow("a")
			h = http.Header{}
			v.describe("default", h)
			require.True(t, v.allowed)
			require.Empty(t, h.Get("Retry-After"))
		}
	})
}

func TestEachKeyHasItsOwnRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter[int64](1, window)
		require.True(t, l.allow(1).allowed)
		require.False(t, l.allow(1).allowed)
		require.True(t, l.allow(2).allowed)
	})
}

// Setting the clock changes nothing: the limiter uses differences on the monotonic clock,
// which is part of a time.Time until something strips it.
func TestALimiterUsesTheMonotonicClock(t *testing.T) {
	require.Contains(t, newLimiter[string](limit, window).began.String(), " m=")
}

func TestTheTableOfALimiterIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter[int](limit, window)
		for k := range 10 * maxLogs {
			require.True(t, l.allow(k).allowed, "newcomers are let in")
			require.LessOrEqual(t, len(l.logs), maxLogs)
		}
		require.Greater(t, len(l.logs), keptLogs, "and not more are forgotten than needed")
		time.Sleep(window)
		l.allow(-1)
		require.Len(t, l.logs, 1, "what has left the window is dropped")
	})
}

func TestAFullTableForgetsNoKeyThatIsOverItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter[int](1, window)
		for k := range maxLogs {
			l.allow(k)
		}
		for k := range maxLogs {
			require.False(t, l.allow(k).allowed)
		}
	})
}

func TestALimitersLogTakesNoMoreRoomThanItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter[string](limit, window)
		for range 100 * limit {
			l.allow("a")
			time.Sleep(window / limit)
		}
		require.Len(t, l.logs["a"], limit)
		require.LessOrEqual(t, cap(l.logs["a"]), 3*limit)
	})
}
