package bundle

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// observed is an Observation that the registry reads, or a component of such an Observation.
type observed struct {
	fhir.Observation
	version
	readings []mapping.Meaning
	// void is set if the Observation isn't used, and why is the reason.
	why         mapping.Reason
	void        bool
	provisional bool
	// otherTime is set if a value of the Observation is from another time than this birth
	// (ofAnotherTime).
	otherTime bool
	// whole and member are set only for a component. whole is the Observation that the component is
	// part of, and member is the component's place in it.
	whole  *observed
	member string
}

// raceCode is the code of the Observation with the mother's own answers about her race and
// ethnicity.
const raceCode = "inputraceandethnicityMother"

// addObservation adds an Observation to the course of care if the registry reads Observations with
// its code. It marks the Observation as void if the Observation can't be used (see the method
// standing), or if the texts of its code contradict the code. An Observation whose code the
// registry doesn't read can't make the course invalid (decision 19).
func (c *course) addObservation(e *fhir.Entry) error {
	obs := &observed{}
	wrong := e.Decode(&obs.Observation)
	c.readContained(e, &obs.Subject)
	for i := range obs.Focus {
		c.readContained(e, &obs.Focus[i])
	}
	if len(obs.HasMember) > 0 {
		c.readMembers(obs)
	}
	readings, unread := meaningsOf(obs.Code)
	obs.readings = readings
	race := isRace(obs.Code)
	var parts []*observed
	if len(obs.Component) > 0 && !race {
		obs.at = e.Place
		obs.addUp()
		parts = c.partsOf(obs)
	}
	if obs.readings == nil && !race && parts == nil {
		c.trace.Drop(e.Place, "", unread)
		return nil
	}
	c.noteFinding(&obs.version, e, obs.ID, &obs.Code, obs.Meta)
	obs.provisional, obs.why = obs.standing()
	if obs.why == "" && obs.misnamed() {
		obs.why = mapping.TextContradicts
	}
	if obs.why == "" && mapping.IsSplit(&obs.Observation) {
		obs.why = mapping.SeveralValues
	}
	if obs.void = obs.why != ""; obs.void {
		obs.withdrawn = true
		c.trace.Drop(e.Place, "", obs.why)
	}
	if race {
		c.race = append(c.race, obs)
	} else {
		c.observations = append(c.observations, obs)
	}
	if parts != nil {
		c.addParts(obs, parts)
	}
	return wrong
}

// misnamed reports whether the texts of the Observation's code contradict the code
// (mapping.CodeContradicted).
func (o *observed) misnamed() bool {
	return len(o.readings) > 0 && mapping.CodeContradicted(o.readings[0].Field, &o.Code)
}

func isRace(code fhir.CodeableConcept) bool { return slices.ContainsFunc(code.Coding, isRaceCode) }

// standing reports whether an Observation is only preliminary. If the Observation can't be used,
// why is the reason. It can't be used if its status is unreadable or is a status such as cancelled.
// It can't be used either if a modifierExtension or implicitRules may change what it means
// (marked). A missing status means final, because real documents leave it out.
func (o *observed) standing() (preliminary bool, why mapping.Reason) {
	switch {
	case o.Lost.Any("status"):
		return false, mapping.Unreadable
	case o.marked:
		return false, mapping.Modified
	}
	switch strings.ToLower(o.Status) {
	case "", "final", "amended", "corrected":
		return false, ""
	case "preliminary", "registered", "unknown":
		return true, ""
	}
	return false, mapping.DoesNotStand
}

// newer compares two Observations of the same fact. It returns 1 if a is certainly later than b,
// and -1 if b is certainly later than a. If the times don't decide, a correction is newer than an
// Observation that isn't one. If that doesn't decide either, the Observation that was certainly
// issued later is newer. Otherwise, newer returns 0.
func newer(a, b *fhir.Observation) int {
	return cmp.Or(
		later(effective(a), effective(b)),
		cmp.Compare(corrects(a), corrects(b)),
		later(timeIn(a.Issued), timeIn(b.Issued)),
	)
}

func later(a, b string) int {
	switch {
	case a == "" || b == "":
		return 0
	case birth.After(a, b):
		return 1
	case birth.After(b, a):
		return -1
	}
	return 0
}

// effective returns the time of an Observation, or "" if there is none. It ignores text that isn't
// a time.
func effective(obs *fhir.Observation) string {
	return cmp.Or(
		timeIn(obs.EffectiveDateTime), timeIn(obs.EffectivePeriod.End), timeIn(obs.EffectivePeriod.Start), timeIn(obs.EffectiveInstant),
	)
}

// timeOf returns the time of an Observation. If there is none, it returns the time of the
// Observation's Encounter. If there is none either, it returns when the Observation was issued or
// last changed, because its value can't be newer than that.
func (c *course) timeOf(obs *fhir.Observation) string {
	if at := effective(obs); at != "" {
		return at
	}
	if obs.Encounter != nil {
		if stay := c.encounterAt(obs.Encounter.Reference); stay != nil {
			if at := cmp.Or(timeIn(stay.Period.End), timeIn(stay.Period.Start)); at != "" {
				return at
			}
		}
	}
	return cmp.Or(timeIn(obs.Issued), timeIn(obs.Meta.LastUpdated))
}

