package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
		child.Weight, child.HeadFirst = birth.Below4000, birth.Yes
		if rarely() {
			child.Weight = birth.Weight(r.IntN(4))
		}
		if rarely() {
			child.Weeks = 30 + r.IntN(8)
		}
		o.Multiple, o.Onset, o.Perineum = birth.No, birth.Spontaneous, birth.Torn
		if r.IntN(3) == 0 {
			o.Onset = birth.Onset(r.IntN(4))
		}
		if r.IntN(2) == 0 {
			o.Perineum = birth.Perineum(r.IntN(5))
		}
		o.Position = birth.Must("birth_position").Options[r.IntN(4)].Code
		o.Children = []birth.Newborn{child}
		report.Add((last - Month(r.IntN(12))).String(), attendants[r.IntN(len(attendants))], o.Text())
	}
	return report
}

// A reader of the published numbers of all measures may know which of them add up and what "<11"
// means, and may solve equations. Even then, every hidden small count may still be anything from
// 1 to 10.
func TestNoSmallCountCanBeDerivedFromWhatIsShown(t *testing.T) {
	hidden := 0
	for _, births := range []int{2, 9, 12, 35, 80, 150, 240, 330, 600} {
		r := some(rand.New(rand.NewPCG(uint64(births), 1)), births)
		hidden += spied(t, r, "apgar5_lt7")
		if total, _ := Outside(r, Lookup("cesarean")); births >= 240 {
			require.False(t, total.Known.Hidden, "something is left to tell of %d births", births)
		}
		r = some(rand.New(rand.NewPCG(uint64(births), 1)), births) // the solver takes long, so there are fewer groups
		r.Splits = r.Splits[2:]
		for _, id := range []string{"cesarean", "position_supine_lithotomy", "lbw", "preterm", "induction", "episiotomy"} {
			hidden += spied(t, r, id)
		}
	}
	require.Positive(t, hidden, "something was hidden")
}

// spied solves for every small count of a measure and the measures related to it, and returns how
// many there are.
func spied(t require.TestingT, r *Report, id string) (small int) {
	s := newSheet(r, layouts()[id])
	low, high := make([]float64, len(s.value)), make([]float64, len(s.value))
	for i := range high {
		high[i] = 2000
	}
	for n, slot := range s.slots {
		if n.cell == cellRest {
			continue
		}
		total, groups := Outside(r, Lookup(n.measure))
		shown := []Shown{total}
		for i := range r.Splits {
			shown = append(shown, groups[r.Splits[i].Key]...)
		}
		for g, of := range shown {
			count, i := of.Known, g*s.width+slot
			if n.cell == cellYes {
				count = of.Yes
			}
			require.Equal(t, s.value[i], count.N)
			switch {
			case count.Few:
				low[i], high[i] = max(low[i], 1), min(high[i], Small)
			case !count.Hidden:
				require.False(t, few(count.N), "a small count is shown")
				low[i], high[i] = float64(count.N), float64(count.N)
			}
		}
	}
	of := newSolver(s.equations, low, high)
	for i, n := range s.value {
		require.GreaterOrEqual(t, n, 0)
		if !few(n) {
			continue
		}
		small++
		least, most := of.solve(i)
		require.Less(t, least, 1.000001, "%s: cell %d is at least %v", id, i, least)
		require.Greater(t, most, Small-0.000001, "%s: cell %d is at most %v", id, i, most)
	}
	return small
}

// solver finds the least and the greatest value that each number can have, by the simplex method:
// e[0] = e[1] + … for every equation, low ≤ x ≤ high.
type solver struct {
	low     []float64
	tableau [][]float64
	basis   []int
	columns int // the numbers, then the slack of each up to high
}

