package stats

// Small is the largest count that may not leave the practice. In whatever leaves it, counts from 1
// to Small are written "<11" (the cell size policy of CMS). Figures that would reveal such a count
// are left out.
//
// The practice's own screens hide nothing, because all users who see the figures may open the
// records.
const Small = 10

// Count is a number in the form in which it may leave the practice, perhaps hidden.
type Count struct {
	N int
	// Hidden is set if the number must not be shown. Few is set if the page shows instead that the
	// hidden number is between 1 and Small.
	Hidden, Few bool
}

// Shown is a tally in the form in which it may leave the practice. The counts of missing answers,
// and of births to which the measure doesn't apply, are never shown, because they, too, could
// reveal people. The share of Yes in Known may be shown if both numbers may.
type Shown struct{ Yes, Known Count }

// ShareShown reports whether the share of Yes in Known may be shown.
func (t Shown) ShareShown() bool { return !t.Yes.Hidden && !t.Known.Hidden }

// These are the indexes of a group's numbers in a sheet. cells is how many numbers a group has.
// cellRest is Known minus Yes. It is never shown, but readers can easily compute it.
const (
	cellYes = iota
	cellRest
	cellKnown
	cells
)

// sheet holds every published number about one measure. The numbers of the total come first,
// followed by the numbers of each group in each split.
//
// equations lists which numbers add up. Each equation is the index of a total, followed by the
// indexes of its parts. From the published numbers, a reader must not be able to determine a hidden
// number more precisely than as 1 to Small. If "<11" would reveal too much about a number, the
// number is muted: it is hidden without "<11".
type sheet struct {
	value         []int
	hidden, muted []bool
	equations     [][]int
}

// Outside returns a measure's figures in the form in which they may leave the practice. total is
// the figure of all births. groups has the figures of each split's groups, in the order of the
// split. Its keys are the keys of the splits.
func Outside(r *Report, m *Measure) (total Shown, groups map[string][]Shown) {
	s := protected(r, m)
	if m.Family != "" && s.familyHides(r, m) {
		s.hideAll(cellYes)
	}
	if m.Among != "" {
		s.follow(protected(r, Lookup(m.Among)))
	}
	total, groups = s.shown(0), map[string][]Shown{}
	at := 1
	for i := range r.Splits {
		split := &r.Splits[i]
		for range split.Groups {
			groups[split.Key] = append(groups[split.Key], s.shown(at))
			at++
		}
	}
	return total, groups
}

// protected returns the sheet of a measure, in which every number that may not be shown is hidden.
// If hiding single numbers isn't enough, protected hides whole splits, beginning with the last
// split. If even that isn't enough, it hides everything.
func protected(r *Report, m *Measure) *sheet {
	for withheld := range len(r.Splits) + 1 {
		s := newSheet(r, m)
		shown := 1
		for _, split := range r.Splits[:len(r.Splits)-withheld] {
			shown += len(split.Groups)
		}
		s.withhold(shown * cells)
		if s.protect() {
			return s
		}
	}
	s := newSheet(r, m)
	s.withhold(0)
	return s
}

// withhold hides all numbers from an index on. It doesn't show "<11" for them even if they are
// small.
func (s *sheet) withhold(from int) {
	for i := from; i < len(s.hidden); i++ {
		s.hidden[i], s.muted[i] = true, true
	}
}

// follow hides the numbers from which a reader could determine a hidden numerator in other, the
// sheet of another measure. The numerators in other are this measure's denominators, or are
// excluded from its denominators.
func (s *sheet) follow(other *sheet) {
	for at := len(s.hidden) - cells; at >= 0; at -= cells {
		if other.hidden[at+cellYes] {
			s.withhold(min(at, cells)) // everything at the total (0), otherwise the splits
		}
	}
}

// familyHides reports whether any measure in m's family hides one of its numerators. If so, all
// measures in the family must hide their numerators, because the numerators add up to the same
// total.
func (s *sheet) familyHides(r *Report, m *Measure) bool {
	for i := range Measures {
		if Measures[i].Family != m.Family {
			continue
		}
		kin := protected(r, &Measures[i])
		for at := cellYes; at < len(kin.hidden); at += cells {
			if kin.hidden[at] {
				return true
			}
		}
	}
	return false
}

func (s *sheet) hideAll(cell int) {
	for at := cell; at < len(s.hidden); at += cells {
		s.hidden[at] = true
	}
}

// shown returns the numbers of the nth group. Group 0 is the total.
func (s *sheet) shown(n int) Shown {
	at := func(cell int) Count {
		i := n*cells + cell
		return Count{s.value[i], s.hidden[i], s.hidden[i] && !s.muted[i] && few(s.value[i])}
	}
	return Shown{at(cellYes), at(cellKnown)}
}
