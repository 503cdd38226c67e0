package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// shown is a concept with a code, its display and a text.
func shown(code, display, text string) m {
	return m{"coding": l{m{"code": code, "display": display}}, "text": text}
}

func TestACodedValueWhoseWordsNameAnotherValueIsDropped(t *testing.T) {
	for _, c := range []struct{ question, field, code, words, want string }{
		{"73762-7", "delivery_method", "700000006", "Vaginal delivery of fetus (procedure)", `"vaginal_spontaneous"`},
		{"73762-7", "delivery_method", "700000006", "Spontaneous vaginal delivery", `"vaginal_spontaneous"`},
		{"73762-7", "delivery_method", "700000006", "NSVD", `"vaginal_spontaneous"`},
		{"73762-7", "delivery_method", "700000006", "Vaginal birth after cesarean", `"vaginal_spontaneous"`},
		{"73762-7", "delivery_method", "700000006", "as entered", `"vaginal_spontaneous"`},
		{"73762-7", "delivery_method", "700000006", "Cesarean", ""},
		{"73762-7", "delivery_method", "700000006", "Repeat C/S", ""},
		{"73762-7", "delivery_method", "700000006", "Cesárea", ""},
		{"73762-7", "delivery_method", "700000006", "Forceps delivery", ""},
		{"73762-7", "delivery_method", "700000006", "Vaginal, vacuum assisted", ""},
		{"73762-7", "delivery_method", "302383004", "Vaginal/Forceps", `"vaginal_forceps"`},
		{"73762-7", "delivery_method", "302383004", "Operative vaginal delivery", `"vaginal_forceps"`},
		{"73762-7", "delivery_method", "302383004", "Vacuum extraction", ""},
		{"73762-7", "delivery_method", "11466000", "Cesarean section", `"cesarean"`},
		{"73762-7", "delivery_method", "11466000", "Cesarean after failed forceps", `"cesarean"`},
		{"73762-7", "delivery_method", "11466000", "LSCS", `"cesarean"`},
		{"73762-7", "delivery_method", "11466000", "Vaginal delivery", ""},
		{"73762-7", "delivery_method", "11466000", "Vaginal, spontaneous", ""},
		{"73762-7", "stat_cesarean", "274130007", "Emergency cesarean section", "true"},
		{"73762-7", "stat_cesarean", "274130007", "Elective cesarean section", ""},
		{"73761-9", "fetal_presentation", "70028003", "Cephalic", `"vertex"`},
		{"73761-9", "fetal_presentation", "70028003", "Breech presentation", ""},
		{"73761-9", "fetal_presentation", "70028003", "Breech, converted to vertex", `"vertex"`},
		{"73761-9", "fetal_presentation", "6096002", "Frank breech", `"breech"`},
		{"73761-9", "fetal_presentation", "6096002", "Vertex", ""},
		{"72519-2", "infections", "15628003", "Gonorrhea (disorder)", `["gonorrhea"]`},
		{"72519-2", "infections", "15628003", "Chlamydia", ""},
		{"72519-2", "infections", "15628003", "Gonorrhea: negative", ""},
		{"72519-2", "infections", "15628003", "Partner has gonorrhea", ""},
		{"72519-2", "infections", "66071002", "Viral hepatitis, type B", `["hepatitis_b"]`},
		{"72519-2", "infections", "66071002", "Hepatitis C", ""},
		{"72519-2", "infections", "260413007", "None", `["none"]`},
		{"72519-2", "infections", "260413007", "Syphilis", ""},
		{"73775-9", "risk_factors", "11687002", "GDM", `["diabetes_gestational"]`},
		{"73775-9", "risk_factors", "11687002", "Diabetes mellitus type 2", ""},
		{"73775-9", "risk_factors", "11687002", "Gestational hypertension", ""},
		{"73775-9", "risk_factors", "73211009", "Pre-gestational diabetes", `["diabetes_prepregnancy"]`},
		{"73775-9", "risk_factors", "73211009", "Gestational diabetes", ""},
		{"73775-9", "risk_factors", "15938005", "Eclampsia", `["eclampsia"]`},
		{"73775-9", "risk_factors", "15938005", "Pre-eclampsia", ""},
		{"73775-9", "risk_factors", "38341003", "Family history of hypertension", ""},
		{"73775-9", "risk_factors", "11687002", "History of gestational diabetes", ""},
		{"73775-9", "risk_factors", "11687002", "Hx of GDM", ""},
		{"73775-9", "risk_factors", "11687002", "H/O gestational diabetes", ""},
		{"73775-9", "risk_factors", "15938005", "Eclampsia in a previous pregnancy", ""},
		{"73775-9", "risk_factors", "73211009", "History of type 2 diabetes", `["diabetes_prepregnancy"]`},
		{"73775-9", "risk_factors", "38341003", "Hypertension prior to pregnancy", `["hypertension_prepregnancy"]`},
		{"73775-9", "previous_preterm_birth", "161765003", "History of premature delivery", "true"},
		{"72519-2", "infections", "15628003", "History of gonorrhea", ""},
		{"73775-9", "risk_factors", "11687002", "Gestational diabetes by history", ""},
		{"73781-7", "perineum", "398019008", "Prior third degree laceration", ""},
		{"73781-7", "maternal_morbidity", "116859006", "Previous transfusion", ""},
		{"73781-7", "maternal_morbidity", "116859006", "Transfusion after a previous one", `["transfusion"]`},
		{"73813-8", "steroids_lung_maturation", "434611000124106", "Prior to delivery", "true"},
		{"73781-7", "maternal_morbidity", "116859006", "History of blood transfusion", ""},
		{"73813-8", "chorioamnionitis", "11612004", "Chorioamnionitis in last pregnancy", ""},
		{"73775-9", "previous_cesareans", "200144004", "Deliveries by cesarean, previous", "1"},
		{"73775-9", "previous_cesareans", "200144004", "History of cesarean delivery", "1"},
		{"73775-9", "previous_cesareans", "200144004", "Previous cesarean ruled out", ""},
		{"73813-8", "chorioamnionitis", "260413007", "None of the above", "false"},
		{"73813-8", "chorioamnionitis", "260413007", "Chorioamnionitis", ""},
		{"73813-8", "chorioamnionitis", "11612004", "Chorioamnionitis (disorder)", "true"},
		{"73813-8", "chorioamnionitis", "11612004", "Chorioamnionitis ruled out", ""},
		{"73775-9", "previous_preterm_birth", "260413007", "Gestational diabetes", ""},
		{"73775-9", "previous_preterm_birth", "260413007", "No risk factors", "false"},
		{"73781-7", "maternal_morbidity", "116859006", "Blood transfusion", `["transfusion"]`},
		{"73781-7", "maternal_morbidity", "116859006", "Ruptured uterus", ""},
		{"73781-7", "perineum", "57759005", "First degree perineal laceration", `"first"`},
		{"73781-7", "perineum", "57759005", "Fourth degree perineal tear", ""},
		{"73812-0", "newborn_conditions", "434621000124103", "Antibiotics received for suspected neonatal sepsis", `["antibiotics_sepsis"]`},
		{"73812-0", "newborn_conditions", "91175000", "NICU admission", ""},
		{"73780-9", "congenital_anomalies", "80281008", "Cleft lip with or without cleft palate", `["cleft_lip"]`},
		{"73780-9", "congenital_anomalies", "80281008", "Cleft palate alone", ""},
		{"73780-9", "congenital_anomalies", "409709004", "Suspected chromosomal disorder", `["chromosomal_disorder"]`},
		{"73780-9", "congenital_anomalies", "70156005", "Down syndrome ruled out", ""},
		{"57712-2", "mother_education", "POSTG", "Doctoral or post graduate education", `"doctoral"`},
		{"57712-2", "mother_education", "SEC", "9th through 12th grade; no diploma", `"some_secondary"`},
		{"57712-2", "mother_education", "SEC", "Some secondary or high school education", `"some_secondary"`},
		{"57712-2", "mother_education", "HS", "Bachelor's degree", ""},
		{"87303-4", "wic_received", "Y", "Yes", "true"},
		{"87303-4", "wic_received", "Y", "No", ""},
		{"87303-4", "wic_received", "N", "No, not received", "false"},
		{"87303-4", "wic_received", "N", "Yes", ""},
		{"87303-4", "wic_received", "N", "Unknown", ""},
		{"87303-4", "wic_received", "Y", "Unknown", ""},
		{"73775-9", "risk_factors", "260413007", "Unknown", ""},
		{"73775-9", "risk_factors", "11687002", "Unknown", ""},
		{"73775-9", "previous_preterm_birth", "260413007", "Unknown", ""},
		{"73761-9", "fetal_presentation", "70028003", "Unknown", ""},
		{"73761-9", "fetal_presentation", "261665006", "Unknown", `"unknown"`},
		{"73765-0", "planned_birth_setting", "Y", "Hospital", ""},
		{"85699-7", "autopsy", "398166005", "Not performed", ""},
		{"85699-7", "autopsy", "398166005", "Performed", `"performed"`},
	} {
		for name, value := range map[string]m{"a display": shown(c.code, c.words, ""), "a text": shown(c.code, "", c.words)} {
			require.Equal(t, c.want, stated(courseOf(t, obs(c.question, m{"valueCodeableConcept": value})), c.field), "%s %s %q as %s", c.question, c.code, c.words, name)
		}
	}
}

