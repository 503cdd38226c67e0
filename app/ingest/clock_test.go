package ingest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)

// clockAt returns a clock of a service that starts at noon, and its readings after the wall clock
// was set.
func clockAt(by time.Duration) (c *clock, after func(time.Duration) reading) {
	first := reading{wall: noon}
	return &clock{trusted: first, latest: first}, func(d time.Duration) reading { return reading{noon.Add(by + d), d} }
}

// The feed advanced at 11:59, the clock is set at 12:02, and the service looks at 12:03.
func TestAnAdvanceFromBeforeAJumpOfTheClockAgesFromWhenTheJumpWasNoticed(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour, 10 * 365 * 24 * time.Hour, -20 * 365 * 24 * time.Hour} {
		c, after := clockAt(by)
		advanced := noon.Add(-time.Minute)
		require.Equal(t, 3*time.Minute, c.age(advanced, reading{noon.Add(2 * time.Minute), 2 * time.Minute}), "nobody has set the clock yet")

		require.Zero(t, c.age(advanced, after(3*time.Minute)), "the jump is noticed only now")
		require.Equal(t, 20*time.Minute, c.age(advanced, after(23*time.Minute)), "a feed that stands still is still found")
		require.Equal(t, time.Minute, c.age(noon.Add(by+22*time.Minute), after(23*time.Minute)), "an advance by the new clock")

		for minutes := 23; minutes < 120; minutes++ {
			now := after(time.Duration(minutes) * time.Minute)
			require.Equal(t, time.Duration(minutes-3)*time.Minute, c.age(advanced, now), "set by %s, at %d minutes", by, minutes)
		}
		require.True(t, c.inDoubt(0, after(time.Hour)))
		require.Equal(t, by, c.jump(after(24*time.Hour)))
		require.Zero(t, c.jump(after(25*time.Hour)), "a day later, the clock is trusted")
		require.GreaterOrEqual(t, c.age(advanced, after(25*time.Hour)), 24*time.Hour, "and the feed still stands still")
		require.True(t, c.inDoubt(time.Hour, after(25*time.Hour+59*time.Minute)))
		require.False(t, c.inDoubt(time.Hour, after(26*time.Hour)))
	}
}

func TestASecondJumpOfTheClockIsNoticedToo(t *testing.T) {
	c, after := clockAt(time.Hour)
	require.Equal(t, time.Hour, c.jump(after(time.Minute)))
	advanced := noon.Add(time.Hour + 10*time.Hour)
	again := reading{noon.Add(12*time.Hour + 2*time.Minute), 10*time.Hour + 2*time.Minute}
	require.Zero(t, c.age(advanced, again), "the feed advanced two minutes ago")
	require.Equal(t, 2*time.Hour, c.jump(again))
}

func TestAClockThatIsSetBackInTimeIsTrustedAgain(t *testing.T) {
	c, after := clockAt(time.Hour)
	require.Equal(t, time.Hour, c.jump(after(time.Hour)))
	right := reading{noon.Add(2 * time.Hour), 2 * time.Hour}
	require.Zero(t, c.jump(right))
	require.False(t, c.inDoubt(2*time.Hour, right))
}

func TestATimeAheadOfTheClockIsFromBeforeTheStart(t *testing.T) {
	c, _ := clockAt(0)
	require.Equal(t, 20*time.Minute, c.age(noon.AddDate(1, 0, 0), reading{noon.Add(20 * time.Minute), 20 * time.Minute}))
	require.Zero(t, c.age(noon.Add(21*time.Minute), reading{noon.Add(20 * time.Minute), 20 * time.Minute}), "the clocks may differ a little")
}

// The monotonic clock of Linux stands still while a machine sleeps.
func TestTheClockOfAMachineThatSleepsEveryNightIsTrustedNowAndThen(t *testing.T) {
	c, _ := clockAt(0)
	trusted := 0
	for hour := range 10 * 16 { // awake
		nights := time.Duration(hour / 16)
		awake := time.Duration(hour) * time.Hour
		if !c.inDoubt(time.Hour, reading{noon.Add(awake + nights*8*time.Hour), awake}) {
			trusted++
		}
	}
	require.Greater(t, trusted, 20)
}
