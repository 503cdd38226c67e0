package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// ofBirth is the course of a birth on March 2, 2026, whose mother was born in May 1995.
func ofBirth(t testing.TB, resources ...m) birth.Draft {
	t.Helper()
	return masked(t, bundle(append([]m{mother(m{"birthDate": "1995-05-05"}), child(m{"birthDate": "2026-03-02"})}, resources...)...))
}

func TestAnObservationFromAnEarlierPregnancyStatesNothingAboutThisOne(t *testing.T) {
	earlier := m{"effectiveDateTime": "2022-06-10"}
	for field, o := range map[string]m{
		"delivery_method":            obs("73762-7", coded("11466000")),
		"stat_cesarean":              obs("73762-7", coded("274130007")),
		"fetal_presentation":         obs("73761-9", coded("6096002")),
		"trial_of_labor":             obs("73760-1", m{"valueBoolean": true}),
		"labor_onset_type":           obs("73813-8", coded("236958009")),
		"perineum":                   obs("73781-7", coded("398019008")),
		"maternal_morbidity":         obs("73781-7", coded("116859006")),
		"chorioamnionitis":           obs("73813-8", coded("11612004")),
		"plurality":                  obs("57722-1", integer(2)),
		"live_births_this_delivery":  obs("73773-4", integer(2)),
		"fetal_deaths_this_delivery": obs("73772-6", integer(1)),
		"newborn_conditions":         obs("73812-0", coded("830077005")),
		"congenital_anomalies":       obs("73780-9", coded("80281008")),
		"newborn_length_cm":          obs("89269-5", quantity(51, "cm")),
		"infant_living":              obs("73757-7", m{"valueBoolean": false}),
		"breastfed_at_discharge":     obs("73756-9", m{"valueBoolean": true}),
		"gravida":                    obs("11996-6", integer(1)),
		"parity":                     obs("11977-6", integer(0)),
		"previous_live_births_dead":  obs("68496-9", integer(0)),
		"previous_cesareans":         obs("68497-7", integer(1)),
		"risk_factors":               obs("73775-9", coded("11687002")),
		"previous_preterm_birth":     obs("73775-9", coded("260413007")),
		"infections":                 obs("72519-2", coded("15628003")),
		"wic_received":               obs("87303-4", coded("Y")),
		"cigarettes_per_day_pre":     obs("64794-1", integer(10)),
		"cigarettes_per_day_t1":      obs("87298-6", integer(10)),
		"prepregnancy_weight_lb":     obs("56077-1", quantity(150, "[lb_av]")),
		"mother_married":             obs("87301-8", m{"valueBoolean": true}),
		"planned_birth_setting":      obs("73765-0", m{"valueBoolean": true}),
		"blood_loss_ml":              obs("blood_loss_ml", quantity(400, "mL")),
		"prenatal_care_site":         obs("prenatal_care_site", coded("home")),
	} {
		require.Empty(t, stated(ofBirth(t, o.With(earlier)), field), field)
		require.NotEmpty(t, stated(ofBirth(t, o.With(m{"effectiveDateTime": "2026-03-01"})), field), field)
		require.NotEmpty(t, stated(ofBirth(t, o), field), "%s without a date", field)
	}
}

func TestAnObservationOfTheMotherFromALaterPregnancyStatesNothingAboutThisOne(t *testing.T) {
	now, later := m{"effectiveDateTime": "2026-03-02"}, m{"effectiveDateTime": "2028-05-01"}
	for field, pair := range map[string][2]m{
		"delivery_method":        {obs("73762-7", coded("700000006")), obs("73762-7", coded("11466000"))},
		"gestational_age_weeks":  {obs("11884-4", quantity(39, "wk")), obs("11884-4", quantity(30, "wk"))},
		"gravida":                {obs("11996-6", integer(1)), obs("11996-6", integer(3))},
		"plurality":              {obs("57722-1", integer(1)), obs("57722-1", integer(2))},
		"risk_factors":           {obs("73775-9", coded("11687002")), obs("73775-9", coded("38341003"))},
		"prepregnancy_weight_lb": {obs("56077-1", quantity(150, "[lb_av]")), obs("56077-1", quantity(190, "[lb_av]"))},
		"cigarettes_per_day_t1":  {obs("87298-6", integer(10)), obs("87298-6", integer(20))},
		"blood_loss_ml":          {obs("blood_loss_ml", quantity(400, "mL")), obs("blood_loss_ml", quantity(900, "mL"))},
		"previous_cesareans":     {obs("68497-7", integer(0)), obs("73775-9", coded("200144004"))},
	} {
		mine, next := pair[0].With(now), pair[1].With(later)
		want := stated(ofBirth(t, mine), field)
		require.NotEmpty(t, want, field)
		require.Equal(t, want, stated(ofBirth(t, mine, next), field), field)
		require.Equal(t, want, stated(ofBirth(t, next, mine), field), field)
		require.Empty(t, stated(ofBirth(t, next), field), field)
		require.NotEmpty(t, stated(ofBirth(t, pair[0].With(m{"effectiveDateTime": "2026-06-01"})), field), "%s written down later", field)
	}
	weight := obs("8339-4", quantity(3400, "g"), about("Patient/child"), later)
	require.Equal(t, "3400", stated(ofBirth(t, weight), "birth_weight_g"), "the child is born once")
}

