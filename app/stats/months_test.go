package stats_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/birth/birthtest"
	"birthregistry/app/stats"
)

// someCounts counts some invented records.
func someCounts(r *rand.Rand, n int) *stats.MonthCounts {
	c := &stats.MonthCounts{}
	for range n {
		facts := birth.Mask(birthtest.Invent(r, time.Date(2026, 1, 1+r.IntN(28), 0, 0, 0, 0, time.UTC)).Draft()).Facts()
		c.Add([]birth.State{birth.Active, birth.Active, birth.Voided, birth.Merged}[r.IntN(4)], facts.Attendant, facts.Outcome)
	}
	return c
}

func TestStoredCountsAreThoseThatWereCounted(t *testing.T) {
	r := rand.New(rand.NewPCG(46, 1))
	january := stats.Month(2026 * 12)
	for range 50 {
		one, two := someCounts(r, r.IntN(40)), someCounts(r, r.IntN(40))
		want, got := stats.NewReport(stats.Period{First: january, Last: january}), stats.NewReport(stats.Period{First: january, Last: january})
		want.AddMonth(january, one)
		want.AddMonth(january, two)
		var sum stats.MonthCounts
		require.True(t, sum.AddBytes(one.Bytes()))
		require.True(t, sum.AddBytes(two.Bytes()))
		got.AddMonth(january, &sum)
		require.Equal(t, want, got)
		require.Equal(t, sum.Bytes(), sum.Bytes())
		sum.Reset()
		require.Equal(t, (&stats.MonthCounts{}).Bytes(), sum.Bytes())
	}
}

func TestCountsInAnotherFormAreNotAdded(t *testing.T) {
	b := someCounts(rand.New(rand.NewPCG(46, 2)), 40).Bytes()
	require.True(t, stats.CountsReadable(b))
	b[0]++
	for _, other := range [][]byte{nil, {1}, b} {
		var c stats.MonthCounts
		require.False(t, stats.CountsReadable(other))
		require.False(t, c.AddBytes(other))
		require.Equal(t, (&stats.MonthCounts{}).Bytes(), c.Bytes())
	}
}
