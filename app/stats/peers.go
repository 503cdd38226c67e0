package stats

// Peers holds the totals of the installation's other practices, for one measure and period. The
// totals leave out records without consent, and sandbox practices (decision 42).
//
// A pooled figure is shown only if it can't identify anybody: at least five practices contribute,
// none has more than half of the denominator, and the denominator is at least thirty. It covers all
// births of the measure, never only a group. It is rounded to whole percents and states no number
// of births, so that it doesn't reveal a single record.
//
// Each write updates the totals, so a voided record drops out of benchmarks immediately (spec,
// "Record lifecycle"). A monthly snapshot would not allow that.
type Peers struct {
	Yes, Known int
	Practices  int // the number of practices that contribute
	// Dominated is set if one practice accounts for more than half of Known.
	Dominated bool
}

// MinPeers is the smallest number of practices whose figures are pooled.
const MinPeers = 5

// Pooled is a figure across practices. Percent is a whole number, and Practices is how many
// practices contribute.
type Pooled struct {
	Percent, Practices int
}

// Pooled returns the figure across practices. It returns false if the figure may not be shown.
func (p *Peers) Pooled() (Pooled, bool) {
	if p.Practices < MinPeers || p.Dominated || p.Known < Enough {
		return Pooled{}, false
	}
	return Pooled{(200*p.Yes + p.Known) / (2 * p.Known), p.Practices}, true
}
