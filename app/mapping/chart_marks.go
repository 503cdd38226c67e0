package mapping

import (
	"slices"
)

// mark is what a chart says about one pregnancy: its birth, or when it is due.
type mark struct {
	day  day
	kind markKind
	stay *visit
}

type markKind int

const (
	aBirth  markKind = iota // a date of birth is stated
	aFact                   // something was measured at a birth
	aStay                   // a stay for a birth
	aDue                    // a due date
	aPeriod                 // a last menstrual period, as the due date that follows
)

// marks are all there are, in the order of their kinds.
func (r *chartReader) marks() (all []mark) {
	for i := range r.findings {
		f := &r.findings[i]
		if f.draft || f.another && !f.has(deliveryTime) {
			continue
		}
		value := momentOf(dateTimeOf(&f.Observation))
		switch {
		case f.has(deliveryTime) && value.exact() && !r.future(value) && f.when.known() && f.when.last >= value.first:
			all = append(all, mark{day: value.first, kind: aBirth})
		case f.has("69461-2", "73762-7") && f.when.exact():
			all = append(all, mark{day: f.when.first, kind: aFact})
		case f.has(dueCodes...) && value.exact() && dueFits(f.when, value.first):
			all = append(all, mark{day: value.first, kind: aDue})
		case f.has("8665-2") && value.exact() && dueFits(f.when, value.first+term) && r.pregnantSince(value.first):
			all = append(all, mark{day: value.first + term, kind: aPeriod})
		}
	}
	for i := range r.visits {
		if first, _, ok := r.visits[i].days(r.today); ok && r.visits[i].ofDelivery() {
			all = append(all, mark{day: first, kind: aStay, stay: &r.visits[i]})
		}
	}
	slices.SortStableFunc(all, byKind)
	return all
}

func byKind(a, b mark) int { return int(a.kind - b.kind) }

// pregnantSince reports whether anything says that a pregnancy followed a last
// menstrual period: women are asked for it at any visit.
func (r *chartReader) pregnantSince(lmp day) bool {
	p := &pregnancy{start: lmp, end: lmp + longest}
	return slices.ContainsFunc(r.findings, func(f noted) bool {
		return p.holds(f.when) && !f.draft && (f.has(dueCodes...) || f.has(gestationCodes...) || f.has("68493-6", "69044-6", "69461-2") || f.pregnant())
	}) || slices.ContainsFunc(r.diagnoses, func(d diagnosis) bool {
		_, ok := d.is(pregnantCodes, anyPrefixes)
		return ok && !d.uncertain && p.holds(d.onset)
	}) || slices.ContainsFunc(r.visits, func(v visit) bool {
		return p.holds(v.start) && v.typed(prenatalTypes...)
	})
}

// pregnant reports whether a finding says that the patient is.
func (f *noted) pregnant() bool {
	return f.has(pregnancyStatus) && f.answers(map[string][]string{snomed: {"77386006"}, loinc: {"LA15173-0"}})
}

// dueFits reports whether a due date was recorded in the pregnancy that it is for.
func dueFits(recorded moment, due day) bool {
	return recorded.known() && recorded.first >= due-longest && recorded.last <= due+postTerm+afterwards
}

// bornFor reports whether a birth on a day belongs to a due date.
func bornFor(born, due day) bool { return born >= due-viable && born <= due+postTerm }
