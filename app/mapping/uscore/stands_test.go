package uscore

import (
	"strings"
	"testing"

	"birthregistry/app/mapping"
)

// undated returns a diagnosis without a date, apart from those in more.
func undated(code string, more ...m) m {
	c := diagnosed("c", mapping.ICD10URL, code, "", more...)
	if c["onsetDateTime"] == "" {
		delete(c, "onsetDateTime")
	}
	return c
}

func clinically(status string) m {
	return m{"clinicalStatus": m{"coding": l{m{"code": status}}}}
}

func TestADiagnosisCountsOnlyIfItsTimesAreDates(t *testing.T) {
	years := func(n float64) m {
		return m{"value": n, "unit": "years", "system": "http://unitsofmeasure.org", "code": "a"}
	}
	recorded := m{"recordedDate": "2026-01-10"}
	gdm := func(more ...m) []m { return []m{her(), bornMay1, undated("O24.410", more...)} }
	since := func(more ...m) []m {
		return []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "B18.1", "2015-01-01", more...)}
	}
	const field, filled = "risk_factors", `["diabetes_gestational"]`
	requireDoubts(t, map[string]doubted{
		"a date of onset":                      {chart: gdm(m{"onsetDateTime": "2026-01-10"}), field: field, filled: filled},
		"an age at onset":                      {chart: gdm(recorded, m{"onsetAge": years(24)}), field: field, why: onsetUnread},
		"a range of ages":                      {chart: gdm(recorded, m{"onsetRange": m{"low": years(20), "high": years(30)}}), field: field, why: onsetUnread},
		"an onset in words":                    {chart: gdm(recorded, m{"onsetString": "in her first pregnancy"}), field: field, why: onsetUnread},
		"an onset that is no date":             {chart: gdm(recorded, m{"onsetDateTime": "2026-02-30"}), field: field, why: onsetUnread},
		"a period of onset":                    {chart: gdm(m{"onsetPeriod": m{"start": "2026-01-10"}}), field: field, filled: filled},
		"a period of onset from before":        {chart: gdm(m{"onsetPeriod": m{"start": "2024-01-10", "end": "2026-01-10"}}), field: field, why: halfDate},
		"a chronic one, begun at some time":    {chart: []m{her(), bornMay1, periodJul, undated("I10", m{"onsetPeriod": m{"start": "2024-01-10", "end": "2026-03-10"}})}, field: field, why: maybeOver},
		"a period of onset with an end only":   {chart: gdm(recorded, m{"onsetPeriod": m{"end": "2026-01-10"}}), field: field, why: onsetUnread},
		"recorded only, and active":            {chart: gdm(recorded), field: field, filled: filled},
		"recorded only, and resolved":          {chart: gdm(recorded, clinically("resolved")), field: field, why: recordedOnly},
		"recorded only, and inactive":          {chart: gdm(recorded, clinically("inactive")), field: field, why: recordedOnly},
		"recorded only, and in remission":      {chart: gdm(recorded, clinically("remission")), field: field, why: recordedOnly},
		"recorded only, without a status":      {chart: gdm(recorded, m{"clinicalStatus": m{}}), field: field, why: recordedOnly},
		"resolved, and dated":                  {chart: gdm(m{"onsetDateTime": "2026-01-10"}, clinically("resolved")), field: field, filled: filled},
		"over by a date":                       {chart: gdm(m{"onsetDateTime": "2026-01-10", "abatementDateTime": "2026-04-01"}, clinically("resolved")), field: field, filled: filled},
		"over at an age":                       {chart: gdm(m{"onsetDateTime": "2026-01-10", "abatementAge": years(31)}), field: field, why: endUnread},
		"over in words":                        {chart: gdm(m{"onsetDateTime": "2026-01-10", "abatementString": "after the last one"}), field: field, why: endUnread},
		"over in a range":                      {chart: gdm(m{"onsetDateTime": "2026-01-10", "abatementRange": m{"low": years(30)}}), field: field, why: endUnread},
		"over, and that is all":                {chart: gdm(m{"onsetDateTime": "2026-01-10", "abatementBoolean": true}), field: field, why: endUnread},
		"over at no date":                      {chart: gdm(m{"onsetDateTime": "2026-01-10", "abatementDateTime": "soon"}), field: field, why: endUnread},
		"over before it began":                 {chart: gdm(m{"onsetDateTime": "2026-01-10", "abatementDateTime": "2025-12-01"}), field: field, why: "before it began"},
		"chronic, and active":                  {chart: since(), field: "infections", filled: `["hepatitis_b"]`},
		"chronic, over in a period of years":   {chart: since(m{"abatementPeriod": m{"start": "2020-01-01", "end": "2026-01-01"}}, clinically("resolved")), field: "infections", why: maybeOver},
		"chronic, over by an end only":         {chart: since(m{"abatementPeriod": m{"end": "2026-01-01"}}, clinically("resolved")), field: "infections", why: endUnread},
		"chronic, over in a part of a year":    {chart: since(m{"abatementDateTime": "2025"}, clinically("resolved")), field: "infections", why: maybeOver},
		"chronic, over in the pregnancy":       {chart: since(m{"abatementDateTime": "2026-02-01"}, clinically("resolved")), field: "infections", filled: `["hepatitis_b"]`},
		"chronic, and resolved":                {chart: since(clinically("resolved")), field: "infections", why: maybeOver},
		"chronic, of a status in another case": {chart: since(clinically("Active")), field: "infections", why: maybeOver},
	})
}

