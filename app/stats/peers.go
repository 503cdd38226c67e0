package stats

// Peers is what the other practices of the installation come to in one measure
// and period. Of them only records with consent count, and no sandbox (decisions 42).
//
// A pooled figure is given only where nobody can be made out in it: at least
// five practices contribute, none more than half of the denominator, and there
// are at least thirty. It is of the total alone, never of a part, and rounded to
// whole percents without its counts, so that what one record more or less
// changed is not seen. What it is made of is kept with each write: a voided record
// drops out of benchmarks immediately (spec, "Record lifecycle"), which a monthly
// snapshot would not keep.
type Peers struct {
	Yes, Known int
	Practices  int // that contribute
	// Dominated says that one of them holds more than half of Known.
	Dominated bool
}

// MinPeers is how many practices must contribute.
const MinPeers = 5

// Pooled is a figure across practices; Percent is rounded.
type Pooled struct {
	Percent, Practices int
}

// Pooled is the figure; false where it is not given.
func (p *Peers) Pooled() (Pooled, bool) {
	if p.Practices < MinPeers || p.Dominated || p.Known < Enough {
		return Pooled{}, false
	}
	return Pooled{(200*p.Yes + p.Known) / (2 * p.Known), p.Practices}, true
}
