package uscore

import (
	"time"

	"birthregistry/app/mapping"
)

// The rules for facts about the newborn. In the newborn's own chart, a fact counts if it was
// recorded at the birth or in the days after it, and if it isn't about anybody else.
//
// In the mother's chart, a finding may be about her or about an older child. It therefore counts
// only under these conditions (decision 48): The chart has the birth. The finding was recorded at
// the birth. It is about exactly one other Patient, whom the chart hasn't mentioned before.

// ofTheBaby returns the reason why a finding may not be about the newborn of the index pregnancy,
// or "" if it is about this newborn.
func ofTheBaby(f *filler, c *candidate) string {
	p := f.preg
	switch {
	case p == nil:
		return noPregnancy
	case f.mothers:
		return f.ofHerBaby(c)
	case c.another:
		return aboutAnother
	case c.when.Known() && (c.when.First < p.early || f.beforeBirth(c.when)):
		return tooSoon
	case !p.holds(c.when):
		return notAtBirth
	}
	return ""
}

func (f *filler) ofHerBaby(c *candidate) string {
	switch p := f.preg; {
	case c.when.Known() && c.when.First < p.early:
		return tooSoon
	case !p.holds(c.when):
		return notAtBirth
	}
	if why := f.notHerBaby(c); why != "" {
		return why
	}
	if c.when.Last < f.preg.first {
		return tooSoon
	}
	return f.whichBaby()
}

// notHerBaby returns the reason why a finding in a mother's chart may not be about the newborn, or
// "" if it is about the newborn.
func (f *filler) notHerBaby(c *candidate) string {
	switch {
	case !c.another && (c.code == birthWeightCode || c.code == ownGestation):
		return herOwn
	case !f.preg.exact:
		return noStatedBirth
	case !c.another:
		return noFocus
	case c.about == "":
		return whoElse
	case f.births.older[c.about]:
		return olderChild
	}
	return ""
}

// beforeBirth reports whether a moment is before the newborn's time of birth. It returns false if
// the chart doesn't have the time of birth.
func (f *filler) beforeBirth(m mapping.Moment) bool {
	_, at := mapping.BirthDate(&f.patient.Patient)
	born := mapping.MomentOf(at)
	return born.Instant && m.Instant && m.At.Before(born.At)
}

// atTheBirth returns the reason why a finding about the birth itself, such as the presentation, is
// not filled in, or "" if it is. The finding must be from within a day of the birth, and must be
// about the newborn (ofTheBaby).
func atTheBirth(f *filler, c *candidate) string {
	switch {
	case f.preg == nil:
		return noPregnancy
	case !f.preg.when():
		return noBirthDay
	case !f.preg.atBirth(c.when):
		return notAtBirth
	}
	return ofTheBaby(f, c)
}

// otherBirth reports whether a date belongs to a birth other than the index birth.
func otherBirth(f *filler, c *candidate) bool {
	value, p := c.stated, f.preg
	return value.Known() && p != nil && (!p.born || value.Last < p.first || value.First > p.last)
}

func statedBirth(f *filler, c *candidate) string {
	value, p := mapping.MomentOf(c.values[0].Value.Text), f.preg
	switch {
	case !value.Exact():
		return halfDate
	case p == nil:
		return noPregnancy
	case !p.exact:
		return "the chart states several days"
	case c.when.Known() && c.when.Last < value.First:
		return "recorded before that day"
	case c.another && c.about == "":
		return whoElse
	}
	return f.whichBaby()
}

// gestationAtBirth returns the reason why a gestational age is not filled in, or "" if it is. It
// must have been recorded at the birth, because at a prenatal visit it was lower. If the last
// menstrual period is known, it must agree with the gestational age within two weeks.
func gestationAtBirth(f *filler, c *candidate) string {
	p := f.preg
	switch {
	case p == nil:
		return noPregnancy
	case !p.when():
		return noBirthDay
	case !p.atBirth(c.when):
		return notAtBirth
	case p.last-p.first > 1:
		return noBirthDay
	}
	if p.lmp != nil {
		weeks := mapping.Day(c.values[0].Value.Number)
		if away((p.first-*p.lmp)/7, weeks) > 2 {
			return "it does not fit the last menstrual period"
		}
	}
	if f.mothers { // twins share the gestational age
		return f.notHerBaby(c)
	}
	return ofTheBaby(f, c)
}

// otherWeightOfBaby reports whether a weight has nothing to do with the birth. A general body
// weight must be the newborn's own, be in the newborn's chart, and be from the day of the birth. A
// birth weight in a mother's chart must be from this birth.
func otherWeightOfBaby(f *filler, c *candidate) bool {
	if !isGeneral(c.code) {
		return ofOlderChild(f, c)
	}
	return f.mothers || c.another || !c.when.Exact() || !f.preg.exactly() || c.when.First != f.preg.first || f.beforeBirth(c.when)
}

// weightAtTheBirth returns the reason why a weight may not be the newborn's weight at birth, or ""
// if it is. A general body weight must not have been measured hours after the birth.
func weightAtTheBirth(f *filler, c *candidate) string {
	if isGeneral(c.code) && f.hoursAfter(c.when) {
		return laterWeight
	}
	return ofTheBaby(f, c)
}

// hoursAfter reports whether a weight may have been measured more than 6 hours after the birth. A
// newborn has lost weight by then. If the time of birth isn't in the chart, the hours are counted
// from midnight. hoursAfter returns false for a date without a time, because a system that writes
// no time for a weight on that day means the weight at birth.
func (f *filler) hoursAfter(m mapping.Moment) bool {
	const few = 6 * time.Hour
	_, at := mapping.BirthDate(&f.patient.Patient)
	born := mapping.MomentOf(at)
	clock, timed := clockOf(m.Text)
	switch {
	case !timed:
		return false
	case born.Instant && m.Instant:
		return m.At.Sub(born.At) > few
	case mapping.InUTC(m.Text) != mapping.InUTC(born.Text) || mapping.InUTC(m.Text) && !born.Known():
		return true // the clocks cannot be compared
	}
	begun, _ := clockOf(born.Text)
	return clock-begun > few
}

// clockOf returns the time of day in a FHIR dateTime, as a duration since midnight. The result
// timed is false if there is no time of day.
func clockOf(at string) (since time.Duration, timed bool) {
	const layout = "2006-01-02T15:04:05"
	if len(at) < len(layout) {
		return 0, false
	}
	t, err := time.Parse(layout, at[:len(layout)])
	return t.Sub(t.Truncate(24 * time.Hour)), err == nil
}

// ofOlderChild reports whether a finding in a mother's chart is about another birth.
func ofOlderChild(f *filler, c *candidate) bool {
	return f.mothers && f.preg != nil && c.when.Known() && !f.preg.holds(c.when)
}
