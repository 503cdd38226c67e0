package uscore

import (
	"slices"
	"strings"

	"birthregistry/app/mapping"
)

// pregnancy is the index pregnancy, which is the one that the record is about. It is chosen before
// anything is filled in, because a chart may have eight pregnancies. The window of the pregnancy
// then applies to all values (uscore-mapping §5).
type pregnancy struct {
	start, end mapping.Day // the window; facts recorded in it are about this pregnancy
	since      mapping.Day // the earliest day on which it may have begun; an earlier one may have ended later
	// born is set if the birth was between the days first and last. exact is set if the chart has
	// the day of the birth. sure is set if there is more evidence than a stay without a known
	// purpose.
	born, exact, sure bool
	first, last       mapping.Day
	stay              *visit
	due, lmp          *mapping.Day
	dated             bool        // set if the due date is in the chart and wasn't computed from the last period
	early             mapping.Day // the child was not born before this day
	why               string      // how the pregnancy was found, such as "the birth on May 1, 2026"
	doubt             string      // the reason why the record may be about another pregnancy, or ""
}

// holds reports whether a moment is certainly within the window of the pregnancy.
func (p *pregnancy) holds(m mapping.Moment) bool {
	return p != nil && m.Known() && m.First >= p.start && m.Last <= p.end
}

// atBirth reports whether a moment is within a day of the birth.
func (p *pregnancy) atBirth(m mapping.Moment) bool {
	return p.holds(m) && p.when() && m.First >= p.first-1 && m.Last <= p.last+1
}

// when reports whether the time of the birth is known precisely enough to decide which facts were
// recorded at the birth.
func (p *pregnancy) when() bool { return p != nil && p.sure && p.last-p.first <= longestStay }

// exactly reports whether the chart has the day of the birth.
func (p *pregnancy) exactly() bool { return p != nil && p.exact }

func (p *pregnancy) stayOf() *visit {
	if p == nil {
		return nil
	}
	return p.stay
}

func bornOn(first, last mapping.Day, exact bool, why string) *pregnancy {
	return &pregnancy{
		start: first - longest, end: last + afterwards, born: true, exact: exact, sure: true, first: first, last: last, early: first, why: why,
	}
}

// pregnancy returns the index pregnancy, which is the one that the record is about. It returns nil
// if none can be chosen. It chooses the pregnancy whose birth or due date is nearest to the
// beginning of the encounter from which the clinician launched the registry. If this encounter
// isn't known, it uses the day of the launch. If a newer pregnancy is known only from a diagnosis,
// it is chosen rather than an older one with a date.
func (r *reader) pregnancy() *pregnancy {
	marks, pivot := r.marks(), r.today
	if v := r.launched(); v != nil {
		pivot = v.start.First
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
	var p *pregnancy
	if best == nil || newest != nil && newest.onset.First > best.day+longestPuerperium {
		p = r.diagnosedPregnancy(newest)
	} else {
		p = r.around(*best, marks)
		r.date(p)
	}
	if p != nil {
		r.narrow(p)
		p.doubt = r.doubt(p)
	}
	return p
}

func away(a, b mapping.Day) mapping.Day { return max(a-b, b-a) }

// longestPuerperium is the number of days after a birth during which no new pregnancy is
// recognized.
const longestPuerperium = 42

// launched returns the encounter from which the clinician launched the registry, or nil if it isn't
// known.
func (r *reader) launched() *visit {
	for _, v := range r.visits {
		if r.launch.Encounter != "" && v.ID == strings.TrimPrefix(r.launch.Encounter, "Encounter/") && v.start.Exact() {
			return v
		}
	}
	return nil
}

// notForBirth reports whether a stay can't have been for a birth. It can't if it was too early in a
// pregnancy for the child to live, or too soon after the last birth or the last stay for a birth.
func (r *reader) notForBirth(first mapping.Day, stay *visit, marks []mark) bool {
	return slices.ContainsFunc(marks, func(m mark) bool {
		if m.kind >= aDue {
			return first >= m.day-longest && first < m.day-viable
		}
		return m.stay != stay && m.kind != aFact && m.day >= first-viable && m.day < first-1
	})
}

// around returns the pregnancy to which a mark belongs. It uses all marks that show when its birth
// was. A date of birth counts more than a fact recorded at a birth, and such a fact counts more
// than a stay for a birth.
func (r *reader) around(at mark, marks []mark) *pregnancy {
	from, to := r.span(at)
	same := func(m mark) bool {
		if at.kind >= aDue {
			return bornFor(m.day, at.day)
		}
		slack := mapping.Day(1)
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
			first, last, _ := m.stay.days(r.today)
			p := bornOn(first, last, false, "the stay from "+first.String())
			p.stay, p.sure = m.stay, m.stay.ofDelivery()
			return p
		}
		p := bornOn(m.day, m.day, false, "the birth about "+m.day.String())
		p.stay = stay
		return p
	}
	p := &pregnancy{}
	p.dueOn(at.day)
	p.stay = r.lately(func(first mapping.Day) bool { return bornFor(first, at.day) })
	return p
}

