package uscore

import (
	"testing"

	"birthregistry/app/mapping"
)

func TestPacksAndOtherRatesAreNotCigarettesADay(t *testing.T) {
	smoked := func(more m) m { return seen("o", "64794-1", "2025-11-01", more) }
	rate := func(code, unit string) m {
		return m{"valueQuantity": m{"value": 1, "system": "http://unitsofmeasure.org", "code": code, "unit": unit}}
	}
	called := func(text string) m {
		return smoked(counted(1).With(m{"code": m{"text": text, "coding": l{m{"system": mapping.LOINCURL, "code": "64794-1"}}}}))
	}
	const field = "cigarettes_per_day_pre"
	requireDoubts(t, map[string]doubted{
		"cigarettes":                  {chart: []m{her(), bornMay1, smoked(rate("/d", "cigarettes/day"))}, field: field, filled: "1"},
		"cigarettes, in short":        {chart: []m{her(), bornMay1, smoked(rate("/d", "cig/d"))}, field: field, filled: "1"},
		"packs":                       {chart: []m{her(), bornMay1, smoked(rate("/d", "packs/day"))}, field: field, why: unreadValue},
		"packs, in short":             {chart: []m{her(), bornMay1, smoked(rate("/d", "PPD"))}, field: field, why: unreadValue},
		"cigarettes a week":           {chart: []m{her(), bornMay1, smoked(rate("/d", "cigarettes/week"))}, field: field, why: unreadValue},
		"cigarettes in words":         {chart: []m{her(), bornMay1, called("Cigarettes smoked per day, 3 months before the pregnancy")}, field: field, filled: "1"},
		"packs in words":              {chart: []m{her(), bornMay1, called("Tobacco packs per day")}, field: field, why: saysOtherwise},
		"packs in words, and no more": {chart: []m{her(), bornMay1, called("Packs/day")}, field: field, why: saysOtherwise},
	})
}
