package stats

import "birthregistry/app/birth"

// Group is a group of births with its counts. The counts are in the order of Measures.
type Group struct {
	Key, Label       string
	Births, Newborns int
	counts           []Tally
}

// Tally returns the counts of a measure in the group.
func (g *Group) Tally(m *Measure) Tally {
	t := g.counts[places[m.ID]]
	t.Base = g.Births
	if m.Unit == Newborns {
		t.Base = g.Newborns
	}
	return t
}

// Split divides the births of a period into groups in one way. All groups, even those that aren't
// compared, add up to the total.
type Split struct {
	Key, Label string
	Groups     []Group
	// Rest lists the keys of the groups that are shown but not compared. One is the attendant's
	// role "other", which benchmarks by attendant type exclude (spec, "Practitioner rules" 4). The
	// others are for births for which the fact isn't recorded.
	Rest []string
}

// ByAttendant, ByPlace and ByParity are the keys of the splits. Unstated is the key of the group of
// births for which the fact isn't recorded. other is the key of the attendant's role "other".
const (
	ByAttendant = "attendant"
	ByPlace     = "place"
	ByParity    = "parity"
	Unstated    = "unstated"
	other       = "other"
)

// Report holds every figure of a period. It also holds the counts of each month in the five years
// that end with the period.
type Report struct {
	Period Period
	Total  Group
	Splits []Split
	Months []Group // the months of Period.Trend, oldest first
	// Voided and Merged count records of the period that are left out of all figures. Undated
	// counts the active births without a month, which belong to no period.
	Voided, Merged, Undated int

	one    MonthCounts                 // of the birth that is being added
	sheets map[*layout]*sheet          // the sheets of the measures, made when they are first needed
	runs   map[*layout]map[string]bool // the measures whose runs are shown, found when first needed
}

// counted holds what one outcome adds to each measure. A counted that is reused reads any number of
// outcomes without allocating memory.
type counted struct {
	birth.Outcome
	adds []addition
}

type addition struct {
	measure int
	Tally
}

// NewReport returns the report of a period, without any births.
func NewReport(p Period) *Report {
	r := &Report{Period: p, Total: newGroup("all", "All births")}
	r.Splits = []Split{
		{Key: ByAttendant, Label: "Attendant’s role", Rest: []string{other, Unstated}, Groups: newGroups(attendantGroups)},
		{Key: ByPlace, Label: "Planned place of birth", Rest: []string{Unstated}, Groups: newGroups(placeGroups)},
		{Key: ByParity, Label: "Births before this one", Rest: []string{Unstated}, Groups: newGroups(parityGroups)},
	}
	trend := p.Trend()
	for m := trend.First; m <= trend.Last; m++ {
		r.Months = append(r.Months, newGroup(m.String(), m.Label()))
	}
	return r
}

// groupName is the key and the label of a group in a split.
type groupName struct{ key, label string }

// These are the groups of each split. Outcome.Planned is an index of placeGroups, and
// Outcome.Parous is an index of parityGroups.
var (
	attendantGroups = func() (all []groupName) {
		for _, role := range birth.Must("attendant_type").Options {
			all = append(all, groupName{role.Code, role.Label})
		}
		return append(all, groupName{Unstated, "Not recorded"})
	}()
	placeGroups = []groupName{
		{Unstated, "Not recorded"}, {"home", "Home"}, {"birth_center", "Birth center"}, {"hospital", "Hospital"}, {"other", "Other or undecided"},
	}
	parityGroups = []groupName{{Unstated, "Not recorded"}, {"nulliparous", "First birth"}, {"parous", "Had given birth before"}}
	// splitGroups has the groups of each split, in the order of Report.Splits.
	splitGroups = [][]groupName{attendantGroups, placeGroups, parityGroups}
)

// attendantGroup returns the index in attendantGroups of an attendant's role. The last group is for
// births without a recorded role.
func attendantGroup(role string) int {
	last := len(attendantGroups) - 1
	for i := range last {
		if attendantGroups[i].key == role {
			return i
		}
	}
	return last
}

func newGroups(of []groupName) (all []Group) {
	for _, g := range of {
		all = append(all, newGroup(g.key, g.label))
	}
	return all
}

// GroupLabel returns the label of a group in the split by planned place or in the split by parity.
// It returns "" if there is no such group.
func GroupLabel(split, group string) string {
	for _, g := range map[string][]groupName{ByPlace: placeGroups, ByParity: parityGroups}[split] {
		if g.key == group {
			return g.label
		}
	}
	return ""
}

// InGroup reports whether a birth is in a group of the split by planned place or of the split by
// parity. outcome is the birth's birth.Outcome in its text form.
func InGroup(split, group, outcome string) bool {
	var o birth.Outcome
	o.Read(outcome)
	switch split {
	case ByPlace:
		return placeGroups[o.Planned].key == group
	case ByParity:
		return parityGroups[o.Parous].key == group
	}
	return false
}

func newGroup(key, label string) Group {
	return Group{Key: key, Label: label, counts: make([]Tally, len(Measures))}
}

// Add counts an active birth of a month, which has the form 2006-01. attendant is the role of the
// attendant, and outcome is a birth.Outcome in its text form.
func (r *Report) Add(month, attendant, outcome string) {
	m, ok := ParseMonth(month)
	if !ok {
		return
	}
	r.one.Reset()
	r.one.Add(birth.Active, attendant, outcome)
	r.AddMonth(m, &r.one)
}

// AddMonth adds the counts of one month. It ignores a month that isn't in Period.Trend.
func (r *Report) AddMonth(m Month, c *MonthCounts) {
	trend := r.Period.Trend()
	if !trend.Has(m) || c.splits == nil && c.Voided+c.Merged == 0 {
		return
	}
	r.sheets, r.runs = nil, nil
	inPeriod := r.Period.Has(m)
	if inPeriod {
		r.Voided += c.Voided
		r.Merged += c.Merged
	}
	for s, groups := range c.splits {
		for g := range groups {
			one := &groups[g]
			if one.Births == 0 {
				continue
			}
			if inPeriod {
				r.Splits[s].Groups[g].join(one)
			}
			if s > 0 { // each split has every birth, so the first is enough
				continue
			}
			r.Months[m-trend.First].join(one)
			if inPeriod {
				r.Total.join(one)
			}
		}
	}
}

// AddUndated counts births that have no month and therefore belong to no period.
func (r *Report) AddUndated(c *MonthCounts) { r.Undated += c.births() }

// read decodes an outcome in its text form, and counts it in every measure.
func (c *counted) read(text string) *counted {
	c.Read(text)
	c.adds = c.adds[:0]
	for i := range Measures {
		if t := Measures[i].count(&c.Outcome); t.Known+t.Missing > 0 {
			c.adds = append(c.adds, addition{i, t})
		}
	}
	return c
}

func (g *Group) add(c *counted) {
	g.Births++
	g.Newborns += len(c.Children)
	for i := range c.adds {
		a := &c.adds[i]
		g.counts[a.measure].join(a.Tally)
	}
}

// join adds the counts of another group to this group.
func (g *Group) join(other *Group) {
	g.Births += other.Births
	g.Newborns += other.Newborns
	for i, t := range other.counts {
		g.counts[i].join(t)
	}
}

// join adds the counts of another tally, except Base, which Group.Tally sets.
func (t *Tally) join(other Tally) {
	t.Yes += other.Yes
	t.Known += other.Known
	t.Missing += other.Missing
}

// reset sets all counts of the group to zero.
func (g *Group) reset() {
	if g.Births > 0 {
		g.Births, g.Newborns = 0, 0
		clear(g.counts)
	}
}