// dueOn sets the window of a pregnancy from its due date. It is used if the birth isn't known.
func (p *pregnancy) dueOn(due mapping.Day) {
	p.start, p.end, p.early, p.due = due-longest, due+postTerm+afterwards, due-viable, &due
	p.why = "the pregnancy due on " + due.String()
}

// span returns the first and the last day of a mark. If the mark is a stay, these are the days of
// the stay. Otherwise, both are the day of the mark.
func (r *reader) span(m mark) (first, last mapping.Day) {
	if m.stay != nil {
		first, last, _ = m.stay.days(r.today)
		return first, last
	}
	return m.day, m.day
}

// lately returns the newest stay in the last six weeks for which fits returns true, or nil if there
// is none. The stay may have been for something other than a birth.
func (r *reader) lately(fits func(first mapping.Day) bool) *visit {
	for _, v := range r.visits {
		first, _, ok := v.days(r.today)
		if ok && v.inpatient() && first >= r.today-longestPuerperium && fits(first) {
			return v
		}
	}
	return nil
}

// Codes of diagnoses of a pregnancy.
var (
	pregnantCodes = []string{"72892002", "77386006"}
	begunPrefixes = []string{"Z34", "O09"} // supervision of a pregnancy
	anyPrefixes   = []string{"O", "Z34", "Z37"}
)

// newestDiagnosis returns the newest diagnosis of a pregnancy, or nil if there is none. The
// diagnosis must have a date and be certain. If any is false, it must have one of the codes in
// pregnantCodes or begin with one of begunPrefixes.
func (r *reader) newestDiagnosis(any bool) *diagnosis {
	prefixes := begunPrefixes
	if any {
		prefixes = anyPrefixes
	}
	for _, d := range r.diagnoses {
		if _, ok := d.is(pregnantCodes, prefixes); ok && d.stands() && d.onset.Exact() && !d.ofLoss() {
			return d
		}
	}
	return nil
}

// diagnosedPregnancy returns a pregnancy that is known only from a diagnosis, or nil if d is nil.
// The pregnancy has a window of days, and the facts that were recorded on these days are about it.
// The window begins on the day of onset that the diagnosis states. If the diagnosis is an outcome
// of delivery (Z37), this day is taken as the day of the birth, and the window is the one for a
// birth on that day.
func (r *reader) diagnosedPregnancy(d *diagnosis) *pregnancy {
	if d == nil {
		return nil
	}
	p := &pregnancy{
		start: d.onset.First, end: d.onset.First + longest, early: d.onset.First,
		why: "the pregnancy recorded from " + dated(d.onset),
	}
	if _, outcome := d.is(nil, []string{"Z37"}); outcome {
		p.start, p.end = d.onset.First-longest, d.onset.First+afterwards
	}
	if d.end.Exact() && d.end.Last >= d.onset.First && d.end.Last <= d.onset.First+longest {
		p.end = d.end.Last + afterwards
	}
	p.stay = r.lately(func(first mapping.Day) bool { return first >= p.early && first <= p.end })
	return p
}
