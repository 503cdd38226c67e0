package uscore

import (
	"testing"

	"birthregistry/app/mapping"
)

func TestTheOutcomeOfTwinsInSNOMEDSaysThatThereAreSeveralNewborns(t *testing.T) {
	score := seen("a", "9274-2", "2026-05-01", counted(9), aBaby)
	requireDoubts(t, map[string]doubted{
		"one live born":   {chart: []m{her(), bornMay1, score, diagnosed("c", mapping.SNOMEDURL, "169826009", "2026-05-01")}, field: "apgar_five_minute", filled: "9"},
		"both live born":  {chart: []m{her(), bornMay1, score, diagnosed("c", mapping.SNOMEDURL, "169828005", "2026-05-01")}, field: "apgar_five_minute", why: severalBabies},
		"one still born":  {chart: []m{her(), bornMay1, score, diagnosed("c", mapping.SNOMEDURL, "169829002", "2026-05-01")}, field: "apgar_five_minute", why: severalBabies},
		"triplets":        {chart: []m{her(), bornMay1, score, diagnosed("c", mapping.SNOMEDURL, "169831006", "2026-05-01")}, field: "apgar_five_minute", why: severalBabies},
		"twins of before": {chart: []m{her(), bornMay1, score, diagnosed("c", mapping.SNOMEDURL, "169828005", "2019-05-01")}, field: "apgar_five_minute", filled: "9"},
	})
}
