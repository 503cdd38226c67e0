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

// motherValues returns the mother's values at the birth, as read from her Patient. The birth is on
// the day c.born, which is "" if the day isn't known.
func (c *course) motherValues(p *patientEntry) birth.Values {
	s, born := c.states(nil), c.born
	if p.marked {
		c.trace.DropAll(p.at, mapping.Modified)
		return s.Values
	}
	family, given := mapping.NameOf(current(p.Name, born))
	s.from(p.at, ".name", mapping.NoName)
	s.text("mother_family_name", family)
	s.text("mother_given_names", given)
	s.birthDate("mother_birth_date", p)
	s.from(p.at, ".address", mapping.NoResidence).text("mother_postal_code", postalCode(p.Address, born))
	c.origin(&s, p)
	return s.Values
}

// origin sets the mother's race and ethnicity. It leaves one out if the texts of its extension name
// something other than its codes.
func (c *course) origin(s *states, p *patientEntry) {
	race, e := birth.Must("mother_race"), p.Extension.Find("us-core-race")
	s.from(p.at, c.trace.ExtensionAt(p.Extension, e), mapping.UnknownOption)
	if codes := mapping.RaceCategories(e, race); mapping.NamesOther(e, race, codes) {
		c.trace.Drop(s.at, s.member, mapping.TextContradicts)
	} else {
		s.codes(race.Name, codes)
	}
	ethnicity, e := birth.Must("mother_ethnicity"), p.Extension.Find("us-core-ethnicity")
	s.from(p.at, c.trace.ExtensionAt(p.Extension, e), mapping.UnknownOption)
	switch codes := slices.Compact(mapping.RaceCategories(e, ethnicity)); {
	case mapping.NamesOther(e, ethnicity, codes):
		c.trace.Drop(s.at, s.member, mapping.TextContradicts)
	case len(codes) == 1: // more than one would be ambiguous
		s.text(ethnicity.Name, codes[0])
	}
}

func (c *course) childValues(i int, p *patientEntry) birth.Values {
	s := c.states(nil)
	s.child = i
	if p.marked {
		c.trace.DropAll(p.at, mapping.Modified)
		return s.Values
	}
	for _, member := range [...]string{".multipleBirthBoolean", "._multipleBirthBoolean", "._multipleBirthInteger", "._deceasedBoolean"} {
		c.trace.Drop(p.at, member, mapping.OnlyChecked)
	}
	family, given := mapping.NameOf(current(p.Name, "")) // a name that has ended was corrected
	s.from(p.at, ".name", mapping.NoName)
	s.text("child_family_name", family)
	s.text("child_given_names", given)
	date, at := s.birthDate("birth_date", p)
	member := cmp.Or(c.trace.ExtensionAt(p.Extension, mapping.BirthTime(&p.Patient, date)), "._birthDate")
	if s.from(p.at, member, mapping.NotADate); onDay(at, date) {
		s.text("birth_datetime", at)
	} else if at != "" {
		c.trace.Drop(p.at, member, mapping.NotOfTheDay)
	}
	e := p.Extension.Find("birthsex")
	option, stated := sex(e, p.Gender)
	s.from(p.at, ".gender", mapping.UnknownOption)
	if e != nil {
		s.from(p.at, c.trace.ExtensionAt(p.Extension, e), mapping.UnknownOption)
		if stated {
			c.trace.Drop(p.at, ".gender", mapping.Superseded)
		} else {
			s.member = ".gender"
		}
	}
	s.text("child_sex", option)
	s.from(p.at, ".multipleBirthInteger", mapping.NotANumber).number("birth_order", p.MultipleBirth)
	if alive, known, by := c.bornAlive(i, p); known {
		s.from(by.at, by.member, mapping.OnlyChecked).flag("live_birth", alive)
	}
	return s.Values
}

