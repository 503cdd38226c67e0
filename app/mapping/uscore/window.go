package uscore

import (
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// firstSeen and hardlyKnown are numbers of days. When a pregnancy is first recorded, it has lasted
// at most firstSeen days and at least hardlyKnown days.
const (
	firstSeen   = 84
	hardlyKnown = 28
	// furtherBirth is the minimum number of days between a birth and the next one, whether the next
	// child is born alive or is a recorded fetal death. tooLate is the maximum number of days
	// between a due date and the record of the birth.
	furtherBirth = 154
	tooLate      = postTerm + longestPuerperium
)

// lastPeriod returns when the pregnancy began. If the chart shows this, it returns the last
// menstrual period, or the due date minus 280 days, and true. Otherwise, it returns the beginning
// of the window and false.
func (p *pregnancy) lastPeriod() (mapping.Day, bool) {
	switch {
	case p.lmp != nil:
		return *p.lmp, true
	case p.due != nil:
		return *p.due - term, true
	}
	return p.start, false
}

// unknownYet reports whether a moment is so early in the pregnancy that nobody can have known about
// it. If it isn't known when the pregnancy began, unknownYet assumes a birth at term. If the birth
// isn't known either, it returns false.
func (p *pregnancy) unknownYet(m mapping.Moment) bool {
	begun, known := p.lastPeriod()
	if !known && p.born {
		begun = max(begun, p.first-term)
	}
	return (known || p.born) && m.First < begun+hardlyKnown
}

// clash reports whether the due date and the last menstrual period contradict each other.
func (p *pregnancy) clash() bool {
	return p != nil && p.lmp != nil && p.due != nil && away(*p.lmp+term, *p.due) > postTerm
}

// conceived returns the last day on which the pregnancy may have begun.
func (p *pregnancy) conceived() mapping.Day {
	switch {
	case p.due != nil:
		return *p.due - term + postTerm
	case p.born:
		return p.first - viable
	}
	return p.start + firstSeen
}

// narrow sets the beginning of the window to the beginning of the pregnancy, as far as the chart
// shows it. It also moves the beginning of the window past the end of every earlier pregnancy.
func (r *reader) narrow(p *pregnancy) {
	if begun, known := p.lastPeriod(); known {
		p.start = begun
	} else if weeks, known := r.lasted(p); known {
		p.start = max(p.start, p.first-7*(weeks+1))
	}
	p.since = p.start
	if ended, any := r.lastEnd(p.conceived()); any {
		p.start = max(p.start, ended+1)
	}
}

// lasted returns how many completed weeks a pregnancy lasted, from a gestational age that was
// recorded within a day of the birth. It returns false if the chart has none.
func (r *reader) lasted(p *pregnancy) (weeks mapping.Day, known bool) {
	for _, f := range r.findings {
		if !f.has(gestationCodes...) || f.has(ownGestation) && !f.another || f.draft || !p.atBirth(f.when) {
			continue
		}
		if values, ok := f.readAs(rowOf("gestational_age_weeks").of()); ok {
			return mapping.Day(values[0].Value.Number), true
		}
	}
	return 0, false
}

// lastEnd returns the last day on which an earlier pregnancy ended by a birth, a stay for a birth
// or a loss. It ignores births, stays and losses that began later than the given day. It returns
// false if no earlier pregnancy ended.
func (r *reader) lastEnd(before mapping.Day) (last mapping.Day, any bool) {
	end := func(began, ended mapping.Day) {
		if began <= before && (!any || ended > last) {
			last, any = ended, true
		}
	}
	for _, m := range r.marks() {
		if m.kind < aDue {
			end(r.span(m))
		}
	}
	for _, f := range r.findings {
		if value := f.stated; f.has(earlierEnds...) && !f.another && value.Known() {
			end(value.Last, value.Last)
		}
	}
	for _, d := range r.diagnoses {
		if _, ok := d.is(nil, deliveryReasons); ok && !d.uncertain && d.onset.Known() {
			end(d.onset.Last, d.onset.Last)
		}
	}
	for _, l := range r.losses {
		if l.when.Known() {
			end(l.when.Last, l.when.Last)
		}
	}
	return last, any
}

// earlierBirths returns the days of the births before the index pregnancy, oldest first. If two
// days are too close together for two births (furtherBirth), they count as one birth. A stay is
// used only if it was for a birth.
func (r *reader) earlierBirths(p *pregnancy) (days []mapping.Day) {
	if p == nil {
		return nil
	}
	for _, m := range r.marks() {
		if m.kind < aDue && m.day <= p.conceived() && (m.stay == nil || m.stay.ofDelivery()) {
			days = append(days, m.day)
		}
	}
	slices.Sort(days)
	var apart []mapping.Day
	for _, day := range days {
		if len(apart) == 0 || day > apart[len(apart)-1]+furtherBirth {
			apart = append(apart, day)
		}
	}
	return apart
}

// doubt returns the reason why the record may be about another pregnancy, or "" if there is no
// doubt. If there is doubt, nothing about a single pregnancy is filled in.
func (r *reader) doubt(p *pregnancy) string {
	at := r.launched()
	from := at != nil && p.start <= at.start.First && at.start.First <= max(p.end, p.last+longestPuerperium)
	switch {
	case p.born && !from && r.today > p.last+furtherBirth:
		return "that birth was so long ago that it may belong to another pregnancy"
	case !p.born && p.due != nil && r.today > *p.due+tooLate:
		return "the due date is long past, and the chart states no birth"
	case !p.born && p.due != nil && r.today < *p.due-viable:
		return "the pregnancy has not lasted long enough for a birth, so the record may be about another one"
	case !p.born && r.today > p.end+longestPuerperium:
		return "that pregnancy is long past, and the chart states no birth"
	case !p.born && slices.ContainsFunc(r.findings, func(f *finding) bool {
		return f.notPregnant() && !f.another && p.holds(f.when) && !p.unknownYet(f.when)
	}):
		return "the chart says later that she is not pregnant, and states no birth"
	case r.bledSince(p):
		return "the chart holds a later menstrual period: that pregnancy may have ended"
	case p.unborn(r.lossIn(p)):
		return "the chart records a loss: that pregnancy may not have ended in a birth"
	}
	return ""
}

// bledSince reports whether the chart has a menstrual period that began weeks after the beginning
// of the pregnancy and before the birth. The pregnancy may then have ended before this period.
func (r *reader) bledSince(p *pregnancy) bool {
	begun, known := p.lastPeriod()
	return known && slices.ContainsFunc(r.findings, func(f *finding) bool {
		value := f.stated
		return f.has("8665-2") && !f.draft && !f.another && value.Exact() && value.First > begun+firstSeen && f.when.Known() &&
			f.when.Last >= value.First && !r.future(value) && (!p.born || value.First < p.first)
	})
}

// ofOnePregnancy reports whether a field is about a single pregnancy. The patient's identity and
// height aren't.
func (f *filler) ofOnePregnancy(field string) bool {
	return field != "mother_height_in" && !slices.Contains(f.own, field)
}

// doubted turns everything about the index pregnancy into hints if the record may be about another
// pregnancy.
func (f *filler) doubted() {
	if f.preg == nil || f.preg.doubt == "" {
		return
	}
	f.withholdAt(f.preg.doubt, func(at birth.Path) bool { return at.List == birth.ProviderList || f.ofOnePregnancy(at.Field) })
}
