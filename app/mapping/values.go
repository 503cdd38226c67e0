package mapping

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// FieldValue is a field and the value that an Observation has for it.
type FieldValue struct {
	Field *birth.Field
	Value birth.Value
}

// CategoryCodes are the codes of Observations about a category of findings. The finding may belong
// to one of several fields. The answers "other" and "unknown" therefore say nothing about any of
// these fields, and a number isn't read.
var CategoryCodes = []string{"73775-9", "73813-8", "73781-7"}

// ValuesOf returns the value of an Observation for a field. For a gestational age or cord clamping,
// it may return two values. The values are valid only if why is "".
//
// Otherwise, why is the reason why there is no value. Examples are a data-absent reason, a null
// flavor, a negative number, an unknown unit, a value out of range (decisions 29, 34), two values
// in one Observation, and a text that contradicts the code.
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
	switch {
	case why != "" && valuesIn(obs) == 0:
		why = NoValue
	case why == "" && contradicted(obs, r, value):
		why = TextContradicts
	}
	return []FieldValue{{r.Field, value}}, why
}

// accept returns a value in the form in which the field stores it. If the field doesn't accept the
// value, it returns the reason.
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

// hidden returns a reason if an Observation is marked as having no value, or if its value couldn't
// be read. Otherwise, it returns "".
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

// isValueAbsent reports whether the value is marked as absent. The value may still contain
// something, because some programs write a zero or a no together with the reason.
func isValueAbsent(obs *fhir.Observation) bool {
	q, c := obs.ValueQuantity, obs.ValueCodeableConcept
	return IsAbsent(obs.ValueDateTimeElement.All()) || IsAbsent(obs.ValueIntegerElement.All()) ||
		IsAbsent(obs.ValueBooleanElement.All()) || IsAbsent(obs.ValueStringElement.All()) ||
		q != nil && IsAbsent(q.Extension) ||
		c != nil && IsAbsent(c.Extension)
}

// IsAbsent reports whether the extensions of an element say that the element has no value. It
// returns false if only a part is missing, such as the day of a date.
func IsAbsent(of fhir.Extensions) bool {
	return slices.ContainsFunc(of, func(x fhir.Extension) bool { return x.Is("data-absent-reason") })
}

// HasValue reports whether an Observation has a value itself, and not only in its components.
func HasValue(obs *fhir.Observation) bool { return valuesIn(obs) > 0 }

// valuesIn returns the number of values in an Observation. FHIR allows only one.
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

// valueOf returns the Observation's value as a value of the field's kind. If it can't be read as
// one, valueOf returns the reason.
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
	default: // a text field, which only the service's own code can state
		return birth.Value{Text: obs.ValueString}, ""
	}
}

// unless returns "" if ok is set. Otherwise, it returns why. If the Observation's code is for a
// category, however, it returns OtherFinding, because the value may be a finding for another field.
func (r Meaning) unless(ok bool, why Reason) Reason {
	switch {
	case ok:
		return ""
	case r.Category:
		return OtherFinding
	}
	return why
}

// DateTimeOf returns the date in an Observation, with the time of day if there is one. It returns
// "" if there is no date.
func DateTimeOf(obs *fhir.Observation) string {
	for _, text := range []string{obs.ValueDateTime, strings.TrimSpace(obs.ValueString)} {
		if at, ok := birth.ParseDateTime(text); ok {
			return at
		}
	}
	if e := obs.ValueDateTimeElement.All().Find("partial-date"); e != nil {
		date, at := partialDate(e)
		return cmp.Or(at, date)
	}
	return ""
}
