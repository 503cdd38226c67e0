package stats

import (
	"slices"
	"strings"
	"sync"
)

// A reader of several measures could subtract one from another: two measures with the same
// denominator, or one that counts among fewer births than the other. The numbers of such measures
// are therefore protected together, in one sheet. partitions and subsets list what a reader knows
// about them.

// number names a number of a measure. cell is cellYes, cellRest or cellKnown.
type number struct {
	measure string
	cell    int
}

// partition says that measures have the same denominator, and that their parts count different
// births of it. If whole is set, the parts add up to the denominator. Otherwise, some births may
// be in none of them.
type partition struct {
	parts []number
	whole bool
}

// subset says that measures count different births among those that the measure all counts. If
// inverse is set, the Yes of the measure is No in all.
type subset struct {
	all  string
	some []subsetOf
}

type subsetOf struct {
	measure string
	inverse bool
}

var partitions = sync.OnceValue(func() []partition {
	var positions []string
	for i := range Measures {
		if strings.HasPrefix(Measures[i].ID, positionPrefix) {
			positions = append(positions, Measures[i].ID)
		}
	}
	return []partition{
		{yesOf("cesarean", "svb", "avb"), true},
		{yesOf(positions...), true},
		{yesOf("episiotomy", "oasi", "intact"), false},
		{yesOf("lbw", "macrosomia"), false},
		{[]number{{"preterm_early", cellYes}, {"preterm", cellRest}}, false},
	}
})

var subsets = []subset{
	{"cesarean", []subsetOf{{measure: "cesarean_primary"}, {measure: "vbac_rate", inverse: true}}},
	{"cesarean", []subsetOf{{measure: "ntsv_cesarean"}}},
	{"vbac_rate", []subsetOf{{measure: "vbac_success"}}},
	{"induction", []subsetOf{{measure: "induction_labors"}}},
	{"lbw", []subsetOf{{measure: "lbw_term"}}},
}

func yesOf(measures ...string) (all []number) {
	for _, id := range measures {
		all = append(all, number{id, cellYes})
	}
	return all
}

// related returns the sets of measures that partitions and subsets connect.
func related() (sets [][]string) {
	for _, p := range partitions() {
		var set []string
		for _, n := range p.parts {
			set = append(set, n.measure)
		}
		sets = append(sets, set)
	}
	for _, s := range subsets {
		set := []string{s.all}
		for _, some := range s.some {
			set = append(set, some.measure)
		}
		sets = append(sets, set)
	}
	return sets
}

// layout says where a sheet about some related measures has the numbers of a group, and which of
// them add up. width is how many numbers a group has. slots has the place of each number that
// belongs to a measure. needed has the slots of the numerators among which other measures count.
// narrow has the slots of each measure that counts among fewer births than another one (subset),
// and wide has all other slots.
type layout struct {
	slots  map[number]int
	width  int
	needed map[int]bool
	wide   []int
	narrow [][]int
	sums   []sum
}

// sum says that the numbers in the slots parts add up to the number in the slot total. If remainder
// is set, the last part is what the others leave. It is never shown, but readers can compute it.
type sum struct {
	total     int
	parts     []int
	remainder bool
}

// layouts returns the layout of each measure. Related measures have the same one.
var layouts = sync.OnceValue(func() map[string]*layout {
	of := map[string][]string{}
	for i := range Measures {
		of[Measures[i].ID] = []string{Measures[i].ID}
	}
	for _, set := range related() {
		var joined []string
		for _, id := range set {
			joined = append(joined, of[id]...)
		}
		slices.Sort(joined)
		joined = slices.Compact(joined)
		for _, id := range joined {
			of[id] = joined
		}
	}
	all := map[string]*layout{}
	for id, measures := range of {
		if all[id] == nil {
			l := newLayout(measures)
			for _, also := range measures {
				all[also] = l
			}
		}
	}
	return all
})

func newLayout(measures []string) *layout {
	l := &layout{slots: map[number]int{}, needed: map[int]bool{}}
	for _, id := range measures {
		yes, rest := l.slot(number{id, cellYes}), l.slot(number{id, cellRest})
		known := l.slot(number{denominatorOf(id), cellKnown})
		l.slots[number{id, cellKnown}] = known
		l.sums = append(l.sums, sum{known, []int{yes, rest}, true})
	}
	for _, p := range partitions() {
		if slices.Contains(measures, p.parts[0].measure) {
			l.addPartition(p)
		}
	}
	for _, s := range subsets {
		if slices.Contains(measures, s.all) {
			l.addSubset(s)
		}
	}
	for i := range Measures {
		if among := Measures[i].Among; slices.Contains(measures, among) {
			l.needed[l.slot(number{among, cellYes})] = true
		}
	}
	for slot := range l.width {
		if !slices.Contains(slices.Concat(l.narrow...), slot) {
			l.wide = append(l.wide, slot)
		}
	}
	return l
}

// addPartition adds the sums of a partition. All parts add up to the denominator, and all parts but
// one to what the denominator has besides this one.
func (l *layout) addPartition(p partition) {
	known, parts := l.slot(number{p.parts[0].measure, cellKnown}), l.all(p.parts)
	if !p.whole {
		parts = append(parts, l.unnamed())
	}
	l.sums = append(l.sums, sum{known, parts, !p.whole})
	for i, n := range p.parts {
		others := slices.Delete(slices.Clone(parts), i, i+1)
		l.sums = append(l.sums, sum{l.slot(number{n.measure, opposite(n.cell)}), others, false})
	}
}

// opposite returns the cell that has the rest of the denominator.
func opposite(cell int) int {
	if cell == cellKnown {
		return cellKnown
	}
	return cellYes + cellRest - cell
}

// addSubset adds the sums of a subset. The births that none of its measures counts have numbers of
// their own.
func (l *layout) addSubset(s subset) {
	var others [cells]int
	for cell := range cells {
		var parts []number
		for _, some := range s.some {
			part := number{some.measure, cell}
			if some.inverse {
				part.cell = opposite(cell)
			}
			parts = append(parts, part)
		}
		others[cell] = l.unnamed()
		l.sums = append(l.sums, sum{l.slot(number{s.all, cell}), append(l.all(parts), others[cell]), true})
	}
	l.sums = append(l.sums, sum{others[cellKnown], []int{others[cellYes], others[cellRest]}, false})
	for _, some := range s.some {
		l.narrow = append(l.narrow, l.all([]number{{some.measure, cellYes}, {some.measure, cellRest}, {some.measure, cellKnown}}))
	}
}

// denominatorOf returns the first measure that has the same denominator.
func denominatorOf(id string) string {
	for _, p := range partitions() {
		if slices.ContainsFunc(p.parts, func(n number) bool { return n.measure == id }) {
			return p.parts[0].measure
		}
	}
	return id
}

// slot returns the slot of a number, and adds one if there is none.
func (l *layout) slot(n number) int {
	at, ok := l.slots[n]
	if !ok {
		at = l.unnamed()
		l.slots[n] = at
	}
	return at
}

// unnamed adds a slot for a number that belongs to no measure.
func (l *layout) unnamed() int {
	l.width++
	return l.width - 1
}

func (l *layout) all(numbers []number) (slots []int) {
	for _, n := range numbers {
		slots = append(slots, l.slot(n))
	}
	return slots
}
