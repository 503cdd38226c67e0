package uscore

import (
	"testing"

	"birthregistry/app/mapping"
)

func TestAnAnomalyThatTheChartHoldsRefutedAsWellIsAHint(t *testing.T) {
	found := diagnosed("c1", mapping.SNOMEDURL, "70156005", "2026-05-01")
	refuted := func(on string) m {
		return diagnosed("c2", mapping.SNOMEDURL, "70156005", on, m{"verificationStatus": m{"coding": l{m{"code": "refuted"}}}})
	}
	const field = "congenital_anomalies"
	requireDoubts(t, map[string]doubted{
		"found":                   {chart: []m{baby(), found}, field: field, filled: `["down_syndrome"]`, as: Newborn},
		"found, and then refuted": {chart: []m{baby(), found, refuted("2026-05-02")}, field: field, why: refutedToo, as: Newborn},
		"found after all":         {chart: []m{baby(), found, refuted("2026-04-20")}, field: field, filled: `["down_syndrome"]`, as: Newborn},
	})
}
