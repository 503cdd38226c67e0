package bundle

import (
	"cmp"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// stay is an Encounter with what it is to the birth.
type stay struct {
	mapping.Stay
	at   fhir.Place
	kind stayKind
	// apart is set when one of its types says that it was before the birth or after it.
	apart bool
}

type stayKind int

// The kinds of stay, from the one that knows most of the place of birth.
const (
	birthStay     stayKind = iota // Encounter-birth
	childStay                     // of a child
	maternityStay                 // Encounter-maternity: the mother's, for the birth
	otherStay                     // what it was for is not told
)

// stays puts the Encounters that happened, of the mother or a child, in the order of
// their kinds. One whose subject the document does not hold is the mother's or child's where it is marked
// as that of the birth.
func (c *course) stays() []stay {
	var all []stay
	for _, e := range c.encounters {
		s := stay{Stay: mapping.Stay{Encounter: &e.Encounter}, at: e.at, kind: c.kindOf(&e.Encounter)}
		switch whom, _ := c.subjects.whom(e.Subject); {
		case whom == stranger:
			c.trace.Drop(e.at, "", mapping.AboutAnother)
		case whom == missing && !s.isOfBirth():
			c.trace.Drop(e.at, "", mapping.AboutNobody)
		case e.Lost.Any("status", "type"): // whether it took place, or is a transfer, is left open
			c.trace.Drop(e.at, "", mapping.Unreadable)
		case !happened(&e.Encounter):
			c.trace.Drop(e.at, "", mapping.DoesNotStand)
		default:
			s.Stay = mapping.StayOf(s.Encounter, s.who())
			s.apart = isApart(s.Encounter)
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b stay) int { return cmp.Compare(a.kind, b.kind) })
	return all
}

// happened reports whether an Encounter took place.
func happened(e *fhir.Encounter) bool {
	return !slices.Contains([]string{"entered-in-error", "cancelled", "planned"}, strings.ToLower(e.Status))
}

// kindOf tells a stay by its profile, by BFDR's Extension-role, or by its
// subject; documents leave out any of them, and some name the wrong subject.
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
	if _, ok := c.subjects.children.find(e.Subject.Reference); ok {
		return childStay
	}
	return otherStay
}

// who the stay is of: mother, child, or "" when that is not told.
func (s stay) who() string {
	switch {
	case s.kind == birthStay || s.kind == childStay:
		return "child"
	case s.kind == maternityStay || s.Subject.Reference != "":
		return "mother"
	}
	return ""
}

// placeOf reads the place of birth from the stays of the first kind that tells one;
// two places are none. Other Encounters of the mother, such as the visits of her
// pregnancy, do so only where none is known to be of the birth, and never when they
// were at another time.
func placeOf(stays []stay, born string, care *states) {
	var settings []string
	kind, home, from := otherStay, false, []fhir.Place(nil)
	care.from(fhir.Place{}, "", "")
	for _, s := range stays {
		if s.kind == otherStay && stays[0].kind != otherStay || s.elsewhen(born) || len(settings) > 0 && s.kind != kind {
			continue
		}
		kind = s.kind
		known, planned := s.places()
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

// elsewhen reports whether a stay was before the birth or after it, by its type
// or its period: that of the birth itself never was. born is the day of birth, ""
// when it is not known.
func (s stay) elsewhen(born string) bool {
	return s.kind != birthStay && (s.apart || born != "" && !s.lasted(born))
}

// isApart reports whether a type of an Encounter is of care before the birth or after it.
func isApart(e *fhir.Encounter) bool {
	return slices.ContainsFunc(e.Type, func(t fhir.CodeableConcept) bool {
		phase := mapping.PhaseOf(mapping.SpacedWords(t))
		return phase == "antepartum" || phase == "postpartum"
	})
}

// lasted reports whether a stay held on the day of the birth. A visit that has begun
// and does not say that it ended is one of those days, unless it is marked as the
// birth's or goes on.
func (s stay) lasted(born string) bool {
	if s.isOfBirth() || timeIn(s.Period.End) != "" || slices.Contains([]string{"in-progress", "onleave"}, strings.ToLower(s.Status)) {
		return inForce(s.Period, born)
	}
	return inForce(s.Period, born) && !longBefore(timeIn(s.Period.Start), born, 7)
}

// isOfBirth reports whether a stay is marked as that of the birth. Where one is, who
// attended the birth is said there, and not by a visit that may have been at any time.
func (s stay) isOfBirth() bool { return s.kind == birthStay || s.kind == maternityStay }

// during reports whether a stay says that it was at the time of the birth.
func (s stay) during(born string) bool {
	return born != "" && cmp.Or(timeIn(s.Period.Start), timeIn(s.Period.End)) != "" && s.lasted(born)
}

// places tells where a stay was, and whether that was a birth planned at home. What a
// reference to a Location calls it is no name of a facility, and is not read
// (decisions 30).
func (s stay) places() (settings []string, home bool) {
	setting, planned := birth.Must("birth_setting"), birth.Must("planned_birth_setting")
	for _, l := range s.Location {
		if l.PhysicalType == nil || l.Status == "planned" || l.Status == "reserved" {
			continue
		}
		if option := mapping.OptionAmong(setting, l.PhysicalType.Coding, mapping.Meaning{}); option != "" {
			settings = mapping.Union(settings, []string{option})
		}
		home = home || mapping.OptionAmong(planned, l.PhysicalType.Coding, mapping.Meaning{}) == "home"
	}
	return settings, home
}
