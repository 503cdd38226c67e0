package uscore

import "birthregistry/app/mapping"

// date sets when the pregnancy began and when the birth is due, if the chart has these dates.
func (r *reader) date(p *pregnancy) {
	f := r.filler(true, p)
	f.dating = true
	due, lmp := f.bestDate("estimated_due_date"), f.bestDate("last_menstrual_period")
	p.lmp = lmp
	if due != nil {
		p.due, p.dated = due, true
		if !p.born {
			p.dueOn(*due)
		}
	}
	if p.due == nil && p.lmp != nil {
		due := *p.lmp + term
		p.due = &due
	}
}

// bestDate returns the best date that fits a field, or nil if there is none.
func (f *filler) bestDate(field string) *mapping.Day {
	for _, c := range f.candidates(rowOf(field)) {
		if c.why == "" {
			on := mapping.MomentOf(c.values[0].Value.Text).First
			return &on
		}
	}
	return nil
}

// stray returns a finding because of which it isn't certain which pregnancy is meant, or nil if
// there is none. The finding's due date is after the index pregnancy, but it was recorded too early
// or too late for a pregnancy with this due date.
func (r *reader) stray(p *pregnancy) *finding {
	for _, f := range r.findings {
		value := f.stated
		if !f.draft && f.has(dueCodes...) && value.Exact() && f.when.Known() && !dueFits(f.when, value.First) && value.First > p.end {
			return f
		}
	}
	return nil
}

// surroundings adds notices that say which pregnancy was chosen and what contradicts this choice.
func (f *filler) surroundings() {
	p := f.preg
	if p == nil {
		f.notice("The chart has no due date, no date of birth and no stay for a birth, so it is not clear which pregnancy this is. Fields about one pregnancy are not filled in.")
		return
	}
	f.notice("Read for " + p.why + ": what was recorded from " + p.start.String() + " to " + p.end.String() + ".")
	if p.doubt != "" {
		f.notice("Fields about that pregnancy are not filled in, but show what the chart says: " + p.doubt + ".")
	} else if p.end < f.today-longest {
		f.notice("That pregnancy ended more than ten months ago. Check that it is the one you are recording.")
	}
	if s := f.stray(p); s != nil {
		f.notice("The chart holds a later due date that was recorded long before that pregnancy. Check which one is right.")
	}
}
