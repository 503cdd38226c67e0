package mapping

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// FieldValue is a field with the value that an Observation states for it.
type FieldValue struct {
	Field *birth.Field
	Value birth.Value
}

// CategoryCodes are the codes of Observations whose value is a finding that may belong to
// one of several fields. "Other" and "unknown" therefore state nothing about any of these
// fields, and a number states nothing at all.
var CategoryCodes = []string{"73775-9", "73813-8", "73781-7"}

// ValuesOf reads the value of an Observation as a field: mostly one value; gestational
// age and cord clamping give two. It returns none for a data-absent reason, a null
// flavor, a negative number, an unknown unit, a value out of range (decisions 29, 34) and
// an Observation with two values. why is then the reason, and "" otherwise.
func ValuesOf(obs *fhir.Observation, r Meaning) (values []FieldValue, why Reason) {
	if why = hidden(obs); why != "" {
		return nil, why
	}
	if valuesIn(obs) > 1 {
		return nil, SeveralValues
	}
	switch r.Field.Name {
	case "gestational_age_weeks":
		return GestationOf(obs)
	case "delayed_cord_clamping":
		if q := obs.ValueQuantity; q != nil {
			return clamping(Measured(q, "s", false))
		}
	}
	value, why := valueOf(obs, r)
	if why == "" {
		value, why = accept(r.Field, value)
	}
	if why != "" && valuesIn(obs) == 0 {
		why = NoValue
	}
	return []FieldValue{{r.Field, value}}, why
}

// accept returns the value as the field may keep it, or the reason it may not.
func accept(field *birth.Field, value birth.Value) (birth.Value, Reason) {
	kept, ok := field.Accept(value)
	switch {
	case ok:
		return kept, ""
	case field.Kind == birth.Int && value.Number != math.Trunc(value.Number):
		return kept, NotWhole
	case field.Kind == birth.Int || field.Kind == birth.Decimal:
		return kept, OutOfRange
	case field.Kind == birth.Date || field.Kind == birth.DateTime:
		return kept, NotADate
	case field.Kind == birth.Text:
		return kept, MeansUnknown
	}
	return kept, UnknownOption
}

// hidden returns the reason when an Observation states that it has no value, or has one
// that could not be read; else "".
func hidden(obs *fhir.Observation) Reason {
	if obs.DataAbsentReason != nil || isValueAbsent(obs) {
		return NoValue
	}
	if slices.ContainsFunc(obs.Lost, func(member string) bool {
		return member == "dataAbsentReason" || strings.Contains(member, "value")
	}) {
		return Unreadable
	}
	return ""
}

// isValueAbsent reports whether the value is marked as absent, whatever it contains: some
// programs write a zero or a no together with the reason.
func isValueAbsent(obs *fhir.Observation) bool {
	q, c := obs.ValueQuantity, obs.ValueCodeableConcept
	return IsAbsent(obs.ValueDateTimeElement.All()) || IsAbsent(obs.ValueIntegerElement.All()) ||
		IsAbsent(obs.ValueBooleanElement.All()) || IsAbsent(obs.ValueStringElement.All()) ||
		q != nil && IsAbsent(q.Extension) ||
		c != nil && IsAbsent(c.Extension)
}

// IsAbsent reports whether the extensions of an element state why it has no value. A
// missing part, such as the day of a date, doesn't count.
func IsAbsent(of fhir.Extensions) bool {
	return slices.ContainsFunc(of, func(x fhir.Extension) bool { return x.Is("data-absent-reason") })
}

// valuesIn counts the values of an Observation; FHIR allows one.
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

// valueOf returns the value as one of the field's kind, or the reason it isn't one.
func valueOf(obs *fhir.Observation, r Meaning) (birth.Value, Reason) {
	switch r.Field.Kind {
	case birth.Int, birth.Decimal:
		if yes, ok := finding(obs, r); ok {
			return birth.Value{Number: map[bool]float64{true: 1, false: 0}[yes]}, ""
		}
		if r.Category {
			return birth.Value{}, OtherFinding
		}
		n, why := amount(obs, r.Field, r.Own)
		return birth.Value{Number: n}, why
	case birth.Bool:
		return flagOf(obs, r)
	case birth.Code:
		code := optionOf(obs, r)
		return birth.Value{Text: code}, r.unless(code != "", UnknownOption)
	case birth.Codes:
		code := optionOf(obs, r)
		return birth.Value{Set: []string{code}}, r.unless(code != "", UnknownOption)
	case birth.Date:
		at := DateTimeOf(obs)
		return birth.Value{Text: at[:min(len(at), len("2006-01-02"))]}, r.unless(at != "", NotADate)
	case birth.DateTime:
		at := DateTimeOf(obs)
		return birth.Value{Text: at}, r.unless(at != "", NotADate)
	default: // a text, whose only code is the service's own
		return birth.Value{Text: obs.ValueString}, ""
	}
}

