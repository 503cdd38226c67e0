package stats

import (
	"math"
	"slices"
)

// Point is one point of a Run: a span of months, and the tally of these months.
type Point struct {
	Period
	Label string
	Tally
}

// Run is a measure over time. It has the measure's points, oldest first, and the median of their
// shares, and states whether the points show a change.
type Run struct {
	Every  int // how many months a point covers: 1, 3 or 6
	Points []Point
	Median float64
	// Shift is set if the points stay on one side of the median for too long, or cross it too
	// rarely, to be explained by chance (Anhøj and Olesen 2014). It is never set if fewer than ten
	// points lie off the median.
	Shift   bool
	Judged  bool // set if there were enough points to judge
	Longest int
	Crosses int
}

// minPoints is how many points a run needs before Run.Shift can be set. Points on the median don't
// count.
const minPoints = 10

// RunOf returns the run of a measure over the months of a report. Each point covers a month if the
// median month has a denominator of at least twenty. Otherwise each point covers a quarter or, if
// even the median quarter has less than twenty, half a year. RunOf leaves out points before the
// first birth, and points without births.
func RunOf(r *Report, m *Measure) Run {
	tallies := make([]Tally, len(r.Months))
	var known []int
	first := len(r.Months)
	for i := range r.Months {
		tallies[i] = r.Months[i].Tally(m)
		if tallies[i].Base > 0 {
			first = min(first, i)
		}
		if i >= first {
			known = append(known, tallies[i].Known)
		}
	}
	run := Run{Every: span(known)}
	trend := r.Period.Trend()
	for at := 0; at < len(tallies); at += run.Every {
		months := Period{trend.First + Month(at), trend.First + Month(at+run.Every) - 1}
		p := Point{Period: months, Label: months.First.Label()}
		if run.Every > 1 {
			p.Label += " to " + months.Last.Label()
		}
		for _, t := range tallies[at : at+run.Every] {
			p.join(t)
			p.Base += t.Base
		}
		if at+run.Every > first && p.Base > 0 {
			run.Points = append(run.Points, p)
		}
	}
	run.judge()
	return run
}

// span returns how many months each point of a run covers. known has the denominator of each month.
func span(known []int) int {
	for _, every := range []int{1, 3} {
		var sums []float64
		for at := 0; at < len(known); at += every {
			sum := 0
			for _, n := range known[at:min(at+every, len(known))] {
				sum += n
			}
			sums = append(sums, float64(sum))
		}
		if len(sums) > 0 && median(sums) >= Steady {
			return every
		}
	}
	return 6
}

// judge computes the median of the run, and decides whether the run shows a shift.
func (r *Run) judge() {
	var shares []float64
	for _, p := range r.Points {
		if p.Known > 0 {
			shares = append(shares, p.Share())
		}
	}
	if len(shares) == 0 {
		return
	}
	r.Median = median(shares)
	useful, side, current := 0, 0.0, 0
	for _, share := range shares {
		if share == r.Median { // a point on the median counts for neither side
			continue
		}
		useful++
		now := math.Copysign(1, share-r.Median)
		if now != side && side != 0 {
			r.Crosses++
			current = 0
		}
		side = now
		current++
		r.Longest = max(r.Longest, current)
	}
	if useful >= minPoints {
		r.Judged = true
		longest, crosses := limits(useful)
		r.Shift = r.Longest > longest || r.Crosses < crosses
	}
}

// limits returns what chance alone can still explain in a run of n points: the longest sequence on
// one side of the median, and the smallest number of times that the run crosses the median.
func limits(n int) (longest, crosses int) {
	longest = int(math.Round(math.Log2(float64(n)) + 3))
	below, term := 0.0, math.Pow(0.5, float64(n-1)) // binomial(n-1, 1/2)
	for k := 0; ; k++ {
		below += term
		if below > 0.05 {
			return longest, k
		}
		term *= float64(n-1-k) / float64(k+1)
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}
