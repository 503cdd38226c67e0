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

// stay is an Encounter. Its kind says how it relates to the birth.
type stay struct {
	mapping.Stay
	at   fhir.Place
	kind stayKind
	// apart is set if a type or the times of the Encounter show that it was before or after the
	// birth.
	apart bool
	// timed is set if the times of the Encounter can be compared with the times of the births. Its
	// days then don't matter. In UTC, they may be other days than the local day of the birth.
	timed bool
}

type stayKind int

// The kinds of stays. The best source for the place of birth comes first.
const (
	birthStay     stayKind = iota // Encounter-birth
	childStay                     // the stay of a child
	maternityStay                 // Encounter-maternity: the mother's, for the birth
	lateStay                      // the stay of a child who was born before it began, maybe elsewhere
	otherStay                     // a stay without a known purpose
)

// stays returns the Encounters that took place, sorted by kind. It leaves out Encounters of other
// people and of other pregnancies. It also leaves out an Encounter if its status or type isn't
// clear. If the subject of an Encounter isn't in the document, the Encounter is kept only if it is
// marked as the stay for the birth.
func (c *course) stays() []stay {
	var all []stay
	for _, e := range c.encounters {
		s := stay{Stay: mapping.Stay{Encounter: &e.Encounter}, at: e.at, kind: c.kindOf(&e.Encounter)}
		switch whom, _ := c.subjects.whom(e.Subject); {
		case whom == stranger:
			c.trace.Drop(e.at, "", mapping.AboutAnother)
		case whom == twoPersons:
			c.trace.Drop(e.at, "", mapping.AboutTwo)
		case whom == missing && !s.isOfBirth():
			c.trace.Drop(e.at, "", mapping.AboutNobody)
		case e.Lost.Any("status", "type"): // possibly never took place, or is a transfer
			c.trace.Drop(e.at, "", mapping.Unreadable)
		case e.marked:
			c.trace.Drop(e.at, "", mapping.Modified)
		case s.ofAnotherPregnancy(c.born):
			c.trace.Drop(e.at, "", mapping.AnotherTime)
		case !happened(&e.Encounter):
			c.trace.Drop(e.at, "", mapping.DoesNotStand)
		default:
			s.Stay = mapping.StayOf(s.Encounter, s.who())
			if s.kind == childStay && c.beganAfter(s.Period, 0) {
				s.kind = lateStay
			}
			s.apart = s.kind != birthStay && (isApart(s.Encounter) || c.missesBirths(&s))
			s.timed = c.isTimed(s.Period)
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b stay) int { return cmp.Compare(a.kind, b.kind) })
	return all
}

// happened reports whether an Encounter took place. It returns false only if the status says that
// it didn't.
func happened(e *fhir.Encounter) bool {
	return !slices.Contains([]string{"entered-in-error", "cancelled", "planned"}, strings.ToLower(e.Status))
}

// kindOf returns the kind of a stay. It looks at the profile, at BFDR's Extension-role, and at the
// subject. Documents may leave out any of these, and some name the wrong subject.
func (c *course) kindOf(e *fhir.Encounter) stayKind {
	for _, profile := range e.Meta.Profile {
		name := strings.ReplaceAll(strings.ToLower(fhir.LastSegment(profile)), "-", "")
		switch {
		case strings.Contains(name, "encounterbirth"):
			return birthStay
		case strings.Contains(name, "encountermaternity"):
			return maternityStay
		}
	}
	if role := e.Extension.Find("extension-role"); role != nil && role.ValueCodeableConcept != nil {
		switch {
		case mapping.AnyOf(role.ValueCodeableConcept.Coding, mapping.ChildRole):
			return birthStay
		case mapping.AnyOf(role.ValueCodeableConcept.Coding, mapping.MotherRole):
			return maternityStay
		}
	}
	if whom, _ := c.subjects.whom(e.Subject); whom == aChild {
		return childStay
	}
	return otherStay
}

