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

// observed is an Observation of which the registry reads something.
type observed struct {
	fhir.Observation
	version
	readings    []mapping.Meaning
	provisional bool
	// void is set where it does not stand.
	void bool
}

// raceCode is the Observation in which the mother says her race and ethnicity.
const raceCode = "inputraceandethnicityMother"

// addObservation keeps an Observation that is read: by its code, and as far as it
// stands. In any other nothing can be wrong (decisions 19).
func (c *course) addObservation(e *fhir.Entry) error {
	obs := &observed{}
	wrong := e.Decode(&obs.Observation)
	readings, unread := meaningsOf(obs.Code)
	obs.readings = readings
	race := isRace(obs.Code)
	if obs.readings == nil && !race {
		c.trace.Drop(e.Place, "", unread)
		return nil
	}
	id := ""
	if e.FullURL == "" {
		id = obs.idOfFinding()
	}
	c.note(&obs.version, e, id, obs.Meta.LastUpdated)
	provisional, why := standingOf(&obs.Observation)
	if obs.provisional, obs.void = provisional, why != ""; obs.void {
		c.trace.Drop(e.Place, "", why)
	}
	if race {
		c.race = append(c.race, obs)
	} else {
		c.observations = append(c.observations, obs)
	}
	return wrong
}

// idOfFinding is the id of an Observation with what it is of: some programs give all
// findings one id.
func (o *observed) idOfFinding() string {
	if o.ID == "" || len(o.Code.Coding) == 0 {
		return o.ID
	}
	return o.ID + " " + o.Code.Coding[0].Code
}

func isRace(code fhir.CodeableConcept) bool { return slices.ContainsFunc(code.Coding, isRaceCode) }

// standingOf tells why an Observation does not stand, "" when it does, and whether
// only for the time being. Real documents leave the status out: what a document holds
// is final. One that cannot be read, and a modifier that nobody here knows, leave it
// open.
func standingOf(obs *fhir.Observation) (preliminary bool, why mapping.Reason) {
	switch {
	case obs.Lost.Any("status"):
		return false, mapping.Unreadable
	case bool(obs.ModifierExtension):
		return false, mapping.Modified
	}
	switch strings.ToLower(obs.Status) {
	case "", "final", "amended", "corrected":
		return false, ""
	case "preliminary", "registered", "unknown":
		return true, ""
	}
	return false, mapping.DoesNotStand
}

// newer compares two Observations of one fact: 1 when a is certainly of later than b,
// or of the same time and a correction, or issued later; -1 the other way round. What
// is not told, or told too roughly, decides nothing.
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

// effective is the time that an Observation is of: what of it is no time is not there.
func effective(obs *fhir.Observation) string {
	return cmp.Or(
		timeIn(obs.EffectiveDateTime), timeIn(obs.EffectivePeriod.End), timeIn(obs.EffectivePeriod.Start), timeIn(obs.EffectiveInstant),
	)
}

// tooEarly reports whether an Observation was of a time so long before the birth that
// its value is not that of the birth: 12 weeks at a visit in August are no gestation
// of a birth in March.
func (c *course) tooEarly(field *birth.Field, obs *fhir.Observation) bool {
	return field.Days > 0 && longBefore(effective(obs), c.born, field.Days)
}

// longBefore reports whether a time is certainly more than some days before the day of
// the birth; false where either is not known.
func longBefore(at, born string, days int) bool {
	day, err := time.Parse(time.DateOnly, born)
	return err == nil && at != "" && birth.After(day.AddDate(0, 0, -days).Format(time.DateOnly), at)
}

func timeIn(text string) string {
	at, _ := birth.ParseDateTime(text)
	return at
}

// corrects ranks an Observation that replaces an earlier one.
func corrects(obs *fhir.Observation) int {
	if status := strings.ToLower(obs.Status); status == "amended" || status == "corrected" {
		return 1
	}
	return 0
}

// isReplaced reports whether an Observation does not count, since a newer version of
// it is there or since it does not stand.
func (o *observed) isReplaced() bool { return o.replaced || o.void }