func TestADiagnosisCountsOnlyIfItIsConfirmedAndItsTextAgrees(t *testing.T) {
	verified := func(more m) m { return m{"verificationStatus": more} }
	coded := func(codes ...string) m {
		list := l{}
		for _, code := range codes {
			list = append(list, m{"code": code})
		}
		return verified(m{"coding": list})
	}
	charts := map[string]doubted{}
	gdm := func(more ...m) []m {
		return []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "O24.410", "2026-01-10", more...)}
	}
	for _, text := range []string{
		"Family history of gestational diabetes", "FHx GDM", "Mother had gestational diabetes", "Sister with gestational diabetes",
		"Rule out gestational diabetes", "R/O GDM", "GDM ruled out", "?GDM", "Possible gestational diabetes", "Suspected GDM",
		"Gestational diabetes, negative", "No gestational diabetes", "Not gestational diabetes", "Denies gestational diabetes",
		"Screening for gestational diabetes", "At risk for gestational diabetes", "History of gestational diabetes", "H/O GDM", "hx of GDM",
		"Gestational diabetes in previous pregnancy", "Prior gestational diabetes", "GDM (2019 pregnancy, resolved)",
		"Concern for gestational diabetes", "Antecedente de diabetes gestacional", "Sospecha de diabetes gestacional",
		"Anemia in pregnancy", "Type 2 diabetes mellitus",
	} {
		charts["text: "+text] = doubted{chart: gdm(worded(mapping.ICD10URL, "O24.410", "", text)), field: "risk_factors", why: saysOtherwise}
		charts["display: "+text] = doubted{chart: gdm(worded(mapping.ICD10URL, "O24.410", text, "")), field: "risk_factors", why: saysOtherwise}
	}
	for _, text := range []string{
		"Gestational diabetes mellitus in pregnancy, diet controlled", "GDM A1", "Gestational DM", "Diabetes gestacional", "gestational diabetes without complications",
	} {
		charts["text: "+text] = doubted{chart: gdm(worded(mapping.ICD10URL, "O24.410", "", text)), field: "risk_factors", filled: `["diabetes_gestational"]`}
	}
	requireDoubts(t, charts)
	kinds := func(codes ...string) m {
		list := l{}
		for _, code := range codes {
			list = append(list, m{"coding": l{m{"code": code, "display": strings.ReplaceAll(code, "-", " ")}}})
		}
		return m{"category": list}
	}
	const field, filled = "risk_factors", `["diabetes_gestational"]`
	requireDoubts(t, map[string]doubted{
		"a problem":                       {chart: gdm(kinds("problem-list-item")), field: field, filled: filled},
		"a health concern":                {chart: gdm(kinds("health-concern")), field: field, why: "not confirmed"},
		"a health concern in words":       {chart: gdm(m{"category": l{m{"text": "Health Concern"}}}), field: field, why: "not confirmed"},
		"a health concern, confirmed":     {chart: gdm(kinds("health-concern"), coded("confirmed")), field: field, filled: filled},
		"a problem and a health concern":  {chart: gdm(kinds("problem-list-item", "health-concern")), field: field, filled: filled},
		"confirmed":                       {chart: gdm(coded("confirmed")), field: field, filled: filled},
		"of no verification":              {chart: gdm(), field: field, filled: filled},
		"unconfirmed":                     {chart: gdm(coded("unconfirmed")), field: field, why: "not confirmed"},
		"confirmed and provisional":       {chart: gdm(coded("confirmed", "provisional")), field: field, why: "not confirmed"},
		"confirmed in another case":       {chart: gdm(coded("Confirmed")), field: field, why: "not confirmed"},
		"refuted in another case":         {chart: gdm(coded("REFUTED")), field: field},
		"entered in error":                {chart: gdm(coded("entered-in-error")), field: field},
		"refuted in words":                {chart: gdm(verified(m{"text": "Ruled out"})), field: field, why: "not confirmed"},
		"confirmed in words":              {chart: gdm(verified(m{"text": "Confirmed"})), field: field, filled: filled},
		"a category of family history":    {chart: gdm(m{"category": l{m{"text": "Family history"}}}), field: field, why: saysOtherwise},
		"a category of past history":      {chart: gdm(m{"category": l{m{"coding": l{m{"code": "past-medical-history"}}}}}), field: field, why: saysOtherwise},
		"a note that it is ruled out":     {chart: gdm(m{"note": l{m{"text": "R/O, awaiting glucose tolerance test"}}}), field: field, why: saysOtherwise},
		"a code of another system":        {chart: []m{her(), bornMay1, diagnosed("c", "urn:local", "O24.410", "2026-01-10")}, field: field},
		"a code of no system":             {chart: []m{her(), bornMay1, diagnosed("c", "", "O24.410", "2026-01-10")}, field: field},
		"a code of ICD-9":                 {chart: []m{her(), bornMay1, diagnosed("c", "http://hl7.org/fhir/sid/icd-9-cm", "O24.410", "2026-01-10")}, field: field},
		"eclampsia called pre-eclampsia":  {chart: []m{her(), bornMay1, diagnosed("c", mapping.SNOMEDURL, "15938005", "2026-04-10", worded(mapping.SNOMEDURL, "15938005", "Eclampsia", "Pre-eclampsia"))}, field: field, why: saysOtherwise},
		"hypertension called chronic":     {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "O13.3", "2026-04-10", worded(mapping.ICD10URL, "O13.3", "", "Chronic hypertension"))}, field: field, why: saysOtherwise},
		"hypertension by its display":     {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "O13.3", "2026-04-10", worded(mapping.ICD10URL, "O13.3", "Gestational [pregnancy-induced] hypertension without significant proteinuria, third trimester", ""))}, field: field, filled: `["hypertension_gestational"]`},
		"a history that a code speaks of": {chart: []m{her(), bornMay1, diagnosed("c", mapping.SNOMEDURL, "161765003", "2023-01-10", worded(mapping.SNOMEDURL, "161765003", "History of premature delivery", ""))}, field: "previous_preterm_birth", filled: "true"},
		"refuted since":                   {chart: append(gdm(), diagnosed("c2", mapping.ICD10URL, "O24.419", "2026-02-10", coded("refuted"))), field: field, why: "it was ruled out"},
		"refuted at no time":              {chart: append(gdm(), undated("O24.419", coded("refuted"), m{"id": "c2"})), field: field, why: "it was ruled out"},
		"refuted before":                  {chart: append(gdm(), diagnosed("c2", mapping.ICD10URL, "O24.419", "2025-11-10", coded("refuted"))), field: field, filled: filled},
		"another entered in error":        {chart: append(gdm(), diagnosed("c2", mapping.ICD10URL, "O24.419", "2026-02-10", coded("entered-in-error"))), field: field, filled: filled},
		"a disease of the sister":         {chart: gdm(worded(mapping.ICD10URL, "O24.410", "", "Gestational diabetes (sister)")), field: field, why: saysOtherwise},
		"a disease of her mother":         {chart: gdm(worded(mapping.ICD10URL, "O24.410", "", "Mother - gestational diabetes")), field: field, why: saysOtherwise},
		"what is being looked for":        {chart: gdm(worded(mapping.ICD10URL, "O24.410", "", "Evaluate for gestational diabetes")), field: field, why: saysOtherwise},
		"one of two":                      {chart: gdm(worded(mapping.ICD10URL, "O24.410", "", "Gestational diabetes vs type 2")), field: field, why: saysOtherwise},
		"a test after the cure":           {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "A56.02", "2026-01-10", worded(mapping.ICD10URL, "A56.02", "", "Chlamydia test of cure"))}, field: "infections", why: saysOtherwise},
		"a pregnancy of another year":     {chart: gdm(worded(mapping.ICD10URL, "O24.410", "", "GDM A1 in 2019 pregnancy")), field: field, why: saysOtherwise},
		"a year of this pregnancy":        {chart: gdm(worded(mapping.ICD10URL, "O24.410", "", "Gestational diabetes, Jan 2026")), field: field, filled: filled},
		"superimposed on another":         {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "O13.3", "2026-03-10", worded(mapping.ICD10URL, "O13.3", "", "Superimposed preeclampsia"))}, field: field, why: saysOtherwise},
		"exposure to syphilis":            {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "A53.9", "2026-01-10", worded(mapping.ICD10URL, "A53.9", "", "Exposure to syphilis"))}, field: "infections", why: saysOtherwise},
		"immune to hepatitis B":           {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "B18.1", "2016-01-10", worded(mapping.ICD10URL, "B18.1", "", "Hepatitis B immune"))}, field: "infections", why: saysOtherwise},
	})
}