func TestWordsThatContradictACodeCountInEveryResource(t *testing.T) {
	wide := Reader{Reading: birth.BFDRReading}
	of := func(code, words string) m { return m{"coding": l{m{"code": code}}, "text": words} }
	omb := func(name, code, display, text string) m {
		return extended(extension("http://hl7.org/fhir/us/core/StructureDefinition/"+name, extended(
			extension("ombCategory", m{"valueCoding": m{"code": code, "display": display}}), extension("text", m{"valueString": text}),
		)))
	}
	birthsex := func(text string) m {
		return extended(extension("http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex", m{"valueCodeableConcept": of("F", text)}))
	}
	stay := func(more m) m { return m{"resourceType": "Encounter", "status": "finished"}.With(more) }
	place := func(text string) m { return stay(m{"location": l{m{"physicalType": of("22232009", text)}}}) }
	titled := func(text string) []m {
		return []m{
			mother(), child(),
			{"resourceType": "Practitioner", "id": "p", "qualification": l{m{"code": of("309343006", text)}}},
			stay(m{"participant": l{m{"type": l{concept("ATND")}, "individual": m{"reference": "Practitioner/p"}}}}),
		}
	}
	condition := func(text string) m {
		return m{"resourceType": "Condition", "category": l{concept("72519-2")}, "code": of("15628003", text)}
	}
	coverage := func(text string) m {
		return m{"resourceType": "Coverage", "status": "active", "type": m{"coding": l{m{"system": "https://nahdo.org/sopt", "code": "2"}}, "text": text}}
	}
	for _, c := range []struct {
		name, field string
		of          []m
		want        string
	}{
		{"a race", "mother_race", []m{mother(omb("us-core-race", "2106-3", "White", "White")), child()}, `["white"]`},
		{"a race with the display of another", "mother_race", []m{mother(omb("us-core-race", "2106-3", "Black or African American", "")), child()}, ""},
		{"a race with the text of another", "mother_race", []m{mother(omb("us-core-race", "2106-3", "White", "Asian")), child()}, ""},
		{"a race in other words", "mother_race", []m{mother(omb("us-core-race", "2106-3", "Caucasian", "Irish")), child()}, `["white"]`},
		{"an ethnicity with the text of another", "mother_ethnicity", []m{mother(omb("us-core-ethnicity", "2186-5", "Hispanic or Latina", "")), child()}, ""},
		{"a sex", "child_sex", []m{mother(), child(birthsex("Female"))}, `"female"`},
		{"a sex with the text of the other", "child_sex", []m{mother(), child(birthsex("Male"))}, ""},
		{"a place", "birth_setting", []m{mother(), child(), place("Hospital")}, `"hospital"`},
		{"a place with the text of another", "birth_setting", []m{mother(), child(), place("Planned home birth")}, ""},
		{"a title", "attendant_title", titled("Physician"), `"md"`},
		{"a title with the text of another", "attendant_title", titled("Certified Nurse Midwife"), ""},
		{"a condition", "infections", []m{mother(), child(), condition("Gonorrhea")}, `["gonorrhea"]`},
		{"a condition with the text of another", "infections", []m{mother(), child(), condition("Syphilis")}, ""},
		{"a condition of the partner", "infections", []m{mother(), child(), condition("Gonorrhea in partner")}, ""},
		{"a payer", "principal_payer", []m{mother(), child(), coverage("Medicaid")}, `"medicaid"`},
		{"a payer with the text of another", "principal_payer", []m{mother(), child(), coverage("Private insurance")}, ""},
	} {
		require.Equal(t, c.want, stated(masked(t, bundle(c.of...), wide), c.field), c.name)
	}
	for text, want := range map[string]int{"Patient transfer": 1, "Transfer to hospital declined": 0, "Transfer cancelled": 0} {
		require.Len(t, courseOf(t, stay(m{"type": l{of("107724000", text)}})).Transfers, want, text)
	}
}

