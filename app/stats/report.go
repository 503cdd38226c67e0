package stats

import "birthregistry/app/birth"

// Group is a group of births with its counts, which are in the order of Measures.
type Group struct {
	Key, Label       string
	Births, Newborns int
	counts           []Tally
}

// Tally returns what a measure counts in the group.
func (g *Group) Tally(m *Measure) Tally {
	t := g.counts[places[m.ID]]
	t.Base = g.Births
	if m.Unit == Newborns {
		t.Base = g.Newborns
	}
	return t
}

// Split divides the births of a period in one way. Its groups, including those that aren't
// compared, add up to the total.
type Split struct {
	Key, Label string
	Groups     []Group
	// Rest lists the keys of the groups that are shown but not compared: the attendant's role
	// "other", which is excluded from benchmarks by type (spec, "Practitioner rules" 4), and
	// births for which nothing is stated.
	Rest []string
}

// The keys of the splits, and of the group for which nothing is stated.
const (
	ByAttendant = "attendant"
	ByPlace     = "place"
	ByParity    = "parity"
	Unstated    = "unstated"
	other       = "other"
)

// Report is every figure of a period, and the run over the preceding years.
type Report struct {
	Period Period
	Total  Group
	Splits []Split
	Months []Group // the months of Period.Trend, oldest first

	one counted // the counts of the current outcome
}

// counted holds the counts that one outcome adds to the measures. It is reused, so that a
// hundred thousand outcomes allocate nothing.
type counted struct {
	birth.Outcome
	adds []addition
}

type addition struct {
	measure int
	Tally
}

// NewReport begins the report of a period.
func NewReport(p Period) *Report {
	r := &Report{Period: p, Total: newGroup("all", "All births")}
	roles := birth.Must("attendant_type")
	attendants := Split{Key: ByAttendant, Label: "Attendant’s role", Rest: []string{other, Unstated}}
	for _, role := range roles.Options {
		attendants.Groups = append(attendants.Groups, newGroup(role.Code, role.Label))
	}
	attendants.Groups = append(attendants.Groups, newGroup(Unstated, "Not recorded"))
	r.Splits = []Split{
		attendants,
		{Key: ByPlace, Label: "Planned place of birth", Rest: []string{Unstated}, Groups: newGroups(placeGroups)},
		{Key: ByParity, Label: "Births before this one", Rest: []string{Unstated}, Groups: newGroups(parityGroups)},
	}
	trend := p.Trend()
	for m := trend.First; m <= trend.Last; m++ {
		r.Months = append(r.Months, newGroup(m.String(), m.Label()))
	}
	return r
}

// groupName is the key and the label of a group in a split by a class of the outcome.
type groupName struct{ key, label string }

// The groups in the order of their classes (birth.Outcome).
var (
	placeGroups = []groupName{
		{Unstated, "Not recorded"}, {"home", "Home"}, {"birth_center", "Birth center"}, {"hospital", "Hospital"}, {"other", "Other or undecided"},
	}
	parityGroups = []groupName{{Unstated, "Not recorded"}, {"nulliparous", "First birth"}, {"parous", "Had given birth before"}}
)

func newGroups(of []groupName) (all []Group) {
	for _, g := range of {
		all = append(all, newGroup(g.key, g.label))
	}
	return all
}

// GroupLabel returns the label of a group of the split by planned place or by parity, or "" if
// there is no such group.
func GroupLabel(split, group string) string {
	for _, g := range map[string][]groupName{ByPlace: placeGroups, ByParity: parityGroups}[split] {
		if g.key == group {
			return g.label
		}
	}
	return ""
}

// InGroup reports whether a birth with an outcome (birth.Outcome as text) is in a group of
// the split by planned place or by parity.
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

// Add counts a birth of a month (2006-01), given the attendant's role and the
// outcome in its text form.
func (r *Report) Add(month, attendant, outcome string) {
	m, ok := ParseMonth(month)
	if !ok || !r.Period.Trend().Has(m) {
		return
	}
	c := r.one.read(outcome)
	r.Months[m-r.Period.Trend().First].add(c)
	if !r.Period.Has(m) {
		return
	}
	r.Total.add(c)
	attendants := &r.Splits[0]
	at := len(attendants.Groups) - 1
	for i := range attendants.Groups {
		if attendants.Groups[i].Key == attendant {
			at = i
		}
	}
	attendants.Groups[at].add(c)
	r.Splits[1].Groups[c.Planned].add(c)
	r.Splits[2].Groups[c.Parous].add(c)
}

// read counts an outcome for every measure.
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
		t := &g.counts[a.measure]
		t.Yes += a.Yes
		t.Known += a.Known
		t.Missing += a.Missing
	}
}
