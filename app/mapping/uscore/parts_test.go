package uscore

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// inParts returns an amount that an EHR writes as several components with one code.
func inParts(id, code, when string, components ...m) m {
	coded := m{"coding": l{m{"system": mapping.LOINCURL, "code": code}}}
	parts := l{}
	for _, c := range components {
		c["code"] = coded
		parts = append(parts, c)
	}
	return m{
		"resourceType": "Observation", "id": id, "status": "final", "subject": m{"reference": "Patient/p"}, "code": coded,
		"effectiveDateTime": when, "component": parts,
	}
}

func amountOf(n float64, unit string) m {
	return m{"valueQuantity": m{"value": n, "code": unit}}
}

func TestPartsOfAnAmountAreAddedUpOrFillNothingIn(t *testing.T) {
	const born = "2026-05-01"
	unknown := m{"dataAbsentReason": m{"coding": l{m{"code": "unknown"}}}}
	for name, c := range map[string]struct {
		patient, field, code string
		parts                []m
		want                 float64 // 0 if nothing is filled in
	}{
		"feet and inches":           {"1994-05-17", "mother_height_in", "8302-2", []m{amountOf(5, "[ft_i]"), amountOf(6, "[in_i]")}, 66},
		"inches and feet":           {"1994-05-17", "mother_height_in", "8302-2", []m{amountOf(6, "[in_i]"), amountOf(5, "[ft_i]")}, 66},
		"feet and too many inches":  {"1994-05-17", "mother_height_in", "8302-2", []m{amountOf(5, "[ft_i]"), amountOf(12, "[in_i]")}, 0},
		"feet, the inches not told": {"1994-05-17", "mother_height_in", "8302-2", []m{amountOf(5, "[ft_i]"), unknown}, 0},
		"pounds and ounces":         {born, "birth_weight_g", "8339-4", []m{amountOf(7, "[lb_av]"), amountOf(4, "[oz_av]")}, 3289},
		"pounds, ounces not told":   {born, "birth_weight_g", "8339-4", []m{amountOf(7, "[lb_av]"), unknown}, 0},
		"too many ounces":           {born, "birth_weight_g", "8339-4", []m{amountOf(7, "[lb_av]"), amountOf(16, "[oz_av]")}, 0},
		"kilograms and grams":       {born, "birth_weight_g", "8339-4", []m{amountOf(3, "kg"), amountOf(200, "g")}, 0},
		"too many days":             {born, "gestational_age_weeks", "18185-9", []m{amountOf(38, "wk"), amountOf(8, "d")}, 0},
		"one component":             {born, "birth_weight_g", "8339-4", []m{amountOf(3289, "g")}, 3289},
	} {
		reading := readResources(t, []m{
			{"resourceType": "Patient", "id": "p", "birthDate": c.patient, "gender": "female"},
			inParts("o", c.code, born, c.parts...),
		})
		filled := reading.As[reading.Role]
		values := filled.Draft.Mother
		if birth.Must(c.field).About == birth.Child {
			values = filled.Draft.Children[0]
		}
		got, _ := values.Get(c.field)
		require.InDelta(t, c.want, got.Number, 0.001, name)
		for _, hint := range filled.Hints {
			require.Nil(t, hint.Value, name+": nobody takes a part for the whole with one press")
		}
	}
}
