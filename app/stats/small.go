package stats

import (
	"math"
	"slices"
)

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

// These are the cells of a measure in a group. cellRest is Known minus Yes. It is never shown, but
// readers can easily compute it.
const (
	cellYes = iota
	cellRest
	cellKnown
	cells
)

// sheet holds every published number about some related measures (layout). The numbers of the total
// come first, followed by the numbers of each group in each split.
//
// equations lists which numbers add up. Each equation is the index of a total, followed by the
// indexes of its parts. From the published numbers, a reader must not be able to determine a hidden
// number more precisely than as 1 to Small. If "<11" would reveal too much about a number, the
// number is muted: it is hidden without "<11".
type sheet struct {
	*layout
	value         []int
	hidden, muted []bool
	equations     [][]int
	with          [][]int // the indexes of the equations in which each number is
	low, high     []int   // the ranges that exposed has computed
}

// Outside returns a measure's figures in the form in which they may leave the practice. total is
// the figure of all births. groups has the figures of each split's groups, in the order of the
// split. Its keys are the keys of the splits.
func Outside(r *Report, m *Measure) (total Shown, groups map[string][]Shown) {
	s, groupsShown := r.sheet(m), math.MaxInt
	if m.Among != "" {
		groupsShown = r.sheet(Lookup(m.Among)).numerators(m.Among)
	}
	show := func(n int) Shown {
		shown := s.shown(m, n)
		if n >= groupsShown {
			shown.Yes.Hidden, shown.Yes.Few, shown.Known.Hidden, shown.Known.Few = true, false, true, false
		}
		return shown
	}
	total, groups = show(0), map[string][]Shown{}
	at := 1
	for i := range r.Splits {
		split := &r.Splits[i]
		for range split.Groups {
			groups[split.Key] = append(groups[split.Key], show(at))
			at++
		}
	}
	return total, groups
}

// sheet returns the sheet of a measure and the measures related to it, in which every number that
// may not be shown is hidden.
func (r *Report) sheet(m *Measure) *sheet {
	l := layouts()[m.ID]
	if r.sheets == nil {
		r.sheets = map[*layout]*sheet{}
	}
	if r.sheets[l] == nil {
		r.sheets[l] = protected(r, l)
	}
	return r.sheets[l]
}

// protected returns a sheet in which every number that may not be shown is hidden. It begins with
// the total, and adds what else may be shown without a number of the total being hidden for it:
// measures that count among the births of another one, and the splits.
func protected(r *Report, l *layout) (best *sheet) {
	shown := make([][]bool, 1+len(r.Splits)) // for the total and each split, the slots that are shown
	for i := range shown {
		shown[i] = make([]bool, l.width)
	}
	all := newSheet(r, l)
	var sure []int // the slots of the total that must not be hidden for anything else
	add := func(part int, slots []int) {
		set := func(may bool) {
			for _, slot := range slots {
				shown[part][slot] = may
			}
		}
		set(true)
		s := all.protectedIn(r, shown)
		if best != nil && s.hiddenOf(sure) > best.hiddenOf(sure) {
			set(false)
			return
		}
		if best = s; part == 0 {
			sure = append(sure, slots...)
		}
	}
	add(0, l.wide)
	for _, slots := range l.narrow {
		add(0, slots)
	}
	for split := range r.Splits {
		add(1+split, l.wide)
		add(1+split, slices.Concat(l.narrow...))
	}
	return best
}

// protectedIn returns a protected sheet whose total and splits show only these slots. If hiding
// single numbers isn't enough, it hides everything.
func (s *sheet) protectedIn(r *Report, shown [][]bool) *sheet {
	s = s.again()
	at := 0
	withhold := func(part, groups int) {
		for range groups {
			for _, may := range shown[part] {
				if !may {
					s.hidden[at], s.muted[at] = true, true
				}
				at++
			}
		}
	}
	withhold(0, 1)
	for split := range r.Splits {
		withhold(1+split, len(r.Splits[split].Groups))
	}
	if !s.protect() {
		for i := range s.hidden {
			s.hidden[i], s.muted[i] = true, true
		}
	}
	return s
}

// hiddenOf returns how many of these numbers of the total are hidden.
func (s *sheet) hiddenOf(slots []int) (n int) {
	for _, slot := range slots {
		if s.hidden[slot] {
			n++
		}
	}
	return n
}

// numerators returns in how many groups the figure of a measure among the births that id counts may
// be shown: in none if the numerator of id is hidden in the total, only in the total if it is
// hidden in any other group, and otherwise in all. The numerators of id are the measure's
// denominators, or are excluded from its denominators, so a reader could determine them.
func (s *sheet) numerators(id string) (groups int) {
	at := s.slots[number{id, cellYes}]
	if s.hidden[at] {
		return 0
	}
	for i := at; i < len(s.hidden); i += s.width {
		if s.hidden[i] {
			return 1
		}
	}
	return math.MaxInt
}

// shown returns a measure's numbers in the nth group. Group 0 is the total.
func (s *sheet) shown(m *Measure, n int) Shown {
	at := func(cell int) Count {
		i := n*s.width + s.slots[number{m.ID, cell}]
		return Count{s.value[i], s.hidden[i], s.hidden[i] && !s.muted[i] && few(s.value[i])}
	}
	return Shown{at(cellYes), at(cellKnown)}
}