// encounterAt returns the Encounter in the course of care to which a reference points, or nil if
// there is none.
func (c *course) encounterAt(reference string) *encountered {
	if c.encounterBy == nil {
		c.encounterBy = &references{}
		for i, e := range c.encounters {
			c.encounterBy.add(i, "Encounter", e.ID, e.url)
		}
	}
	i, found := c.encounterBy.find(reference)
	if !found {
		return nil
	}
	return c.encounters[i]
}

// adult is the age after which a person's height no longer changes.
const adult = 16 // years

// written is the maximum number of days after a birth at which a value of the mother may be
// recorded. A later value may be about her next pregnancy.
const written = 366

// ofAnotherTime reports whether a value isn't from the time of this birth. The argument at is the
// time of the Observation (timeOf). A mother's height is from another time if it was measured
// before she was an adult. Any other value is from another time in these cases:
//   - The Observation was made too long before the birth (birth.Field.Days). For example, 12 weeks
//     at a visit in August isn't the gestation of a birth in March. Values that last, such as a
//     previous cesarean, have no such limit.
//   - The Observation was made more than a year after the birth, and isn't about a child.
//   - The value is itself a date, and that date can't be in this pregnancy (daysOfPregnancy).
func (o *observations) ofAnotherTime(r mapping.Meaning, value birth.Value, at string, about addressed) bool {
	field := r.Field
	if field.Name == "mother_height_in" {
		birthday, err := time.Parse(time.DateOnly, o.draft.Mother.Text("mother_birth_date"))
		return err == nil && at != "" && birth.After(birthday.AddDate(adult, 0, 0).Format(time.DateOnly), at)
	}
	lasts := field.Lasts(value) && (field.Kind != birth.Int || r.Category)
	if field.Days > 0 && !lasts && isBefore(at, o.dayFromBirth(-field.Days)) {
		return true
	}
	if field.Days > 0 && isAfter(at, o.dayFromBirth(written)) && about.whom != aChild {
		return true
	}
	days, limited := daysOfPregnancy[field.Name]
	return limited && (isBefore(value.Text, o.dayFromBirth(days.first)) || isAfter(value.Text, o.dayFromBirth(days.last)))
}

// puerperium is the number of days after a birth during which a value of the mother can't be from
// her next pregnancy.
const puerperium = 42

// isAfterward reports whether a time is certainly after the puerperium.
func (o *observations) isAfterward(at string) bool {
	return at > o.course.born && isAfter(at, o.dayFromBirth(puerperium))
}

// span is a range of days from first to last. Days count from the birth.
type span struct{ first, last int }

// daysOfPregnancy has the range of days for each date of a pregnancy. The due date is 40 weeks
// after the last menstrual period. No recorded pregnancy is shorter than 10 weeks.
var daysOfPregnancy = map[string]span{
	"last_menstrual_period":       {-birth.Pregnancy, -70},
	"estimated_due_date":          {280 - birth.Pregnancy, 280 - 70},
	"prenatal_first_visit_date":   {-birth.Pregnancy, 0},
	"membranes_ruptured_datetime": {-birth.Pregnancy, 1},
	"labor_onset_datetime":        {-birth.Delivery, 1},
	"active_labor_datetime":       {-birth.Delivery, 1},
	"full_dilation_datetime":      {-birth.Delivery, 1},
	"pushing_datetime":            {-birth.Delivery, 1},
}

// dayFromBirth returns the day that is this many days after the birth. A negative number means
// before the birth. It returns "" if the day of the birth isn't known. Most Observations need the
// same few days, so each day is computed only once.
func (o *observations) dayFromBirth(days int) string {
	day, known := o.days[days]
	if !known {
		day = dayFrom(o.course.born, days)
		o.days[days] = day
	}
	return day
}

// dayFrom returns the day that is this many days after another day. A negative number means before
// it. It returns "" if the day isn't a complete date.
func dayFrom(day string, days int) string {
	from, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return from.AddDate(0, 0, days).Format(time.DateOnly)
}

// longBefore reports whether a time is certainly more than the given number of days before a day.
// It returns false if the time or the day isn't known.
func longBefore(at, day string, days int) bool {
	return at < day && isBefore(at, dayFrom(day, -days)) // comparing the texts first often avoids the calculation
}

// longAfter reports whether a time is certainly more than the given number of days after a day. It
// returns false if the time or the day isn't known.
func longAfter(at, day string, days int) bool { return at > day && isAfter(at, dayFrom(day, days)) }

// isBefore reports whether a time is certainly before a day. It returns false if the time or the
// day isn't known.
func isBefore(at, day string) bool { return at != "" && day != "" && birth.After(day, at) }

// isAfter reports whether a time is certainly after a day. It returns false if the time or the day
// isn't known.
func isAfter(at, day string) bool { return at != "" && day != "" && birth.After(at, day) }

func timeIn(text string) string {
	at, _ := birth.ParseDateTime(text)
	return at
}

// corrects returns 1 if an Observation is a correction, according to its status, and 0 otherwise.
func corrects(obs *fhir.Observation) int {
	if status := strings.ToLower(obs.Status); status == "amended" || status == "corrected" {
		return 1
	}
	return 0
}

// isReplaced reports whether an Observation is dropped. It is dropped if a newer version has
// replaced it, or if it is void. A component is also dropped if the whole Observation is void.
func (o *observed) isReplaced() bool {
	return o.void || o.itself().replaced || o.whole != nil && o.whole.void
}
