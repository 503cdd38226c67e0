package mapping

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// motherValues reads what her Patient says of the mother at the birth, of which
// c.born is the day, "" when it is not known.
func (c *course) motherValues(p *person) birth.Values {
	s, born := c.states(nil), c.born
	family, given := nameOf(current(p.Name, born))
	s.from(p.at, ".name", NoName)
	s.text("mother_family_name", family)
	s.text("mother_given_names", given)
	s.birthDate("mother_birth_date", p)
	s.from(p.at, ".address", NoResidence).text("mother_postal_code", postalCode(p.Address, born))
	race := birth.Must("mother_race")
	e := p.Extension.Find("us-core-race")
	s.from(p.at, c.trace.extensionAt(p.Extension, e), UnknownOption).codes("mother_race", categories(e, race))
	ethnicity := birth.Must("mother_ethnicity")
	e = p.Extension.Find("us-core-ethnicity")
	s.from(p.at, c.trace.extensionAt(p.Extension, e), UnknownOption)
	if codes := slices.Compact(categories(e, ethnicity)); len(codes) == 1 {
		s.text("mother_ethnicity", codes[0]) // two of them tell neither
	}
	return s.Values
}

func (c *course) childValues(i int, p *person) birth.Values {
	s := c.states(nil)
	s.child = i
	for _, member := range [...]string{".multipleBirthBoolean", "._multipleBirthBoolean", "._multipleBirthInteger", "._deceasedBoolean"} {
		c.trace.drop(p.at, member, OnlyChecked)
	}
	family, given := nameOf(p.Name)
	s.from(p.at, ".name", NoName)
	s.text("child_family_name", family)
	s.text("child_given_names", given)
	date, at := s.birthDate("birth_date", p)
	if s.from(p.at, "._birthDate", NotADate); onDay(at, date) {
		s.text("birth_datetime", at)
	} else if at != "" {
		c.trace.drop(p.at, "._birthDate", NotOfTheDay)
	}
	e := p.Extension.Find("birthsex")
	option, stated := sex(e, p.Gender)
	s.from(p.at, ".gender", UnknownOption)
	if e != nil {
		s.from(p.at, c.trace.extensionAt(p.Extension, e), UnknownOption)
		if stated {
			c.trace.drop(p.at, ".gender", Superseded)
		} else {
			s.member = ".gender"
		}
	}
	s.text("child_sex", option)
	s.from(p.at, ".multipleBirthInteger", NotANumber).number("birth_order", p.MultipleBirth)
	if alive, told, by := c.bornAlive(i, p); told {
		s.from(by.at, by.member, OnlyChecked).flag("live_birth", alive)
	}
	return s.Values
}

// nameOf picks a name: the official one, then the usual, then any but a
// maiden or old one, which is taken only when there is no other. One that is
// temporary or stands for none is no name, and of one in one piece nobody can tell
// which part is the family's.
func nameOf(names []fhir.HumanName) (family, given string) {
	rank := map[string]int{"official": 0, "usual": 1, "": 2, "maiden": 4, "old": 5, "anonymous": 10, "temp": 10}
	best, bestRank := fhir.HumanName{}, 10
	for _, name := range names {
		r, known := rank[name.Use]
		if !known {
			r = 3
		}
		if empty := name.Family == "" && len(name.Given) == 0; r < bestRank && !empty {
			best, bestRank = name, r
		}
	}
	given = known(strings.Join(strings.Fields(strings.Join(best.Given, " ")), " "))
	return known(best.Family), given
}

// known drops what real documents write for a name that is not known.
func known(name string) string {
	switch strings.ToUpper(strings.TrimSpace(name)) {
	case "UNK", "UNKNOWN", "NULL":
		return ""
	}
	return name
}

// current leaves out the names that were not hers any more or not yet, unless there
// is no other.
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

// postalCode is that of the residence: of the home address in force at the birth, else
// of one of which it is not said what it is for. Two of them tell neither.
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
				codes = union(codes, []string{code})
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

// inForce reports whether a period held on a day; where the day is not known, whether
// it holds still. What of a period is no date is not there.
func inForce(p fhir.Period, day string) bool {
	start, end := timeIn(p.Start), timeIn(p.End)
	switch {
	case day == "":
		return end == ""
	case end != "" && birth.After(day, end):
		return false
	}
	return start == "" || !birth.After(start, day)
}

