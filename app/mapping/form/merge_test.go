package form

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFormIsMergedWithTheRecordOnFile(t *testing.T) {
	was := url.Values{
		"gravida": {"2"}, "parity": {"1"}, "perineum": {"intact"}, "risk_factors": {"eclampsia", "diabetes_gestational"},
		"child.0.birth_date": {"2026-03-02"}, "child.1.birth_date": {"2026-03-02"}, "blood_loss_ml": {"250"},
	}
	now := url.Values{
		"gravida": {"3"}, "parity": {"2"}, "perineum": {"first"}, "risk_factors": {"eclampsia"},
		"child.0.birth_date": {"2026-03-02"}, "transfer.0.type": {"neonatal"}, "labor_augmented": {"no"},
	}
	mine := url.Values{
		"gravida": {"2"}, "parity": {"4"}, "perineum": {"first"}, "risk_factors": {"diabetes_gestational", "eclampsia"},
		"child.0.birth_date": {"2026-03-02"}, "child.0.birth_weight_g": {"3000"}, "child.1.birth_date": {"2026-03-02"},
		"child.1.birth_weight_g": {""}, "blood_loss_ml": {""}, "labor_augmented": {""}, "wic_received": {"yes"}, "basis": {"1"},
	}
	merged, changed := Merge(was, now, mine)
	require.Equal(t, url.Values{
		"gravida":                {"3"},         // left alone
		"parity":                 {"4"},         // both changed it; the typed value stays
		"perineum":               {"first"},     // both say the same
		"risk_factors":           {"eclampsia"}, // left alone, in whatever order
		"child.0.birth_date":     {"2026-03-02"},
		"child.0.birth_weight_g": {"3000"},
		"transfer.0.type":        {"neonatal"},
		"blood_loss_ml":          {""}, // both removed it
		"labor_augmented":        {"no"},
		"wic_received":           {"yes"},
		"basis":                  {"1"},
	}, merged)
	taken := map[string]bool{}
	for _, c := range changed {
		taken[c.Name] = c.Taken
	}
	require.Equal(t, map[string]bool{
		"gravida": true, "parity": false, "risk_factors": true, "child.1.birth_date": true, "transfer.0.type": true, "labor_augmented": true,
	}, taken)
	require.Equal(t, []string{"2"}, was["gravida"], "nothing given is changed")
	require.Equal(t, []string{"2"}, mine["gravida"])
}

func TestARemovedNewbornStaysIfSomethingWasTypedForIt(t *testing.T) {
	was := url.Values{"child.0.birth_date": {"2026"}, "child.1.birth_date": {"2026"}}
	now := url.Values{"child.0.birth_date": {"2026"}}
	mine := url.Values{"child.0.birth_date": {"2026"}, "child.1.birth_date": {"2026"}, "child.1.birth_weight_g": {"2600"}}
	merged, _ := Merge(was, now, mine)
	require.Equal(t, "2600", merged.Get("child.1.birth_weight_g"))
}
