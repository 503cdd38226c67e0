package mapping

import (
	"slices"
	"strings"
)

// pregnancy is the index pregnancy: the one that the record is about. It is
// chosen before anything is filled in, and its window holds for everything: a
// chart may hold eight (uscore-mapping §5).
type pregnancy struct {
	start, end day // what is recorded of it
	// born says that the birth was, between the days first and last; exact, that
	// the chart states the day.
	// sure says that there is more than a stay whose purpose is not told.
	born, exact, sure bool
	first, last       day
	stay              *visit
	due, lmp          *day
	early             day    // no child was born before
	why               string // "the birth on 2026-05-01"
}

// holds reports whether a moment is certainly in the pregnancy.
func (p *pregnancy) holds(m moment) bool {
	return p != nil && m.known() && m.first >= p.start && m.last <= p.end
}

// atBirth reports whether a moment is that of the birth, give or take a day.
func (p *pregnancy) atBirth(m moment) bool {
	return p.holds(m) && p.when() && m.first >= p.first-1 && m.last <= p.last+1
}

// when reports whether the birth is known closely enough to tell what was at it.
func (p *pregnancy) when() bool { return p != nil && p.sure && p.last-p.first <= longestStay }

// lastPeriod is when the pregnancy began, and whether the chart tells.
func (p *pregnancy) lastPeriod() (day, bool) {
	switch {
	case p.lmp != nil:
		return *p.lmp, true
	case p.due != nil:
		return *p.due - term, true
	}
	return p.start, false
}

// clash reports whether due date and last menstrual period do not fit each other.
func (p *pregnancy) clash() bool {
	return p != nil && p.lmp != nil && p.due != nil && away(*p.lmp+term, *p.due) > postTerm
}

// conceived is the last day on which the pregnancy can have begun.
func (p *pregnancy) conceived() day {
	switch {
	case p.due != nil:
		return *p.due - term + postTerm
	case p.born:
		return p.first - viable
	}
	return p.start + firstSeen
}

// exactly reports whether the chart states the day of the birth.
func (p *pregnancy) exactly() bool { return p != nil && p.exact }

func (p *pregnancy) stayOf() *visit {
	if p == nil {
		return nil
	}
	return p.stay
}

// firstSeen is how long a pregnancy may have lasted when it was first recorded.
const firstSeen = 84

func bornOn(first, last day, exact bool, why string) *pregnancy {
	return &pregnancy{
		start: first - longest, end: last + afterwards, born: true, exact: exact, sure: true, first: first, last: last, early: first, why: why,
	}
}

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

// pregnancy chooses the index pregnancy: the one whose birth or due date is
// nearest to the encounter of the launch, or to the launch; a newer pregnancy
// that is only a diagnosis comes before an older one with a date. nil: there is no
// telling.
func (r *chartReader) pregnancy() *pregnancy {
	marks, pivot := r.marks(), r.today
	if v := r.launched(); v != nil {
		pivot = v.start.first
		if first, _, ok := v.days(r.today); ok && v.inpatient() && !r.notForBirth(first, v, marks) {
			marks = append([]mark{{day: first, kind: aStay, stay: v}}, marks...)
			slices.SortStableFunc(marks, byKind)
		}
	}
	var best *mark
	for i := range marks {
		if best == nil || away(marks[i].day, pivot) < away(best.day, pivot) {
			best = &marks[i]
		}
	}
	newest := r.newestDiagnosis(best == nil)
	if best == nil || newest != nil && newest.onset.first > best.day+longestPuerperium {
		return r.diagnosedPregnancy(newest)
	}
	p := r.around(*best, marks)
	r.date(p)
	return p
}

func away(a, b day) day { return max(a-b, b-a) }

// longestPuerperium is how long after a birth no new pregnancy is recognised.
const longestPuerperium = 42

// launched is the encounter from which the clinician launched, if it is known.
func (r *chartReader) launched() *visit {
	for i := range r.visits {
		if v := &r.visits[i]; r.launch.Encounter != "" && v.ID == strings.TrimPrefix(r.launch.Encounter, "Encounter/") && v.start.exact() {
			return v
		}
	}
	return nil
}

// notForBirth reports whether a stay was in a pregnancy whose child could not
// live yet, or came after a birth that the chart knows.
func (r *chartReader) notForBirth(first day, stay *visit, marks []mark) bool {
	return slices.ContainsFunc(marks, func(m mark) bool {
		if m.kind >= aDue {
			return first >= m.day-longest && first < m.day-viable
		}
		return m.stay != stay && m.kind != aFact && m.day >= first-viable && m.day < first-1
	})
}

