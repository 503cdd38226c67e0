package uscore

import (
	"testing"

	"birthregistry/app/mapping"
)

func TestInTheMothersChartNothingBelongsToTheNewbornWithoutAStatedBirthAndAFocus(t *testing.T) {
	grams := func(id, when string, n int, more ...m) m {
		return seen(id, "8339-4", when, append(more, weighing(float64(n), "g"))...)
	}
	focus := func(references ...string) m {
		list := l{}
		for _, r := range references {
			list = append(list, m{"reference": r})
		}
		return m{"focus": list}
	}
	apgar := func(more ...m) m {
		return seen("a", "9274-2", "2026-05-01", append(more, counted(9))...)
	}
	weeks := func(code, when string, more ...m) m {
		return seen("g", code, when, append(more, weighing(39, "wk"))...)
	}
	single := seen("n", "57722-1", "2026-05-01", counted(1))
	stay := stayed("s", "IMP", "177184002", "2026-04-30", "2026-05-02")
	requireDoubts(t, map[string]doubted{
		"a weight about the newborn":           {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 3400, aBaby)}, field: "birth_weight_g", filled: "3400"},
		"a weight about nobody":                {chart: []m{her(), bornMay1, single, grams("w", "2026-05-01", 3400)}, field: "birth_weight_g", why: "her own"},
		"a weight and no birth stated":         {chart: []m{her(), dueMay20, grams("w", "2026-05-01", 3400, aBaby)}, field: "birth_weight_g", why: noStatedBirth},
		"a birth that a note takes back":       {chart: []m{her(), bornMay1.With(note("Wrong patient, disregard")), grams("w", "2026-05-01", 3400, aBaby)}, field: "birth_weight_g", why: noStatedBirth},
		"a birth and who was there":            {chart: []m{her(), bornMay1.With(note("Husband and sister present, cord cut by the father.")), grams("w", "2026-05-01", 3400, aBaby)}, field: "birth_weight_g", filled: "3400"},
		"a birth called fetal delivery":        {chart: []m{her(), bornMay1.With(worded(mapping.LOINCURL, deliveryTime, "", "Fetal delivery date and time")), grams("w", "2026-05-01", 3400, aBaby)}, field: "birth_weight_g", filled: "3400"},
		"a birth that was only expected":       {chart: []m{her(), bornMay1.With(worded(mapping.LOINCURL, deliveryTime, "", "Expected date of delivery")), grams("w", "2026-05-01", 3400, aBaby)}, field: "birth_weight_g", why: noStatedBirth},
		"a stay states no birth":               {chart: []m{her(), stay, grams("w", "2026-05-01", 3400, aBaby)}, field: "birth_weight_g", why: noStatedBirth},
		"a weight about a relative":            {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 3400, focus("RelatedPerson/r"))}, field: "birth_weight_g", why: whoElse},
		"a weight about two":                   {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 3400, focus("Patient/x", "Patient/y"))}, field: "birth_weight_g", why: whoElse},
		"a weight about a name":                {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 3400, m{"focus": l{m{"display": "Baby Roe"}}})}, field: "birth_weight_g", why: whoElse},
		"a weight about someone elsewhere":     {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 3400, focus("https://other.example/fhir/Patient/baby"))}, field: "birth_weight_g", why: whoElse},
		"a weight about herself":               {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 3400, focus("Patient/p"))}, field: "birth_weight_g", why: "her own"},
		"a weight about a contained Patient":   {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 3400, focus("#baby"))}, field: "birth_weight_g", why: whoElse},
		"a weight about a group":               {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 3400, focus("Group/g"))}, field: "birth_weight_g", why: whoElse},
		"a child who was there before":         {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 3400, aBaby), seen("old", "9274-2", "2025-12-01", aBaby, counted(9))}, field: "birth_weight_g", why: "about a child that the chart mentions before the birth"},
		"weights about two newborns":           {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 3400, aBaby), grams("w2", "2026-05-01", 2900, focus("Patient/twin"))}, field: "birth_weight_g", why: severalBabies},
		"two weights about one newborn":        {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 3400, aBaby), grams("w2", "2026-05-01", 2900, aBaby)}, field: "birth_weight_g", why: "different birth weights"},
		"an Apgar score about nobody":          {chart: []m{her(), bornMay1, single, apgar()}, field: "apgar_five_minute", why: noFocus},
		"an Apgar score about the newborn":     {chart: []m{her(), bornMay1, apgar(aBaby)}, field: "apgar_five_minute", filled: "9"},
		"her own gestation at her birth":       {chart: []m{her(), bornMay1, weeks("76516-4", "2026-05-01")}, field: "gestational_age_weeks", why: "her own"},
		"a gestation about nobody":             {chart: []m{her(), bornMay1, weeks("11884-4", "2026-05-01")}, field: "gestational_age_weeks", why: noFocus},
		"a gestation about the newborn":        {chart: []m{her(), bornMay1, weeks("11884-4", "2026-05-01", aBaby)}, field: "gestational_age_weeks", filled: "39"},
		"a route of delivery about nobody":     {chart: []m{her(), bornMay1, seen("r", "73762-7", "2026-05-01", coded2(mapping.SNOMEDURL, "11466000"))}, field: "delivery_method", why: noFocus},
		"a route of delivery of the newborn":   {chart: []m{her(), bornMay1, seen("r", "73762-7", "2026-05-01", coded2(mapping.SNOMEDURL, "11466000"), aBaby)}, field: "delivery_method", filled: `"cesarean"`},
		"a presentation about nobody":          {chart: []m{her(), bornMay1, seen("r", "73761-9", "2026-05-01", coded2(mapping.SNOMEDURL, "6096002"))}, field: "fetal_presentation", why: noFocus},
		"her height, told of somebody":         {chart: []m{her(), bornMay1, seen("h", "8302-2", "2026-01-01", weighing(170, "cm"), m{"focus": l{m{"display": "Father"}}})}, field: "mother_height_in"},
		"her pregnancies, told of her mother":  {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", counted(4), focus("RelatedPerson/mother"))}, field: "gravida", why: aboutAnother},
		"her due date, told of her sister":     {chart: []m{her(), seen("d", "11778-8", "2025-11-01", day1("2026-05-20"), focus("RelatedPerson/sister"))}, field: "estimated_due_date"},
		"a birth weight for an earlier birth":  {chart: []m{her(), bornMay1, grams("w", "2023-02-01", 3100, aBaby)}, field: "birth_weight_g"},
		"a birth told in UTC in the night":     {chart: []m{her(), seen("b", deliveryTime, "2026-05-01T12:00:00Z", day1("2026-05-01T02:10:00Z"))}, field: "birth_date", why: "UTC"},
		"twins by diagnosis, and one of them":  {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby), diagnosed("c", mapping.ICD10URL, "O30.043", "2025-12-01")}, field: "birth_weight_g", why: severalBabies},
		"twins by SNOMED CT":                   {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby), diagnosed("c", mapping.SNOMEDURL, "65147003", "2025-12-01")}, field: "birth_weight_g", why: severalBabies},
		"twins in the words of a diagnosis":    {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby), diagnosed("c", mapping.ICD10URL, "O09.893", "2025-12-01", worded(mapping.ICD10URL, "O09.893", "", "Dichorionic twin gestation"))}, field: "birth_weight_g", why: severalBabies},
		"twins of the family":                  {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby), diagnosed("c", mapping.ICD10URL, "O09.893", "2025-12-01", worded(mapping.ICD10URL, "O09.893", "", "Family history of twins"))}, field: "birth_weight_g", filled: "2400"},
		"twins in the type of the stay":        {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby), stayed("s", "IMP", "177184002", "2026-05-01", "2026-05-02", m{"reasonCode": l{m{"text": "Twin delivery"}}})}, field: "birth_weight_g", why: severalBabies},
		"twins in words of how many":           {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby), seen("n", bornTogether, "2026-05-01", m{"valueString": "twins"})}, field: "birth_weight_g", why: severalBabies},
		"a number that is not read":            {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby), seen("n", bornTogether, "2026-05-01", coded2(mapping.LOINCURL, "LA12411-4"))}, field: "birth_weight_g", why: severalBabies},
		"one, in words":                        {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby), seen("n", bornTogether, "2026-05-01", m{"valueString": "Singleton"})}, field: "birth_weight_g", filled: "2400"},
		"a score of Twin B":                    {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby), seen("a", "9272-6", "2026-05-01", counted(8), m{"focus": l{m{"display": "Twin B"}}})}, field: "birth_weight_g", why: severalBabies},
		"a score of another relative":          {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby), seen("a", "9272-6", "2026-05-01", counted(8), focus("RelatedPerson/b2"))}, field: "birth_weight_g", why: severalBabies},
		"the weight of the father":             {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby), seen("f", bodyWeight, "2026-05-01", weighing(80, "kg"), focus("RelatedPerson/father"))}, field: "birth_weight_g", filled: "2400"},
		"a weight called Twin A's":             {chart: []m{her(), bornMay1, grams("w", "2026-05-01", 2400, aBaby, worded(mapping.LOINCURL, "8339-4", "", "Birth weight Twin A"))}, field: "birth_weight_g", why: severalBabies},
		"an Observation about another patient": {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", counted(4), m{"subject": m{"reference": "Patient/q"}})}, field: "gravida"},
		"the same id on another server":        {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", counted(4), m{"subject": m{"reference": "https://other.example/fhir/Patient/p"}})}, field: "gravida"},
		"a diagnosis from another server":      {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "O24.410", "2026-01-01", m{"subject": m{"reference": "https://other.example/fhir/Patient/p"}})}, field: "risk_factors"},
		"a contained patient":                  {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", counted(4), m{"subject": m{"reference": "#p"}})}, field: "gravida"},
		"a patient told by a number":           {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", counted(4), m{"subject": m{"identifier": m{"value": "p"}}})}, field: "gravida"},
		"a version of the patient":             {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", counted(4), m{"subject": m{"reference": "Patient/p/_history/3"}})}, field: "gravida", filled: "4"},
	})
}