func TestAnObservationWhoseCodeIsCalledAnotherFactIsDropped(t *testing.T) {
	for _, c := range []struct {
		field, code, words string
		value              m
		want               string
	}{
		{"apgar_five_minute", "9274-2", "5 minute Apgar Score", integer(9), "9"},
		{"apgar_five_minute", "9274-2", "APGAR (5 min)", integer(9), "9"},
		{"apgar_five_minute", "9274-2", "Apgar score", integer(9), "9"},
		{"apgar_five_minute", "9274-2", "1 minute Apgar Score", integer(9), ""},
		{"apgar_five_minute", "9274-2", "Apgar 10 min", integer(9), ""},
		{"apgar_five_minute", "9274-2", "Apgar at 15 minutes", integer(9), ""},
		{"birth_weight_g", "8339-4", "Birth weight Measured", quantity(3420, "g"), "3420"},
		{"birth_weight_g", "8339-4", "Wt at birth", quantity(3420, "g"), "3420"},
		{"birth_weight_g", "8339-4", "Estimated fetal weight", quantity(3420, "g"), ""},
		{"birth_weight_g", "8339-4", "Pre-pregnancy weight", quantity(3420, "g"), ""},
		{"birth_weight_g", "8339-4", "Newborn weight at discharge", quantity(3190, "g"), ""},
		{"birth_weight_g", "8339-4", "Infant discharge wt", quantity(3190, "g"), ""},
		{"birth_weight_g", "8339-4", "Placental weight", quantity(600, "g"), ""},
		{"birth_weight_g", "8339-4", "Father's birth weight", quantity(3420, "g"), ""},
		{"prepregnancy_weight_lb", "56077-1", "Body weight --pre current pregnancy", quantity(145, "[lb_av]"), "145"},
		{"prepregnancy_weight_lb", "56077-1", "Mother's body weight --at delivery", quantity(175, "[lb_av]"), ""},
		{"prepregnancy_weight_lb", "56077-1", "Weight at delivery", quantity(175, "[lb_av]"), ""},
		{"prepregnancy_weight_lb", "56077-1", "Goal weight", quantity(145, "[lb_av]"), ""},
		{"delivery_weight_lb", "69461-2", "Mother's weight at birth of the infant", quantity(175, "[lb_av]"), "175"},
		{"delivery_weight_lb", "69461-2", "Pregravid weight", quantity(145, "[lb_av]"), ""},
		{"mother_height_in", "8302-2", "Height", quantity(67, "[in_i]"), "67"},
		{"mother_height_in", "8302-2", "Paternal height", quantity(72, "[in_i]"), ""},
		{"mother_height_in", "8302-2", "FOB Ht", quantity(72, "[in_i]"), ""},
		{"mother_education", "57712-2", "Highest level of education Father", coded("BA"), ""},
		{"mother_education", "57712-2", "Mother's or father's education", coded("BA"), `"bachelor"`},
		{"cigarettes_per_day_t1", "87298-6", "Cigarettes smoked per day by Mother--1st trimester", integer(2), "2"},
		{"cigarettes_per_day_t1", "87298-6", "Cigarettes in the third trimester", integer(2), ""},
		{"gravida", "11996-6", "Gravida", integer(3), "3"},
		{"gravida", "11996-6", "Para", integer(2), ""},
		{"previous_live_births_living", "11638-4", "Previous live births, now living", integer(1), "1"},
		{"previous_live_births_living", "11638-4", "Previous live births, now dead", integer(1), ""},
		{"last_menstrual_period", "8665-2", "LMP", m{"valueDateTime": "2025-05-26"}, `"2025-05-26"`},
		{"last_menstrual_period", "8665-2", "Estimated due date", m{"valueDateTime": "2025-05-26"}, ""},
		{"gestational_age_weeks", "11884-4", "Gestational age at delivery, previous pregnancy", quantity(31, "wk"), ""},
		{"gestational_age_weeks", "11884-4", "Gestational age from last menstrual period", quantity(31, "wk"), "31"},
		{"gestational_age_weeks", "11884-4", "Gestational age at first prenatal visit", quantity(12, "wk"), ""},
		{"birth_weight_g", "8339-4", "Birth weight of prior child", quantity(2800, "g"), ""},
		{"birth_weight_g", "8339-4", "Birth weight of sibling", quantity(2800, "g"), ""},
		{"birth_weight_g", "8339-4", "Birth weight (birth history)", quantity(2800, "g"), "2800"},
		{"delivery_method", "73762-7", "Delivery route of last pregnancy", coded("11466000"), ""},
		{"delivery_weight_lb", "69461-2", "Weight at past delivery", quantity(175, "[lb_av]"), ""},
		{"prepregnancy_weight_lb", "56077-1", "Weight prior to pregnancy", quantity(145, "[lb_av]"), "145"},
		{"cigarettes_per_day_pre", "64794-1", "Cigarettes a day prior to pregnancy", integer(2), "2"},
		{"previous_cesareans", "68497-7", "Cesareans in previous pregnancies", integer(1), "1"},
		{"last_live_birth_date", "68499-3", "Date of last birth", m{"valueDateTime": "2023-01"}, `"2023-01"`},
		{"risk_factors", "73775-9", "Family history", coded("48194001"), ""},
		{"risk_factors", "73775-9", "Risk factors of this or a previous pregnancy", coded("48194001"), `["hypertension_gestational"]`},
		{"perineum", "73781-7", "Morbidity of previous birth", coded("398019008"), ""},
	} {
		for name, code := range map[string]m{"a display": shown(c.code, c.words, ""), "a text": shown(c.code, "", c.words)} {
			require.Equal(t, c.want, stated(courseOf(t, obs(c.code, c.value, m{"code": code})), c.field), "%s %q as %s", c.code, c.words, name)
		}
	}
}

