package uscore

import "testing"

func TestOfTwoWeightsOfTheDayOfBirthTheFirstCountsOnlyIfTheirTimesShowWhichItIs(t *testing.T) {
	weight := func(id, when string, grams float64, issued string) m {
		return seen(id, bodyWeight, when, weighing(grams, "g"), m{"issued": issued})
	}
	first := weight("w1", "2026-05-01T05:00:00-04:00", 3500, "2026-05-01T05:00:00-04:00")
	const field, why = "birth_weight_g", "different birth weights of that day"
	requireDoubts(t, map[string]doubted{
		"both with their times":                   {chart: []m{baby(), first, weight("w2", "2026-05-01T09:00:00-04:00", 3400, "2026-05-01T09:00:00-04:00")}, field: field, filled: "3500", as: Newborn},
		"one without its time":                    {chart: []m{baby(), first, weight("w2", "2026-05-01", 3400, "2026-05-01T09:00:00-04:00")}, field: field, why: why, as: Newborn},
		"both without their time":                 {chart: []m{baby(), weight("w1", "2026-05-01", 3500, "2026-05-01T05:00:00-04:00"), weight("w2", "2026-05-01", 3400, "2026-05-01T22:00:00-04:00")}, field: field, why: why, as: Newborn},
		"a birth weight and one without its time": {chart: []m{baby(), seen("w1", birthWeightCode, "2026-05-01", weighing(3500, "g")), weight("w2", "2026-05-01", 3400, "")}, field: field, filled: "3500", as: Newborn},
	})
}
