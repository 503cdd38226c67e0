package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

func TestUnitsAreConvertedToThoseOfTheSpine(t *testing.T) {
	for _, c := range []struct {
		field string
		value any
		unit  string
		want  string
	}{
		{"birth_weight_g", 3400, "g", "3400"},
		{"birth_weight_g", 3374.87, "g", "3375"},
		{"birth_weight_g", 3.4, "kg", "3400"},
		{"birth_weight_g", 3.3055, "KG", "3306"},
		{"birth_weight_g", 7.5, "[lb_av]", "3402"},
		{"birth_weight_g", 7.5, "lb_av", "3402"},
		{"birth_weight_g", 7.5, "lb", "3402"},
		{"birth_weight_g", 7.5, "lbs", "3402"},
		{"birth_weight_g", 120, "[oz_av]", "3402"},
		{"birth_weight_g", 120, "oz", "3402"},
		{"birth_weight_g", 3400, "gram", "3400"},
		{"birth_weight_g", 3400, " grams ", "3400"},
		{"birth_weight_g", 99, "g", ""},
		{"birth_weight_g", 10, "kg", ""},
		{"birth_weight_g", 9.998, "kg", "9998"},
		{"birth_weight_g", 9.999, "kg", ""},
		{"birth_weight_g", 3400, "", "3400"},
		{"birth_weight_g", 7.5, "pounds", "3402"},
		{"birth_weight_g", 3400, "{weight}", ""},
		{"birth_weight_g", 3400, "stone", ""},
		{"birth_weight_g", 3400, "mL", ""},
		{"birth_weight_g", 3400, "1", ""},
		{"mother_height_in", 66, "[in_i]", "66"},
		{"mother_height_in", 66, "in_i", "66"},
		{"mother_height_in", 66, "in", "66"},
		{"mother_height_in", 168, "cm", "66.1"},
		{"mother_height_in", 1.68, "m", "66.1"},
		{"mother_height_in", 1680, "mm", "66.1"},
		{"mother_height_in", 5, "[ft_i]", "60"},
		{"mother_height_in", 5.6, "[ft_i]", ""}, // it may be 5 ft 6 in
		{"mother_height_in", 5.5, "feet", ""},
		{"mother_height_in", 168, "kg", ""},
		{"prepregnancy_weight_lb", 142, "[lb_av]", "142"},
		{"prepregnancy_weight_lb", 142.26, "lb_av", "142.3"},
		{"prepregnancy_weight_lb", 64.4, "kg", "142"},
		{"prepregnancy_weight_lb", 64400, "g", "142"},
		{"blood_loss_ml", 250, "mL", "250"},
		{"blood_loss_ml", 250, "ml", "250"},
		{"blood_loss_ml", 0.25, "L", "250"},
		{"blood_loss_ml", 2.5, "dL", "250"},
		{"blood_loss_ml", 25, "cL", "250"},
		{"blood_loss_ml", 250, "g", ""},
		{"blood_loss_ml", 0, "mL", "0"},
		{"blood_loss_ml", -0.4, "mL", ""},
		{"cigarettes_per_day_pre", 5, "/d", "5"},
		{"cigarettes_per_day_pre", 5, "{cigarettes}/d", "5"},
		{"cigarettes_per_day_pre", 1, "{packs}/d", ""},
		{"cigarettes_per_day_pre", 5, "", "5"},
		{"cigarettes_per_day_pre", 5, "{cigarettes}", "5"},
		{"cigarettes_per_day_pre", 1, "{packs}", ""},
		{"gravida", 2, "", "2"},
		{"gravida", 2, "1", "2"},
		{"gravida", 2, "{count}", "2"},
		{"gravida", 2, "{pregnancies}", "2"},
		{"gravida", 2, "kg", ""},
		{"cord_clamping_seconds", 2, "min", "120"},
		{"cord_clamping_seconds", 2, "mins", "120"},
		{"cord_clamping_seconds", 90, "secs", "90"},
		{"age_at_death_hours", 3, "hrs", "3"},
		{"cord_clamping_seconds", 0.01, "h", "36"},
		{"gestational_age_days", 3, "d", "3"},
	} {
		d := courseOf(t, obs(c.field, quantity(c.value, c.unit)))
		require.Equal(t, c.want, stated(d, c.field), "%s: %v %q", c.field, c.value, c.unit)
	}
}

