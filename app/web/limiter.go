package web

import (
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"
)

// limiter allows up to limit requests in any period of the length window. For this, it keeps a log
// of requests (a sliding log). Refused requests don't count. The logs are in memory, so a restart
// clears them.
type limiter[K comparable] struct {
	limit  int
	window time.Duration
	began  time.Time

	mu sync.Mutex
	// logs holds the times of the allowed requests within the window, oldest first. Each time is a
	// duration since began, so that a change of the clock has no effect.
	logs  map[K][]time.Duration
	swept time.Duration
}

// maxLogs is the maximum number of logs in a limiter. Each key or address has one log. If there
// would be more logs, the limiter drops arbitrary ones until keptLogs are left, because limiting
// memory matters more than fairness to attackers.
const (
	maxLogs  = 20_000
	keptLogs = maxLogs * 3 / 4
)

// allowance holds whether a request is allowed, and how many more requests the limit allows.
type allowance struct {
	allowed   bool
	limit     int
	remaining int
	// reset is how long it takes until the oldest request leaves the window.
	reset  time.Duration
	window time.Duration
}

func newLimiter[K comparable](limit int, window time.Duration) *limiter[K] {
	return &limiter[K]{limit: max(limit, 1), window: window, began: time.Now(), logs: map[K][]time.Duration{}}
}

// allow returns whether a request with the key k is allowed. If it is, allow counts the request.
func (l *limiter[K]) allow(k K) allowance {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Since(l.began)
	log, known := l.logs[k]
	if !known {
		l.sweep(now)
	}
	for len(log) > 0 && now-log[0] >= l.window {
		log = log[1:]
	}
	v := allowance{limit: l.limit, window: l.window, allowed: len(log) < l.limit}
	if v.allowed {
		log = append(log, now)
	}
	l.logs[k] = log
	v.remaining = l.limit - len(log)
	v.reset = log[0] + l.window - now
	return v
}

// sweep makes room for the log of a new key or address. Once per window, and whenever there are
// maxLogs logs, it drops the logs without requests in the window. If there are still maxLogs logs,
// it drops arbitrary ones until keptLogs are left.
func (l *limiter[K]) sweep(now time.Duration) {
	if now-l.swept < l.window && len(l.logs) < maxLogs {
		return
	}
	l.swept = now
	for k, log := range l.logs {
		if now-log[len(log)-1] >= l.window {
			delete(l.logs, k)
		}
	}
	if len(l.logs) < maxLogs {
		return
	}
	for k := range l.logs {
		if len(l.logs) <= keptLogs {
			return
		}
		delete(l.logs, k)
	}
}

// describe sets the RateLimit headers (IETF draft ratelimit-headers) for the limiter with this
// name. If the request is refused, it also sets Retry-After.
func (v allowance) describe(name string, h http.Header) {
	seconds := int(math.Ceil(v.reset.Seconds()))
	h.Set("RateLimit-Policy", fmt.Sprintf(`%q;q=%d;w=%d`, name, v.limit, int(v.window.Seconds())))
	h.Set("RateLimit", fmt.Sprintf(`%q;r=%d;t=%d`, name, v.remaining, seconds))
	if !v.allowed {
		h.Set("Retry-After", fmt.Sprint(max(seconds, 1)))
	}
}