func newSolver(equations [][]int, low, high []float64) *solver {
	n := len(low)
	s := &solver{low: low, columns: 2 * n}
	var rows [][]float64 // coefficients of x - low, then of the slack, then the right side
	for _, e := range equations {
		row := make([]float64, s.columns+1)
		for k, i := range e {
			sign := -1.0
			if k == 0 {
				sign = 1
			}
			row[i] += sign
			row[s.columns] -= sign * low[i]
		}
		rows = append(rows, row)
	}
	for i := range n {
		row := make([]float64, s.columns+1)
		row[i], row[n+i], row[s.columns] = 1, 1, high[i]-low[i]
		rows = append(rows, row)
	}
	for i, row := range rows { // with an artificial number for each row, all of which become 0
		whole := make([]float64, s.columns+len(rows)+1)
		sign := 1.0
		if row[s.columns] < 0 {
			sign = -1
		}
		for k := range s.columns {
			whole[k] = sign * row[k]
		}
		whole[s.columns+i], whole[len(whole)-1] = 1, sign*row[s.columns]
		s.tableau, s.basis = append(s.tableau, whole), append(s.basis, s.columns+i)
	}
	artificial := make([]float64, s.columns+len(rows))
	for i := range rows {
		artificial[s.columns+i] = 1
	}
	if s.minimize(artificial) > 1e-6 {
		panic("a contradiction, which can't happen, because the true counts are a solution")
	}
	return s
}

func (s *solver) solve(at int) (least, most float64) {
	cost := make([]float64, s.columns+len(s.basis))
	cost[at] = 1
	least = s.low[at] + s.minimize(cost)
	cost[at] = -1
	return least, s.low[at] - s.minimize(cost)
}

// minimize goes on from the present solution, with Bland's rule.
func (s *solver) minimize(cost []float64) (value float64) {
	right := len(cost)
	for {
		reduced := slices.Clone(cost)
		for i, row := range s.tableau {
			if c := cost[s.basis[i]]; c != 0 {
				for k := range s.columns {
					reduced[k] -= c * row[k]
				}
			}
		}
		enter := slices.IndexFunc(reduced[:s.columns], func(r float64) bool { return r < -1e-9 })
		if enter < 0 {
			break
		}
		leave, best := -1, math.Inf(1)
		for i, row := range s.tableau {
			if row[enter] > 1e-9 {
				ratio := row[right] / row[enter]
				if ratio < best-1e-12 || ratio < best+1e-12 && (leave < 0 || s.basis[i] < s.basis[leave]) {
					leave, best = i, ratio
				}
			}
		}
		if leave < 0 {
			return math.Inf(-1)
		}
		s.pivot(leave, enter)
	}
	for i, row := range s.tableau {
		value += cost[s.basis[i]] * row[right]
	}
	return value
}

func (s *solver) pivot(leave, enter int) {
	from := s.tableau[leave]
	by := from[enter]
	for k := range from {
		from[k] /= by
	}
	for i, row := range s.tableau {
		if factor := row[enter]; i != leave && factor != 0 {
			for k, v := range from {
				if v != 0 {
					row[k] -= factor * v
				}
			}
		}
	}
	s.basis[leave] = enter
}

func TestTheSpyOfThisTestDerivesCountsThatAreHiddenBadly(t *testing.T) {
	// One of three parts is hidden, and the sum is shown.
	least, most := newSolver([][]int{{0, 1, 2, 3}}, []float64{30, 1, 12, 13}, []float64{30, 10, 12, 13}).solve(1)
	require.InDelta(t, 5, least, 1e-9)
	require.InDelta(t, 5, most, 1e-9)
	least, most = newSolver([][]int{{0, 1, 2, 3}}, []float64{30, 1, 0, 13}, []float64{30, 10, 99, 13}).solve(1)
	require.InDelta(t, 1, least, 1e-9)
	require.InDelta(t, 10, most, 1e-9)
}

// monthOf returns the report of a month with this many births of each kind.
func monthOf(kinds ...sort) *Report {
	last, _ := ParseMonth("2026-06")
	r := NewReport(Period{last, last})
	for _, k := range kinds {
		for range k.n {
			o := birth.Outcome{Planned: birth.AtHome, Parous: birth.Yes, Multiple: birth.No, Scarred: k.scarred, Onset: k.onset, Perineum: k.perineum}
			o.Children = []birth.Newborn{{Method: k.method, Weeks: k.weeks}}
			r.Add(last.String(), "midwife", o.Text())
		}
	}
	return r
}

type sort struct {
	n        int
	method   birth.Method
	scarred  birth.Tri
	onset    birth.Onset
	perineum birth.Perineum
	weeks    int
}

