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

func TestAWeightOfTheDayOfBirthThatMayBeOfManyHoursAfterItIsAHint(t *testing.T) {
	weight := func(when string) m { return seen("w1", bodyWeight, when, weighing(3400, "g")) }
	noTime := func(more ...m) m { return baby(append([]m{{"_birthDate": nil}}, more...)...) }
	clock := func(at string) m {
		return m{"_birthDate": m{"extension": l{m{"url": "http://hl7.org/fhir/StructureDefinition/patient-birthTime", "valueDateTime": at}}}}
	}
	const field = "birth_weight_g"
	requireDoubts(t, map[string]doubted{
		"no time of birth, in the night":              {chart: []m{noTime(), weight("2026-05-01T05:00:00-04:00")}, field: field, filled: "3400", as: Newborn},
		"no time of birth, in the evening":            {chart: []m{noTime(), weight("2026-05-01T21:00:00-04:00")}, field: field, why: laterWeight, as: Newborn},
		"no time of birth, in the evening, no offset": {chart: []m{noTime(), weight("2026-05-01T21:00:00")}, field: field, why: laterWeight, as: Newborn},
		"no time of birth, in UTC":                    {chart: []m{noTime(), weight("2026-05-01T05:00:00Z")}, field: field, why: laterWeight, as: Newborn},
		"no time of birth, a day":                     {chart: []m{noTime(), weight("2026-05-01")}, field: field, filled: "3400", as: Newborn},
		"no time of birth, a birth weight":            {chart: []m{noTime(), seen("w1", birthWeightCode, "2026-05-01T21:00:00-04:00", weighing(3400, "g"))}, field: field, filled: "3400", as: Newborn},
		"hours after the time of birth":               {chart: []m{baby(), weight("2026-05-01T21:00:00-04:00")}, field: field, why: laterWeight, as: Newborn},
		"a time of birth without an offset":           {chart: []m{baby(clock("2026-05-01T18:00:00")), weight("2026-05-01T21:00:00-04:00")}, field: field, filled: "3400", as: Newborn},
		"hours after one without an offset":           {chart: []m{baby(clock("2026-05-01T04:00:00")), weight("2026-05-01T21:00:00-04:00")}, field: field, why: laterWeight, as: Newborn},
		"in UTC, after one without an offset":         {chart: []m{baby(clock("2026-05-01T04:00:00")), weight("2026-05-01T09:00:00Z")}, field: field, why: laterWeight, as: Newborn},
	})
}

func TestANumberOfChildrenIsNotANumberOfBirths(t *testing.T) {
	children := seen("b", "11640-0", "2026-01-01", counted(3))
	requireDoubts(t, map[string]doubted{
		"a parity":              {chart: []m{her(), bornMay1, seen("p", "11977-6", "2026-01-01", counted(2))}, field: "parity", filled: "2"},
		"births in all":         {chart: []m{her(), bornMay1, children}, field: "parity", why: "it may count children"},
		"both":                  {chart: []m{her(), bornMay1, children, seen("p", "11977-6", "2026-01-01", counted(2))}, field: "parity", filled: "2"},
		"births in all of 2019": {chart: []m{her(), bornMay1, seen("b", "11640-0", "2019-01-01", counted(3))}, field: "parity"},
	})
}

func TestWeightsBeforeThePregnancyThatAreFarApartAreHints(t *testing.T) {
	before := func(id, when string, kg float64) m { return seen(id, "56077-1", when, weighing(kg, "kg")) }
	first := before("w1", "2025-11-01", 68)
	corrected := before("w2", "2026-03-01", 85)
	corrected["status"] = "corrected"
	const field = "prepregnancy_weight_lb"
	requireDoubts(t, map[string]doubted{
		"far apart":                  {chart: []m{her(), bornMay1, first, before("w2", "2026-03-01", 85)}, field: field, why: "very different weight before the pregnancy"},
		"close to each other":        {chart: []m{her(), bornMay1, first, before("w2", "2026-03-01", 69)}, field: field, filled: "152.1"},
		"a correction of the former": {chart: []m{her(), bornMay1, first, corrected}, field: field, filled: "187.4"},
		"one of an old pregnancy":    {chart: []m{her(), bornMay1, first, before("w2", "2019-03-01", 85)}, field: field, filled: "149.9"},
	})
}
