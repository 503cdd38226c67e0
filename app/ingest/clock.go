package ingest

import (
	"sync"
	"time"
)

// The age of old data is measured with the wall clock, which somebody may set wrongly. So the
// service compares the wall clock with the monotonic clock. While the two disagree, the service
// doesn't delete old data that nobody could restore.

// clockSlack is how far the wall clock and the monotonic clock may differ. If they differ by more,
// the wall clock has jumped. jumpAccepted is the time after which the service accepts a jump and
// trusts the wall clock again.
const (
	clockSlack   = 10 * time.Minute
	jumpAccepted = 24 * time.Hour
)

// reading holds the times on the wall clock and the monotonic clock at one moment. The monotonic
// clock starts with the service, and nobody can set it.
type reading struct {
	wall      time.Time
	monotonic time.Duration
}

// clock detects whether somebody has set the wall clock, by comparing it with the monotonic clock.
type clock struct {
	started time.Time
	mu      sync.Mutex
	trusted reading // the reading from which on the wall clock has been trusted
	latest  reading // the first reading after the wall clock was last set, or after the start
	// set and noticed are times on the monotonic clock. The field set is when the service last
	// noticed that somebody had set the wall clock, or 0 if nobody has. The field noticed is when
	// the service first noticed the present jump, or 0 if there is none. If the wall clock is set
	// again during a jump, set is later than noticed. A machine that sleeps every night is an
	// example.
	set, noticed time.Duration
	// ahead is the last stored time that was later than the wall clock. It is used by age.
	ahead time.Time
}

func newClock() *clock {
	now := time.Now()
	first := reading{wall: now.Round(0)}
	return &clock{started: now, trusted: first, latest: first}
}

func (c *clock) read() reading {
	now := time.Now()
	return reading{now.Round(0), now.Sub(c.started)}
}

// jump returns by how much the wall clock has been set since the service last trusted it. It
// returns 0 if this is less than clockSlack.
func (c *clock) jump(now reading) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.compare(now)
}

func (c *clock) compare(now reading) time.Duration {
	if now.since(c.latest).Abs() >= clockSlack {
		c.latest, c.set = now, now.monotonic
	}
	by := now.since(c.trusted)
	switch {
	case by.Abs() < clockSlack:
		c.noticed = 0
		return 0
	case c.noticed == 0:
		c.noticed = now.monotonic
	case now.monotonic-c.noticed > jumpAccepted:
		c.trusted, c.noticed = now, 0
		return 0
	}
	return by
}

// since returns by how much the wall clock was set between an earlier reading and r.
func (r reading) since(earlier reading) time.Duration {
	return r.wall.Sub(earlier.wall) - (r.monotonic - earlier.monotonic)
}

// age returns how long ago a stored time was. If the clock was set after that time, its age isn't
// known. In this case, age returns how long ago the service noticed that the clock was set. If a
// stored time is in the future, it was stored before the clock was set or before the service
// started.
func (c *clock) age(stored time.Time, now reading) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compare(now)
	age, unset := now.wall.Sub(stored), now.monotonic-c.set
	switch {
	case age <= -clockSlack:
		c.ahead = stored // its age stays unknown, even once the wall clock has reached it
		return unset
	case stored.Equal(c.ahead), c.set > 0 && age > unset:
		return unset
	}
	return max(age, 0)
}

// inDoubt reports whether the wall clock has jumped, or has not been trusted long enough. The
// argument long is how long it must have been trusted.
func (c *clock) inDoubt(long time.Duration, now reading) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.compare(now) != 0 || now.monotonic-c.trusted.monotonic < long
}

// ClockJump returns by how much the clock was changed while the service ran. It returns 0 once the
// clock has been set back, or a day after the jump.
func (s *Service) ClockJump() time.Duration { return s.clock.jump(s.clock.read()) }
