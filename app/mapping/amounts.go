package mapping

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// amount returns a number in the field's unit. For a field of whole numbers, it rounds grams and
// milliliters to the nearest unit, and rounds times down to completed seconds or hours. It doesn't
// round a count or a score, which must be whole. If own is set, the Observation's code is one of
// the service's own codes, whose definitions fix the unit.
func amount(obs *fhir.Observation, field *birth.Field, own bool) (float64, Reason) {
	n, why := numberOf(obs, field.Unit, own)
	switch {
	case why != "":
		return 0, why
	case n < 0:
		return 0, NegativeNumber
	}
	if field.Kind == birth.Int && slices.Contains([]string{"g", "mL", "s", "h"}, field.Unit) {
		n = whole(n, field.Unit)
	}
	return n, ""
}

// whole rounds a measured amount to a whole number of units. It rounds to the nearest unit, but
// rounds times down to completed units.
func whole(n float64, unit string) float64 {
	if unit == "s" || unit == "h" {
		return passed(n)
	}
	return math.Round(n)
}

// passed rounds a number of seconds or hours down to a whole number. A small margin compensates for
// errors that come from converting units.
func passed(seconds float64) float64 { return math.Floor(seconds + 1e-6) }

// NumberIn returns the number in an Observation, converted to a unit. The Observation's code must
// not be one of the service's own codes. NumberIn returns false if there is no such number.
func NumberIn(obs *fhir.Observation, unit string) (float64, bool) {
	n, why := numberOf(obs, unit, false)
	return n, why == ""
}

// numberOf returns the number in an Observation, converted to a unit. A number may lack its unit if
// fixed is set, or if the unit needn't be stated (unitless). It is then assumed to be in this unit.
func numberOf(obs *fhir.Observation, unit string, fixed bool) (float64, Reason) {
	fixed = fixed || unitless(unit)
	if obs.ValueQuantity != nil {
		return Measured(obs.ValueQuantity, unit, fixed)
	}
	n := obs.ValueInteger
	if !n.Set {
		n = fhir.ParseNumber(obs.ValueString)
	}
	if written, ok := writtenAmount(obs.ValueString, unit); ok && !n.Set {
		return written, ""
	}
	switch {
	case !n.Set:
		return 0, NotANumber
	case !fixed:
		return n.Float, NoUnit
	}
	return n.Float, ""
}

// writtenAmount reads a text with an amount and its units, such as 7 lb 8 oz, 3420 g or 5'6". It
// returns the amount converted to the given unit, or false if it can't read the text.
func writtenAmount(text, unit string) (float64, bool) {
	target, known := UnitNamed(unit)
	named := strings.ContainsFunc(text, unicode.IsLetter) || strings.ContainsAny(text, `'"`)
	if !known || target.Base == "1" || !named || len(text) > longestAmount || partOfFoot.MatchString(text) {
		return 0, false
	}
	return ReadAmount(&birth.Field{Kind: birth.Decimal, Unit: unit}, text)
}

// partOfFoot matches feet with a decimal fraction. Such an amount isn't read, because 5.6 ft may
// mean 5 ft 6 in.
var partOfFoot = regexp.MustCompile(`(?i)[.,]\d+ *(?:ft|feet|foot|')`)

// longestAmount is the maximum length, in bytes, of a text that is read as an amount.
const longestAmount = 40

// Measured returns an amount converted to a unit, or the reason why it can't be read. If fixed is
// set, an amount without a unit is assumed to be in this unit.
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
	case isPartOfFoot(q):
		return q.Value.Float, NotWhole
	}
	n, ok := Convert(q.Value.Float, UnitOf(q), unit)
	if !ok {
		return n, UnknownUnit
	}
	return n, ""
}

// isPartOfFoot reports whether an amount is in feet with a decimal fraction (partOfFoot).
func isPartOfFoot(q *fhir.Quantity) bool {
	if q.Value.Float == math.Trunc(q.Value.Float) {
		return false
	}
	u, _ := UnitNamed(UnitOf(q))
	return u == Units["[ft_i]"]
}

// GestationIn reads a gestational age in weeks and days from a text, such as 36w2d or 36+2.
func GestationIn(text string) ([]FieldValue, Reason) {
	weeks, days, both := ReadGestation(text)
	if !both {
		return nil, NotANumber
	}
	q := &fhir.Quantity{Code: "d"}
	q.Value = fhir.Number{Float: fhir.ParseNumber(weeks).Float*7 + fhir.ParseNumber(days).Float, Set: true}
	return GestationOf(&fhir.Observation{ValueQuantity: q})
}

// GestationOf reads a gestational age from an Observation. It returns the completed weeks and also
// the further days, if the amount has them. An amount in days is divided by 7.
func GestationOf(obs *fhir.Observation) ([]FieldValue, Reason) {
	if values, why := GestationIn(obs.ValueString); why == "" {
		return values, ""
	}
	weeksField, daysField := birth.Must("gestational_age_weeks"), birth.Must("gestational_age_days")
	stands, why := amount(obs, weeksField, true)
	if why != "" {
		return nil, why
	}
	weeks, part := math.Modf(stands)
	// 39 wk says nothing about days, but 38.857 wk and 277 d do. Days are rounded to the nearest
	// day, so 38.9 wk and 38.857 wk are both 38 weeks and 6 days.
	exact, further := part > 0 && !maybeDays(part), min(6, max(0, math.Ceil(part*7-0.5)))
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

// maybeDays reports whether the decimal fraction of a number of weeks may be a number of days. Many
// people write 39.2 for 39 weeks and 2 days.
func maybeDays(part float64) bool {
	tenths := math.Round(part * 10)
	return math.Abs(part*10-tenths) < 1e-6 && tenths >= 2 && tenths <= 6
}

// clamping returns values for two fields. They are whether the clamping of the cord was delayed,
// and after how many seconds the cord was clamped. The values are valid only if the returned reason
// is "".
func clamping(seconds float64, why Reason) ([]FieldValue, Reason) {
	value, refused := accept(birth.Must("cord_clamping_seconds"), birth.Value{Number: passed(seconds)})
	return []FieldValue{
		{birth.Must("delayed_cord_clamping"), birth.Value{Flag: seconds >= birth.DelayedClamping}},
		{birth.Must("cord_clamping_seconds"), value},
	}, cmp.Or(why, refused)
}