// sex reads us-core-birthsex, nil without one, as a code or a concept, else gender;
// stated reports that the extension states the sex.
func sex(e *fhir.Extension, gender string) (option string, stated bool) {
	field := birth.Must("child_sex")
	if e != nil {
		code := fhir.Coding{Code: e.ValueCode}
		if c := e.ValueCodeableConcept; c != nil && len(c.Coding) > 0 {
			code = c.Coding[0]
		}
		if option := field.OptionFor(code.System, code.Code, false); option != "" {
			return option, true
		}
	}
	return field.OptionFor("", gender, false), false
}

// categories reads the OMB categories of us-core-race or us-core-ethnicity.
func categories(e *fhir.Extension, field *birth.Field) []string {
	if e == nil {
		return nil
	}
	var codes []string
	for _, part := range e.Extension {
		if part.ValueCoding == nil || !part.Is("ombcategory") {
			continue
		}
		if option := field.OptionFor(part.ValueCoding.System, part.ValueCoding.Code, false); option != "" {
			codes = append(codes, option)
		}
	}
	return codes
}

// birthDate returns the date and, where it is stated, the date with the time
// of day: birthDate, its patient-birthTime extension, or a partial date-time
// extension, whose missing parts are left out. The time may be of another day than
// the date (onDay).
func birthDate(p *fhir.Patient) (date, at string) {
	if !isAbsent(p.BirthDateElement.All()) {
		date, _ = birth.ParseDate(p.BirthDate)
	}
	if partial := p.BirthDateElement.All().Find("partial-date"); partial != nil {
		if d, t := partialDate(partial); strings.HasPrefix(d, date) {
			date, at = d, t
		}
	}
	if e := p.BirthDateElement.All().Find("patient-birthtime"); e != nil {
		t, ok := birth.ParseDateTime(e.ValueDateTime)
		const day = len("2006-01-02")
		switch {
		case !ok || len(t) <= day:
		case len(date) == day:
			at = t
		case strings.HasPrefix(t, date):
			date, at = t[:day], t
		}
	}
	return date, at
}

// onDay reports whether a time is of a day: by its own clock, or where it is told in
// UTC by that of some place. A time of another day is not that of this birth.
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

// partialDate reads the year, month, day and time of a partial date-time
// extension as far as they go.
func partialDate(e *fhir.Extension) (date, at string) {
	year, ok := datePart(e, "year")
	if !ok {
		return "", ""
	}
	date = fmt.Sprintf("%04d", year)
	for _, part := range []string{"month", "day"} {
		n, ok := datePart(e, part)
		if !ok {
			break
		}
		date += fmt.Sprintf("-%02d", n)
	}
	date, _ = birth.ParseDate(date)
	if t := e.Extension.Find("time"); t != nil && len(date) == len("2006-01-02") {
		at, _ = birth.ParseDateTime(date + "T" + t.ValueTime)
	}
	return date, at
}

func datePart(e *fhir.Extension, name string) (int, bool) {
	part := e.Extension.Find(name)
	if part == nil {
		return 0, false
	}
	for _, n := range []fhir.Number{part.ValueUnsignedInt, part.ValueInteger, part.ValuePositiveInt} {
		if n.Set && n.Float >= 1 && n.Float <= 9999 {
			return int(n.Float), true
		}
	}
	return 0, false
}

// mapReportedAge takes the mother's age as reported on a child, in years.
// Masking replaces it by the computed one where the dates tell.
func (c *course) mapReportedAge(d *birth.Draft) {
	for _, child := range c.children {
		for i := range child.Extension {
			e := &child.Extension[i]
			if !e.Is("reported-parent-age") {
				continue
			}
			who, age := e.Extension.Find("motherorfather"), e.Extension.Find("reportedage")
			if who == nil || who.ValueCodeableConcept == nil || !anyOf(who.ValueCodeableConcept.Coding, motherRole) {
				continue
			}
			if age == nil || age.ValueQuantity == nil {
				continue
			}
			at := c.trace.extensionAt(child.Extension, e)
			years, why := measured(age.ValueQuantity, "a", false)
			c.trace.drop(child.at, at, why)
			if why == "" {
				s := c.states(d.Mother)
				s.from(child.at, at, "").number("mother_age_years", fhir.Number{Float: years, Set: true})
				d.Mother = s.Values
				return
			}
		}
	}
}
