package stats_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"birthregistry/app/stats"
)

func TestTheWilsonIntervalMatchesPublishedTables(t *testing.T) {
	for _, c := range []struct {
		x, n      int
		low, high string // in percent
	}{
		{0, 1, "0.00", "79.35"},
		{0, 10, "0.00", "27.75"},
		{1, 10, "1.79", "40.42"},
		{0, 20, "0.00", "16.11"},
		{3, 30, "3.46", "25.62"},
		{5, 100, "2.15", "11.18"},
		{7, 62, "5.58", "21.52"},
		{12, 48, "14.92", "38.78"},
		{50, 100, "40.38", "59.62"},
		{30, 30, "88.65", "100.00"},
		{87, 1000, "7.11", "10.61"},
		{917, 1054, "84.84", "88.90"},
		{0, 0, "0.00", "100.00"},
	} {
		in := stats.Wilson(c.x, c.n)
		require.Equal(t, c.low, fmt.Sprintf("%.2f", 100*in.Low), "%d of %d", c.x, c.n)
		require.Equal(t, c.high, fmt.Sprintf("%.2f", 100*in.High), "%d of %d", c.x, c.n)
	}
}

func TestAnIntervalContainsItsShareAndMirrorsThatOfTheComplement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100_000).Draw(t, "n")
		x := rapid.IntRange(0, n).Draw(t, "x")
		in, mirror := stats.Wilson(x, n), stats.Wilson(n-x, n)
		share := float64(x) / float64(n)
		require.LessOrEqual(t, in.Low, share)
		require.GreaterOrEqual(t, in.High, share)
		require.InDelta(t, in.Low, 1-mirror.High, 1e-12)
		require.GreaterOrEqual(t, in.Low, 0.0)
		require.LessOrEqual(t, in.High, 1.0)
	})
}

func TestAFigureIsComparedOnlyFromThirtyOnAndIfItsIntervalExcludesTheReference(t *testing.T) {
	for _, c := range []struct {
		yes, known int
		published  float64
		want       stats.Word
	}{
		{0, 29, 0.9, stats.TooFew},
		{0, 30, 0.9, stats.LowerThan},
		{30, 30, 0.1, stats.HigherThan},
		{3, 30, 0.10, stats.NoDifference},
		{87, 1000, 0.1060, stats.NoDifference}, // just inside the interval
		{87, 1000, 0.1063, stats.LowerThan},
		{87, 1000, 0.0712, stats.NoDifference},
		{87, 1000, 0.0710, stats.HigherThan},
	} {
		got := stats.Compare(stats.Tally{Yes: c.yes, Known: c.known}, c.published)
		require.Equal(t, c.want, got, "%d of %d against %v", c.yes, c.known, c.published)
		require.NotEmpty(t, got.String())
	}
}

func TestNoneIn120StillAllowsARateOf25PerThousand(t *testing.T) {
	require.Equal(t, "25", fmt.Sprintf("%.0f", 1000*stats.RuledOut(120)))
	require.Equal(t, 1.0, stats.RuledOut(0))
	require.InDelta(t, 0.95, stats.RuledOut(1), 1e-12)
}