// 82 may be kilograms, so under a LOINC code, a mass, a length or a volume must state its
// unit.
func TestAMassLengthOrVolumeUnderALOINCCodeNeedsAUnit(t *testing.T) {
	for code, field := range map[string]string{
		"8339-4": "birth_weight_g", "8302-2": "mother_height_in", "3137-7": "mother_height_in", "56077-1": "prepregnancy_weight_lb",
		"69461-2": "delivery_weight_lb",
	} {
		n := birth.Must(field).Max
		for _, value := range []m{
			{"valueInteger": n},
			{"valueString": "82"},
			{"valueQuantity": m{"value": n}},
			{"valueQuantity": m{"value": n, "unit": ""}},
			{"valueQuantity": m{"value": n, "system": "http://unitsofmeasure.org"}},
		} {
			require.Empty(t, stated(courseOf(t, obs(code, value)), field), "%s %s", code, text(t, value))
			own := stated(courseOf(t, obs(field, value)), field)
			require.Equal(t, value["valueString"] == nil || field != "birth_weight_g", own != "", "the service's own code fixes the unit: %s", text(t, value))
		}
	}
}

func TestAHeightInFeetAndInchesIsReadAsItIsWritten(t *testing.T) {
	for written, want := range map[string]string{
		`5'6"`: "66", `5' 6"`: "66", "5 ft 6 in": "66", "5ft 6.5in": "66.5", "66 in": "66", `66"`: "66", "5.6 ft": "", "5.6'": "", "5.6 feet": "", `5"6`: "", "5'13\"": "", "5-6": "",
	} {
		require.Equal(t, want, stated(courseOf(t, obs("8302-2", m{"valueString": written})), "mother_height_in"), written)
	}
}

func TestAnAmountWithAnUnclearUnitStatesNoValue(t *testing.T) {
	const ucum = "http://unitsofmeasure.org"
	for _, c := range []struct {
		name string
		of   m
		want string
	}{
		{"its text and its code are of one unit", m{"value": 3400, "unit": "grams", "code": "g", "system": ucum}, "3400"},
		{"a text that nobody here knows", m{"value": 3400, "unit": "Gramm", "code": "g", "system": ucum}, "3400"},
		{"grams, coded as kilograms", m{"value": 3.4, "unit": "g", "code": "kg", "system": ucum}, ""},
		{"pounds, coded as grams", m{"value": 3400, "unit": "lb", "code": "g", "system": ucum}, ""},
		{"without a system, too", m{"value": 3400, "unit": "lb", "code": "g"}, ""},
		{"a code of another system", m{"value": 3400, "unit": "g", "code": "g", "system": "http://snomed.info/sct"}, ""},
		{"a code of a system of its own", m{"value": 3400, "code": "g", "system": "urn:units"}, ""},
		{"a code that UCUM does not have", m{"value": 3400, "unit": "g", "code": "grams", "system": ucum + "/x"}, ""},
		{"UCUM tells cases apart", m{"value": 3.4, "code": "KG", "system": ucum}, ""},
		{"by its OID", m{"value": 3.4, "code": "kg", "system": "urn:oid:2.16.840.1.113883.6.8"}, "3400"},
		{"a code that is no text", m{"value": 3400, "unit": "g", "code": 5}, ""},
		{"a value that is none", m{"value": l{3400}, "unit": "g"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, stated(courseOf(t, obs("8339-4", m{"valueQuantity": c.of})), "birth_weight_g"))
		})
	}
	require.Equal(t, "3400", stated(courseOf(t, obs("8339-4", quantity(3.4, "KG"))), "birth_weight_g"), "without a system people are meant")
}

