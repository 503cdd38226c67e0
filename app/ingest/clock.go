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

// reading is what both clocks say at one moment. The monotonic one counts from the start of the
// service, and nobody can set it.
type reading struct {
	wall      time.Time
	monotonic time.Duration
}

// clock compares the wall clock with the monotonic one.
type clock struct {
	started time.Time
	mu      sync.Mutex
	trusted reading  // since when the wall clock is trusted
	noticed *reading // when the present jump was first seen
}

func newClock() *clock {
	now := time.Now()
	return &clock{started: now, trusted: reading{wall: now.Round(0)}}
}

func (c *clock) read() reading {
	now := time.Now()
	return reading{now.Round(0), now.Sub(c.started)}
}

// jump returns by how much the clock was set since the service last trusted it, or 0 if by less
// than clockSlack.
func (c *clock) jump(now reading) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.compare(now)
}

func (c *clock) compare(now reading) time.Duration {
	by := now.wall.Sub(c.trusted.wall) - (now.monotonic - c.trusted.monotonic)
	switch {
	case by.Abs() < clockSlack:
		c.noticed = nil
		return 0
	case c.noticed == nil:
		c.noticed = &now
	case now.monotonic-c.noticed.monotonic > jumpAccepted:
		c.trusted, c.noticed = now, nil
		return 0
	}
	return by
}

// age returns how long ago a stored time was. If the clock was set after that time, nobody knows,
// and age returns how long ago the service noticed that.
func (c *clock) age(stored time.Time, now reading) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	age := now.wall.Sub(stored)
	if c.compare(now) == 0 {
		return max(age, 0)
	}
	if noticed := now.monotonic - c.noticed.monotonic; age < 0 || age > noticed {
		return noticed
	}
	return age
}

// inDoubt reports whether the wall clock has jumped, or has not been trusted for so long yet.
func (c *clock) inDoubt(long time.Duration, now reading) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.compare(now) != 0 || now.monotonic-c.trusted.monotonic < long
}

// ClockJump returns by how much the clock was set while the service ran. It returns 0 once the
// clock is set back, or a day has passed.
func (s *Service) ClockJump() time.Duration { return s.clock.jump(s.clock.read()) }
