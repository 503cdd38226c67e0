package stats

// Peers holds the sums of the installation's other practices for one measure and
// period. Only records with consent count, and no sandbox (decisions 42).
//
// A pooled figure is given only where nobody can be identified in it: at least five
// practices contribute, none has more than half of the denominator, and the
// denominator is at least thirty. It covers the total alone, never a part, and is
// rounded to whole percents without its counts, so that one record more or less
// doesn't show. The sums are updated with each write: a voided record drops out of
// benchmarks immediately (spec, "Record lifecycle"), which a monthly snapshot would
// not allow.
type Peers struct {
	Yes, Known int
	Practices  int // that contribute
	// Dominated is set when one practice holds more than half of Known.
	Dominated bool
}

// MinPeers is how many practices must contribute.
const MinPeers = 5

// Pooled is a figure across practices; Percent is rounded.
type Pooled struct {
	Percent, Practices int
}

// Pooled returns the figure, or false where it may not be given.
func (p *Peers) Pooled() (Pooled, bool) {
	if p.Practices < MinPeers || p.Dominated || p.Known < Enough {
		return Pooled{}, false
	}
	return Pooled{(200*p.Yes + p.Known) / (2 * p.Known), p.Practices}, true
}
