package mapping

import (
	"fmt"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// states collects values pushed by a Bundle.
type states struct{ birth.Values }

func (s *states) text(field, text string) {
	if text != "" {
		s.Set(birth.Must(field), birth.Value{Text: text, Source: birth.FHIRPush})
	}
}

func (s *states) number(field string, n fhir.Number) {
	if n.Set {
		s.Set(birth.Must(field), birth.Value{Number: n.Float, Source: birth.FHIRPush})
	}
}

func (s *states) flag(field string, flag bool) {
	s.Set(birth.Must(field), birth.Value{Flag: flag, Source: birth.FHIRPush})
}

func (s *states) codes(field string, codes []string) {
	if len(codes) > 0 {
		s.Set(birth.Must(field), birth.Value{Set: codes, Source: birth.FHIRPush})
	}
}

func motherValues(p *fhir.Patient) birth.Values {
	var s states
	family, given := nameOf(p.Name)
	s.text("mother_family_name", family)
	s.text("mother_given_names", given)
	date, _ := birthDate(p)
	s.text("mother_birth_date", date)
	s.text("mother_postal_code", postalCode(p.Address))
	race := birth.Must("mother_race")
	s.codes("mother_race", categories(p.Extension.Find("us-core-race"), race))
	ethnicity := birth.Must("mother_ethnicity")
	if codes := categories(p.Extension.Find("us-core-ethnicity"), ethnicity); len(codes) > 0 {
		s.text("mother_ethnicity", codes[0])
	}
	return s.Values
}

func (c *course) childValues(i int, p *fhir.Patient) birth.Values {
	var s states
	family, given := nameOf(p.Name)
	s.text("child_family_name", family)
	s.text("child_given_names", given)
	date, at := birthDate(p)
	s.text("birth_date", date)
	s.text("birth_datetime", at)
	s.text("child_sex", sex(p))
	s.number("birth_order", p.MultipleBirth)
	if alive, told := c.bornAlive(i, p); told {
		s.flag("live_birth", alive)
	}
	return s.Values
}

// nameOf picks a name: the official one, then the usual, then any but a
// maiden or old one, which is taken only when there is no other.
func nameOf(names []fhir.HumanName) (family, given string) {
	rank := map[string]int{"official": 0, "usual": 1, "": 2, "maiden": 4, "old": 5}
	best, bestRank := fhir.HumanName{}, 10
	for _, name := range names {
		r, known := rank[name.Use]
		if !known {
			r = 3
		}
		if empty := name.Family == "" && len(name.Given) == 0 && name.Text == ""; r < bestRank && !empty {
			best, bestRank = name, r
		}
	}
	given = known(strings.Join(strings.Fields(strings.Join(best.Given, " ")), " "))
	family = known(best.Family)
	if family == "" && given == "" {
		return known(best.Text), ""
	}
	return family, given
}

// known drops what real documents write for a name that is not known.
func known(name string) string {
	switch strings.ToUpper(strings.TrimSpace(name)) {
	case "UNK", "UNKNOWN", "NULL":
		return ""
	}
	return name
}

// postalCode is that of the residence (use home), not of the mailing address.
func postalCode(addresses []fhir.Address) string {
	fallback := ""
	for _, a := range addresses {
		if a.Use == "home" && a.PostalCode != "" {
			return a.PostalCode
		}
		if fallback == "" && a.Use != "billing" && a.Use != "old" {
			fallback = a.PostalCode
		}
	}
	return fallback
}

// sex reads us-core-birthsex as a code or a concept, else gender.
func sex(p *fhir.Patient) string {
	field := birth.Must("child_sex")
	if e := p.Extension.Find("birthsex"); e != nil {
		code := e.ValueCode
		if c := e.ValueCodeableConcept; c != nil && len(c.Coding) > 0 {
			code = c.Coding[0].Code
		}
		if option := field.OptionFor(code, false); option != "" {
			return option
		}
	}
	return field.OptionFor(p.Gender, false)
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
		if option := field.OptionFor(part.ValueCoding.Code, false); option != "" {
			codes = append(codes, option)
		}
	}
	return codes
}

// birthDate returns the date and, where it is stated, the date with the time
// of day: birthDate, its patient-birthTime extension, or a partial date-time
// extension, whose missing parts are left out.
func birthDate(p *fhir.Patient) (date, at string) {
	date, _ = birth.ParseDate(p.BirthDate)
	partial := p.BirthDateElement.Extension.Find("partial-date")
	if partial != nil {
		if d, t := partialDate(partial); len(d) > len(date) {
			date, at = d, t
		} else if t != "" && d == date {
			at = t
		}
	}
	if e := p.BirthDateElement.Extension.Find("patient-birthtime"); e != nil {
		if t, ok := birth.ParseDateTime(e.ValueDateTime); ok && len(t) > len("2006-01-02") {
			at = t
			if len(date) < len("2006-01-02") {
				date = t[:len("2006-01-02")]
			}
		}
	}
	return date, at
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
			if who == nil || who.ValueCodeableConcept == nil || !who.ValueCodeableConcept.HasCode("MTH") {
				continue
			}
			if age != nil && age.ValueQuantity != nil && unitOf(age.ValueQuantity) == "a" {
				s := states{d.Mother}
				s.number("mother_age_years", age.ValueQuantity.Value)
				d.Mother = s.Values
				return
			}
		}
	}
}
