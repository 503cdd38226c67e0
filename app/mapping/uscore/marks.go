package uscore

import (
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// mark is an entry in a chart that shows when a pregnancy was. It may be about the birth or about
// when the birth is due.
type mark struct {
	day  mapping.Day
	kind markKind
	stay *visit
}

type markKind int

const (
	aBirth  markKind = iota // a date of birth is stated
	aFact                   // a fact was recorded at a birth
	aStay                   // a stay for a birth
	aDue                    // a due date
	aPeriod                 // a last menstrual period, converted to a due date
)

// markCodes lists the codes of findings about a birth, a due date, a last menstrual period or the
// number of newborns.
var markCodes = slices.Concat([]string{deliveryTime, weightAtBirth, routeOfBirth, periodBegan, mapping.LiveBirths, bornTogether}, dueCodes)

// marks returns all marks in the chart (findMarks). The caller may change the list.
func (r *reader) marks() []mark { return slices.Clone(r.allMarks) }

// findMarks finds all marks in the chart. Births come first, followed by facts recorded at a birth,
// stays for a birth, due dates and last menstrual periods.
func (r *reader) findMarks() (all []mark) {
	for _, f := range r.findings {
		value := f.stated
		switch {
		case f.draft || f.another && f.about == "":
		case f.has(deliveryTime):
			if value.Exact() && !r.future(value) && f.when.Known() && f.when.Last >= value.First {
				kind := aBirth
				if takenBack(f.remarks, birthRemarked) || f.deniedInWords(birth.Must("birth_date")) { // there was a birth, but the day isn't certain
					kind = aFact
				}
				all = append(all, mark{day: value.First, kind: kind})
			}
		case f.another:
		case f.has(weightAtBirth, routeOfBirth):
			if f.when.Exact() && !r.lasts(f.when.First) {
				all = append(all, mark{day: f.when.First, kind: aFact})
			}
		case f.has(dueCodes...):
			if value.Exact() && dueFits(f.when, value.First) && !f.denies(birth.Must("estimated_due_date")) {
				all = append(all, mark{day: value.First, kind: aDue})
			}
		case f.has(periodBegan) && value.Exact() && dueFits(f.when, value.First+term) && r.pregnantSince(value.First):
			all = append(all, mark{day: value.First + term, kind: aPeriod})
		}
	}
	for _, v := range r.visits {
		first, last, ok := v.days(r.today)
		if ok && (v.ofDelivery() || v.ofEmergency() && !r.dueLater(last)) && !r.lasts(last) && !afterABirth(all, first) {
			all = append(all, mark{day: first, kind: aStay, stay: v})
		}
	}
	slices.SortStableFunc(all, byKind)
	return all
}

// afterABirth reports whether there was a birth so soon before a stay that the stay can't have been
// for the next birth.
func afterABirth(marks []mark, stay mapping.Day) bool {
	return slices.ContainsFunc(marks, func(m mark) bool { return m.kind == aBirth && m.day < stay-1 && m.day > stay-viable })
}

// lasts reports whether a pregnancy continued after a day. It did if the chart mentions a pregnancy
// within seven weeks after that day, because that is too soon for another pregnancy.
func (r *reader) lasts(after mapping.Day) bool {
	soon := func(m mapping.Moment) bool { return m.Known() && m.First > after+afterwards && m.Last <= after+49 }
	return slices.ContainsFunc(r.ongoing, func(f *finding) bool {
		return soon(f.when) && (f.pregnant() || f.stated.First > after+afterwards)
	}) || slices.ContainsFunc(r.visits, func(v *visit) bool {
		return soon(v.start) && v.typed(prenatalTypes...)
	})
}

// dueLater reports whether the chart has a due date more than three weeks after a day. The due date
// must be soon enough after this day to belong to the same pregnancy.
func (r *reader) dueLater(than mapping.Day) bool {
	return slices.ContainsFunc(r.findings, func(f *finding) bool {
		value := f.stated
		return f.has(dueCodes...) && !f.draft && !f.another && value.Exact() && dueFits(f.when, value.First) &&
			value.First > than+postTerm && value.First < than+term
	})
}

func byKind(a, b mark) int { return int(a.kind - b.kind) }

// pregnantSince reports whether the chart shows a pregnancy after a last menstrual period. The
// period itself doesn't prove a pregnancy, because women are asked about it at any visit.
func (r *reader) pregnantSince(lmp mapping.Day) bool {
	p := &pregnancy{start: lmp, end: lmp + longest}
	return slices.ContainsFunc(r.findings, func(f *finding) bool {
		return p.holds(f.when) && !f.draft && !f.another &&
			(f.has(dueCodes...) || f.has(gestationCodes...) && !f.has(ownGestation) || f.has(visitCount, visitFirst, weightAtBirth) || f.pregnant())
	}) || slices.ContainsFunc(r.diagnoses, func(d *diagnosis) bool {
		_, ok := d.is(pregnantCodes, anyPrefixes)
		return ok && d.stands() && p.holds(d.onset)
	}) || slices.ContainsFunc(r.visits, func(v *visit) bool {
		return p.holds(v.start) && v.typed(prenatalTypes...)
	})
}

// pregnant reports whether a finding says that the patient is pregnant.
func (f *finding) pregnant() bool {
	return f.has(pregnancyStatus) && f.answers(map[string][]string{mapping.SNOMEDURL: {"77386006"}, mapping.LOINCURL: {"LA15173-0"}})
}

// notPregnant reports whether a finding says that the patient is not pregnant.
func (f *finding) notPregnant() bool {
	return f.has(pregnancyStatus) && f.answers(map[string][]string{mapping.SNOMEDURL: {"60001007"}, mapping.LOINCURL: {"LA26683-5"}})
}

// dueFits reports whether a due date was recorded during the pregnancy that it is about.
func dueFits(recorded mapping.Moment, due mapping.Day) bool {
	return recorded.Known() && recorded.First >= due-longest && recorded.Last <= due+postTerm+afterwards
}

// bornFor reports whether a birth on one day can belong to a due date.
func bornFor(born, due mapping.Day) bool { return born >= due-viable && born <= due+postTerm }
