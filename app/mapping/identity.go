package mapping

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// NameOf returns a person's official name. If there is none, it returns the usual name or any other
// name. It returns a maiden or old name only if there is no other, and never a temporary or
// anonymous one. It skips a name that is a single text, because nobody knows which part is the
// family name. If a part means "unknown" (KnownName), NameOf returns "" for that part.
func NameOf(names []fhir.HumanName) (family, given string) {
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
	given = KnownName(strings.Join(strings.Fields(strings.Join(best.Given, " ")), " "))
	return KnownName(best.Family), given
}

// KnownName returns a name, or "" if the name is a word for "unknown" that real documents use.
func KnownName(name string) string {
	switch strings.ToUpper(strings.TrimSpace(name)) {
	case "UNK", "UNKNOWN", "NULL":
		return ""
	}
	return name
}

// BirthDate returns the date of birth. If the time of day is known, it also returns the date and
// time of birth, and otherwise "". BirthDate reads birthDate, its patient-birthTime extension, and
// a partial date-time extension, in which parts may be missing. The day of the time may differ from
// the date, which callers must check.
func BirthDate(p *fhir.Patient) (date, at string) {
	if !IsAbsent(p.BirthDateElement.All()) {
		date, _ = birth.ParseDate(p.BirthDate)
	}
	if partial := p.BirthDateElement.All().Find("partial-date"); partial != nil {
		if d, t := partialDate(partial); strings.HasPrefix(d, date) {
			date, at = d, t
		}
	}
	if e := BirthTime(p, date); e != nil {
		t, ok := birth.ParseDateTime(e.ValueDateTime)
		const day = len("2006-01-02")
		switch {
		case !ok || len(t) <= day:
		case len(date) == day:
			at = t
		case strings.HasPrefix(t, date):
			at = t
			if own := DateOf(t); len(own) > len(date) {
				date = own
			}
		}
	}
	return date, at
}

// DateOf returns the part of a date or time that is certain: the day, the month or the year. If the
// time is in UTC, the local date may be a day earlier or later. DateOf then returns only the month
// or the year, or "" if neither is certain.
func DateOf(at string) string {
	instant, exact := birth.Instant(at)
	if !exact || !strings.HasSuffix(at, "Z") {
		return at[:min(len(at), len(time.DateOnly))]
	}
	first, last := instant.Add(-12*time.Hour).Format(time.DateOnly), instant.Add(14*time.Hour).Format(time.DateOnly)
	for _, known := range []int{len("2006-01"), len("2006")} {
		if first[:known] == last[:known] {
			return first[:known]
		}
	}
	return ""
}

// BirthTime returns the patient-birthTime extension of a date of birth, or nil if there is none.
// Some systems put this extension on the Patient itself. It is used there only if date is a
// complete date.
func BirthTime(p *fhir.Patient, date string) *fhir.Extension {
	const name = "patient-birthtime"
	if e := p.BirthDateElement.All().Find(name); e != nil {
		return e
	}
	for i := range p.Extension {
		if e := &p.Extension[i]; e.Is(name) && len(date) == len("2006-01-02") {
			return e
		}
	}
	return nil
}

// partialDate reads a partial date-time extension. It returns the date, up to the first part that
// is missing. It also returns the date and time if all parts are there, and otherwise "".
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

// RaceCategories returns the field's options for the OMB categories in us-core-race or
// us-core-ethnicity. It returns nil if the extension e is nil.
func RaceCategories(e *fhir.Extension, field *birth.Field) []string {
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

// ethnicWords replaces the words of the CDC's names for the ethnicities by those of the labels.
var ethnicWords = strings.NewReplacer(" latino ", " latina ", " non hispanic ", " not hispanic ")

// NamesOther reports whether a text in us-core-race or us-core-ethnicity is the label of an option
// that isn't among the given codes.
func NamesOther(e *fhir.Extension, field *birth.Field, codes []string) bool {
	return e != nil && slices.ContainsFunc(e.Extension, func(part fhir.Extension) bool {
		text := part.ValueString
		if part.ValueCoding != nil {
			text = part.ValueCoding.Display
		}
		if text == "" {
			return false
		}
		options := labels()[field][ethnicWords.Replace(words(text))]
		return len(options) > 0 && !slices.ContainsFunc(options, func(option string) bool { return slices.Contains(codes, option) })
	})
}