func TestAPanelAboutSomebodyElseOrAnEarlierBirthStatesNothingOfThisOne(t *testing.T) {
	of := func(text string) m {
		return panel("57060-6", about("Patient/mother").With(m{"code": shown("57060-6", "", text)}), part("11996-6", integer(3)), part("69461-2", quantity(175, "[lb_av]")))
	}
	for text, want := range map[string][]string{
		"Obstetric summary":        {"3", "175"},
		"Pregnancy history":        {"3", ""},
		"Previous pregnancy":       {"3", ""},
		"Father of the baby":       {"", ""},
		"Sister's pregnancy":       {"", ""},
		"Family pregnancy history": {"", ""},
	} {
		d := courseOf(t, of(text))
		require.Equal(t, want, []string{stated(d, "gravida"), stated(d, "delivery_weight_lb")}, text)
	}
}

func TestANoteThatDeniesAFindingLeavesItOut(t *testing.T) {
	for note, want := range map[string]string{
		"Treated in January": `["syphilis"]`, "No known allergies": `["syphilis"]`, "Ruled out by RPR": "", "Partner has it": "", "Suspected": "", "History of syphilis": "",
	} {
		noted := m{"note": l{m{"text": "seen"}, m{"text": note}}}
		require.Equal(t, want, stated(courseOf(t, obs("72519-2", coded("76272004"), noted)), "infections"), note)
		require.Equal(t, "9", stated(courseOf(t, obs("9274-2", integer(9), noted)), "apgar_five_minute"), "a score is no finding")
	}
	for interpretation, want := range map[string]string{"Positive": `["syphilis"]`, "Negative": "", "Non-Reactive": "", "Not detected": ""} {
		interpreted := m{"interpretation": l{m{"text": interpretation}}}
		require.Equal(t, want, stated(courseOf(t, obs("72519-2", coded("76272004"), interpreted)), "infections"), interpretation)
	}
	for code, want := range map[string]string{"260413007": `["none"]`, "434621000124103": `["antibiotics_sepsis"]`} {
		require.Equal(t, want, stated(courseOf(t, obs("73812-0", coded(code), m{"note": l{m{"text": "Suspected sepsis"}}})), "newborn_conditions"))
	}
}

func TestTheWordsOfADropAreExplained(t *testing.T) {
	doc := bundle(mother(), child(), obs("73762-7", m{"valueCodeableConcept": shown("700000006", "Cesarean section", "")}), obs("9274-2", integer(9), m{"code": shown("9274-2", "1 minute Apgar Score", "")}))
	i := item(t, doc, Reader{Traced: true})
	_, dropped := i.Trace.Report(i.Draft)
	why := map[string]mapping.Reason{}
	for _, e := range dropped {
		why[e.At] = e.Why
	}
	require.Equal(t, mapping.TextContradicts, why["Bundle.entry[2].resource"])
	require.Equal(t, mapping.TextContradicts, why["Bundle.entry[3].resource"])
}
