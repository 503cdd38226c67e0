package ingest

import (
	"sync"
	"time"
)

// Old data is deleted by the wall clock, which somebody may set wrongly. So the service compares
// it with the monotonic clock. While the two disagree, the service keeps old data that nobody
// could restore.

// clockSlack is how far the clocks may differ. jumpAccepted is how long after a jump the service
// trusts the wall clock again.
const (
	clockSlack   = 10 * time.Minute
	jumpAccepted = 24 * time.Hour
)

// wallClock compares the wall clock with the monotonic one.
type wallClock struct {
	mu      sync.Mutex
	began   time.Time // a time with both readings
	noticed time.Time // when a jump was first seen, or zero
}

func newWallClock() *wallClock { return &wallClock{began: time.Now()} }

// jump returns by how much the clock was set since the service last trusted it, or 0 if by less
// than clockSlack.
func (c *wallClock) jump(now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	by := now.Round(0).Sub(c.began.Round(0)) - now.Sub(c.began)
	switch {
	case by.Abs() < clockSlack:
		c.noticed = time.Time{}
		return 0
	case c.noticed.IsZero():
		c.noticed = now
	case now.Sub(c.noticed) > jumpAccepted:
		c.began, c.noticed = now, time.Time{}
		return 0
	}
	return by
}

// ClockJump returns by how much the clock was set while the service ran. It returns 0 once the
// clock is set back, or a day has passed.
func (s *Service) ClockJump() time.Duration { return s.clock.jump(time.Now()) }
