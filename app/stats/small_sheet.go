package stats

import (
	"iter"
	"math"
	"slices"
)

// newSheet returns the sheet of a measure, with all numbers and equations. Nothing is hidden yet.
func newSheet(r *Report, m *Measure) *sheet {
	s := &sheet{}
	s.enter(r.Total.Tally(m))
	first := 1
	for i := range r.Splits {
		groups := r.Splits[i].Groups
		for g := range groups {
			s.enter(groups[g].Tally(m))
		}
		for cell := range cells {
			sum := []int{cell}
			for g := range groups {
				sum = append(sum, (first+g)*cells+cell)
			}
			s.equations = append(s.equations, sum)
		}
		first += len(groups)
	}
	return s
}

func (s *sheet) enter(t Tally) {
	at := len(s.value)
	s.value = append(s.value, t.Yes, t.Known-t.Yes, t.Known)
	s.hidden = append(s.hidden, make([]bool, cells)...)
	s.muted = append(s.muted, make([]bool, cells)...)
	s.hidden[at+cellRest], s.muted[at+cellRest] = true, true
	s.equations = append(s.equations, []int{at + cellKnown, at + cellYes, at + cellRest})
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
		if !s.hideRelated(exposed) && !s.muteRelated(exposed) {
			return false
		}
	}
}

// exposed returns the index of a small number that a reader could determine more precisely than as
// 1 to Small. It returns -1 if there is none. To find out, exposed applies every equation to the
// ranges of the hidden numbers until no range changes.
func (s *sheet) exposed() int {
	low, high := make([]int, len(s.value)), make([]int, len(s.value))
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
	set := func(i, l, h int) {
		if l > low[i] {
			low[i], changed = l, true
		}
		if h < high[i] {
			high[i], changed = h, true
		}
	}
	set(sum, least, min(most, math.MaxInt32))
	for _, p := range parts {
		set(p, low[sum]-(most-high[p]), high[sum]-(least-low[p]))
	}
	return changed
}

// hideRelated hides one more number that shares an equation with the number at index exposed. It
// considers only numbers above Small. It hides the smallest number of a group. If no number of a
// group qualifies, it hides the smallest number of the total. It returns false if no number
// qualifies.
func (s *sheet) hideRelated(exposed int) bool {
	best := -1
	better := func(i int) bool {
		if best < 0 {
			return true
		}
		if total := best < cells; total != (i < cells) {
			return total
		}
		return s.value[i] < s.value[best]
	}
	for i := range s.related(exposed) {
		if !s.hidden[i] && s.value[i] > Small && better(i) {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	s.hidden[best] = true
	return true
}

// muteRelated mutes the small numbers that share an equation with the number at index exposed, so
// that they no longer show "<11". If there are no such numbers, it mutes the exposed number itself.
// It returns false if there was nothing left to mute.
func (s *sheet) muteRelated(exposed int) (some bool) {
	for i := range s.related(exposed) {
		if i != exposed && few(s.value[i]) && !s.muted[i] {
			s.muted[i], some = true, true
		}
	}
	if !some && !s.muted[exposed] {
		s.muted[exposed], some = true, true
	}
	return some
}

// related yields the index of every number that shares an equation with the number at index one,
// including that number itself. It may yield an index several times.
func (s *sheet) related(one int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, e := range s.equations {
			for _, i := range e {
				if slices.Contains(e, one) && !yield(i) {
					return
				}
			}
		}
	}
}
