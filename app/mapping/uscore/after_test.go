package uscore

import (
	"testing"

	"birthregistry/app/mapping"
)

func TestAnIllnessWhoseCodeIsOfTheTimeAfterTheBirthIsAHint(t *testing.T) {
	stay := stayed("s", "IMP", "177184002", "2026-05-01", "2026-05-03")
	charts := map[string]doubted{
		"pre-eclampsia in the pregnancy": {chart: []m{her(), stay, diagnosed("c", mapping.ICD10URL, "O14.13", "2026-05-01")}, field: "risk_factors", filled: `["hypertension_gestational"]`},
		"eclampsia in labor":             {chart: []m{her(), stay, diagnosed("c", mapping.ICD10URL, "O15.1", "2026-05-01")}, field: "risk_factors", filled: `["eclampsia"]`},
	}
	for _, code := range []string{"O13.5", "O14.15", "O14.95", "O15.2"} {
		charts[code] = doubted{chart: []m{her(), stay, diagnosed("c", mapping.ICD10URL, code, "2026-05-02")}, field: "risk_factors", why: "places it after the birth"}
	}
	requireDoubts(t, charts)
}
