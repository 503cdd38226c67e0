package stats

import (
	"cmp"
	"math"
	"slices"
)

// newSheet returns a sheet with all numbers and equations. It hides only the numbers that are never
// shown.
func newSheet(r *Report, l *layout) *sheet {
	s := &sheet{layout: l}
	s.enter(&r.Total)
	first := 1
	for i := range r.Splits {
		groups := r.Splits[i].Groups
		for g := range groups {
			s.enter(&groups[g])
		}
		for slot := range s.width {
			sum := []int{slot}
			for g := range groups {
				sum = append(sum, (first+g)*s.width+slot)
			}
			s.equations = append(s.equations, sum)
		}
		first += len(groups)
	}
	s.with = make([][]int, len(s.value))
	for n, e := range s.equations {
		for _, i := range e {
			s.with[i] = append(s.with[i], n)
		}
	}
	s.low, s.high = make([]int, len(s.value)), make([]int, len(s.value))
	return s
}

// again returns a sheet with the same numbers, of which it hides only those that s hides.
func (s *sheet) again() *sheet {
	also := *s
	also.hidden, also.muted = slices.Clone(s.hidden), slices.Clone(s.muted)
	return &also
}

// enter adds the numbers of a group.
func (s *sheet) enter(g *Group) {
	at := len(s.value)
	s.value = append(s.value, make([]int, s.width)...)
	s.hidden = append(s.hidden, make([]bool, s.width)...)
	s.muted = append(s.muted, make([]bool, s.width)...)
	for n, slot := range s.slots {
		switch t := g.Tally(Lookup(n.measure)); n.cell {
		case cellYes:
			s.value[at+slot] = t.Yes
		case cellKnown:
			s.value[at+slot] = t.Known
		}
	}
	for _, sum := range s.sums {
		equation, left := []int{at + sum.total}, s.value[at+sum.total]
		for _, part := range sum.parts {
			equation = append(equation, at+part)
			left -= s.value[at+part]
		}
		if sum.remainder {
			last := equation[len(equation)-1]
			s.value[last], s.hidden[last], s.muted[last] = left, true, true
		}
		s.equations = append(s.equations, equation)
	}
}

func few(n int) bool { return n >= 1 && n <= Small }

// protect hides the small numbers. It then hides further numbers, one at a time, until a reader
// can't determine any small number. It returns false if that isn't possible.
func (s *sheet) protect() bool {
	for i, n := range s.value {
		s.hidden[i] = s.hidden[i] || few(n)
	}
	for {
		exposed := s.exposed()
		if exposed < 0 {
			return true
		}
		if !s.cover(exposed) {
			return false
		}
	}
}

// exposed returns the index of a small number that a reader could determine more precisely than as
// 1 to Small. It returns -1 if there is none. To find out, exposed applies every equation to the
// ranges of the hidden numbers until no range changes.
func (s *sheet) exposed() int {
	low, high := s.low, s.high
	for i, n := range s.value {
		switch {
		case !s.hidden[i]:
			low[i], high[i] = n, n
		case few(n) && !s.muted[i]:
			low[i], high[i] = 1, Small
		default:
			low[i], high[i] = 0, math.MaxInt32
		}
	}
	for changed := true; changed; {
		changed = false
		for _, e := range s.equations {
			changed = narrow(e, low, high) || changed
		}
	}
	for i, n := range s.value {
		if few(n) && (low[i] > 1 || high[i] < Small) {
			return i
		}
	}
	return -1
}

// narrow applies an equation to the ranges of its numbers, and reports whether any range became
// narrower. low and high hold the ends of each range. e holds the index of the total, followed by
// the indexes of its parts.
func narrow(e, low, high []int) (changed bool) {
	sum, parts := e[0], e[1:]
	least, most := 0, 0
	for _, p := range parts {
		least, most = least+low[p], most+high[p]
	}
	changed = tighten(sum, least, min(most, math.MaxInt32), low, high)
	for _, p := range parts {
		changed = tighten(p, low[sum]-(most-high[p]), high[sum]-(least-low[p]), low, high) || changed
	}
	return changed
}

// tighten narrows the range of a number to l to h, and reports whether that made it narrower.
func tighten(i, l, h int, low, high []int) (changed bool) {
	if l > low[i] {
		low[i], changed = l, true
	}
	if h < high[i] {
		high[i], changed = h, true
	}
	return changed
}

// cover hides or mutes numbers from which a reader could determine the number at index exposed. It
// begins with the numbers that share an equation with it. If all of these are hidden, it goes on
// with the numbers that share an equation with them. A number of the total is hidden for a group
// only if nothing else is left. cover returns false if there was nothing left to hide or to mute.
func (s *sheet) cover(exposed int) bool {
	near, seen := []int{exposed}, make([]bool, len(s.value))
	seen[exposed] = true
	for from := 0; from < len(near); {
		ring := near[from:]
		from = len(near)
		for _, i := range ring {
			near = s.appendRelated(near, seen, i)
		}
		if exposed < s.width && s.hideOne(near, ofTotal) || s.hideOne(near, ofGroup) || s.mute(near, exposed) ||
			s.hideOne(near, ofTotal) || s.hideOne(near, ofTotalNeeded) {
			return true
		}
	}
	return false
}

// appendRelated appends the numbers that share an equation with a number, except those that were
// seen before.
func (s *sheet) appendRelated(all []int, seen []bool, to int) []int {
	for _, n := range s.with[to] {
		for _, i := range s.equations[n] {
			if !seen[i] {
				seen[i] = true
				all = append(all, i)
			}
		}
	}
	return all
}

// kind says what a number is worth to the reader. A number of the total is needed if other measures
// are hidden with it.
type kind int

const (
	ofGroup kind = iota
	ofTotal
	ofTotalNeeded
)

func (s *sheet) kind(i int) kind {
	switch {
	case i >= s.width:
		return ofGroup
	case !s.needed[i]:
		return ofTotal
	}
	return ofTotalNeeded
}

// hideOne hides the smallest of the given numbers that are above Small and of this kind. It returns
// false if there is none.
func (s *sheet) hideOne(of []int, wanted kind) bool {
	best := -1
	for _, i := range of {
		if s.hidden[i] || s.value[i] <= Small || s.kind(i) != wanted {
			continue
		}
		if best < 0 || cmp.Or(cmp.Compare(s.value[i], s.value[best]), cmp.Compare(i, best)) < 0 {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	s.hidden[best] = true
	return true
}

// mute mutes the small ones of the given numbers that are in the group of the exposed number, so
// that they no longer show "<11". If there are none, it mutes those of other groups and, if there
// are none either, the exposed number. It returns false if there was nothing left to mute.
func (s *sheet) mute(of []int, exposed int) (some bool) {
	for _, elsewhere := range []bool{false, true} {
		for _, i := range of {
			if i != exposed && few(s.value[i]) && !s.muted[i] && (i/s.width != exposed/s.width) == elsewhere {
				s.muted[i], some = true, true
			}
		}
		if some {
			return true
		}
	}
	some, s.muted[exposed] = !s.muted[exposed], true
	return some
}
