package birth

import "time"

// moments is a pair of moments of labor. The first moment can't, or shouldn't, be after the second.
// blocks is set if that order is impossible rather than unlikely.
type moments struct {
	first, then string
	blocks      bool
	text        string
}

var sequence = []moments{
	{"labor_onset_datetime", "active_labor_datetime", false, "Active labor began before labor. Check the times"},
	{"active_labor_datetime", "full_dilation_datetime", true, "Full dilation is before active labor. Correct one of the times"},
	{"active_labor_datetime", "pushing_datetime", true, "Pushing began before active labor. Correct one of the times"},
	// This entry only warns, because the mother may feel the urge to push before she is fully
	// dilated.
	{"full_dilation_datetime", "pushing_datetime", false, "Pushing began before full dilation. Check the times"},
}

// outOfSequence returns the pairs of moments whose first moment is certainly after the second.
func (d *Draft) outOfSequence() (wrong []moments) {
	for _, m := range sequence {
		first, then := d.Mother.Text(m.first), d.Mother.Text(m.then)
		if first != "" && then != "" && After(first, then) {
			wrong = append(wrong, m)
		}
	}
	return wrong
}

// span is a moment of labor, with the longest plausible time between that moment and the birth.
type span struct {
	field string
	most  time.Duration
	text  string
}

var spans = []span{
	{"labor_onset_datetime", 7 * 24 * time.Hour, "Labor began more than 7 days before the birth. Check the times"},
	{"membranes_ruptured_datetime", 4 * week * 24 * time.Hour, "The membranes ruptured more than 4 weeks before the birth. Check the times"},
	{"active_labor_datetime", 96 * time.Hour, "Active labor began more than 4 days before the birth. Check the times"},
	{"full_dilation_datetime", 24 * time.Hour, "Full dilation is more than 24 hours before the birth. Check the times"},
	{"pushing_datetime", 24 * time.Hour, "Pushing began more than 24 hours before the birth. Check the times"},
	{"placenta_datetime", 24 * time.Hour, "The placenta was delivered more than 24 hours after the newborn. Check the times"},
}

// laborTimes checks the order of the moments of labor, and how far each moment is from the birth.
func (c *checking) laborTimes() {
	for _, m := range c.outOfSequence() {
		c.report(m.blocks, "order", m.text, At(m.then), At(m.first))
	}
	birth := c.firstBirth()
	for _, s := range spans {
		if apart(c.Mother.Text(s.field), birth) > s.most {
			c.warn("long", s.text, At(s.field), Of(ChildList, 0, "birth_datetime"))
			c.dependsOn(c.eachNewborn("birth_date")...)
		}
	}
}

// apart returns the shortest time that can be between two moments. If one of them has no time of day,
// or if only one has an offset, it goes by the days that they can mean. It returns 0 if a moment isn't
// stated or can't be read.
func apart(a, b string) time.Duration {
	if between, ok := BetweenTimes(a, b); ok {
		return between
	}
	return max(0, daysBetween(a, b), daysBetween(b, a))
}

// daysBetween returns the time from the end of the last day that one date can mean to the beginning of
// the first day that a later one can mean.
func daysBetween(a, b string) time.Duration {
	from, errFrom := time.Parse(time.DateOnly, day(a, true))
	to, errTo := time.Parse(time.DateOnly, day(b, false))
	if a == "" || b == "" || errFrom != nil || errTo != nil {
		return 0
	}
	return to.Sub(from) - 24*time.Hour
}