// who returns whose stay it is: mother, child, or "" if the Encounter doesn't say.
func (s stay) who() string {
	switch {
	case s.kind == birthStay || s.kind == childStay:
		return "child"
	case s.kind == maternityStay || s.Subject.Reference != "" || s.Subject.Identifier.Stated:
		return "mother"
	}
	return ""
}

// placeOf reads the place of birth from the stays, and whether a birth at home was planned. It uses
// the first kind of stay that has a place. If stays of this kind have two places, it sets no place.
// It skips stays before or after the birth. Stays without a known purpose may be prenatal visits,
// so they are used only if there is no other kind of stay.
func (c *course) placeOf(stays []stay, born string, care *states) {
	var settings []string
	kind, home, from := otherStay, false, []fhir.Place(nil)
	care.from(fhir.Place{}, "", "")
	for _, s := range stays {
		if s.kind == otherStay && stays[0].kind != otherStay || s.atAnotherTime(born) || len(settings) > 0 && s.kind != kind {
			continue
		}
		kind = s.kind
		known, planned := c.places(s)
		settings, home = mapping.Union(settings, known), home || planned
		if care.trace != nil && (len(known) > 0 || planned) {
			from = append(from, s.at)
		}
	}
	if len(settings) == 1 && !care.Has("birth_setting") {
		care.text("birth_setting", settings[0])
		for _, at := range from {
			care.trace.Join("birth_setting", -1, at, "")
		}
	}
	if home && !care.Has("planned_birth_setting") {
		care.text("planned_birth_setting", "home")
		for _, at := range from {
			care.trace.Join("planned_birth_setting", -1, at, "")
		}
	}
}

// atAnotherTime reports whether a stay was before or after the birth, according to its type or its
// period. For the stay of the birth itself, it returns false. The argument born is the day of the
// birth, or "" if the day isn't known.
func (s stay) atAnotherTime(born string) bool {
	return s.kind != birthStay && (s.apart || born != "" && !s.lasted(born))
}

// isApart reports whether a type of an Encounter is care before or after the birth. A package of
// care before and after it, or of the delivery and what follows, includes the birth.
func isApart(e *fhir.Encounter) bool {
	return slices.ContainsFunc(e.Type, func(t fhir.CodeableConcept) bool {
		stated := mapping.SpacedWords(t)
		switch phases := mapping.PhasesOf(stated); {
		case len(phases) == 0, phases[0] == "antepartum" && slices.Contains(phases, "postpartum"),
			strings.Contains(stated, " delivery postpartum "), strings.Contains(stated, " delivery and postpartum "):
			return false
		default:
			return phases[0] == "antepartum" || phases[0] == "postpartum"
		}
	})
}

// slack is by how much a stay may end before a birth or begin after it, and still be the stay for
// the birth. It is used for stays that are marked as the stay for the birth, and for the child's
// stays. Real documents have such times.
const slack = 2 * time.Hour

// missesBirths reports whether a stay certainly ended before all births or certainly began after
// all births. For example, a mother may be admitted to a hospital after a birth at home. It returns
// false if the time of a birth isn't known.
func (c *course) missesBirths(s *stay) bool {
	by := slack
	if s.kind == otherStay {
		by = 0
	}
	return c.endedBefore(s.Period, by) || c.beganAfter(s.Period, by)
}

func (c *course) endedBefore(p fhir.Period, by time.Duration) bool {
	end := mapping.MomentOf(p.End)
	return ofAllBirths(c.bornAt, func(born mapping.Moment) bool { return certainlyAfter(born, end, by) })
}

func (c *course) beganAfter(p fhir.Period, by time.Duration) bool {
	start := mapping.MomentOf(p.Start)
	return ofAllBirths(c.bornAt, func(born mapping.Moment) bool { return certainlyAfter(start, born, by) })
}

