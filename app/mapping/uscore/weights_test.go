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

func TestWeightsBeforeThePregnancyThatAreFarApartAreHints(t *testing.T) {
	before := func(id, when string, kg float64) m { return seen(id, "56077-1", when, weighing(kg, "kg")) }
	first := before("w1", "2025-11-01", 68)
	corrected := before("w2", "2026-03-01", 85)
	corrected["status"] = "corrected"
	const field = "prepregnancy_weight_lb"
	requireDoubts(t, map[string]doubted{
		"far apart":                  {chart: []m{her(), bornMay1, first, before("w2", "2026-03-01", 85)}, field: field, why: "another weight before the pregnancy"},
		"close to each other":        {chart: []m{her(), bornMay1, first, before("w2", "2026-03-01", 69)}, field: field, filled: "152.1"},
		"a correction of the former": {chart: []m{her(), bornMay1, first, corrected}, field: field, filled: "187.4"},
		"one of an old pregnancy":    {chart: []m{her(), bornMay1, first, before("w2", "2019-03-01", 85)}, field: field, filled: "149.9"},
	})
}
