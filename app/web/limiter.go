package web

import (
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"
)

// limiter is a sliding log: exactly limit requests in any window. A refused
// request does not count. It is kept in memory; a restart forgives.
type limiter[K comparable] struct {
	limit  int
	window time.Duration

	mu    sync.Mutex
	logs  map[K]*slidingLog
	swept time.Time
}

// slidingLog is a ring of the times of the last requests that were let in.
type slidingLog struct {
	times []time.Time
	next  int // the oldest, once the ring is full
}

// maxLogs bounds the table: past it, those that wait longest are forgotten.
const maxLogs = 20_000

// verdict is what a request is told about its limit.
type verdict struct {
	allowed   bool
	limit     int
	remaining int
	// reset is when the oldest request leaves the window.
	reset  time.Duration
	window time.Duration
}

func newLimiter[K comparable](limit int, window time.Duration) *limiter[K] {
	return &limiter[K]{limit: limit, window: window, logs: map[K]*slidingLog{}}
}

// allow lets a request of k in, or not.
func (l *limiter[K]) allow(k K) verdict {
	now := time.Now() // monotonic: setting the clock changes nothing
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(now)
	log := l.logs[k]
	if log == nil {
		log = &slidingLog{}
		l.logs[k] = log
	}
	used, oldest := log.inside(now.Add(-l.window))
	v := verdict{limit: l.limit, window: l.window, allowed: used < l.limit}
	if v.allowed {
		log.add(now, l.limit)
		used++
		if used == 1 {
			oldest = now
		}
	}
	v.remaining = l.limit - used
	v.reset = max(oldest.Add(l.window).Sub(now), 0)
	return v
}

// inside counts the requests after the cut and returns the oldest of them.
func (g *slidingLog) inside(cut time.Time) (n int, oldest time.Time) {
	for _, t := range g.times {
		if t.After(cut) {
			n++
			if oldest.IsZero() || t.Before(oldest) {
				oldest = t
			}
		}
	}
	return n, oldest
}

func (g *slidingLog) add(now time.Time, limit int) {
	if len(g.times) < limit {
		g.times = append(g.times, now)
		return
	}
	g.times[g.next] = now
	g.next = (g.next + 1) % limit
}

// last returns the time of the latest request.
func (g *slidingLog) last() time.Time {
	if len(g.times) == 0 {
		return time.Time{}
	}
	return g.times[(g.next+len(g.times)-1)%len(g.times)]
}

// sweep drops the logs that have left the window, once a window or when the
// table is full. A table that is full of live logs loses some of them: memory
// is bounded before fairness to attackers is.
func (l *limiter[K]) sweep(now time.Time) {
	if now.Sub(l.swept) < l.window && len(l.logs) < maxLogs {
		return
	}
	l.swept = now
	for k, log := range l.logs {
		if now.Sub(log.last()) >= l.window {
			delete(l.logs, k)
		}
	}
	for k := range l.logs {
		if len(l.logs) < maxLogs {
			return
		}
		delete(l.logs, k)
	}
}

// describe writes the RateLimit headers (IETF draft
// ratelimit-headers), and Retry-After when the request is refused.
func (v verdict) describe(h http.Header) {
	seconds := int(math.Ceil(v.reset.Seconds()))
	h.Set("RateLimit-Policy", fmt.Sprintf(`"default";q=%d;w=%d`, v.limit, int(v.window.Seconds())))
	h.Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, v.remaining, seconds))
	if !v.allowed {
		h.Set("Retry-After", fmt.Sprint(max(seconds, 1)))
	}
}
