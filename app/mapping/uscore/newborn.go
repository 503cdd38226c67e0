package uscore

import (
	"strings"
	"time"

	"birthregistry/app/mapping"
)

// The rules for facts about the newborn. In the newborn's own chart, a fact counts if it was
// recorded at the birth or in the days after it and isn't about anybody else. In the mother's
// chart, a finding may be about her or an older child. So it counts only if the chart states the
// birth, and if the finding was recorded at the birth about exactly one other Patient, whom the
// chart didn't mention before (decision 48).

// ofTheBaby returns why a finding may not be about the newborn of the index pregnancy, or "" if it
// is.
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

// notHerBaby returns why a finding in a mother's chart may not be about the newborn, or "" if it
// is.
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

// beforeBirth reports whether a moment is before the newborn's time of birth, if the chart
// states that time.
func (f *filler) beforeBirth(m mapping.Moment) bool {
	_, at := mapping.BirthDate(&f.patient.Patient)
	born := mapping.MomentOf(at)
	return born.Instant && m.Instant && m.At.Before(born.At)
}

// atTheBirth returns why a finding about the birth itself, such as the presentation, is not filled
// in, or "" if it is. The finding must have been recorded within a day of the birth, and must be
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

// otherBirth reports whether a date is that of a birth other than the index one.
func otherBirth(f *filler, c *candidate) bool {
	value, p := mapping.MomentOf(mapping.DateTimeOf(&c.Observation)), f.preg
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

// inUTC reports whether a FHIR dateTime is in UTC. A server that writes all times in UTC
// doesn't show the local calendar day: an evening in New York is already the next day in UTC.
func inUTC(at string) bool {
	return len(at) > len(time.DateOnly) && (strings.HasSuffix(at, "Z") || strings.HasSuffix(at, "00:00") && strings.ContainsAny(at[len(at)-6:], "+-"))
}

// gestationAtBirth returns why a gestational age is not filled in, or "" if it is. It must have
// been recorded at the birth, because the one recorded at a prenatal visit was lower. If the last
// menstrual period is known, the gestational age must fit it within two weeks.
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
// weight is used only if it is the newborn's own, is in the newborn's chart, and is from the day of
// the birth. A birth weight in a mother's chart is used only if it is of this birth.
func otherWeightOfBaby(f *filler, c *candidate) bool {
	if !isGeneral(c.code) {
		return ofOlderChild(f, c)
	}
	return f.mothers || c.another || !c.when.Exact() || !f.preg.exactly() || c.when.First != f.preg.first || f.beforeBirth(c.when)
}

// weightAtTheBirth returns why a weight may not be the newborn's weight at birth, or "" if it is. A
// general body weight must not have been measured hours after the birth.
func weightAtTheBirth(f *filler, c *candidate) string {
	if isGeneral(c.code) && f.hoursAfter(c.when) {
		return laterWeight
	}
	return ofTheBaby(f, c)
}

// hoursAfter reports whether a weight measured at this moment may have been measured so long after
// the birth that the newborn had lost weight (6 hours). If the chart doesn't state the time of
// birth, the hours are counted from midnight. hoursAfter is false for a date without a time,
// because systems that state no time for a weight of that day mean the weight at birth.
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
	case inUTC(m.Text) != inUTC(born.Text) || inUTC(m.Text) && !born.Known():
		return true // the clocks cannot be compared
	}
	begun, _ := clockOf(born.Text)
	return clock-begun > few
}

// clockOf returns the time of day that a FHIR dateTime shows, since midnight.
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