// around makes the pregnancy of a mark, with whatever else says when its birth
// was: a stated date before a stay, a stay before what was measured at it.
func (r *chartReader) around(at mark, marks []mark) *pregnancy {
	from, to := r.span(at)
	same := func(m mark) bool {
		if at.kind >= aDue {
			return bornFor(m.day, at.day)
		}
		slack := day(1)
		if m.kind == aFact || at.kind == aFact {
			slack = longestStay
		}
		first, last := r.span(m)
		return first <= to+slack && last >= from-slack
	}
	var stay *visit
	for _, m := range marks {
		if m.kind == aStay && (m == at || same(m)) {
			stay = m.stay
			break
		}
	}
	for _, m := range marks {
		if m.kind == aDue || m.kind == aPeriod || m != at && !same(m) {
			continue
		}
		switch m.kind {
		case aBirth:
			p := bornOn(m.day, m.day, true, "the birth on "+m.day.String())
			p.stay = stay
			for _, other := range marks {
				if other.kind == aBirth && same(other) && other.day != m.day {
					p.exact, p.first, p.last = false, min(p.first, other.day), max(p.last, other.day)
				}
			}
			return p
		case aStay:
			first, last, _ := stay.days(r.today)
			p := bornOn(first, last, false, "the stay from "+first.String())
			p.stay, p.sure = stay, stay.ofDelivery()
			return p
		}
		p := bornOn(m.day, m.day, false, "the birth about "+m.day.String())
		p.stay = stay
		return p
	}
	p := &pregnancy{}
	p.dueOn(at.day)
	p.stay = r.lately(func(first day) bool { return bornFor(first, at.day) })
	return p
}

// dueOn makes it the pregnancy of a due date, whose birth is not known.
func (p *pregnancy) dueOn(due day) {
	p.start, p.end, p.early, p.due = due-longest, due+postTerm+afterwards, due-viable, &due
	p.why = "the pregnancy due on " + due.String()
}

// span is the first and the last day of a mark.
func (r *chartReader) span(m mark) (first, last day) {
	if m.stay != nil {
		first, last, _ = m.stay.days(r.today)
		return first, last
	}
	return m.day, m.day
}

// lately is the newest stay of the last six weeks that fits. It does not say that
// it was for a birth.
func (r *chartReader) lately(fits func(first day) bool) *visit {
	for i := range r.visits {
		v := &r.visits[i]
		first, _, ok := v.days(r.today)
		if ok && v.inpatient() && first >= r.today-longestPuerperium && fits(first) {
			return v
		}
	}
	return nil
}

// The diagnoses of a pregnancy.
var (
	pregnantCodes = []string{"72892002", "77386006"}
	begunPrefixes = []string{"Z34", "O09"} // supervision of a pregnancy
	anyPrefixes   = []string{"O", "Z34", "Z37"}
)

// newestDiagnosis is the last one of a pregnancy: of any kind, or one with which
// a pregnancy begins.
func (r *chartReader) newestDiagnosis(any bool) *diagnosis {
	prefixes := begunPrefixes
	if any {
		prefixes = anyPrefixes
	}
	for i := range r.diagnoses {
		d := &r.diagnoses[i]
		if _, ok := d.is(pregnantCodes, prefixes); ok && !d.uncertain && d.onset.exact() {
			return d
		}
	}
	return nil
}

// diagnosedPregnancy is a pregnancy of which a diagnosis alone tells.
func (r *chartReader) diagnosedPregnancy(d *diagnosis) *pregnancy {
	if d == nil {
		return nil
	}
	p := &pregnancy{
		start: d.onset.first - firstSeen, end: d.onset.first + longest, early: d.onset.first,
		why: "the pregnancy recorded from " + d.onset.date(),
	}
	if _, outcome := d.is(nil, []string{"Z37"}); outcome {
		p.start, p.end = d.onset.first-longest, d.onset.first+afterwards
	}
	if d.end.exact() && d.end.last >= d.onset.first && d.end.last <= d.onset.first+longest {
		p.start, p.end = d.end.last-longest, d.end.last+afterwards
	}
	p.stay = r.lately(func(first day) bool { return first >= p.early && first <= p.end })
	return p
}

// date tells when the pregnancy began and is due, where the chart says so.
func (r *chartReader) date(p *pregnancy) {
	f := r.filler(true, p)
	f.dating = true
	due, lmp := f.bestDate("estimated_due_date"), f.bestDate("last_menstrual_period")
	p.lmp = lmp
	if due != nil {
		p.due = due
		if !p.born {
			p.dueOn(*due)
		}
	}
	if p.due == nil && p.lmp != nil {
		due := *p.lmp + term
		p.due = &due
	}
}

// bestDate is the date of a row that fits best, nil for none.
func (f *filler) bestDate(field string) *day {
	for _, c := range f.candidates(chartRowOf(field)) {
		if c.why == "" {
			on := momentOf(c.values[0].value.Text).first
			return &on
		}
	}
	return nil
}

// stray is a due date that was recorded long before the pregnancy that it is
// for, and is later than the index pregnancy: which of them is meant is not told.
func (r *chartReader) stray(p *pregnancy) *noted {
	for i := range r.findings {
		f := &r.findings[i]
		value := momentOf(dateTimeOf(&f.Observation))
		if !f.draft && f.has(dueCodes...) && value.exact() && f.when.known() && !dueFits(f.when, value.first) && value.first > p.end {
			return f
		}
	}
	return nil
}

// surroundings say which pregnancy was chosen, and what speaks against it.
func (f *filler) surroundings() {
	p := f.preg
	if p == nil {
		f.notice("The chart does not tell which pregnancy this is: no due date, no date of birth and no stay for a birth. Only what holds for any of them is filled in.")
		return
	}
	f.notice("Read for " + p.why + ": what was recorded from " + p.start.String() + " to " + p.end.String() + ".")
	if p.end < f.today-longest {
		f.notice("That is more than ten months ago. Check that it is the birth you are recording.")
	}
	if s := f.stray(p); s != nil {
		f.notice("The chart holds a later due date, recorded long before that pregnancy: check which one is right.")
	}
}
