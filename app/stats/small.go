package stats

// Small is the largest count that may not leave the practice: counts from 1 to
// Small are written "<11" (the cell size policy of CMS), and figures that would
// reveal them are left out, too.
//
// On the practice's own screens nothing is hidden: whoever sees the figures may
// open the records.
const Small = 10

// Count is a number as it may leave the practice.
type Count struct {
	N int
	// Hidden means that the number is left out. Few means that a hidden number is shown
	// to be between 1 and Small.
	Hidden, Few bool
}

// Shown is a tally as it may leave the practice: how many of how many. Missing and
// not applicable are never shown, because they are counts of people, too. The share
// may be shown where both numbers may.
type Shown struct{ Yes, Known Count }

// ShareShown reports whether the share may be shown.
func (t Shown) ShareShown() bool { return !t.Yes.Hidden && !t.Known.Hidden }

// The numbers of a group. rest is Known without Yes: never written, but easily
// worked out.
const (
	cellYes = iota
	cellRest
	cellKnown
	cells
)

// sheet holds every number published of one measure: those of the total first, then
// those of each group of each split. equations list which numbers add up, the sum
// first. A hidden number must not follow from the published ones: as far as a
// reader can work out, it may be anything from 1 to Small. Where "<11" on other
// numbers would reveal too much, those are hidden without it.
type sheet struct {
	value         []int
	hidden, muted []bool
	equations     [][]int
}

// Outside returns those of a measure's figures that may leave the practice: of the total,
// and of the groups of each split, in their order.
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

// protected returns a measure's sheet with all that may not be shown hidden: single
// numbers where that is enough, else whole splits, the last one first, and in the
// end everything.
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

// withhold hides the numbers from an index on, without even showing that they are small.
func (s *sheet) withhold(from int) {
	for i := from; i < len(s.hidden); i++ {
		s.hidden[i], s.muted[i] = true, true
	}
}

// follow hides numbers that would reveal a hidden numerator of another measure. That
// numerator is this measure's denominator, or is excluded from it.
func (s *sheet) follow(other *sheet) {
	for at := len(s.hidden) - cells; at >= 0; at -= cells {
		if other.hidden[at+cellYes] {
			s.withhold(min(at, cells)) // the total as well, or the splits alone
		}
	}
}

// familyHides reports whether any measure of a family hides one of its numerators.
// They add up to the same whole, so then all of them must be hidden.
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

// shown returns the numbers of the nth group.
func (s *sheet) shown(n int) Shown {
	at := func(cell int) Count {
		i := n*cells + cell
		return Count{s.value[i], s.hidden[i], s.hidden[i] && !s.muted[i] && few(s.value[i])}
	}
	return Shown{at(cellYes), at(cellKnown)}
}
