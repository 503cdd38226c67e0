package request

import (
	"sync"
	"time"
)

// OnceAMinute limits a line of the log that anybody can cause. The zero value is ready for use.
type OnceAMinute struct {
	mu   sync.Mutex
	last time.Time
}

// Due reports whether a minute has passed since it last returned true.
func (o *OnceAMinute) Due() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.last.IsZero() && time.Since(o.last) < time.Minute {
		return false
	}
	o.last = time.Now()
	return true
}
