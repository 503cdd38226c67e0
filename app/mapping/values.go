package mapping

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// stated is a field with the value an Observation gives it.
type stated struct {
	field *birth.Field
	value birth.Value
}

// categoryCodes are the Observations whose value is a finding that may belong
// to one of several fields, so that "other" and "unknown" say nothing about any of
// them, and a number says nothing at all.
var categoryCodes = []string{"73775-9", "73813-8", "73781-7"}

// valuesOf reads the value of an Observation as a field: mostly one value;
// gestational age and cord clamping give two. A data-absent reason, a null
// flavor, a negative number, an unknown unit and a value out of range give
// none (decisions 29, 34).
func valuesOf(obs *fhir.Observation, r reading) ([]stated, bool) {
	if obs.DataAbsentReason != nil {
		return nil, false
	}
	switch r.field.Name {
	case "gestational_age_weeks":
		return gestation(obs)
	case "delayed_cord_clamping":
		if seconds, ok := number(obs, "s"); ok && obs.ValueQuantity != nil && seconds >= 0 {
			return clamping(seconds), true
		}
	}
	value, ok := valueOf(obs, r)
	if ok {
		value, ok = r.field.Accept(value)
	}
	return []stated{{r.field, value}}, ok
}

func valueOf(obs *fhir.Observation, r reading) (birth.Value, bool) {
	switch r.field.Kind {
	case birth.Int, birth.Decimal:
		if yes, ok := finding(obs, r); ok {
			return birth.Value{Number: map[bool]float64{true: 1, false: 0}[yes]}, true
		}
		if r.category {
			return birth.Value{}, false
		}
		n, ok := amount(obs, r.field)
		return birth.Value{Number: n}, ok
	case birth.Bool:
		return flagOf(obs, r)
	case birth.Code:
		code := optionOf(obs, r)
		return birth.Value{Text: code}, code != ""
	case birth.Codes:
		code := optionOf(obs, r)
		return birth.Value{Set: []string{code}}, code != ""
	case birth.Date:
		at := dateTimeOf(obs)
		return birth.Value{Text: at[:min(len(at), len("2006-01-02"))]}, at != ""
	case birth.DateTime:
		at := dateTimeOf(obs)
		return birth.Value{Text: at}, at != ""
	default: // no text field is read from an Observation
		return birth.Value{}, false
	}
}

// amount reads a number in the field's unit. What is measured is rounded to
// whole units, and of time the whole seconds that have passed count; a count or
// a score that is not whole is none.
func amount(obs *fhir.Observation, field *birth.Field) (float64, bool) {
	n, ok := number(obs, field.Unit)
	if !ok || n < 0 {
		return 0, false
	}
	switch {
	case field.Kind != birth.Int:
	case field.Unit == "g" || field.Unit == "mL":
		n = math.Round(n)
	case field.Unit == "s":
		n = passed(n)
	}
	return n, true
}

// passed returns whole seconds; a conversion may have lost the last bit.
func passed(seconds float64) float64 { return math.Floor(seconds + 1e-6) }

func number(obs *fhir.Observation, unit string) (float64, bool) {
	switch q := obs.ValueQuantity; {
	case q != nil:
		if !q.Value.Set || q.Comparator != "" {
			return 0, false
		}
		return convert(q.Value.Float, unitOf(q), unit)
	case obs.ValueInteger.Set:
		return obs.ValueInteger.Float, true
	default:
		n := fhir.ParseNumber(obs.ValueString)
		return n.Float, n.Set
	}
}

// gestation reads completed weeks and further days; days are divided by 7.
func gestation(obs *fhir.Observation) ([]stated, bool) {
	weeksField, daysField := birth.Must("gestational_age_weeks"), birth.Must("gestational_age_days")
	stands, ok := amount(obs, weeksField)
	if !ok {
		return nil, false
	}
	weeks, part := math.Modf(stands)
	// 39 wk says nothing about days; 39.5 wk and 277 d do. The nearest day
	// counts: 38.9 wk and 38.857 wk are 38 weeks and 6 days.
	exact, further := part > 0, min(6, max(0, math.Ceil(part*7-0.5)))
	if q := obs.ValueQuantity; q != nil {
		if u, _ := unitNamed(unitOf(q)); u == units["d"] {
			weeks, further, exact = math.Floor(q.Value.Float/7), math.Floor(math.Mod(q.Value.Float, 7)), true
		}
	}
	value, ok := weeksField.Accept(birth.Value{Number: weeks})
	if !ok {
		return nil, false
	}
	values := []stated{{weeksField, value}}
	if exact {
		values = append(values, stated{daysField, birth.Value{Number: further}})
	}
	return values, true
}

