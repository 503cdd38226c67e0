package uscore

import (
	"math"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// readAs returns the value of a finding for a field of the spine. It is stricter than the reader of
// Bundles. It reads a code only with its code system, and a measurement only with its unit. If
// several components of an Observation have the same code, it reads none of them.
func (f *finding) readAs(field *birth.Field) ([]mapping.FieldValue, bool) {
	switch {
	case f.piece, f.ValueQuantity != nil && mapping.UnitsDiffer(f.ValueQuantity):
		return nil, false
	case field.Kind == birth.Code:
		return f.optionOf(field)
	case field.Name == "gestational_age_weeks" && f.ValueQuantity == nil:
		values, why := mapping.GestationIn(f.ValueString)
		return values, why == ""
	case f.ValueQuantity == nil && !bare(field):
		return nil, false
	}
	values, why := mapping.ValuesOf(&f.Observation, mapping.Meaning{Field: field})
	if len(values) > 1 && f.halfWritten() { // the weeks are certain
		values = values[:1]
	}
	return values, why == ""
}

// halfWritten reports whether an amount has a fraction of a week that isn't a whole number of days.
// For example, 38.5 may mean 38 weeks and 5 days.
func (f *finding) halfWritten() bool {
	q := f.ValueQuantity
	if q == nil {
		return false
	}
	u, _ := mapping.UnitNamed(mapping.UnitOf(q))
	days := q.Value.Float * 7
	return u == mapping.Units["wk"] && math.Abs(days-math.Round(days)) > 0.06
}

// bare reports whether a field's number needs no unit. This is so for dates, counts and scores. It
// is also so for cigarettes a day, because the code says what is counted.
func bare(f *birth.Field) bool { return f.Unit == "" || f.Unit == "{score}" || f.Unit == "/d" }

// optionOf returns the option of a field that a coded value stands for (SNOMED CT). It fails if the
// codings stand for no option or for different ones, or if the words contradict the option.
func (f *finding) optionOf(field *birth.Field) ([]mapping.FieldValue, bool) {
	option := ""
	if f.ValueCodeableConcept == nil {
		return nil, false
	}
	for _, coding := range f.ValueCodeableConcept.Coding {
		if mapping.SystemOf(coding.System) != mapping.SNOMEDURL {
			continue
		}
		switch o := field.OptionFor("", coding.Code, false); {
		case o == "" || o == "unknown" || o == option:
		case option != "":
			return nil, false
		default:
			option = o
		}
	}
	return []mapping.FieldValue{{Field: field, Value: birth.Value{Text: option}}}, option != "" && !f.valueDenies(option)
}

// summed returns the total of two components of an Observation, and how the chart writes this
// amount. It returns nil and "" if the components don't make up one amount.
func summed(o *fhir.Observation) (sum *fhir.Quantity, words string) {
	s, ok := mapping.SumOf(o)
	if !ok {
		return nil, ""
	}
	return s.Amount, amountText(s.Larger) + " " + s.Units[0] + " " + amountText(s.Smaller) + " " + s.Units[1]
}
