package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// some returns a report of n births whose outcomes are randomly rare or common.
func some(r *rand.Rand, n int) *Report {
	last, _ := ParseMonth("2026-06")
	report := NewReport(Period{last - 11, last})
	attendants := []string{"midwife", "midwife", "midwife", "nurse", "doula", "assistant", "other", ""}
	often := 2 + r.IntN(40)
	for range n {
		rarely := func() bool { return r.IntN(often) == 0 }
		o := birth.Outcome{Planned: birth.Where(r.IntN(5)), Parous: birth.Tri(r.IntN(3)), Scarred: birth.No}
		child := birth.Newborn{Method: birth.Unassisted, Five: birth.No, Alive: birth.Yes, Weeks: 40}
		switch {
		case rarely():
			child.Method = birth.Cesarean
		case rarely():
			child.Method = birth.Assisted
		case rarely():
			child.Method = birth.NoMethod
		}
		if rarely() {
			child.Five, child.Ten = birth.Yes, birth.Tri(r.IntN(3))
		} else if rarely() {
			child.Five = birth.Unknown
		}
		if rarely() {
			o.Scarred = birth.Yes
		}
		o.Children = []birth.Newborn{child}
		report.Add((last - Month(r.IntN(12))).String(), attendants[r.IntN(len(attendants))], o.Text())
	}
	return report
}

// A reader of the published numbers may know which of them add up and what "<11" means, and
// may solve equations. Even then, every hidden small count may still be anything from 1 to 10.
func TestNoSmallCountCanBeDerivedFromWhatIsShown(t *testing.T) {
	hidden := 0
	for n, births := range []int{2, 9, 12, 35, 80, 150, 240, 330, 600} {
		r := some(rand.New(rand.NewPCG(uint64(births), 1)), births)
		m := Lookup([]string{"cesarean", "apgar10_lt7", "vbac_rate"}[n%3])
		total, groups := Outside(r, m)
		shown := []Shown{total}
		for i := range r.Splits {
			shown = append(shown, groups[r.Splits[i].Key]...)
		}
		hidden += spied(t, newSheet(r, m), shown)
		if births >= 240 && m.ID == "cesarean" {
			require.False(t, total.Known.Hidden, "something is left to tell of %d births", births)
		}
	}
	require.Positive(t, hidden, "something was hidden")
}

// spied solves for every small count and returns how many there are.
func spied(t require.TestingT, s *sheet, shown []Shown) (small int) {
	low, high := make([]float64, len(s.value)), make([]float64, len(s.value))
	for i := range s.value {
		of := shown[i/cells]
		n := [...]Count{of.Yes, {N: s.value[i], Hidden: true}, of.Known}[i%cells]
		switch {
		case n.Few:
			low[i], high[i] = 1, Small
		case n.Hidden:
			low[i], high[i] = 0, 2000
		default:
			require.False(t, few(n.N), "a small count is told")
			low[i], high[i] = float64(n.N), float64(n.N)
		}
	}
	for i, n := range s.value {
		if !few(n) {
			continue
		}
		small++
		least, most := solve(s.equations, low, high, i)
		require.LessOrEqual(t, least, 1.0, "cell %d is at least %v", i, least)
		require.GreaterOrEqual(t, most, float64(Small), "cell %d is at most %v", i, most)
	}
	return small
}

// solve returns the least and the greatest value that a number can have, by the simplex
// method: e[0] = e[1] + … for every equation, low ≤ x ≤ high.
func solve(equations [][]int, low, high []float64, at int) (least, most float64) {
	n := len(low)
	var rows [][]float64 // coefficients of x - low, then of the slack up to high, then the right side
	width := 2*n + 1
	for _, e := range equations {
		row := make([]float64, width)
		right := 0.0
		for k, i := range e {
			sign := -1.0
			if k == 0 {
				sign = 1
			}
			row[i] += sign
			right -= sign * low[i]
		}
		row[width-1] = right
		rows = append(rows, row)
	}
	for i := range n {
		row := make([]float64, width)
		row[i], row[n+i], row[width-1] = 1, 1, high[i]-low[i]
		rows = append(rows, row)
	}
	cost := make([]float64, width-1)
	cost[at] = 1
	least = low[at] + minimize(rows, cost)
	cost[at] = -1
	return least, low[at] - minimize(rows, cost)
}

// minimize is the two-phase simplex method with Bland's rule.
func minimize(rows [][]float64, cost []float64) float64 {
	n, m := len(cost), len(rows)
	tableau := make([][]float64, m)
	basis := make([]int, m)
	for i, row := range rows {
		tableau[i] = make([]float64, n+m+1)
		sign := 1.0
		if row[n] < 0 {
			sign = -1
		}
		for k := range n {
			tableau[i][k] = sign * row[k]
		}
		tableau[i][n+i], tableau[i][n+m], basis[i] = 1, sign*row[n], n+i
	}
	phase := func(cost []float64, allowed int) float64 {
		for {
			enter := -1
			for k := range allowed {
				reduced := cost[k]
				for i := range m {
					reduced -= cost[basis[i]] * tableau[i][k]
				}
				if reduced < -1e-9 {
					enter = k
					break
				}
			}
			if enter < 0 {
				break
			}
			leave, best := -1, math.Inf(1)
			for i := range m {
				if tableau[i][enter] > 1e-9 {
					ratio := tableau[i][n+m] / tableau[i][enter]
					if ratio < best-1e-12 || ratio < best+1e-12 && (leave < 0 || basis[i] < basis[leave]) {
						leave, best = i, ratio
					}
				}
			}
			if leave < 0 {
				return math.Inf(-1)
			}
			pivot := tableau[leave][enter]
			for k := range tableau[leave] {
				tableau[leave][k] /= pivot
			}
			for i := range m {
				if factor := tableau[i][enter]; i != leave && factor != 0 {
					for k := range tableau[i] {
						tableau[i][k] -= factor * tableau[leave][k]
					}
				}
			}
			basis[leave] = enter
		}
		value := 0.0
		for i := range m {
			value += cost[basis[i]] * tableau[i][n+m]
		}
		return value
	}
	artificial := make([]float64, n+m)
	for i := n; i < n+m; i++ {
		artificial[i] = 1
	}
	if phase(artificial, n) > 1e-6 {
		return math.NaN() // a contradiction, which can't happen, because the true counts are a solution
	}
	return phase(append(append([]float64{}, cost...), make([]float64, m)...), n)
}

