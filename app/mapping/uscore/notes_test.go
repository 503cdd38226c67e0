package uscore

import (
	"testing"

	"birthregistry/app/mapping"
)

func note(text string) m { return m{"note": l{m{"text": text}}} }

// diagnosedInMay is a diagnosis of genital herpes in the pregnancy.
func diagnosedInMay(more ...m) []m {
	return []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "A60.00", "2026-01-10", more...)}
}

func TestANoteThatSpeaksOfSomebodyElseOrDoubtsADiagnosisLeavesItAHint(t *testing.T) {
	charts := map[string]doubted{"no note": {chart: diagnosedInMay(), field: "infections", filled: `["herpes"]`}}
	for _, doubt := range []string{
		"partner has it", "Partner with HSV-2", "FOB has genital herpes", "father of baby", "The baby's father has it", "her husband is positive",
		"Family history", "sister had this", "boyfriend diagnosed 2024", "spouse", "wife has it", "per her mom's chart",
		"ruled out", "rule out HSV", "R/O", "culture negative", "she denies it", "No evidence of disease", "not confirmed by PCR", "unlikely", "excluded", "false positive IgM",
		"suspected", "possible", "probable HSV", "?HSV", "presumptive", "vs. candida", "awaiting PCR", "pending culture", "inconclusive", "unconfirmed", "working diagnosis",
		"history of, no outbreak in years", "hx of HSV", "with her first pregnancy", "in a previous pregnancy", "last pregnancy",
		"entered in error", "wrong patient", "Disregard", "never had it", "does not have it",
		"exposure only", "screening", "risk of",
	} {
		charts[doubt] = doubted{chart: diagnosedInMay(note(doubt)), field: "infections", why: saysOtherwise}
		charts["first a plain note, then "+doubt] = doubted{chart: diagnosedInMay(m{"note": l{m{"text": "On valacyclovir."}, m{"text": doubt}}}), field: "infections", why: saysOtherwise}
		charts["text: "+doubt] = doubted{
			chart: diagnosedInMay(m{"code": m{"coding": l{m{"system": mapping.ICD10URL, "code": "A60.00"}}, "text": "Genital herpes: " + doubt}}), field: "infections", why: saysOtherwise,
		}
	}
	for _, plain := range []string{
		"On valacyclovir from 36 weeks.", "PCR positive 1/10/2026", "Family planning discussed", "Treated", "Confirmed by PCR", "Seen by the family physician", "Deliver as soon as possible",
	} {
		charts[plain] = doubted{chart: diagnosedInMay(note(plain)), field: "infections", filled: `["herpes"]`}
	}
	requireDoubts(t, charts)
}

func TestTheTextOfAStatusCountsAsWellAsItsCode(t *testing.T) {
	verified := func(code, display, text string) m {
		return m{"verificationStatus": m{"coding": l{m{"code": code, "display": display}}, "text": text}}
	}
	clinically := func(code, display, text string) m {
		return m{"clinicalStatus": m{"coding": l{m{"code": code, "display": display}}, "text": text}}
	}
	chronic := func(more ...m) []m {
		return []m{her(), bornMay1, periodJul, diagnosed("c", mapping.ICD10URL, "I10", "2019-01-10", more...)}
	}
	const field, filled = "risk_factors", `["hypertension_prepregnancy"]`
	requireDoubts(t, map[string]doubted{
		"confirmed":                     {chart: chronic(verified("confirmed", "Confirmed", "Confirmed by lab")), field: field, filled: filled},
		"confirmed, and ruled out":      {chart: chronic(verified("confirmed", "Confirmed", "Ruled out")), field: field, why: "not confirmed"},
		"confirmed, called provisional": {chart: chronic(verified("confirmed", "Provisional", "")), field: field, why: "not confirmed"},
		"active":                        {chart: chronic(clinically("active", "Active", "Active problem")), field: field, filled: filled},
		"active, and resolved in words": {chart: chronic(clinically("active", "Active", "Resolved 2020")), field: field, why: maybeOver},
		"active, called inactive":       {chart: chronic(clinically("active", "Inactive", "")), field: field, why: maybeOver},
	})
}

func TestANoteAtAMeasurementThatSpeaksOfSomebodyElseLeavesItAHint(t *testing.T) {
	charts := map[string]doubted{}
	for _, doubt := range []string{"husband's height", "FOB", "partner", "from her sister's chart", "family history"} {
		charts[doubt] = doubted{chart: []m{her(), bornMay1, seen("h", "8302-2", "2026-01-01", weighing(170, "cm"), note(doubt))}, field: "mother_height_in", why: saysOtherwise}
	}
	charts["a plain one"] = doubted{chart: []m{her(), bornMay1, seen("h", "8302-2", "2026-01-01", weighing(170, "cm"), note("without shoes; history of scoliosis"))}, field: "mother_height_in", filled: "66.9"}
	requireDoubts(t, charts)
}

func TestAFindingWhoseCodeIsCalledAnotherFactIsAHint(t *testing.T) {
	requireDoubts(t, map[string]doubted{
		"a score":                      {chart: []m{baby(), seen("a", "9274-2", "2026-05-01T04:23:00-04:00", counted(9), worded(mapping.LOINCURL, "9274-2", "5 minute Apgar Score", "Apgar 5 min"))}, field: "apgar_five_minute", filled: "9", as: Newborn},
		"a score of another minute":    {chart: []m{baby(), seen("a", "9274-2", "2026-05-01T04:23:00-04:00", counted(9), worded(mapping.LOINCURL, "9274-2", "1 minute Apgar Score", ""))}, field: "apgar_five_minute", why: saysOtherwise, as: Newborn},
		"a weight of the discharge":    {chart: []m{baby(), seen("w", "8339-4", "2026-05-01T05:00:00-04:00", weighing(3100, "g"), worded(mapping.LOINCURL, "8339-4", "", "Discharge weight"))}, field: "birth_weight_g", why: saysOtherwise, as: Newborn},
		"cigarettes of another period": {chart: []m{her(), bornMay1, seen("c", "87298-6", "2026-01-10", counted(2), worded(mapping.LOINCURL, "87298-6", "", "Cigarettes in the third trimester"))}, field: "cigarettes_per_day_t1", why: saysOtherwise},
		"births that are pregnancies":  {chart: []m{her(), bornMay1, seen("g", "11996-6", "2026-01-10", counted(2), worded(mapping.LOINCURL, "11996-6", "", "Parity"))}, field: "gravida", why: saysOtherwise},
	})
}