func TestLastingConditionsCountForLaterPregnancies(t *testing.T) {
	earlier := m{"effectiveDateTime": "2019-06-10"}
	for _, c := range []struct{ field, want, code string }{
		{"risk_factors", `["diabetes_prepregnancy"]`, "73211009"},
		{"risk_factors", `["hypertension_prepregnancy"]`, "38341003"},
		{"previous_cesareans", "1", "200144004"},
		{"previous_preterm_birth", "true", "161765003"},
	} {
		require.Equal(t, c.want, stated(ofBirth(t, obs("73775-9", coded(c.code), earlier)), c.field), c.code)
	}
	require.Equal(t, `"bachelor"`, stated(ofBirth(t, obs("57712-2", coded("BA"), earlier)), "mother_education"))
}

func TestADateOfAnotherPregnancyIsLeftOutWhereverItStandsInTheBundle(t *testing.T) {
	at := func(code, day string) m { return obs(code, m{"valueDateTime": day}) }
	for _, c := range []struct{ field, code, right, wrong string }{
		{"last_menstrual_period", "8665-2", "2025-05-26", "2021-09-01"},
		{"last_menstrual_period", "8665-2", "2025-05", "2021"},
		{"last_menstrual_period", "8665-2", "2025-05-26", "2026-02-20"},
		{"estimated_due_date", "11778-8", "2026-03-02", "2022-06-08"},
		{"estimated_due_date", "11778-8", "2026-03-02", "2027-06-08"},
		{"prenatal_first_visit_date", "69044-6", "2025-07-20", "2021-11-01"},
		{"labor_onset_datetime", "labor_onset_datetime", "2026-03-01T22:00:00-05:00", "2022-06-09T22:00:00-04:00"},
	} {
		right, wrong := at(c.code, c.right), at(c.code, c.wrong)
		for _, resources := range [][]m{{right, wrong}, {wrong, right}, {right}} {
			require.Equal(t, `"`+c.right+`"`, stated(ofBirth(t, resources...), c.field), c.wrong)
		}
		require.Empty(t, stated(ofBirth(t, wrong), c.field), c.wrong)
		require.NotEmpty(t, stated(courseOf(t, wrong), c.field), "the day of the birth isn't known")
	}
}

func TestAHeightFromChildhoodIsNotTheMothersHeight(t *testing.T) {
	height := func(inches int, day string) m {
		return obs("8302-2", quantity(inches, "[in_i]"), m{"effectiveDateTime": day})
	}
	require.Empty(t, stated(ofBirth(t, height(50, "2004-01-01")), "mother_height_in"))
	require.Equal(t, "65", stated(ofBirth(t, height(65, "2012-01-01")), "mother_height_in"))
	require.Equal(t, "50", stated(courseOf(t, height(50, "2004-01-01")), "mother_height_in"), "her date of birth isn't known")
}

func TestUnderBFDRAnEarlierPregnancysNoneDoesNotDenyThisOnesFinding(t *testing.T) {
	finding := m{
		"resourceType": "Condition", "category": l{concept("73775-9")}, "code": concept("11687002"), "subject": m{"reference": "Patient/mother"},
	}
	none := obs("73775-9", coded("260413007"), about("Patient/mother"))
	read := func(none m) string {
		doc := bundle(mother(), child(m{"birthDate": "2026-03-02"}), none, finding)
		return stated(masked(t, doc, Reader{Reading: birth.BFDRReading}), "risk_factors")
	}
	require.Equal(t, `["diabetes_gestational"]`, read(none.With(m{"effectiveDateTime": "2022-06-10"})))
	require.Empty(t, read(none.With(m{"effectiveDateTime": "2026-03-01"})))
}