// unless returns the reason why, or "" when ok. Under the code of a category the value
// may be the finding of another field.
func (r Meaning) unless(ok bool, why Reason) Reason {
	switch {
	case ok:
		return ""
	case r.Category:
		return OtherFinding
	}
	return why
}

// amount reads a number in the field's unit. Measurements are rounded to whole units, and
// times down to completed seconds or hours; a count or a score must be whole. own means that the code
// is the service's own, whose definition has the unit.
func amount(obs *fhir.Observation, field *birth.Field, own bool) (float64, Reason) {
	n, why := numberOf(obs, field.Unit, own)
	switch {
	case why != "":
		return 0, why
	case n < 0:
		return 0, NegativeNumber
	}
	switch {
	case field.Kind != birth.Int:
	case slices.Contains([]string{"g", "mL", "s", "h"}, field.Unit):
		n = whole(n, field.Unit)
	}
	return n, ""
}

// whole returns a measured amount in whole units: the nearest, but of times the completed
// ones.
func whole(n float64, unit string) float64 {
	if unit == "s" || unit == "h" {
		return passed(n)
	}
	return math.Round(n)
}

// passed returns completed seconds or hours. The margin makes up for rounding in the
// conversion.
func passed(seconds float64) float64 { return math.Floor(seconds + 1e-6) }

// NumberIn reads a number in a unit from an Observation with a code of another system.
func NumberIn(obs *fhir.Observation, unit string) (float64, bool) {
	n, why := numberOf(obs, unit, false)
	return n, why == ""
}

// numberOf reads a number in a unit; fixed means that a bare number is in this unit.
func numberOf(obs *fhir.Observation, unit string, fixed bool) (float64, Reason) {
	fixed = fixed || unitless(unit)
	if obs.ValueQuantity != nil {
		return Measured(obs.ValueQuantity, unit, fixed)
	}
	n := obs.ValueInteger
	if !n.Set {
		n = fhir.ParseNumber(obs.ValueString)
	}
	switch {
	case !n.Set:
		return 0, NotANumber
	case !fixed:
		return n.Float, NoUnit
	}
	return n.Float, ""
}

// Measured reads an amount in a unit; fixed means that a bare number is in this unit.
func Measured(q *fhir.Quantity, unit string, fixed bool) (float64, Reason) {
	switch {
	case !q.Value.Set:
		return 0, NotANumber
	case q.Comparator != "":
		return 0, WithComparator
	case UnitsDiffer(q):
		return 0, UnitContradicts
	case UnitOf(q) == "" && !fixed:
		return q.Value.Float, NoUnit
	case UnitOf(q) == "":
		return q.Value.Float, ""
	}
	n, ok := Convert(q.Value.Float, UnitOf(q), unit)
	if !ok {
		return n, UnknownUnit
	}
	return n, ""
}

// GestationOf reads completed weeks and further days; an amount in days is divided by 7.
func GestationOf(obs *fhir.Observation) ([]FieldValue, Reason) {
	weeksField, daysField := birth.Must("gestational_age_weeks"), birth.Must("gestational_age_days")
	stands, why := amount(obs, weeksField, true)
	if why != "" {
		return nil, why
	}
	weeks, part := math.Modf(stands)
	// 39 wk states no days; 39.5 wk and 277 d do. They are rounded to the nearest day:
	// 38.9 wk and 38.857 wk are 38 weeks and 6 days.
	exact, further := part > 0, min(6, max(0, math.Ceil(part*7-0.5)))
	if q := obs.ValueQuantity; q != nil {
		if u, _ := UnitNamed(UnitOf(q)); u == Units["d"] {
			weeks, further, exact = math.Floor(q.Value.Float/7), math.Floor(math.Mod(q.Value.Float, 7)), true
		}
	}
	value, why := accept(weeksField, birth.Value{Number: weeks})
	if why != "" {
		return nil, why
	}
	values := []FieldValue{{weeksField, value}}
	if exact {
		values = append(values, FieldValue{daysField, birth.Value{Number: further}})
	}
	return values, ""
}

