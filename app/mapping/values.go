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
// none (decisions 29, 34), nor does an Observation with two values.
func valuesOf(obs *fhir.Observation, r reading) ([]stated, bool) {
	if hidden(obs) || valuesIn(obs) > 1 {
		return nil, false
	}
	switch r.field.Name {
	case "gestational_age_weeks":
		return gestation(obs)
	case "delayed_cord_clamping":
		if q := obs.ValueQuantity; q != nil {
			seconds, ok := measured(q, "s", false)
			return clamping(seconds, ok)
		}
	}
	value, ok := valueOf(obs, r)
	if ok {
		value, ok = r.field.Accept(value)
	}
	return []stated{{r.field, value}}, ok
}

// hidden reports whether an Observation says that it has no value, or has one that
// could not be read.
func hidden(obs *fhir.Observation) bool {
	if obs.DataAbsentReason != nil || isValueAbsent(obs) {
		return true
	}
	return slices.ContainsFunc(obs.Lost, func(member string) bool {
		return member == "dataAbsentReason" || strings.Contains(member, "value")
	})
}

// isValueAbsent reports whether the value itself says that it is not there, whatever
// stands in it: some programs write a zero or a no beside the reason.
func isValueAbsent(obs *fhir.Observation) bool {
	elements := []fhir.Element{obs.ValueDateTimeElement, obs.ValueIntegerElement, obs.ValueBooleanElement, obs.ValueStringElement}
	if q := obs.ValueQuantity; q != nil {
		elements = append(elements, fhir.Element{Extension: q.Extension})
	}
	if c := obs.ValueCodeableConcept; c != nil {
		elements = append(elements, fhir.Element{Extension: c.Extension})
	}
	return slices.ContainsFunc(elements, isAbsent)
}

// isAbsent reports whether an element says why it has no value. What is absent of a
// part of it is another thing: of a date the day.
func isAbsent(e fhir.Element) bool {
	return slices.ContainsFunc(e.Extension, func(x fhir.Extension) bool { return x.Is("data-absent-reason") })
}

// valuesIn counts the values of an Observation, of which FHIR allows one.
func valuesIn(obs *fhir.Observation) (n int) {
	for _, there := range [...]bool{
		obs.ValueQuantity != nil, obs.ValueInteger.Set, obs.ValueBoolean != nil, obs.ValueString != "", obs.ValueDateTime != "",
		obs.ValueCodeableConcept != nil, bool(obs.ValueRange), bool(obs.ValueRatio), bool(obs.ValueSampledData), bool(obs.ValueTime),
		bool(obs.ValuePeriod),
	} {
		if there {
			n++
		}
	}
	return n
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
		n, ok := amount(obs, r.field, r.own)
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
	default: // a text, which has no code but the service's own
		return birth.Value{Text: obs.ValueString}, true
	}
}

