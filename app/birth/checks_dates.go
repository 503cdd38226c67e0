package birth

import (
	"strings"
	"time"
)

// day returns the day of a date or time, as 2006-01-02. If date is partial, it returns the first
// day that date can mean, or the last one if last is set.
func day(date string, last bool) string {
	date = date[:min(len(date), len(time.DateOnly))]
	if !last {
		return date + "0000-01-01"[len(date):]
	}
	if month, err := time.Parse("2006-01", date); len(date) == len("2006-01") && err == nil {
		return month.AddDate(0, 1, -1).Format(time.DateOnly)
	}
	return date + "0000-12-31"[len(date):]
}

// After reports whether one date or time is certainly later than another. Two times with offsets
// are compared as instants, and any other two times as local times. Dates without a time, and
// partial dates, are compared by the days that they can mean. A time in UTC is compared in the same
// way with a time without an offset, because the local day may be the one before or after. If both
// times are in the hour that the clocks repeat when daylight saving time ends, neither is certainly
// later.
func After(a, b string) bool {
	ta, offsetA, okA := parseTime(a)
	tb, offsetB, okB := parseTime(b)
	switch {
	case okA && okB && offsetA && offsetB:
		return ta.After(tb)
	case okA && okB && !inUTC(a) && !inUTC(b):
		const minute = "2006-01-02T15:04"
		return ta.Format(minute) > tb.Format(minute) && !(repeated(ta) && repeated(tb))
	}
	if okA && inUTC(a) {
		a = ta.Add(-12 * time.Hour).Format(time.DateOnly)
	}
	if okB && inUTC(b) {
		b = tb.Add(14 * time.Hour).Format(time.DateOnly)
	}
	return day(a, false) > day(b, true)
}

// inUTC reports whether a time is in UTC. Such a time doesn't show the local day.
func inUTC(at string) bool { return strings.HasSuffix(at, "Z") }

// BetweenTimes returns how far two times are apart. It returns false if one isn't a full time, or if
// only one has an offset, because they may then be in different time zones.
func BetweenTimes(a, b string) (time.Duration, bool) {
	ta, offsetA, okA := parseTime(a)
	tb, offsetB, okB := parseTime(b)
	return ta.Sub(tb).Abs(), okA && okB && offsetA == offsetB
}

// repeated reports whether a local time is in the hour that the clocks of the US repeat: from 1:00 to
// 2:00 on the first Sunday of November.
func repeated(t time.Time) bool {
	return t.Month() == time.November && t.Weekday() == time.Sunday && t.Day() <= 7 && t.Hour() == 1
}

// Born returns the most exact known date or time of a child's birth.
func Born(child Values) string {
	if at := child.Text("birth_datetime"); at != "" {
		return at
	}
	return child.Text("birth_date")
}

// firstBirth returns the date or time of birth of the first newborn that was born, or "" if no date
// is stated.
func (d *Draft) firstBirth() (at string) {
	for _, child := range d.Children {
		if b := Born(child); b != "" && (at == "" || After(at, b)) {
			at = b
		}
	}
	return at
}

// datedMoment is a date of the mother that belongs on one side of the birth: before it (the list
// order) or after it (the list afterBirths).
type datedMoment struct {
	field string
	side  wrongSide
	text  string
}

// wrongSide is what a date on the wrong side of the birth means.
type wrongSide uint8

// A rare date is confirmed by a person, and left out of a Bundle, where nobody can be asked.
const (
	unlikely wrongSide = iota
	rare
	impossible
)

// order are dates of the mother that cannot, or should not, be after the birth.
var order = []datedMoment{
	{"mother_birth_date", impossible, "The mother's date of birth is after that of her child. Correct one of them"},
	{"last_menstrual_period", impossible, "The last menstrual period is after the birth. Correct one of the dates"},
	{"last_live_birth_date", impossible, "The date of the last live birth is after this birth. Enter the last live birth before this one"},
	{"last_other_outcome_date", impossible, "The last other pregnancy outcome is after this birth. Enter the last one before this birth"},
	{"prenatal_first_visit_date", impossible, "The first prenatal visit is after the birth. Correct one of the dates"},
	{"labor_onset_datetime", impossible, "The birth is before labor began. Correct one of the times"},
	{"membranes_ruptured_datetime", unlikely, "The membranes ruptured after the birth. Check the times"},
	{"active_labor_datetime", impossible, "The birth is before active labor began. Correct one of the times"},
	{"full_dilation_datetime", impossible, "The birth is before full dilation. Correct one of the times"},
	{"pushing_datetime", impossible, "The birth is before pushing began. Correct one of the times"},
}

// afterBirths are dates of the mother that cannot, or should not, be before the birth.
var afterBirths = []datedMoment{
	{"placenta_datetime", rare, "The placenta was delivered before the newborn. Check the times"},
	{"mother_readmission_date", impossible, "The mother was readmitted to the hospital before the birth. Correct one of the dates"},
}