func TestADiagnosisThatAlsoHasACodeForADiseaseSheDoesNotHaveIsAHint(t *testing.T) {
	both := func(snomed, icd string) []m {
		return []m{her(), bornMay1, diagnosed("c", mapping.SNOMEDURL, snomed, "2026-01-10", m{"code": m{"coding": l{
			m{"system": mapping.SNOMEDURL, "code": snomed}, m{"system": mapping.ICD10URL, "code": icd},
		}}})}
	}
	anomaly := func(icd string) []m {
		return []m{baby(), both("80281008", icd)[2].With(m{"onsetDateTime": "2026-05-01"})}
	}
	requireDoubts(t, map[string]doubted{
		"diabetes of this pregnancy":      {chart: both("11687002", "O24.410"), field: "risk_factors", filled: `["diabetes_gestational"]`},
		"diabetes of an earlier one":      {chart: both("11687002", "Z86.32"), field: "risk_factors", why: twoCodes},
		"diabetes of the family":          {chart: both("11687002", "Z83.3"), field: "risk_factors", why: twoCodes},
		"pre-eclampsia that is ruled out": {chart: both("398254007", "Z03.79"), field: "risk_factors", why: twoCodes},
		"a test for chlamydia":            {chart: both("105629000", "Z11.8"), field: "infections", why: twoCodes},
		"contact with syphilis":           {chart: both("76272004", "Z20.2"), field: "infections", why: twoCodes},
		"an earlier preterm birth":        {chart: both("161765003", "Z87.51"), field: "previous_preterm_birth", filled: "true"},
		"a cleft lip":                     {chart: anomaly("Q36.9"), field: "congenital_anomalies", filled: `["cleft_lip"]`, as: Newborn},
		"a cleft lip of the family":       {chart: anomaly("Z82.79"), field: "congenital_anomalies", why: twoCodes, as: Newborn},
	})
}

