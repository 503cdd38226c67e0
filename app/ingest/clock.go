package ingest

import (
	"sync"
	"time"
)

// What ages is deleted by the wall clock, which somebody may set. So it is compared with
// the monotonic clock: while the two disagree, nothing is deleted for its age that
// cannot be brought back.

// clockSlack is how far the clocks may differ. After jumpAccepted the wall clock counts
// again although it was set.
const (
	clockSlack   = 10 * time.Minute
	jumpAccepted = 24 * time.Hour
)

// wallClock compares the wall clock with the monotonic one.
type wallClock struct {
	mu      sync.Mutex
	began   time.Time // has both
	noticed time.Time // when a jump was first seen, zero without one
}

func newWallClock() *wallClock { return &wallClock{began: time.Now()} }

// jump returns by how much the clock was set since it was last believed, 0 when
// by less than clockSlack.
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

// ClockJump returns by how much the clock was set while the service ran, 0 when
// it was not. Until it is set back or a day has passed, nothing ages out.
func (s *Service) ClockJump() time.Duration { return s.clock.jump(time.Now()) }