func TestTheStayOfAnEarlierBirthIsNoStayOfThisOne(t *testing.T) {
	older := m{"period": m{"start": "2022-06-09", "end": "2022-06-11"}}
	now := m{"period": m{"start": "2026-03-01", "end": "2026-03-04"}}
	for _, of := range []m{profiled("Encounter-birth"), profiled("Encounter-maternity"), inRole("CHILD"), about("Patient/mother"), about("Patient/child")} {
		before := encounter(of, older, attended("Practitioner/p"), located("", "22232009"))
		d := ofBirth(t, staff("p"), staff("q"), before, encounter(of, now, attended("Practitioner/q"), located("", "91154008")))
		require.Equal(t, []bool{true, false}, []bool{d.Providers[0].Attending, d.Providers[1].Attending}, text(t, of))
		require.Equal(t, "q", d.Providers[0].Key, text(t, of))
		require.Equal(t, `"birth_center"`, stated(d, "birth_setting"), text(t, of))
		d = ofBirth(t, staff("p"), before)
		require.Equal(t, [2]string{}, [2]string{stated(d, "birth_setting"), stated(d, "attendant_type")}, text(t, of))
	}
	ongoing := encounter(about("Patient/mother"), located("", "22232009"), m{"status": "in-progress", "period": m{"start": "2024-03-01"}})
	require.Equal(t, `"hospital"`, stated(ofBirth(t, ongoing), "birth_setting"), "still in progress")
}

func TestATransferOfAnotherPregnancyIsNotRecorded(t *testing.T) {
	for _, of := range []m{typed("Intrapartum transfer"), {"hospitalization": m{"admitSource": concept("hosp-trans"), "dischargeDisposition": concept("other-hcf")}}} {
		for day, want := range map[string]bool{"2022-06-09": false, "2027-05-01": false, "2026-03-02": true, "2025-09-01": true} {
			stay := encounter(of, about("Patient/mother"), m{"period": m{"start": day, "end": day}})
			require.Equal(t, want, len(ofBirth(t, stay).Transfers) > 0, "%s %s", day, text(t, of))
		}
	}
}

func TestAResourceWhoseMeaningAModifierMayChangeStatesNothing(t *testing.T) {
	modifier := m{"modifierExtension": l{m{"url": "http://x/not"}}}
	part := attended("Practitioner/p")["participant"].(l)[0].(m).With(modifier)
	component := obs(raceCode, m{"component": l{m{"code": concept("White"), "valueBoolean": true}.With(modifier)}})
	for _, mark := range []m{modifier, {"implicitRules": "http://x/rules"}} {
		d := ofBirth(t, staff("p"), encounter(mark, attended("Practitioner/p"), located("", "22232009"), typed("Intrapartum transfer")))
		require.Equal(t, [2]string{}, [2]string{stated(d, "birth_setting"), stated(d, "attendant_type")})
		require.Empty(t, d.Transfers)
		require.Empty(t, ofBirth(t, staff("p", mark)).Providers)
		require.Empty(t, stated(ofBirth(t, obs("9274-2", integer(9), mark)), "apgar_five_minute"))
		named := m{"name": l{m{"family": "Quinn"}}, "birthDate": "2026-03-02", "gender": "female"}
		d = masked(t, bundle(mother(named, mark), child(named, mark)))
		require.Empty(t, stated(d, "mother_family_name")+stated(d, "child_family_name")+stated(d, "birth_date")+stated(d, "child_sex"))
	}
	require.Empty(t, stated(ofBirth(t, staff("p"), encounter(m{"participant": l{part}})), "attendant_type"))
	require.Empty(t, stated(ofBirth(t, component), "mother_race"))
	empty := m{"modifierExtension": l{}, "implicitRules": nil}
	require.Equal(t, "9", stated(ofBirth(t, obs("9274-2", integer(9), empty)), "apgar_five_minute"), "nothing is modified")
}

func TestAValueAfterThePuerperiumDoesNotReplaceOneOfThePregnancy(t *testing.T) {
	of, next := m{"effectiveDateTime": "2026-03-02"}, m{"effectiveDateTime": "2026-11-20"}
	for field, pair := range map[string][2]m{
		"gestational_age_weeks": {obs("11884-4", quantity(39, "wk")), obs("11884-4", quantity(12, "wk"))},
		"gravida":               {obs("11996-6", integer(2)), obs("11996-6", integer(3))},
		"delivery_weight_lb":    {obs("69461-2", quantity(170, "[lb_av]")), obs("69461-2", quantity(150, "[lb_av]"))},
	} {
		want := stated(ofBirth(t, pair[0].With(of)), field)
		require.NotEmpty(t, want, field)
		require.Equal(t, want, stated(ofBirth(t, pair[0].With(of), pair[1].With(next)), field), field)
		require.Equal(t, want, stated(ofBirth(t, pair[1].With(next), pair[0].With(of)), field), field)
		require.Equal(t, want, stated(ofBirth(t, pair[0].With(next)), field), "%s, written down late and alone", field)
	}
}
