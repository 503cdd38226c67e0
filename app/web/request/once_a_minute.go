package request

import (
	"sync"
	"time"
)

// OnceAMinute limits a log line that anybody can cause to one per minute. The zero value is ready
// to use.
type OnceAMinute struct {
	mu   sync.Mutex
	last time.Time
}

// Due reports whether the line may be logged now. It returns true the first time, and then at most
// once a minute.
func (o *OnceAMinute) Due() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.last.IsZero() && time.Since(o.last) < time.Minute {
		return false
	}
	o.last = time.Now()
	return true
}
