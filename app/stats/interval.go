package stats

import "math"

// z is the 97.5% point of the normal distribution.
const z = 1.959964

// Interval is a 95% confidence interval of a share. Both ends are from 0 to 1.
type Interval struct{ Low, High float64 }

// Wilson returns the Wilson score interval of the share x/n (Wilson 1927). Low is exactly 0 if x is
// 0, and High is exactly 1 if x equals n. If n is 0, the interval is 0 to 1.
func Wilson(x, n int) Interval {
	if n == 0 {
		return Interval{0, 1}
	}
	share, size := float64(x)/float64(n), float64(n)
	shrink := 1 + z*z/size
	center := (share + z*z/(2*size)) / shrink
	half := z * math.Sqrt(share*(1-share)/size+z*z/(4*size*size)) / shrink
	in := Interval{max(0, center-half), min(1, center+half)}
	if x == 0 {
		in.Low = 0
	}
	if x == n {
		in.High = 1
	}
	return in
}

// Interval returns the confidence interval of the tally's share.
func (t Tally) Interval() Interval { return Wilson(t.Yes, t.Known) }

// Share returns Yes as a share of Known, or 0 if nothing is known.
func (t Tally) Share() float64 {
	if t.Known == 0 {
		return 0
	}
	return float64(t.Yes) / float64(t.Known)
}

// RuledOut returns the highest plausible rate of an event that happened in none of n births. This
// is the one-sided 95% limit 1 − 0.05^(1/n). RuledOut returns 1 if n is 0.
func RuledOut(n int) float64 {
	if n == 0 {
		return 1
	}
	return 1 - math.Pow(0.05, 1/float64(n))
}

// Enough is the smallest denominator with which a figure is compared. It is the reporting floor of
// the Joint Commission's measure PC-02. A figure whose numerator is below Steady is called
// unstable, as in WISQARS (CDC).
const (
	Enough = 30
	Steady = 20
)

// rareFloor is the smallest denominator with which a rare outcome is shown as a rate.
const rareFloor = 1000

// HasRate reports whether a tally is shown as a rate. A rare outcome is shown only as a count until
// the denominator is at least rareFloor.
func (m *Measure) HasRate(t Tally) bool { return t.Known >= rareFloor || t.Known > 0 && !m.PerThousand }

// Word says how a practice's figure compares with a published figure.
type Word uint8

// These are the results of Compare. They depend only on the confidence interval. No p-value is
// computed.
const (
	TooFew Word = iota
	NoDifference
	LowerThan
	HigherThan
)

// String returns the words that pages and files show.
func (w Word) String() string {
	return [...]string{"too few to compare", "no clear difference", "lower than the reference", "higher than the reference"}[w]
}

// Compare returns how a tally compares with a published share.
func Compare(t Tally, published float64) Word {
	in := t.Interval()
	switch {
	case t.Known < Enough:
		return TooFew
	case in.High < published:
		return LowerThan
	case in.Low > published:
		return HigherThan
	}
	return NoDifference
}
