package figures

// Peers pools what other practices of the installation count. Of them only
// records with consent count, and no sandbox (decisions 42); the caller sees to
// that no sandbox is added.
//
// A pooled figure is given only where nobody can be made out in it: at least
// five practices contribute, none more than half of the denominator, and there
// are at least thirty. It is of the total alone, never of a part, and rounded to
// whole percents without its counts, so that what one record more or less
// changed is not seen. It is computed anew each time: a voided record drops out
// of benchmarks immediately (spec, "Record lifecycle"), which a monthly snapshot
// would not keep.
type Peers struct {
	period    Period
	practices map[int64]*Report
}

// MinPeers is how many practices must contribute.
const MinPeers = 5

// NewPeers begins a pool over a period.
func NewPeers(p Period) *Peers { return &Peers{p, map[int64]*Report{}} }

// Add counts a birth of another live practice.
func (p *Peers) Add(practice int64, month, outcome string) {
	r := p.practices[practice]
	if r == nil {
		r = &Report{Period: p.period, Total: newGroup("", "")}
		p.practices[practice] = r
	}
	m, ok := ParseMonth(month)
	if c := r.one.read(outcome); ok && c.Consent && p.period.Has(m) {
		r.Total.add(c)
	}
}

// Pooled is a figure across practices; Percent is rounded.
type Pooled struct {
	Percent, Practices int
}

// Of pools a measure; false where too few contribute.
func (p *Peers) Of(m *Measure) (Pooled, bool) {
	var all Tally
	most, practices := 0, 0
	for _, r := range p.practices {
		t := r.Total.Tally(m)
		if t.Known > 0 {
			practices++
		}
		most = max(most, t.Known)
		all.Yes += t.Yes
		all.Known += t.Known
	}
	if practices < MinPeers || 2*most > all.Known || all.Known < Enough {
		return Pooled{}, false
	}
	return Pooled{(200*all.Yes + all.Known) / (2 * all.Known), practices}, true
}