func clamping(seconds float64) []stated {
	values := []stated{{birth.Must("delayed_cord_clamping"), birth.Value{Flag: seconds >= birth.DelayedClamping}}}
	if value, ok := birth.Must("cord_clamping_seconds").Accept(birth.Value{Number: passed(seconds)}); ok {
		values = append(values, stated{birth.Must("cord_clamping_seconds"), value})
	}
	return values
}

// flagOf reads a yes or no: a finding of the field's category, a boolean, or
// a yes/no code of any system.
func flagOf(obs *fhir.Observation, r reading) (birth.Value, bool) {
	if yes, ok := finding(obs, r); ok {
		return birth.Value{Flag: yes}, true
	}
	if len(r.field.Yes) > 0 && !r.own {
		return birth.Value{}, false // the category holds some other finding
	}
	switch {
	case obs.ValueBoolean != nil:
		return birth.Value{Flag: *obs.ValueBoolean}, true
	case obs.ValueCodeableConcept != nil:
		yes, ok := yesNo(*obs.ValueCodeableConcept)
		return birth.Value{Flag: yes}, ok
	case obs.ValueString != "":
		yes, ok := yesNoCode(strings.TrimSpace(obs.ValueString))
		return birth.Value{Flag: yes}, ok
	}
	return birth.Value{}, false
}

// finding reads the value as one of the field's findings.
func finding(obs *fhir.Observation, r reading) (yes, ok bool) {
	if obs.ValueCodeableConcept == nil {
		return false, false
	}
	if obs.ValueCodeableConcept.HasCode(r.field.Yes...) {
		return true, true
	}
	return false, obs.ValueCodeableConcept.HasCode(r.field.No...)
}

func yesNo(c fhir.CodeableConcept) (yes, ok bool) {
	for _, coding := range c.Coding {
		if yes, ok := yesNoCode(coding.Code); ok {
			return yes, true
		}
	}
	return false, false
}

// yesNoCode knows v2-0136 and v2-0532, SNOMED CT and LOINC answers.
func yesNoCode(code string) (yes, ok bool) {
	switch code {
	case "Y", "373066001", "LA33-6", "true", "yes":
		return true, true
	case "N", "373067005", "LA32-8", "false", "no":
		return false, true
	}
	return false, false
}

// optionOf reads the value as one of the field's options.
func optionOf(obs *fhir.Observation, r reading) string {
	for _, code := range codesOf(obs) {
		option := r.field.OptionFor(code, r.own)
		if option == "" || r.category && (option == "other" || option == "unknown") {
			continue
		}
		return option
	}
	return ""
}

// codesOf lists the codes a value may be told by; a boolean reads as the code
// "true" or "false".
func codesOf(obs *fhir.Observation) []string {
	var codes []string
	if c := obs.ValueCodeableConcept; c != nil {
		for _, coding := range c.Coding {
			codes = append(codes, coding.Code)
		}
	}
	if obs.ValueBoolean != nil {
		codes = append(codes, strconv.FormatBool(*obs.ValueBoolean))
	}
	if obs.ValueString != "" {
		codes = append(codes, strings.TrimSpace(obs.ValueString))
	}
	return slices.DeleteFunc(codes, func(code string) bool { return code == "" })
}

func dateTimeOf(obs *fhir.Observation) string {
	for _, text := range []string{obs.ValueDateTime, strings.TrimSpace(obs.ValueString)} {
		if at, ok := birth.ParseDateTime(text); ok {
			return at
		}
	}
	if e := obs.ValueDateTimeElement.Extension.Find("partial-date"); e != nil {
		date, at := partialDate(e)
		if at != "" {
			return at
		}
		return date
	}
	return ""
}
