package ingest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The feed advanced at 11:59, the clock is set at 12:00, and the service looks at 12:01.
func TestAnAdvanceFromBeforeAJumpOfTheClockAgesFromWhenTheJumpWasNoticed(t *testing.T) {
	noon := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	for _, by := range []time.Duration{time.Hour, -time.Hour, 10 * 365 * 24 * time.Hour, -20 * 365 * 24 * time.Hour} {
		c := &clock{trusted: reading{wall: noon}}
		after := func(d time.Duration) reading { return reading{noon.Add(by + d), d} }
		advanced := noon.Add(-time.Minute)
		require.Equal(t, 3*time.Minute, c.age(advanced, reading{noon.Add(2 * time.Minute), 2 * time.Minute}), "nobody has set the clock yet")

		require.Zero(t, c.age(advanced, after(3*time.Minute)), "the jump is noticed only now")
		require.Equal(t, 20*time.Minute, c.age(advanced, after(23*time.Minute)), "a feed that stands still is still found")
		require.Equal(t, time.Minute, c.age(noon.Add(by+22*time.Minute), after(23*time.Minute)), "an advance by the new clock")

		require.True(t, c.inDoubt(0, after(time.Hour)))
		require.Equal(t, by, c.jump(after(24*time.Hour)))
		require.Zero(t, c.jump(after(25*time.Hour)), "a day later, the clock is trusted")
		require.True(t, c.inDoubt(time.Hour, after(25*time.Hour+59*time.Minute)))
		require.False(t, c.inDoubt(time.Hour, after(26*time.Hour)))
	}
}

func TestAClockThatIsSetBackInTimeIsTrustedAgain(t *testing.T) {
	noon := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	c := &clock{trusted: reading{wall: noon}}
	require.Equal(t, time.Hour, c.jump(reading{noon.Add(2 * time.Hour), time.Hour}))
	require.Zero(t, c.jump(reading{noon.Add(2 * time.Hour), 2 * time.Hour}))
	require.False(t, c.inDoubt(2*time.Hour, reading{noon.Add(2 * time.Hour), 2 * time.Hour}))
}