// ImpossibleDates returns the fields of the mother whose dates can't be right, or would be so rare that
// only a person can confirm them, because they certainly contradict the date of birth or each other.
func (d *Draft) ImpossibleDates() (fields []string) {
	for _, o := range d.outOfOrder() {
		if o.side != unlikely {
			fields = append(fields, o.field)
		}
	}
	for _, s := range d.outOfSequence() {
		if s.blocks {
			fields = append(fields, s.first, s.then)
		}
	}
	return fields
}

// outOfOrder returns the entries whose date lies on the wrong side of the birth. In the variable
// order, these are the dates that are certainly after the birth. In afterBirths, they are the dates
// that are certainly before the birth.
func (d *Draft) outOfOrder() (wrong []datedMoment) {
	first := d.firstBirth()
	if first == "" {
		return nil
	}
	for _, o := range order {
		if at := d.Mother.Text(o.field); at != "" && After(at, first) {
			wrong = append(wrong, o)
		}
	}
	for _, o := range afterBirths {
		if at := d.Mother.Text(o.field); at != "" && After(first, at) {
			wrong = append(wrong, o)
		}
	}
	return wrong
}

// dates checks for dates in the future and for events in the wrong order.
func (c *checking) dates() {
	c.each(func(p Path, f *Field, v Value) {
		future := (f.Kind == Date || f.Kind == DateTime) && day(v.Text, false) > c.tomorrow
		if future && f.Name != "estimated_due_date" && !f.Derived && f.Fault(v) == "" {
			c.block("future", f.Label+" is in the future: correct the date", p)
		}
	})
	period, visit := c.Mother.Text("last_menstrual_period"), c.Mother.Text("prenatal_first_visit_date")
	if period != "" && visit != "" && After(period, visit) {
		c.warn("order", "The first prenatal visit is before the last menstrual period, so it may be of an earlier pregnancy. Check both dates",
			At("prenatal_first_visit_date"), At("last_menstrual_period"))
	}
	childPlace := Of(ChildList, 0, "birth_date")
	for _, o := range c.outOfOrder() {
		c.report(o.side == impossible, "order", o.text, At(o.field), childPlace)
		c.dependsOn(c.eachNewborn("birth_date")...)
	}
	c.laborTimes()
	for i, child := range c.Children {
		date, at := child.Text("birth_date"), child.Text("birth_datetime")
		if date != "" && at != "" && (After(date, at) || After(at, date)) {
			c.warn("two-dates", "The date and the time of birth are of different days. Check them",
				Of(ChildList, i, "birth_date"), Of(ChildList, i, "birth_datetime"))
		}
	}
}

// mother checks the facts about the mother and her earlier pregnancies.
func (c *checking) mother() {
	c.improbable(c.Mother, At)
	c.age()
	gravida, given := c.Mother.Get("gravida")
	parity, both := c.Mother.Get("parity")
	if given && both && gravida.Number > 0 && parity.Number >= gravida.Number {
		c.warn("parity", "Previous births should be fewer than pregnancies. Check both",
			At("parity"), At("gravida"))
	}
	if given && gravida.Number == 0 {
		c.warn("gravida", "The number of pregnancies includes this one, so it is at least 1. Check it", At("gravida"))
	}
	if both && parity.Number == 0 {
		c.earlier()
	}
	if cesareans, ok := c.Mother.Get("previous_cesareans"); ok && both && cesareans.Number > parity.Number {
		c.warn("cesareans", "Previous cesareans should not be more than previous births. Check both",
			At("previous_cesareans"), At("parity"))
	}
}

// earlier warns if an earlier birth is stated of a mother for whom this is said to be the first.
func (c *checking) earlier() {
	about := []Path{At("parity")}
	for _, field := range []string{"previous_live_births_living", "previous_live_births_dead", "last_live_birth_date"} {
		if v, stated := c.Mother.Get(field); stated && (v.Number > 0 || v.Text != "") {
			about = append(about, At(field))
		}
	}
	if len(about) > 1 {
		c.warn("earlier", "An earlier birth is given, but the number of births before this one is 0. Check them", about...)
	}
}

// age warns if the mother is younger than 12 or older than 55. It computes her age from the dates
// of birth. If they aren't full dates, it uses the reported age.
func (c *checking) age() {
	reported, ok := c.Mother.Get("mother_age_years")
	years, field := int(reported.Number), "mother_age_years"
	if len(c.Children) > 0 {
		if n, known := age(c.Mother.Text("mother_birth_date"), c.Children[0].Text("birth_date")); known {
			years, field, ok = n, "mother_birth_date", true
		}
	}
	if ok && years >= 0 && (years < 12 || years > 55) {
		c.warn("age", "The mother is younger than 12 or older than 55. Check the dates of birth", At(field))
		if field == "mother_birth_date" {
			c.dependsOn(Of(ChildList, 0, "birth_date"))
		}
	}
}
