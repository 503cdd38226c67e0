package stats

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestTheLimitsOfARunMatchPublishedTables(t *testing.T) {
	for n, want := range map[int][2]int{
		10: {6, 2}, 12: {7, 3}, 16: {7, 4}, 20: {7, 6}, 24: {8, 8}, 30: {8, 10}, 36: {8, 13}, 48: {9, 18},
	} {
		longest, crosses := limits(n)
		require.Equal(t, want, [2]int{longest, crosses}, "%d points", n)
	}
}

// runOver returns the run of the cesarean rate over months with this many births each;
// cesareans are the numbers of cesareans, the last one for the last month.
func runOver(t *testing.T, known int, cesareans ...int) Run {
	t.Helper()
	last, ok := ParseMonth("2026-06")
	require.True(t, ok)
	r := NewReport(Period{last - 11, last})
	for i, n := range cesareans {
		for k := range known {
			o := birth.Outcome{Children: []birth.Newborn{{Method: birth.Unassisted}}}
			if k < n {
				o.Children[0].Method = birth.Cesarean
			}
			r.Add((last - Month(len(cesareans)-1-i)).String(), "midwife", o.Text())
		}
	}
	return RunOf(r, Lookup("cesarean"))
}

func TestPointsAreMonthsOrQuartersOrHalfYearsByTheMedianMonth(t *testing.T) {
	year := []int{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}
	require.Equal(t, 1, runOver(t, 20, year...).Every)
	require.Len(t, runOver(t, 20, year...).Points, 12)
	require.Equal(t, 3, runOver(t, 19, year...).Every)
	require.Len(t, runOver(t, 19, year...).Points, 4, "months before the first birth are no points")
	require.Equal(t, 6, runOver(t, 6, year...).Every)
	quarter := runOver(t, 19, year...).Points[3]
	require.Equal(t, "Apr 2026 to Jun 2026", quarter.Label)
	require.Equal(t, Tally{Yes: 5, Known: 57, Base: 57}, quarter.Tally)
}

func TestARunThatStaysOnOneSideOrCrossesTooRarelyHasShifted(t *testing.T) {
	steady := runOver(t, 30, 2, 5, 3, 6, 2, 5, 3, 6, 2, 5, 3, 6)
	require.True(t, steady.Judged)
	require.False(t, steady.Shift)
	shifted := runOver(t, 30, 2, 3, 2, 3, 2, 3, 7, 8, 7, 8, 7, 8)
	require.True(t, shifted.Shift)
	require.Equal(t, 1, shifted.Crosses)
	require.Equal(t, 6, shifted.Longest)
	trend := runOver(t, 30, 5, 5, 5, 5, 6, 5, 5, 5, 5, 4, 5, 5)
	require.False(t, trend.Judged, "points on the line say nothing")
	require.False(t, runOver(t, 30, 1, 2, 3, 4, 5, 6, 7, 8, 9).Judged, "nine points are too few")
	require.Empty(t, runOver(t, 30).Points)
}