// current returns a person's names on a given day. If the day isn't known, it returns the names
// without an end. If there are no such names, it returns all names. The argument born is the day,
// or "" if it isn't known.
func current(names []fhir.HumanName, born string) []fhir.HumanName {
	var kept []fhir.HumanName
	for _, name := range names {
		if inForce(name.Period, born) {
			kept = append(kept, name)
		}
	}
	if kept == nil {
		return names
	}
	return kept
}

// postalCode returns the postal code of the home address at the time of the birth. If there is no
// home address, it uses addresses that don't say what they are for. It returns "" if there are two
// different postal codes.
func postalCode(addresses []fhir.Address, born string) string {
	for _, use := range []string{"home", ""} {
		var codes []string
		homes := 0
		for _, a := range addresses {
			if a.Use != use || a.Type == "postal" || !inForce(a.Period, born) {
				continue
			}
			homes++
			if code := strings.TrimSpace(a.PostalCode); code != "" {
				codes = mapping.Union(codes, []string{code})
			}
		}
		switch {
		case len(codes) == 1:
			return codes[0]
		case homes > 0:
			return ""
		}
	}
	return ""
}

// inForce reports whether a period includes a day. If the day is "", it reports whether the period
// has no end. It ignores a start or an end that isn't a date. Of a time, only the date counts, as it
// is written.
func inForce(p fhir.Period, day string) bool {
	start, end := mapping.MomentOf(p.Start).Date(), mapping.MomentOf(p.End).Date()
	switch {
	case day == "":
		return end == ""
	case end != "" && birth.After(day, end):
		return false
	}
	return start == "" || !birth.After(start, day)
}

// sex returns the sex of a child. It uses the extension us-core-birthsex (e, or nil), which may
// have a code or a concept. If this doesn't decide, it uses gender. It also reports whether the
// extension decided. If the extension's texts contradict its code, the sex is "".
func sex(e *fhir.Extension, gender string) (option string, stated bool) {
	field := birth.Must("child_sex")
	if e != nil {
		code := fhir.Coding{Code: e.ValueCode}
		if c := e.ValueCodeableConcept; c != nil && len(c.Coding) > 0 {
			code = c.Coding[0]
		}
		option = field.OptionFor(code.System, code.Code, false)
		if c := e.ValueCodeableConcept; c != nil && mapping.OptionContradicted(field, option, c, false) {
			return "", true
		}
		if option != "" {
			return option, true
		}
	}
	if option = field.OptionFor("", gender, false); option == "" {
		option = field.OptionFor("", strings.ToLower(gender), false)
	}
	return option, false
}

// onDay reports whether a time is on a day. If the time is in UTC, it must be on that day in some
// time zone. A time on another day isn't the time of this birth.
func onDay(at, day string) bool {
	if strings.HasPrefix(at, day) {
		return true
	}
	instant, ok := birth.Instant(at)
	if !ok || !strings.HasSuffix(at, "Z") {
		return false
	}
	const west, east = -12 * time.Hour, 14 * time.Hour
	return instant.Add(west).Format(time.DateOnly) == day || instant.Add(east).Format(time.DateOnly) == day
}

// mapReportedAge reads the mother's age in years from an extension on a child's Patient. If both
// dates of birth are known, masking replaces it with the computed age.
func (c *course) mapReportedAge(d *birth.Draft) {
	for _, child := range c.children {
		for i := range child.Extension {
			e := &child.Extension[i]
			if !e.Is("reported-parent-age") {
				continue
			}
			who, age := e.Extension.Find("motherorfather"), e.Extension.Find("reportedage")
			if who == nil || who.ValueCodeableConcept == nil || !mapping.AnyOf(who.ValueCodeableConcept.Coding, mapping.MotherRole) {
				continue
			}
			if age == nil || age.ValueQuantity == nil {
				continue
			}
			at := c.trace.ExtensionAt(child.Extension, e)
			years, why := mapping.Measured(age.ValueQuantity, "a", false)
			c.trace.Drop(child.at, at, why)
			if why == "" {
				s := c.states(d.Mother)
				s.from(child.at, at, "").number("mother_age_years", fhir.Number{Float: years, Set: true})
				d.Mother = s.Values
				return
			}
		}
	}
}