// ofAllBirths reports whether the given function returns true for every birth. It returns false if
// there are no births.
func ofAllBirths(births []mapping.Moment, holds func(born mapping.Moment) bool) bool {
	return len(births) > 0 && !slices.ContainsFunc(births, func(born mapping.Moment) bool { return !holds(born) })
}

// certainlyAfter reports whether a is certainly later than b, by more than the given duration. It
// returns false if a or b isn't known. If the duration isn't 0, it also returns false unless both a
// and b are times with an offset.
func certainlyAfter(a, b mapping.Moment, by time.Duration) bool {
	if !a.Known() || !b.Known() || by > 0 && (!a.Instant || !b.Instant) {
		return false
	}
	return birth.After(a.Text, b.Text) && (by == 0 || a.At.Sub(b.At) > by)
}

// isTimed reports whether a period can be compared with all births as instants.
func (c *course) isTimed(p fhir.Period) bool {
	start, end := mapping.MomentOf(p.Start), mapping.MomentOf(p.End)
	exact := func(m mapping.Moment) bool { return m.Instant || !m.Known() }
	return (start.Known() || end.Known()) && exact(start) && exact(end) && ofAllBirths(c.bornAt, func(born mapping.Moment) bool { return born.Instant })
}

// lasted reports whether a stay included the day of the birth. A stay without an end is assumed to
// last a week. If it is marked as the stay for the birth or is still in progress, it is assumed to
// have no end.
func (s stay) lasted(born string) bool {
	included := s.timed || inForce(s.Period, born) // missesBirths has compared the times
	if s.isOfBirth() || timeIn(s.Period.End) != "" || s.isInProgress() {
		return included
	}
	return included && !longBefore(timeIn(s.Period.Start), born, 7)
}

// ofAnotherPregnancy reports whether a stay ended so long before the birth, or began so long after
// it, that it belongs to another pregnancy. This can be so even if it is marked as the stay for a
// birth. A stay without an end is assumed to end when it began, unless it is still in progress.
func (s stay) ofAnotherPregnancy(born string) bool {
	start, end := timeIn(s.Period.Start), timeIn(s.Period.End)
	if end == "" && !s.isInProgress() {
		end = start
	}
	return longBefore(end, born, birth.Pregnancy) || longAfter(start, born, birth.Pregnancy)
}

func (s stay) isInProgress() bool {
	return slices.Contains([]string{"in-progress", "onleave"}, strings.ToLower(s.Status))
}

// isOfBirth reports whether a stay is marked as the stay for the birth. If there is such a stay,
// other visits may have been at any time. The attendant is then read only from this stay and from
// stays whose dates include the birth.
func (s stay) isOfBirth() bool { return s.kind == birthStay || s.kind == maternityStay }

// during reports whether a stay has dates and they include the birth.
func (s stay) during(born string) bool {
	return born != "" && cmp.Or(timeIn(s.Period.Start), timeIn(s.Period.End)) != "" && s.lasted(born)
}

// places returns where a stay took place, and whether a birth at home was planned. A place where the
// patient certainly wasn't during the births shows only the plan. places doesn't read the display
// text of a reference to a Location, because this isn't the name of a facility (decision 30).
func (c *course) places(s stay) (settings []string, home bool) {
	setting, planned := birth.Must("birth_setting"), birth.Must("planned_birth_setting")
	for _, l := range s.Location {
		if l.PhysicalType == nil || l.Status == "planned" || l.Status == "reserved" {
			continue
		}
		option := mapping.OptionAmong(setting, l.PhysicalType.Coding, mapping.Meaning{})
		if mapping.OptionContradicted(setting, option, l.PhysicalType, false) {
			continue
		}
		if option != "" && !c.missed(l.Period) {
			settings = mapping.Union(settings, []string{option})
		}
		home = home || mapping.OptionAmong(planned, l.PhysicalType.Coding, mapping.Meaning{}) == "home"
	}
	return settings, home
}