// amount reads a number in the field's unit. What is measured is rounded to
// whole units, and of time the whole seconds that have passed count; a count or
// a score that is not whole is none. own says that the code is the service's own,
// whose definition has the unit.
func amount(obs *fhir.Observation, field *birth.Field, own bool) (float64, bool) {
	n, ok := numberOf(obs, field.Unit, own)
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

// number reads a number in a unit under the code of another code system.
func number(obs *fhir.Observation, unit string) (float64, bool) { return numberOf(obs, unit, false) }

// numberOf reads a number in a unit; fixed says that one without a unit is in it.
func numberOf(obs *fhir.Observation, unit string, fixed bool) (float64, bool) {
	fixed = fixed || unitless(unit)
	if obs.ValueQuantity != nil {
		return measured(obs.ValueQuantity, unit, fixed)
	}
	n := obs.ValueInteger
	if !n.Set {
		n = fhir.ParseNumber(obs.ValueString)
	}
	return n.Float, n.Set && fixed
}

// measured reads an amount in a unit; fixed says that one without a unit is in it.
func measured(q *fhir.Quantity, unit string, fixed bool) (float64, bool) {
	switch {
	case !q.Value.Set || q.Comparator != "" || contradicts(q):
		return 0, false
	case unitOf(q) == "":
		return q.Value.Float, fixed
	}
	return convert(q.Value.Float, unitOf(q), unit)
}

// gestation reads completed weeks and further days; days are divided by 7.
func gestation(obs *fhir.Observation) ([]stated, bool) {
	weeksField, daysField := birth.Must("gestational_age_weeks"), birth.Must("gestational_age_days")
	stands, ok := amount(obs, weeksField, true)
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

func clamping(seconds float64, ok bool) ([]stated, bool) {
	value, possible := birth.Must("cord_clamping_seconds").Accept(birth.Value{Number: passed(seconds)})
	return []stated{
		{birth.Must("delayed_cord_clamping"), birth.Value{Flag: seconds >= birth.DelayedClamping}},
		{birth.Must("cord_clamping_seconds"), value},
	}, ok && possible
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
		yes, ok := yesNo(obs.ValueCodeableConcept.Coding...)
		return birth.Value{Flag: yes}, ok
	case obs.ValueString != "":
		yes, ok := yesNo(fhir.Coding{Code: strings.TrimSpace(obs.ValueString)})
		return birth.Value{Flag: yes}, ok
	}
	return birth.Value{}, false
}

// finding reads the value as one of the field's findings.
func finding(obs *fhir.Observation, r reading) (yes, ok bool) {
	if obs.ValueCodeableConcept == nil {
		return false, false
	}
	return eitherOf(obs.ValueCodeableConcept.Coding, r.field.Yes, r.field.No)
}

// The answers to a question: of v2-0136 and v2-0532, SNOMED CT, LOINC and plain words.
var (
	yesAnswers = []birth.Coding{
		{System: birth.YesNo, Code: "Y"},
		{System: birth.SNOMED, Code: "373066001"},
		{System: birth.LOINC, Code: "LA33-6"},
		{System: birth.Own, Code: "true"},
		{System: birth.Own, Code: "yes"},
	}
	noAnswers = []birth.Coding{
		{System: birth.YesNo, Code: "N"},
		{System: birth.SNOMED, Code: "373067005"},
		{System: birth.LOINC, Code: "LA32-8"},
		{System: birth.Own, Code: "false"},
		{System: birth.Own, Code: "no"},
	}
)

// yesNo reads a yes or a no, by codes or in a word.
func yesNo(codings ...fhir.Coding) (yes, ok bool) { return eitherOf(codings, yesAnswers, noAnswers) }

// eitherOf tells which of two answers the codings give. Codings that give both give
// none.
func eitherOf(codings []fhir.Coding, yes, no []birth.Coding) (isYes, ok bool) {
	isYes, isNo := anyOf(codings, yes), anyOf(codings, no)
	return isYes, isYes != isNo
}

// Codes of the tables of HL7: whose role it is, where somebody came from and went, and
// how urgently.
var (
	motherRole, childRole    = hl7("MTH"), hl7("CHILD")
	fromHospital, toFacility = hl7("hosp-trans"), hl7("other-hcf")
	urgent, elective         = hl7("EM", "UR", "S", "A"), hl7("EL", "R")
)

func hl7(codes ...string) (all []birth.Coding) {
	for _, code := range codes {
		all = append(all, birth.Coding{System: birth.HL7, Code: code})
	}
	return all
}

func anyOf(codings []fhir.Coding, meant []birth.Coding) bool {
	return slices.ContainsFunc(codings, func(c fhir.Coding) bool {
		return slices.ContainsFunc(meant, func(m birth.Coding) bool { return m.Is(c.System, c.Code) })
	})
}

// optionOf reads the value as one of the field's options.
func optionOf(obs *fhir.Observation, r reading) string {
	return optionAmong(r.field, codingsOf(obs), r)
}

// optionAmong finds the option that codings mean. Codings that mean different options
// tell none.
func optionAmong(field *birth.Field, codings []fhir.Coding, r reading) (option string) {
	for _, coding := range codings {
		switch o := field.OptionFor(coding.System, coding.Code, r.own); {
		case o == "" || o == option || r.category && (o == "other" || o == "unknown"):
		case option != "" && o == "unknown":
		case option != "" && option != "unknown":
			return ""
		default:
			option = o
		}
	}
	return option
}

// codingsOf lists the codes a value may be told by; a boolean reads as the code
// "true" or "false".
func codingsOf(obs *fhir.Observation) []fhir.Coding {
	switch {
	case obs.ValueCodeableConcept != nil:
		return obs.ValueCodeableConcept.Coding
	case obs.ValueBoolean != nil:
		return []fhir.Coding{{Code: strconv.FormatBool(*obs.ValueBoolean)}}
	case obs.ValueString != "":
		return []fhir.Coding{{Code: strings.TrimSpace(obs.ValueString)}}
	}
	return nil
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
