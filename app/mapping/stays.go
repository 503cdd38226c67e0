package mapping

import (
	"cmp"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// stay is an Encounter with what it is to the birth.
type stay struct {
	*fhir.Encounter
	kind stayKind
	// transfer is set when its type, which says said, names a transfer of care.
	transfer bool
	said     string
}

type stayKind int

// The kinds of stay, from the one that knows most of the place of birth.
const (
	birthStay     stayKind = iota // Encounter-birth
	childStay                     // of a child
	maternityStay                 // Encounter-maternity: the mother's, for the birth
	otherStay                     // what it was for is not told
)

// stays puts the Encounters that happened in the order of their kinds.
func (c *course) stays() []stay {
	var all []stay
	for _, e := range c.encounters {
		if e.Status != "entered-in-error" && e.Status != "cancelled" {
			s := stay{Encounter: e, kind: c.kindOf(e)}
			s.said, s.transfer = transferType(e)
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b stay) int { return cmp.Compare(a.kind, b.kind) })
	return all
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
		case role.ValueCodeableConcept.HasCode("CHILD"):
			return birthStay
		case role.ValueCodeableConcept.HasCode("MTH"):
			return maternityStay
		}
	}
	if _, ok := c.childAt.find(e.Subject.Reference); ok {
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

// placeOf reads the place of birth from the first stay that tells one. Other
// Encounters of the mother, such as the visits of her pregnancy, do so only
// where none is known to be of the birth, and never when they were at another
// time.
func placeOf(stays []stay, born string, care *states) {
	for _, s := range stays {
		if s.kind == otherStay && stays[0].kind != otherStay || s.kind != birthStay && s.elsewhen(born) {
			continue
		}
		if s.place(care) {
			return
		}
	}
}

// elsewhen reports whether a stay was before the birth or after it, by its type
// or its period. born is the date of birth, "" when it is not known to the day.
func (s stay) elsewhen(born string) bool {
	for _, t := range s.Type {
		if phase := phaseOf(words(t)); phase == "antepartum" || phase == "postpartum" {
			return true
		}
	}
	const day = len("2006-01-02")
	return len(born) == day &&
		(len(s.Period.End) >= day && s.Period.End[:day] < born || len(s.Period.Start) >= day && s.Period.Start[:day] > born)
}

// place states where a stay was, as far as it tells.
func (s stay) place(care *states) (told bool) {
	setting, planned := birth.Must("birth_setting"), birth.Must("planned_birth_setting")
	for _, l := range s.Location {
		if l.Location.Display != "" && !care.Has("facility_name") {
			care.text("facility_name", l.Location.Display)
			told = true
		}
		if l.PhysicalType == nil {
			continue
		}
		for _, coding := range l.PhysicalType.Coding {
			if option := setting.OptionFor(coding.Code, false); option != "" && !care.Has(setting.Name) {
				care.text(setting.Name, option)
				told = true
			}
			if option := planned.OptionFor(coding.Code, false); option == "home" && !care.Has(planned.Name) {
				care.text(planned.Name, option)
			}
		}
	}
	return told
}