func TestTheSpyOfThisTestDerivesCountsThatAreHiddenBadly(t *testing.T) {
	// One of three parts is hidden, and the sum is shown.
	least, most := solve([][]int{{0, 1, 2, 3}}, []float64{30, 1, 12, 13}, []float64{30, 10, 12, 13}, 1)
	require.InDelta(t, 5, least, 1e-9)
	require.InDelta(t, 5, most, 1e-9)
	least, most = solve([][]int{{0, 1, 2, 3}}, []float64{30, 1, 0, 13}, []float64{30, 10, 99, 13}, 1)
	require.InDelta(t, 1, least, 1e-9)
	require.InDelta(t, 10, most, 1e-9)
}

func TestAllCountsOfAFamilyAreShownOrNone(t *testing.T) {
	r := some(rand.New(rand.NewPCG(1, 2)), 400)
	require.Equal(t, ByAttendant, r.Splits[0].Key)
	groups := r.Splits[0].Groups
	require.True(t, few(r.Total.Tally(Lookup("avb")).Yes) || few(groups[0].Tally(Lookup("avb")).Yes) || few(groups[1].Tally(Lookup("avb")).Yes))
	for _, id := range []string{"cesarean", "svb", "avb"} {
		total, groups := Outside(r, Lookup(id))
		require.True(t, total.Yes.Hidden, id)
		for _, shown := range groups[ByAttendant] {
			require.True(t, shown.Yes.Hidden, id)
		}
	}
}

func TestLargeCountsAreShown(t *testing.T) {
	last, _ := ParseMonth("2026-06")
	r := NewReport(Period{last, last})
	for i := range 4000 {
		o := birth.Outcome{Planned: birth.Where(i % 5), Parous: birth.Tri(i % 3), Children: []birth.Newborn{{Five: birth.Tri(1 + i/5%2)}}}
		r.Add(last.String(), []string{"midwife", "nurse", "doula", "assistant", "other", ""}[i%6], o.Text())
	}
	total, groups := Outside(r, Lookup("apgar5_lt7"))
	require.True(t, total.ShareShown())
	for _, split := range groups {
		for _, shown := range split {
			require.Equal(t, Shown{Count{N: shown.Yes.N}, Count{N: shown.Known.N}}, shown)
		}
	}
	require.True(t, RunShown(RunOf(r, Lookup("apgar5_lt7")), total))
}

func TestAFileShowsNoSmallCount(t *testing.T) {
	r := some(rand.New(rand.NewPCG(5, 6)), 300)
	rows := Table(r, Measures, false)
	require.Equal(t, "measure", rows[0][0])
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		require.Len(t, row, len(rows[0]), fmt.Sprint(row))
		seen[row[0]] = true
		for _, cell := range row[7:9] {
			require.NotRegexp(t, `^([1-9]|10)$`, cell, "%v", row)
		}
		if row[7] == "" || strings.HasPrefix(row[7], "<") {
			require.Empty(t, row[9], "no share of what is hidden: %v", row)
		}
		if row[5] == ByAttendant && row[6] == other {
			require.Empty(t, row[9], "“other” is not compared")
		}
	}
	require.Len(t, seen, len(Measures))
	marked := Table(r, Measures[:1], true)
	require.Equal(t, "sandbox", marked[0][0])
	require.Equal(t, "yes", marked[1][0])
}

func TestADenominatorDoesNotGiveAwayWhatAnotherMeasureHides(t *testing.T) {
	last, _ := ParseMonth("2026-06")
	r := NewReport(Period{last, last})
	for i := range 200 {
		o := birth.Outcome{
			Planned: birth.AtHome, Parous: birth.Yes, Perineum: []birth.Perineum{birth.Cut, birth.Intact}[i%2],
			Children: []birth.Newborn{{Method: []birth.Method{birth.Unassisted, birth.Assisted}[i%2]}},
		}
		if i < 5 {
			o.Children[0].Method = birth.Cesarean
		}
		r.Add(last.String(), "midwife", o.Text())
	}
	cesarean, _ := Outside(r, Lookup("cesarean"))
	require.True(t, cesarean.Yes.Few)
	require.Equal(t, 195, r.Total.Tally(Lookup("episiotomy")).Known, "200 less the cesareans")
	total, groups := Outside(r, Lookup("episiotomy"))
	require.True(t, total.Known.Hidden)
	require.True(t, groups[ByAttendant][0].Known.Hidden)
}