// clamping returns the seconds until the cord was clamped, unless why states that they
// aren't known.
func clamping(seconds float64, why Reason) ([]FieldValue, Reason) {
	value, refused := accept(birth.Must("cord_clamping_seconds"), birth.Value{Number: passed(seconds)})
	return []FieldValue{
		{birth.Must("delayed_cord_clamping"), birth.Value{Flag: seconds >= birth.DelayedClamping}},
		{birth.Must("cord_clamping_seconds"), value},
	}, cmp.Or(why, refused)
}

// flagOf reads a yes or no: a finding of the field's category, a boolean, or a yes/no
// code of any system.
func flagOf(obs *fhir.Observation, r Meaning) (birth.Value, Reason) {
	if yes, ok := finding(obs, r); ok {
		return birth.Value{Flag: yes}, ""
	}
	if len(r.Field.Yes) > 0 && !r.Own {
		return birth.Value{}, OtherFinding
	}
	switch {
	case obs.ValueBoolean != nil:
		return birth.Value{Flag: *obs.ValueBoolean}, ""
	case obs.ValueCodeableConcept != nil:
		yes, ok := YesNo(obs.ValueCodeableConcept.Coding...)
		return birth.Value{Flag: yes}, r.unless(ok, UnknownOption)
	case obs.ValueString != "":
		yes, ok := YesNo(fhir.Coding{Code: strings.TrimSpace(obs.ValueString)})
		return birth.Value{Flag: yes}, r.unless(ok, UnknownOption)
	}
	return birth.Value{}, UnknownOption
}

// finding reads the value as one of the field's findings.
func finding(obs *fhir.Observation, r Meaning) (yes, ok bool) {
	if obs.ValueCodeableConcept == nil {
		return false, false
	}
	return eitherOf(obs.ValueCodeableConcept.Coding, r.Field.Yes, r.Field.No)
}

// The answers to a question, from v2-0136 and v2-0532, SNOMED CT, LOINC and plain words.
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

// YesNo reads a yes or a no, by codes or in a word.
func YesNo(codings ...fhir.Coding) (yes, ok bool) { return eitherOf(codings, yesAnswers, noAnswers) }

// eitherOf reports which of two answers the codings give; ok is false when they give
// both.
func eitherOf(codings []fhir.Coding, yes, no []birth.Coding) (isYes, ok bool) {
	isYes, isNo := AnyOf(codings, yes), AnyOf(codings, no)
	return isYes, isYes != isNo
}

// Codes of HL7's tables: the role of a participant, the origin and destination of a
// hospitalization, and the urgency.
var (
	MotherRole, ChildRole    = hl7("MTH"), hl7("CHILD")
	fromHospital, toFacility = hl7("hosp-trans"), hl7("other-hcf")
	urgent, elective         = hl7("EM", "UR", "S", "A"), hl7("EL", "R")
)

func hl7(codes ...string) (all []birth.Coding) {
	for _, code := range codes {
		all = append(all, birth.Coding{System: birth.HL7, Code: code})
	}
	return all
}

func AnyOf(codings []fhir.Coding, meant []birth.Coding) bool {
	return slices.ContainsFunc(codings, func(c fhir.Coding) bool {
		return slices.ContainsFunc(meant, func(m birth.Coding) bool { return m.Is(c.System, c.Code) })
	})
}

// optionOf reads the value as one of the field's options.
func optionOf(obs *fhir.Observation, r Meaning) string {
	return OptionAmong(r.Field, codingsOf(obs), r)
}

// OptionAmong returns the option that the codings mean, or "" when they mean different
// ones.
func OptionAmong(field *birth.Field, codings []fhir.Coding, r Meaning) (option string) {
	for _, coding := range codings {
		switch o := field.OptionFor(coding.System, coding.Code, r.Own); {
		case o == "" || o == option || r.Category && (o == "other" || o == "unknown"):
		case option != "" && o == "unknown":
		case option != "" && option != "unknown":
			return ""
		default:
			option = o
		}
	}
	return option
}

// codingsOf returns the codes that can state a value; a boolean reads as the code "true"
// or "false".
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

func DateTimeOf(obs *fhir.Observation) string {
	for _, text := range []string{obs.ValueDateTime, strings.TrimSpace(obs.ValueString)} {
		if at, ok := birth.ParseDateTime(text); ok {
			return at
		}
	}
	if e := obs.ValueDateTimeElement.All().Find("partial-date"); e != nil {
		date, at := partialDate(e)
		if at != "" {
			return at
		}
		return date
	}
	return ""
}