func TestALossInThePregnancyIsANotice(t *testing.T) {
	charts := map[string]doubted{}
	for code, system := range map[string]string{
		"O03.9": mapping.ICD10URL, "O00.101": mapping.ICD10URL, "O01.9": mapping.ICD10URL, "O02.1": mapping.ICD10URL, "O02.0": mapping.ICD10URL, "O04.80": mapping.ICD10URL, "O08.9": mapping.ICD10URL, "Z33.2": mapping.ICD10URL, "O36.4XX0": mapping.ICD10URL,
		"O03": "http://hl7.org/fhir/sid/icd-10", "17369002": mapping.SNOMEDURL, "34801009": mapping.SNOMEDURL, "79586000": mapping.SNOMEDURL, "237364002": mapping.SNOMEDURL, "276507005": mapping.SNOMEDURL,
		"57797005": mapping.SNOMEDURL, "417044008": mapping.SNOMEDURL, "44782008": mapping.SNOMEDURL, "19169002": mapping.SNOMEDURL, "35999006": mapping.SNOMEDURL, "16607004": mapping.SNOMEDURL, "156073000": mapping.SNOMEDURL,
	} {
		charts[code] = doubted{
			chart: []m{her(), dueMay20, seen("o", "11996-6", "2025-11-01", counted(2)), diagnosed("c", system, code, "2025-12-10")},
			field: "gravida", why: "may not have ended in a birth",
		}
	}
	requireDoubts(t, charts)
	gravida := seen("o", "11996-6", "2025-11-01", counted(2))
	requireDoubts(t, map[string]doubted{
		"threatened only":                  {chart: []m{her(), dueMay20, gravida, diagnosed("c", mapping.ICD10URL, "O20.0", "2025-12-10")}, field: "gravida", filled: "2"},
		"of an earlier pregnancy":          {chart: []m{her(), dueMay20, gravida, diagnosed("c", mapping.ICD10URL, "O03.9", "2024-12-10")}, field: "gravida", filled: "2"},
		"refuted":                          {chart: []m{her(), dueMay20, gravida, diagnosed("c", mapping.ICD10URL, "O03.9", "2025-12-10", m{"verificationStatus": m{"coding": l{m{"code": "refuted"}}}})}, field: "gravida", filled: "2"},
		"before a birth that is stated":    {chart: []m{her(), bornMay1, periodJul, gravida, diagnosed("c", mapping.ICD10URL, "O03.9", "2025-12-10")}, field: "gravida", filled: "2", why: "may not have ended in a birth"},
		"not confirmed":                    {chart: []m{her(), dueMay20, gravida, diagnosed("c", mapping.ICD10URL, "O03.9", "2025-12-10", m{"verificationStatus": m{"coding": l{m{"code": "provisional"}}}})}, field: "gravida", why: "may not have ended in a birth"},
		"the reason of a stay":             {chart: []m{her(), dueMay20, gravida, stayed("s", "IMP", "50849002", "2025-12-10", "2025-12-11", m{"reasonCode": l{m{"coding": l{m{"system": mapping.ICD10URL, "code": "O03.4"}}}}})}, field: "gravida", why: "may not have ended in a birth"},
		"undated, and still said to be so": {chart: []m{her(), dueMay20, gravida, undated("O03.9")}, field: "gravida", why: "may not have ended in a birth"},
	})
}