// All births in these reports are in one group, and large numbers are easily subtracted.
func TestOneMeasureDoesNotGiveAwayWhatAnotherHides(t *testing.T) {
	for name, c := range map[string]struct {
		measures []string
		r        *Report
	}{
		"5 of 25 cesareans weren't the first": {[]string{"cesarean", "cesarean_primary", "vbac_rate"}, monthOf(
			sort{n: 20, method: birth.Cesarean, scarred: birth.No}, sort{n: 60, method: birth.Unassisted, scarred: birth.No},
			sort{n: 5, method: birth.Cesarean, scarred: birth.Yes}, sort{n: 15, method: birth.Unassisted, scarred: birth.Yes})},
		"5 of 100 births had no labor": {[]string{"induction", "induction_labors"}, monthOf(
			sort{n: 20, onset: birth.Induced, weeks: 40}, sort{n: 75, onset: birth.Spontaneous, weeks: 40}, sort{n: 5, onset: birth.NoLabor, weeks: 40})},
		"3 of 15 preterm newborns were born from 34 weeks": {[]string{"preterm", "preterm_early"}, monthOf(
			sort{n: 12, weeks: 32}, sort{n: 3, weeks: 35}, sort{n: 85, weeks: 40})},
		"5 of 80 perineums had a lesser tear": {[]string{"episiotomy", "oasi", "intact"}, monthOf(
			sort{n: 20, method: birth.Unassisted, perineum: birth.Cut}, sort{n: 15, method: birth.Unassisted, perineum: birth.Severe},
			sort{n: 40, method: birth.Unassisted, perineum: birth.Intact}, sort{n: 5, method: birth.Unassisted, perineum: birth.Torn})},
		"9, 10 and 10 of 29 births": {[]string{"cesarean", "svb", "avb"}, monthOf(
			sort{n: 9, method: birth.Cesarean}, sort{n: 10, method: birth.Assisted}, sort{n: 10, method: birth.Unassisted})},
	} {
		c.r.Splits = c.r.Splits[2:] // all births are in one group, so the other splits add nothing but time
		require.NotZero(t, spied(t, c.r, c.measures[0]), name)
		hidden := false
		for _, id := range c.measures {
			total, _ := Outside(c.r, Lookup(id))
			hidden = hidden || total.Yes.Hidden || total.Known.Hidden
		}
		require.True(t, hidden, name)
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
	require.True(t, RunShown(r, Lookup("apgar5_lt7")))
}

// The period begins within a quarter of the run. 46 births in all, less the 45 of the last quarter,
// leave the one of January.
func TestARunIsNotShownWithATotalThatGivesAwayAPartOfAPoint(t *testing.T) {
	last, _ := ParseMonth("2026-07")
	m := Lookup("cesarean")
	for january, want := range map[int]bool{1: false, 30: true, 0: true} {
		r := NewReport(Period{last - 6, last})
		add := func(month Month, n int) {
			for i := range n {
				o := birth.Outcome{Children: []birth.Newborn{{Method: []birth.Method{birth.Unassisted, birth.Cesarean}[i%2]}}}
				r.Add(month.String(), "midwife", o.Text())
			}
		}
		add(last-8, 30)
		add(last-6, january)
		add(last, 45)
		r.Splits = nil // only the total and the run count here
		run := RunOf(r, m)
		require.Equal(t, 3, run.Every)
		require.Len(t, run.Points, 2)
		total, _ := Outside(r, m)
		require.True(t, total.ShareShown())
		require.Equal(t, want, RunShown(r, m), "%d births in January", january)
	}
}

// 100 births less 30 cesareans and 66 spontaneous vaginal births leave the 4 with forceps or vacuum.
func TestTheRunsOfTwoMeasuresDoNotGiveAwayTheNumbersOfAThird(t *testing.T) {
	last, _ := ParseMonth("2026-06")
	for assisted, want := range map[int][]bool{4: {true, false, false}, 12: {true, true, true}, 0: {true, true, true}} {
		r := NewReport(Period{last - 11, last})
		for month := last - 11; month <= last; month++ {
			for i := range 100 {
				o := birth.Outcome{Children: []birth.Newborn{{Method: birth.Unassisted}}}
				switch {
				case i < 30:
					o.Children[0].Method = birth.Cesarean
				case i < 30+assisted:
					o.Children[0].Method = birth.Assisted
				}
				r.Add(month.String(), "midwife", o.Text())
			}
		}
		var got []bool
		for _, id := range []string{"cesarean", "svb", "avb"} {
			got = append(got, RunShown(r, Lookup(id)))
		}
		require.Equal(t, want, got, "%d assisted births a month", assisted)
	}
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
