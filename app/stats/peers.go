package stats

// Peers holds the sums of the installation's other practices for one measure and period. The sums
// leave out records without consent, and sandbox practices (decision 42).
//
// A pooled figure is given only if it can't identify anybody: at least five practices contribute,
// none has more than half of the denominator, and the denominator is at least thirty. It covers all
// births of the measure, never a group of them. It is rounded to whole percents and states no
// numbers of births, so that it doesn't reveal a single record. The sums are updated with each
// write: a voided record drops out of benchmarks immediately (spec, "Record lifecycle"), which a
// monthly snapshot would not allow.
type Peers struct {
	Yes, Known int
	Practices  int // the number of practices that contribute
	// Dominated is set if one practice has more than half of Known.
	Dominated bool
}

// MinPeers is the smallest number of practices from which a pooled figure is made.
const MinPeers = 5

// Pooled is a figure across practices: a percentage in whole percents, and how many practices
// contribute.
type Pooled struct {
	Percent, Practices int
}

// Pooled returns the figure, or false if it may not be given.
func (p *Peers) Pooled() (Pooled, bool) {
	if p.Practices < MinPeers || p.Dominated || p.Known < Enough {
		return Pooled{}, false
	}
	return Pooled{(200*p.Yes + p.Known) / (2 * p.Known), p.Practices}, true
}