func TestAnObservationWithTwoValuesStatesNone(t *testing.T) {
	for _, value := range []m{
		quantity(3400, "g").With(m{"valueInteger": 7}), quantity(3400, "g").With(m{"valueString": "3500 g"}),
		quantity(3400, "g").With(coded("UNK")), quantity(3400, "g").With(m{"valueBoolean": true}),
		quantity(3400, "g").With(m{"valueInteger": true}), quantity(3400, "g").With(m{"valueCodeableConcept": "x"}),
		quantity(3400, "g").With(m{"dataAbsentReason": "unknown"}), quantity(3400, "g").With(m{"dataAbsentReason": m{}}),
	} {
		require.Empty(t, stated(courseOf(t, obs("8339-4", value)), "birth_weight_g"), text(t, value))
	}
}

func TestTheCodeOfAQuantityCountsBeforeItsUnit(t *testing.T) {
	require.Equal(t, "g", mapping.UnitOf(&fhir.Quantity{Code: "g", Unit: "kg"}))
	require.Equal(t, "kg", mapping.UnitOf(&fhir.Quantity{Unit: "kg"}))
	require.Empty(t, mapping.UnitOf(&fhir.Quantity{}))
}

func TestEveryUnitOfTheSpineIsKnown(t *testing.T) {
	for _, f := range birth.Spine {
		if f.Unit == "" {
			continue
		}
		_, known := mapping.UnitNamed(f.Unit)
		require.True(t, known, "%s: %s", f.Name, f.Unit)
		same, ok := mapping.Convert(12.3, f.Unit, f.Unit)
		require.True(t, ok)
		require.Equal(t, 12.3, same)
	}
}

func TestNothingIsConvertedIntoAnotherDimension(t *testing.T) {
	for from, a := range mapping.Units {
		for to, b := range mapping.Units {
			_, ok := mapping.Convert(1, from, to)
			require.Equal(t, a.Base == b.Base, ok, "%s to %s", from, to)
		}
	}
}

func TestAUnitTextInSeveralWordsContradictsItsCodeToo(t *testing.T) {
	weight := func(value any, code, text string) m {
		return obs("8339-4", m{"valueQuantity": m{"value": value, "code": code, "unit": text, "system": "http://unitsofmeasure.org"}})
	}
	for _, c := range []struct{ code, text, want string }{
		{"g", "oz.", ""},
		{"g", "lbs.", ""},
		{"g", "pounds (lb)", ""},
		{"g", "lb/oz", ""},
		{"g", "Weight in ounces", ""},
		{"g", "Kg.", ""},
		{"g", "g.", "118"},
		{"g", "gram(s)", "118"},
		{"g", "Gramm", "118"},
		{"g", "weight in grams", "118"},
		{"[oz_av]", "ounces (oz)", "3345"},
	} {
		require.Equal(t, c.want, stated(courseOf(t, weight(118, c.code, c.text)), "birth_weight_g"), c.text)
	}
	for _, c := range []struct{ text, want string }{{"mins", ""}, {"Time in minutes", ""}, {"seconds", "3"}, {"time in s", "3"}, {"elapsed", "3"}} {
		clamped := obs("cord_clamping_seconds", m{"valueQuantity": m{"value": 3, "code": "s", "unit": c.text, "system": "http://unitsofmeasure.org"}})
		require.Equal(t, c.want, stated(courseOf(t, clamped), "cord_clamping_seconds"), c.text)
	}
	height := obs("8302-2", m{"valueQuantity": m{"value": 165, "code": "cm", "unit": "height in cm", "system": "http://unitsofmeasure.org"}})
	require.NotEmpty(t, stated(courseOf(t, height), "mother_height_in"))
	weeks := obs("11884-4", m{"valueQuantity": m{"value": 39, "code": "wk", "unit": "weeks, days", "system": "http://unitsofmeasure.org"}})
	require.Equal(t, "39", stated(courseOf(t, weeks), "gestational_age_weeks"))
}
