package stats

// Small is the largest count that is not told outside the practice: non-zero
// counts up to it are written "<11" (the cell size policy of CMS), and whatever
// they could be worked out from is left out, too.
//
// Inside, on the screen, nothing is hidden: whoever sees the figures may open
// the records.
const Small = 10

// Count is a number as it may be told outside.
type Count struct {
	N int
	// Hidden numbers are left out; Few says of one that it is between 1 and Small.
	Hidden, Few bool
}

// Shown is a tally as it may be told outside: how many of how many. What is
// missing and what a measure does not apply to is not told at all, excluded
// counts being counts, too. The share may be told where both numbers may.
type Shown struct{ Yes, Known Count }

// ShareShown says that the share gives nothing away.
func (t Shown) ShareShown() bool { return !t.Yes.Hidden && !t.Known.Hidden }

// The numbers of a group. rest are the known ones that are not Yes: never
// written, but easily worked out.
const (
	cellYes = iota
	cellRest
	cellKnown
	cells
)

// sheet is every number that is told of one measure: those of the total first,
// then those of each group of each split. equations are what adds up, the sum
// first. A number that may not be told must not follow from those that are: as
// far as anybody can work out it may be anything from 1 to Small. Where even that
// others are between 1 and Small would tell too much, it is not said of them.
type sheet struct {
	value         []int
	hidden, muted []bool
	equations     [][]int
}

// Outside says what of a measure's figures may be told outside the practice:
// what of the total, and of the groups of each split, in their order.
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

// protected hides on a measure's sheet what may not be told: single numbers where
// that will do, else the splits, the last one first, and in the end everything.
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

// withhold tells nothing of the numbers from one on, not even that they are small.
func (s *sheet) withhold(from int) {
	for i := from; i < len(s.hidden); i++ {
		s.hidden[i], s.muted[i] = true, true
	}
}

// follow hides what would give away a number that another measure hides: the
// denominator is what that one counts, or what it does not.
func (s *sheet) follow(other *sheet) {
	for at := len(s.hidden) - cells; at >= 0; at -= cells {
		if other.hidden[at+cellYes] {
			s.withhold(min(at, cells)) // the total as well, or the splits alone
		}
	}
}

// familyHides says whether any measure of a family hides any of its numerators:
// they add up to the same whole, so all of them do then.
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