func TestInTheNewbornsChartOnlyWhatIsAboutTheNewbornFromTheBirthOnCounts(t *testing.T) {
	weight := func(id, code, when string, n float64, unit string, more ...m) m {
		return seen(id, code, when, append(more, weighing(n, unit))...)
	}
	requireDoubts(t, map[string]doubted{
		"a birth weight":                 {chart: []m{baby(), weight("w", "8339-4", "2026-05-01T04:30:00-04:00", 3400, "g")}, field: "birth_weight_g", filled: "3400", as: Newborn},
		"a weight before the birth":      {chart: []m{baby(), weight("w", "29463-7", "2026-05-01T02:00:00-04:00", 3400, "g")}, field: "birth_weight_g", as: Newborn},
		"a birth weight before it":       {chart: []m{baby(), weight("w", "8339-4", "2026-05-01T02:00:00-04:00", 3400, "g")}, field: "birth_weight_g", why: tooSoon, as: Newborn},
		"the same in another zone":       {chart: []m{baby(), weight("w", "8339-4", "2026-05-01T08:17:00Z", 3400, "g")}, field: "birth_weight_g", why: tooSoon, as: Newborn},
		"a weight of the day":            {chart: []m{baby(), weight("w", "29463-7", "2026-05-01", 3.4, "kg")}, field: "birth_weight_g", filled: "3400", as: Newborn},
		"a weight of the next day":       {chart: []m{baby(), weight("w", "29463-7", "2026-05-02", 3.4, "kg")}, field: "birth_weight_g", as: Newborn},
		"two birth weights":              {chart: []m{baby(), weight("w", "8339-4", "2026-05-01", 3400, "g"), weight("w2", "8339-4", "2026-05-01", 2900, "g")}, field: "birth_weight_g", why: "different birth weights", as: Newborn},
		"a weight about the mother":      {chart: []m{baby(), weight("w", "8339-4", "2026-05-01", 3400, "g", m{"focus": l{m{"reference": "RelatedPerson/mother"}}})}, field: "birth_weight_g", why: aboutAnother, as: Newborn},
		"a weight about a twin":          {chart: []m{baby(), weight("w", "8339-4", "2026-05-01", 3400, "g", m{"focus": l{m{"display": "Twin B"}}})}, field: "birth_weight_g", why: aboutAnother, as: Newborn},
		"an Apgar score before it":       {chart: []m{baby(), seen("a", "9272-6", "2026-05-01T04:00:00-04:00", counted(9))}, field: "apgar_one_minute", why: tooSoon, as: Newborn},
		"an Apgar score after it":        {chart: []m{baby(), seen("a", "9272-6", "2026-05-01T04:19:00-04:00", counted(9))}, field: "apgar_one_minute", filled: "9", as: Newborn},
		"an Apgar score of 11":           {chart: []m{baby(), seen("a", "9272-6", "2026-05-01", counted(11))}, field: "apgar_one_minute", why: implausible, as: Newborn},
		"a gestation of a day later":     {chart: []m{baby(), seen("g", "76516-4", "2026-05-02", weighing(39, "wk"))}, field: "gestational_age_weeks", filled: "39", as: Newborn},
		"two gestations of the birth":    {chart: []m{baby(), seen("g", "76516-4", "2026-05-01", weighing(39, "wk")), seen("g2", "76516-4", "2026-05-01", weighing(36, "wk"))}, field: "gestational_age_weeks", why: contradicted, as: Newborn},
		"an anomaly that is ruled out":   {chart: []m{baby(), diagnosed("c", mapping.SNOMEDURL, "80281008", "2026-05-02", worded(mapping.SNOMEDURL, "80281008", "Cleft lip", "Rule out cleft lip"))}, field: "congenital_anomalies", why: saysOtherwise, as: Newborn},
		"an anomaly of the family":       {chart: []m{baby(), diagnosed("c", mapping.SNOMEDURL, "80281008", "2026-05-02", worded(mapping.SNOMEDURL, "80281008", "Cleft lip", "Family history of cleft lip"))}, field: "congenital_anomalies", why: saysOtherwise, as: Newborn},
		"an anomaly called another":      {chart: []m{baby(), diagnosed("c", mapping.SNOMEDURL, "80281008", "2026-05-02", worded(mapping.SNOMEDURL, "80281008", "Cleft lip", "Cleft palate alone"))}, field: "congenital_anomalies", why: saysOtherwise, as: Newborn},
		"a time of birth of another day": {chart: []m{baby(m{"birthDate": "2026-05-02"})}, field: "birth_datetime", why: "not on the date of birth", as: Newborn},
	})
}
