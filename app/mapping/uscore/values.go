package uscore

import (
	"math"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// readAs reads the value of a finding as a field of the spine. It is stricter than for a
// pushed document: codes count only with their system, and a measure without a unit or a
// piece of an amount doesn't count.
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
	return values, why == "" && !f.halfFeet()
}

// halfFeet reports whether an amount has a fraction of a foot: 5.6 may mean 5 ft 6 in.
func (f *finding) halfFeet() bool {
	q := f.ValueQuantity
	if q == nil || f.words != "" {
		return false
	}
	u, _ := mapping.UnitNamed(mapping.UnitOf(q))
	return u == mapping.Units["[ft_i]"] && q.Value.Float != math.Trunc(q.Value.Float)
}

// halfWritten reports whether an amount has a fraction of a week that is not a whole
// number of days: 38.5 may mean 38 weeks and 5 days.
func (f *finding) halfWritten() bool {
	q := f.ValueQuantity
	if q == nil {
		return false
	}
	u, _ := mapping.UnitNamed(mapping.UnitOf(q))
	days := q.Value.Float * 7
	return u == mapping.Units["wk"] && math.Abs(days-math.Round(days)) > 0.06
}

// bare reports whether a field's number needs no unit: dates, counts and scores, and
// cigarettes a day, whose code states what is counted.
func bare(f *birth.Field) bool { return f.Unit == "" || f.Unit == "{score}" || f.Unit == "/d" }

// optionOf reads a coded value (SNOMED CT). It fails if the codings mean different
// options.
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

// summed adds up the two components of an Observation that has no value of its own, if
// both carry its code: 7 lb and 4 oz, 5 ft and 6 in, 36 wk and 2 d.
func summed(o fhir.ChartObservation) (sum *fhir.Quantity, words string) {
	if o.ValueQuantity != nil || len(o.Component) != 2 {
		return nil, ""
	}
	var amounts [2]float64
	var size [2]mapping.Unit
	for i, c := range o.Component {
		q := c.ValueQuantity
		if firstCode(c.Code) != firstCode(o.Code) || c.DataAbsentReason != nil || q == nil || !q.Value.Set || q.Comparator != "" || q.Value.Float < 0 || mapping.UnitsDiffer(q) || mapping.IsAbsent(q.Extension) {
			return nil, ""
		}
		amounts[i], size[i] = q.Value.Float, mapping.Units[strings.TrimSpace(mapping.UnitOf(q))]
	}
	if size[0].Size < size[1].Size {
		amounts[0], amounts[1], size[0], size[1] = amounts[1], amounts[0], size[1], size[0]
	}
	switch {
	case size[0] == mapping.Units["[lb_av]"] && size[1] == mapping.Units["[oz_av]"] && amounts[1] < 16:
		return &fhir.Quantity{Value: fhir.Number{Float: amounts[0]*16 + amounts[1], Set: true}, Code: "[oz_av]"},
			amountText(amounts[0]) + " lb " + amountText(amounts[1]) + " oz"
	case size[0] == mapping.Units["[ft_i]"] && size[1] == mapping.Units["[in_i]"] && amounts[1] < 12:
		return &fhir.Quantity{Value: fhir.Number{Float: amounts[0]*12 + amounts[1], Set: true}, Code: "[in_i]"},
			amountText(amounts[0]) + " ft " + amountText(amounts[1]) + " in"
	case size[0] == mapping.Units["wk"] && size[1] == mapping.Units["d"] && amounts[1] < 7:
		return &fhir.Quantity{Value: fhir.Number{Float: amounts[0]*7 + amounts[1], Set: true}, Code: "d"},
			amountText(amounts[0]) + " wk " + amountText(amounts[1]) + " d"
	}
	return nil, ""
}
