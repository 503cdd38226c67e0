package birth

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var checkedAt = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// sound returns a draft without a fault.
func sound() Draft {
	d := Draft{
		Children:  make([]Values, 1),
		Providers: []Provider{{Key: "k", Name: "Maren Lindqvist", Role: RoleMidwife, Attending: true}},
	}
	set(&d.Mother, "mother_family_name", "Okonkwo")
	set(&d.Mother, "mother_birth_date", "1994-05-17")
	set(&d.Children[0], "birth_date", "2026-03-02")
	return d
}

// set states a field by a text, a number, a flag or choices.
func set(values *Values, field string, v any) {
	value := Value{}
	switch v := v.(type) {
	case string:
		value.Text = v
	case int:
		value.Number = float64(v)
	case float64:
		value.Number = v
	case bool:
		value.Flag = v
	case []string:
		value.Set = v
	}
	values.Set(Must(field), value)
}

func TestAPlausibleDraftHasNoFindings(t *testing.T) {
	require.Empty(t, Check(sound(), checkedAt))
}

func TestEachCheckFindsItsMistake(t *testing.T) {
	mother := func(field string, v any) func(*Draft) { return func(d *Draft) { set(&d.Mother, field, v) } }
	child := func(field string, v any) func(*Draft) { return func(d *Draft) { set(&d.Children[0], field, v) } }
	care := func(field string, v any) func(*Draft) { return func(d *Draft) { set(&d.Care, field, v) } }
	both := func(changes ...func(*Draft)) func(*Draft) {
		return func(d *Draft) {
			for _, change := range changes {
				change(d)
			}
		}
	}
	twin := func(d *Draft) {
		second := Values{}
		set(&second, "birth_date", "2026-03-02")
		d.Children = append(d.Children, second)
	}
	const blocks, warns, nothing = "blocks", "warns", ""
	for _, c := range []struct {
		name   string
		change func(*Draft)
		does   string
		rule   string // the rule and the place
	}{
		{"no mother", func(d *Draft) { d.Mother = nil }, blocks, "no-mother@mother_family_name"},
		{"one fact is a mother", func(d *Draft) { d.Mother = nil; set(&d.Mother, "gravida", 1) }, nothing, ""},
		{"no newborn", func(d *Draft) { d.Children = nil }, blocks, "no-newborn@child.0.birth_date"},
		{"a newborn without a date", func(d *Draft) { d.Children[0] = nil }, blocks, "no-birth-date@child.0.birth_date"},
		{"a time of birth is a date", func(d *Draft) { d.Children[0] = nil; set(&d.Children[0], "birth_datetime", "2026-03-02T04:18:00") }, nothing, ""},

		{"born tomorrow, by the clock of another place", child("birth_date", "2026-03-11"), nothing, ""},
		{"born the day after tomorrow", child("birth_date", "2026-03-12"), blocks, "future@child.0.birth_date"},
		{"born this year", child("birth_date", "2026"), nothing, ""},
		{"born next year", child("birth_date", "2027"), blocks, "future@child.0.birth_date"},
		{"a due date to come", mother("estimated_due_date", "2026-05-01"), nothing, ""},
		{"mother born after her child", mother("mother_birth_date", "2026-03-03"), blocks, "order@mother_birth_date"},
		{"mother born in the same year, perhaps before", mother("mother_birth_date", "2026"), nothing, ""},
		{"LMP after the birth", mother("last_menstrual_period", "2026-03-03"), blocks, "order@last_menstrual_period"},
		{"LMP in the month of the birth", mother("last_menstrual_period", "2026-03"), nothing, ""},
		{"last live birth after this", mother("last_live_birth_date", "2026-04-01"), blocks, "future@last_live_birth_date"},
		{"last live birth a day after this", mother("last_live_birth_date", "2026-03-04"), blocks, "order@last_live_birth_date"},
		{"last other outcome a day after this", mother("last_other_outcome_date", "2026-03-04"), blocks, "order@last_other_outcome_date"},
		{"first visit after the birth", mother("prenatal_first_visit_date", "2026-03-04"), blocks, "order@prenatal_first_visit_date"},
		{
			"first visit before the LMP",
			both(mother("last_menstrual_period", "2025-06-01"), mother("prenatal_first_visit_date", "2025-05-31")), warns, "order@prenatal_first_visit_date",
		},
		{
			"first visit on the day of the LMP",
			both(mother("last_menstrual_period", "2025-06-01"), mother("prenatal_first_visit_date", "2025-06-01")), nothing, "",
		},
		{
			"first visit in the month of the LMP",
			both(mother("last_menstrual_period", "2025-06-20"), mother("prenatal_first_visit_date", "2025-06")), nothing, "",
		},
		{"born before labor began, by the day", mother("labor_onset_datetime", "2026-03-03"), blocks, "order@labor_onset_datetime"},
		{"labor on the day of the birth", mother("labor_onset_datetime", "2026-03-02T23:00:00"), nothing, ""},
		{
			"born before labor began, by the minute",
			both(mother("labor_onset_datetime", "2026-03-02T04:19:00"), child("birth_datetime", "2026-03-02T04:18:00")),
			blocks, "order@labor_onset_datetime",
		},
		{
			"the same instant in two zones",
			both(mother("labor_onset_datetime", "2026-03-02T09:00:00Z"), child("birth_datetime", "2026-03-02T04:18:00-05:00")),
			nothing, "",
		},
		{
			"one offset is not stated",
			both(mother("labor_onset_datetime", "2026-03-02T04:00:00"), child("birth_datetime", "2026-03-02T04:18:00-05:00")),
			nothing, "",
		},
		{"membranes ruptured after the birth", mother("membranes_ruptured_datetime", "2026-03-03T01:00:00"), warns, "order@membranes_ruptured_datetime"},
		{"born before active labor", mother("active_labor_datetime", "2026-03-03"), blocks, "order@active_labor_datetime"},
		{"born before full dilation", mother("full_dilation_datetime", "2026-03-03"), blocks, "order@full_dilation_datetime"},
		{"born before pushing", mother("pushing_datetime", "2026-03-03"), blocks, "order@pushing_datetime"},
		{"the placenta before the newborn, which is rare", mother("placenta_datetime", "2026-03-01T23:00:00"), warns, "order@placenta_datetime"},
		{
			"the placenta two minutes after the newborn",
			both(mother("placenta_datetime", "2026-03-02T04:20:00"), child("birth_datetime", "2026-03-02T04:18:00")), nothing, "",
		},
		{
			"the placenta two days after the newborn",
			both(mother("placenta_datetime", "2026-03-04T04:20:00"), child("birth_datetime", "2026-03-02T04:18:00")), warns, "long@placenta_datetime",
		},
		{
			"active labor before labor",
			both(mother("labor_onset_datetime", "2026-03-02T02:00"), mother("active_labor_datetime", "2026-03-02T01:00")), warns,
			"order@active_labor_datetime",
		},
		{
			"full dilation before active labor",
			both(mother("active_labor_datetime", "2026-03-02T02:00"), mother("full_dilation_datetime", "2026-03-02T01:00")), blocks,
			"order@full_dilation_datetime",
		},
		{
			"pushing before full dilation",
			both(mother("full_dilation_datetime", "2026-03-02T02:00"), mother("pushing_datetime", "2026-03-02T01:59")), warns,
			"order@pushing_datetime",
		},
		{
			"pushing before active labor",
			both(mother("active_labor_datetime", "2026-03-02T02:00"), mother("pushing_datetime", "2026-03-02T01:00")), blocks,
			"order@pushing_datetime",
		},
		{
			"full dilation the day before, by the day",
			both(mother("full_dilation_datetime", "2026-03-01"), child("birth_datetime", "2026-03-02T04:18:00")), nothing, "",
		},
		{
			"full dilation more than a day before the birth",
			both(mother("full_dilation_datetime", "2026-03-01T04:17:00"), child("birth_datetime", "2026-03-02T04:18:00")), warns,
			"long@full_dilation_datetime",
		},
		{
			"full dilation a day before, one offset not stated",
			both(mother("full_dilation_datetime", "2026-03-01T04:00:00-05:00"), child("birth_datetime", "2026-03-02T04:18:00")), nothing, "",
		},
		{
			"labor eight days before the birth",
			both(mother("labor_onset_datetime", "2026-02-22T04:17:00"), child("birth_datetime", "2026-03-02T04:18:00")), warns,
			"long@labor_onset_datetime",
		},
		{"labor in another month, by the day", mother("labor_onset_datetime", "2026-02-02"), warns, "long@labor_onset_datetime"},
		{"labor a week before, by the day", mother("labor_onset_datetime", "2026-02-23"), nothing, ""},
		{"labor in the month before", mother("labor_onset_datetime", "2026-02"), nothing, ""},
		{"labor in the year before", mother("labor_onset_datetime", "2025"), warns, "long@labor_onset_datetime"},
		{"membranes ruptured a month before", mother("membranes_ruptured_datetime", "2026-01-31"), warns, "long@membranes_ruptured_datetime"},
		{"membranes ruptured weeks before", mother("membranes_ruptured_datetime", "2026-02-10"), nothing, ""},
		{
			"born in the hour that the clocks repeated",
			func(d *Draft) {
				set(&d.Mother, "labor_onset_datetime", "2025-11-02T01:50:00")
				set(&d.Children[0], "birth_date", "2025-11-02")
				set(&d.Children[0], "birth_datetime", "2025-11-02T01:10:00")
			}, nothing, "",
		},
		{
			"born before labor began, an hour later in that night",
			func(d *Draft) {
				set(&d.Mother, "labor_onset_datetime", "2025-11-02T02:50:00")
				set(&d.Children[0], "birth_date", "2025-11-02")
				set(&d.Children[0], "birth_datetime", "2025-11-02T02:10:00")
			}, blocks, "order@labor_onset_datetime",
		},

		{"a due date in another year", mother("estimated_due_date", "2025-03-05"), warns, "gestation-date@estimated_due_date"},
		{"a due date 20 weeks after the birth", mother("estimated_due_date", "2026-07-20"), nothing, ""},
		{"a due date 21 weeks after the birth", mother("estimated_due_date", "2026-07-27"), warns, "gestation-date@estimated_due_date"},
		{"a due date in the month of the birth", mother("estimated_due_date", "2026-03"), nothing, ""},
		{"LMP two years before", mother("last_menstrual_period", "2024-05-26"), warns, "gestation-date@last_menstrual_period"},
		{"LMP 40 weeks before", mother("last_menstrual_period", "2025-05-26"), nothing, ""},
		{
			"a gestational age that fits the due date",
			both(mother("estimated_due_date", "2026-03-05"), child("gestational_age_weeks", 39)), nothing, "",
		},
		{
			"a gestational age five weeks from the due date",
			both(mother("estimated_due_date", "2026-03-05"), child("gestational_age_weeks", 34)), warns,
			"gestation-date@child.0.gestational_age_weeks",
		},
		{
			"a gestational age by a scan, three weeks from the LMP",
			both(mother("last_menstrual_period", "2025-05-26"), child("gestational_age_weeks", 37)), nothing, "",
		},
		{
			"a gestational age far from the LMP",
			both(mother("last_menstrual_period", "2025-05-26"), child("gestational_age_weeks", 30)), warns,
			"gestation-date@child.0.gestational_age_weeks",
		},

		{"stillborn with an Apgar score", both(child("live_birth", false), child("apgar_one_minute", 8)), warns, "signs-of-life@child.0.live_birth"},
		{"stillborn with an Apgar score of 0", both(child("live_birth", false), child("apgar_one_minute", 0)), nothing, ""},
		{"stillborn and breastfed", both(child("live_birth", false), child("breastfed_at_discharge", true)), warns, "signs-of-life@child.0.live_birth"},
		{"stillborn, and not breastfed", both(child("live_birth", false), child("breastfed_at_discharge", false)), nothing, ""},
		{"stillborn, and held skin to skin", both(child("live_birth", false), child("skin_to_skin", true)), nothing, ""},
		{"dead before labor with an Apgar score", both(child("perinatal_death", "antepartum"), child("apgar_five_minute", 9)), warns, "signs-of-life@child.0.perinatal_death"},
		{"dead and living", both(child("perinatal_death", "neonatal"), child("infant_living", true)), blocks, "death@child.0.infant_living"},
		{"an age at death, and living", both(child("age_at_death_hours", 3), child("infant_living", true)), blocks, "death@child.0.infant_living"},
		{"an age at death without a death", both(child("age_at_death_hours", 3), child("perinatal_death", "none")), blocks, "death@child.0.age_at_death_hours"},
		{"dead in labor, born alive", both(child("perinatal_death", "intrapartum"), child("live_birth", true)), blocks, "death@child.0.perinatal_death"},
		{"dead after the birth, not born alive", both(child("perinatal_death", "neonatal"), child("live_birth", false)), blocks, "death@child.0.perinatal_death"},
		{"an age at death, not born alive", both(child("age_at_death_hours", 3), child("live_birth", false)), blocks, "death@child.0.perinatal_death"},
		{"dead at 28 days", both(child("perinatal_death", "neonatal"), child("age_at_death_hours", 672)), warns, "death-age@child.0.age_at_death_hours"},
		{"dead at 27 days", both(child("perinatal_death", "neonatal"), child("age_at_death_hours", 671)), nothing, ""},
		{"dead after the newborn period", both(child("perinatal_death", "none"), child("infant_living", false)), nothing, ""},
		{"dead before the birth", both(child("perinatal_death", "antepartum"), child("live_birth", false)), nothing, ""},
		{
			"dead before labor, and in labor",
			both(child("perinatal_death", "antepartum"), child("fetal_death_time_point", "in_labor_before_assessment")), warns,
			"death-time@child.0.perinatal_death",
		},
		{"dead before labor, twice", both(child("perinatal_death", "antepartum"), child("fetal_death_time_point", "before_labor")), nothing, ""},
		{"a cause of fetal death for the living", both(child("fetal_death_cause", "cord_prolapse"), child("live_birth", true)), warns, "fetal-death@child.0.fetal_death_cause"},
		{"a short newborn", child("newborn_length_cm", 20), warns, "length@child.0.newborn_length_cm"},
		{"a large head", child("head_circumference_cm", 50), warns, "head@child.0.head_circumference_cm"},
		{"length and head", both(child("newborn_length_cm", 51), child("head_circumference_cm", 35)), nothing, ""},
		{"length and head mixed up", both(child("newborn_length_cm", 35), child("head_circumference_cm", 44)), warns, "head-length@child.0.head_circumference_cm"},
		{"days in intensive care without it", both(child("nicu_days", 3), child("newborn_conditions", []string{"none"})), warns, "nicu@child.0.nicu_days"},
		{"no day in intensive care", both(child("nicu_days", 0), child("newborn_conditions", []string{"none"})), nothing, ""},
		{
			"ventilated without resuscitation",
			both(child("resuscitation_steps", []string{"none"}), child("newborn_conditions", []string{"ventilation"})), warns,
			"resuscitation@child.0.resuscitation_steps",
		},
		{"the mother in hospital again before the birth", mother("mother_readmission_date", "2026-03-01"), blocks, "order@mother_readmission_date"},
		{"the mother in hospital again on the day", mother("mother_readmission_date", "2026-03-02"), nothing, ""},
		{
			"the mother in hospital again after six weeks",
			both(mother("mother_readmission_date", "2026-03-05"), child("birth_date", "2026-01-21")), warns, "late@mother_readmission_date",
		},
		{
			"the mother readmitted to the hospital within six weeks",
			both(mother("mother_readmission_date", "2026-03-05"), child("birth_date", "2026-01-22")), nothing, "",
		},
		{
			"the mother readmitted more than six weeks after a February",
			both(mother("mother_readmission_date", "2025-04-12"), child("birth_date", "2025-02")), warns, "late@mother_readmission_date",
		},
		{
			"the mother readmitted six weeks after the last day of a February",
			both(mother("mother_readmission_date", "2025-04-11"), child("birth_date", "2025-02")), nothing, "",
		},
		{
			"a return to hospital that was none",
			both(mother("mother_readmission_date", "2026-03-05"), mother("mother_readmitted", false)), warns, "readmitted@mother_readmission_date",
		},
		{"the newborn in hospital again before the birth", child("newborn_readmission_date", "2026-03-01"), blocks, "order@child.0.newborn_readmission_date"},
		{"the mother well and dead", both(mother("maternal_death", "within_42_days"), mother("mother_six_weeks", "well")), blocks, "six-weeks@mother_six_weeks"},
		{"the mother dead and not", both(mother("maternal_death", "none"), mother("mother_six_weeks", "died")), blocks, "six-weeks@mother_six_weeks"},
		{"the mother dead later", both(mother("maternal_death", "within_one_year"), mother("mother_six_weeks", "well")), nothing, ""},
		{"days to no death", both(mother("maternal_death", "none"), mother("maternal_death_days", 3)), blocks, "maternal-death@maternal_death_days"},
		{"days to a later death", both(mother("maternal_death", "within_42_days"), mother("maternal_death_days", 43)), blocks, "maternal-death@maternal_death_days"},
		{"days to an earlier death", both(mother("maternal_death", "within_one_year"), mother("maternal_death_days", 42)), blocks, "maternal-death@maternal_death_days"},
		{"days to the death", both(mother("maternal_death", "within_42_days"), mother("maternal_death_days", 42)), nothing, ""},
		{"the newborn well and dead", both(child("perinatal_death", "neonatal"), child("newborn_six_weeks", "well")), blocks, "six-weeks@child.0.newborn_six_weeks"},
		{"the newborn dead at six weeks, living at the report", both(child("infant_living", true), child("newborn_six_weeks", "died")), warns, "six-weeks@child.0.newborn_six_weeks"},
		{"the newborn dead after six weeks", both(child("age_at_death_hours", 1008), child("newborn_six_weeks", "well")), nothing, ""},
		{"date and time of two days", child("birth_datetime", "2026-03-03T04:18:00"), warns, "two-dates@child.0.birth_date"},
		{"date and time of one day", child("birth_datetime", "2026-03-02T04:18:00"), nothing, ""},
		{"an evening in UTC", child("birth_datetime", "2026-03-03T04:10:00Z"), nothing, ""},
		{"another day in UTC, too", child("birth_datetime", "2026-03-04T04:10:00Z"), warns, "two-dates@child.0.birth_date"},

		{"weight out of range", child("birth_weight_g", 99), blocks, "value@child.0.birth_weight_g"},
		{"half a gram", child("birth_weight_g", 3000.5), blocks, "value@child.0.birth_weight_g"},
		{"off the value set", mother("perineum", "scar"), blocks, "value@perineum"},
		{"a choice off the value set", mother("risk_factors", []string{"stress"}), blocks, "value@risk_factors"},
		{"none of these and one of these", mother("risk_factors", []string{"none", "eclampsia"}), blocks, "value@risk_factors"},
		{"a text too long", mother("mother_given_names", strings.Repeat("x", 201)), blocks, "value@mother_given_names"},
		{"a text as long as can be", mother("mother_given_names", strings.Repeat("x", 200)), nothing, ""},

		{"weight 499", child("birth_weight_g", 499), warns, "weight@child.0.birth_weight_g"},
		{"weight 500", child("birth_weight_g", 500), nothing, ""},
		{"weight 6000", child("birth_weight_g", 6000), nothing, ""},
		{"weight 6001", child("birth_weight_g", 6001), warns, "weight@child.0.birth_weight_g"},
		{"3,400 g at 22 weeks", both(child("birth_weight_g", 3400), child("gestational_age_weeks", 22)), warns, "weight-gestation@child.0.birth_weight_g"},
		{"500 g at 22 weeks", both(child("birth_weight_g", 500), child("gestational_age_weeks", 22)), nothing, ""},
		{"900 g at 39 weeks", both(child("birth_weight_g", 900), child("gestational_age_weeks", 39)), warns, "weight-gestation@child.0.birth_weight_g"},
		{"1,900 g at 36 weeks", both(child("birth_weight_g", 1900), child("gestational_age_weeks", 36)), nothing, ""},
		{"the mother's weight in kilograms", mother("prepregnancy_weight_lb", 60), warns, "mother-weight@prepregnancy_weight_lb"},
		{"the mother's weight", both(mother("prepregnancy_weight_lb", 132), mother("delivery_weight_lb", 160)), nothing, ""},
		{"19 weeks", child("gestational_age_weeks", 19), warns, "gestation@child.0.gestational_age_weeks"},
		{"20 weeks", child("gestational_age_weeks", 20), nothing, ""},
		{"44 weeks", child("gestational_age_weeks", 44), nothing, ""},
		{"45 weeks", child("gestational_age_weeks", 45), warns, "gestation@child.0.gestational_age_weeks"},
		{"Apgar falls by 6", both(child("apgar_one_minute", 8), child("apgar_five_minute", 2)), warns, "apgar@child.0.apgar_five_minute"},
		{"Apgar falls by 5", both(child("apgar_one_minute", 8), child("apgar_five_minute", 3)), nothing, ""},
		{"a mother of 11", mother("mother_birth_date", "2014-03-03"), warns, "age@mother_birth_date"},
		{"a mother of 12", mother("mother_birth_date", "2014-03-02"), nothing, ""},
		{"a mother of 55", mother("mother_birth_date", "1970-03-03"), nothing, ""},
		{"a mother of 56", mother("mother_birth_date", "1970-03-02"), warns, "age@mother_birth_date"},
		{"a mother of 3", mother("mother_birth_date", "2022-03-02"), warns, "age@mother_birth_date"},
		{
			"56 as reported",
			func(d *Draft) { d.Mother.Drop("mother_birth_date"); set(&d.Mother, "mother_age_years", 56) },
			warns, "age@mother_age_years",
		},
		{"no attendant", func(d *Draft) { d.Providers[0].Attending = false }, warns, "no-attendant@person.0.attending"},
		{"nobody at all", func(d *Draft) { d.Providers = nil }, warns, "no-attendant@person.0.name"},
		{"two attendants", func(d *Draft) { d.Providers = append(d.Providers, d.Providers[0]) }, warns, "attendants@person.1.attending"},
		{"a person without a name", func(d *Draft) { d.Providers = append(d.Providers, Provider{Role: RoleDoula}) }, blocks, "no-name@person.1.name"},
		{"an unknown role", func(d *Draft) { d.Providers[0].Role = "wizard" }, blocks, "value@person.0.role"},
		{"two newborns, plurality 1", both(twin, care("plurality", 1)), warns, "plurality@plurality"},
		{"two newborns, plurality 2", both(twin, care("plurality", 2)), nothing, ""},
		{
			"two first-born",
			both(twin, child("birth_order", 1), func(d *Draft) { set(&d.Children[1], "birth_order", 1) }),
			warns, "birth-order@child.1.birth_order",
		},
		{"twins two days apart", both(twin, care("plurality", 2), func(d *Draft) { set(&d.Children[1], "birth_date", "2026-03-04") }), nothing, ""},
		{
			"twins three days apart",
			both(twin, care("plurality", 2), func(d *Draft) { set(&d.Children[1], "birth_date", "2026-03-05") }),
			warns, "born-apart@child.1.birth_date",
		},
		{
			"two births on one form",
			both(twin, care("plurality", 2), func(d *Draft) { set(&d.Children[1], "birth_date", "2025-03-05") }),
			blocks, "born-apart@child.0.birth_date",
		},
		{
			"twins, the year of one of whom is known",
			both(twin, care("plurality", 2), func(d *Draft) { set(&d.Children[1], "birth_date", "2026") }),
			nothing, "",
		},
		{"the second-born before the first", both(twin, func(d *Draft) {
			set(&d.Children[0], "birth_order", 1)
			set(&d.Children[1], "birth_order", 2)
			set(&d.Children[0], "birth_datetime", "2026-03-02T04:31:00")
			set(&d.Children[1], "birth_datetime", "2026-03-02T04:18:00")
		}), warns, "birth-order@child.1.birth_order"},
		{"twins born around midnight", both(twin, func(d *Draft) { set(&d.Children[1], "birth_date", "2026-03-03") }), nothing, ""},
		{"no pregnancy", mother("gravida", 0), warns, "gravida@gravida"},
		{"earlier children, and no earlier birth", both(mother("parity", 0), mother("previous_live_births_living", 2)), warns, "earlier@parity"},
		{"an earlier live birth, and no earlier birth", both(mother("parity", 0), mother("last_live_birth_date", "2020-05")), warns, "earlier@parity"},
		{"no earlier children, and no earlier birth", both(mother("parity", 0), mother("previous_live_births_living", 0)), nothing, ""},
		{"as many births as pregnancies", both(mother("gravida", 2), mother("parity", 2)), warns, "parity@parity"},
		{"more cesareans than births", both(mother("previous_cesareans", 2), mother("parity", 1)), warns, "cesareans@previous_cesareans"},
		{"agents without induction", both(mother("induction_agents", []string{"oxytocin"}), mother("labor_onset_type", "spontaneous")), warns, "not-induced@induction_agents"},
		{"agents without augmentation", both(mother("augmentation_agents", []string{"oxytocin"}), mother("labor_augmented", false)), warns, "not-augmented@augmentation_agents"},
		{"emergency cesarean, vaginal birth", both(mother("stat_cesarean", true), child("delivery_method", "vaginal_spontaneous")), warns, "no-cesarean@stat_cesarean"},
		{"days without weeks", child("gestational_age_days", 3), warns, "no-weeks@child.0.gestational_age_weeks"},
		{"not born alive, living", both(child("live_birth", false), child("infant_living", true)), warns, "signs-of-life@child.0.live_birth"},
		{"an autopsy of a newborn born alive", both(child("live_birth", true), child("autopsy", "performed")), warns, "fetal-death@child.0.autopsy"},
		{"an autopsy of a fetus", both(child("live_birth", false), child("autopsy", "performed")), nothing, ""},
		{"a placenta examined after a live birth", both(child("live_birth", true), child("placental_histology", "performed")), nothing, ""},
		{"one of twins lived", both(twin, care("plurality", 2), care("live_births_this_delivery", 1), care("fetal_deaths_this_delivery", 1)), nothing, ""},
		{
			"two born alive and one dead of twins",
			both(twin, care("plurality", 2), care("live_births_this_delivery", 2), care("fetal_deaths_this_delivery", 1)),
			warns, "delivered@live_births_this_delivery",
		},
		{"three dead of twins", both(twin, care("plurality", 2), care("fetal_deaths_this_delivery", 3)), warns, "delivered@fetal_deaths_this_delivery"},
		{
			"two live births of twins, one of them stillborn",
			both(twin, care("plurality", 2), care("live_births_this_delivery", 2), child("live_birth", true), func(d *Draft) { set(&d.Children[1], "live_birth", false) }),
			warns, "counted@live_births_this_delivery",
		},
		{
			"no fetal death, and one stillborn",
			both(twin, care("fetal_deaths_this_delivery", 0), child("live_birth", false)), warns, "counted@fetal_deaths_this_delivery",
		},
		{
			"one live birth and one fetal death of twins",
			both(twin, care("live_births_this_delivery", 1), child("live_birth", true), func(d *Draft) { set(&d.Children[1], "live_birth", false) }),
			nothing, "",
		},
		{"one live birth of twins, and the other not known", both(twin, care("live_births_this_delivery", 1), child("live_birth", true)), nothing, ""},
		{"clamped late, not delayed", both(child("delayed_cord_clamping", false), child("cord_clamping_seconds", 180)), warns, "cord@child.0.delayed_cord_clamping"},
		{"a transfer of no type we know", func(d *Draft) { d.Transfers = []Transfer{{Type: "sideways"}} }, blocks, "value@transfer.0.type"},
		{"a transfer for no reason we know", func(d *Draft) { d.Transfers = []Transfer{{ReasonCode: "sideways"}} }, blocks, "value@transfer.0.reason_code"},
		{"a transfer by no mode we know", func(d *Draft) { d.Transfers = []Transfer{{Mode: "sideways"}} }, blocks, "value@transfer.0.mode"},
		{
			"a transfer after the birth, dated before it",
			func(d *Draft) { d.Transfers = []Transfer{{Type: "postpartum", DateTime: "2026-03-01"}} }, warns, "transfer-time@transfer.0.datetime",
		},
		{
			"a transfer in labor, dated after the birth",
			func(d *Draft) { d.Transfers = []Transfer{{Type: "intrapartum", DateTime: "2026-03-03"}} }, warns, "transfer-time@transfer.0.datetime",
		},
		{
			"a transfer in labor on the day of the birth",
			func(d *Draft) { d.Transfers = []Transfer{{Type: "intrapartum", DateTime: "2026-03-02T23:00"}} }, nothing, "",
		},
		{
			"a transfer in labor, between the births of twins",
			both(twin, func(d *Draft) {
				set(&d.Children[0], "birth_datetime", "2026-03-02T10:00:00")
				set(&d.Children[1], "birth_datetime", "2026-03-02T16:00:00")
				d.Transfers = []Transfer{{Type: "intrapartum", DateTime: "2026-03-02T12:00"}}
			}), nothing, "",
		},
		{
			"a transfer in labor, after both births of twins",
			both(twin, func(d *Draft) {
				set(&d.Children[0], "birth_datetime", "2026-03-02T16:00:00")
				set(&d.Children[1], "birth_datetime", "2026-03-02T10:00:00")
				d.Transfers = []Transfer{{Type: "intrapartum", DateTime: "2026-03-02T17:00"}}
			}), warns, "transfer-time@transfer.0.datetime",
		},
		{"a transfer to come", func(d *Draft) { d.Transfers = []Transfer{{DateTime: "2026-04"}} }, blocks, "future@transfer.0.datetime"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := sound()
			c.change(&d)
			found := Check(d, checkedAt)
			if c.does == nothing {
				require.Empty(t, found)
				return
			}
			require.NotEmpty(t, found)
			require.Equal(t, c.rule, found[0].ID())
			require.Equal(t, c.does == blocks, found[0].Blocks)
			require.Equal(t, c.does == blocks, Blocked(found))
			require.NotEmpty(t, found[0].Text)
		})
	}
}

func TestAFindingNamesTheNewbornItConcerns(t *testing.T) {
	d := sound()
	d.Children = append(d.Children, nil)
	set(&d.Care, "plurality", 2)
	found := Check(d, checkedAt)
	require.Len(t, found, 1)
	require.True(t, strings.HasPrefix(found[0].Text, "Newborn 2: "), found[0].Text)
	require.Equal(t, "child.1.birth_date", found[0].Path().String())
}

// The form reports every value that Mask would drop or cut, and no value that Mask keeps.
func TestEveryValueThatMaskingWouldDropIsAFault(t *testing.T) {
	for _, f := range Spine {
		for _, n := range []float64{-1, 0, 0.5, f.Min - 1, f.Min, f.Max, f.Max + 1} {
			if f.Kind != Int && f.Kind != Decimal {
				break
			}
			_, kept := f.Accept(Value{Number: n})
			require.Equal(t, kept, f.Fault(Value{Number: n}) == "", "%s: %v", f.Name, n)
		}
		for _, o := range f.Options {
			require.Empty(t, f.Fault(Value{Text: o.Code, Set: []string{o.Code}}), f.Name)
		}
		if f.Kind == Code || f.Kind == Codes {
			require.NotEmpty(t, f.Fault(Value{Text: "?", Set: []string{"?"}}), f.Name)
		}
	}
}

func TestWarningsNameTheirFields(t *testing.T) {
	d := sound()
	set(&d.Children[0], "apgar_one_minute", 9)
	set(&d.Children[0], "apgar_five_minute", 1)
	found := Check(d, checkedAt)
	require.Len(t, found, 1)
	require.True(t, slices.Contains(found[0].About, Of(ChildList, 0, "apgar_one_minute")))
}

func TestTheClockOfThePracticeFindsTimesToComeAndTimesThatItSkipped(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	now := time.Date(2026, 3, 8, 23, 30, 0, 0, zone) // March 9 in UTC
	found := func(change func(*Draft)) (ids []string) {
		d := sound()
		change(&d)
		for _, f := range CheckClock(d, now) {
			require.False(t, f.Blocks)
			ids = append(ids, f.ID())
		}
		return ids
	}
	born := func(date, at string) func(*Draft) {
		return func(d *Draft) {
			set(&d.Children[0], "birth_date", date)
			if at != "" {
				set(&d.Children[0], "birth_datetime", at)
			}
		}
	}
	require.Empty(t, found(born("2026-03-08", "2026-03-08T23:30:00")))
	require.Empty(t, found(born("2026-03", "")))
	require.Empty(t, found(func(d *Draft) { set(&d.Mother, "estimated_due_date", "2026-05-01") }))
	require.Equal(t, []string{"later@child.0.birth_date"}, found(born("2026-03-09", "2026-03-09T00:10:00")), "one mistake")
	require.Equal(t, []string{"later@child.0.birth_datetime"}, found(born("2026-03-08", "2026-03-08T23:45:00")))
	require.Equal(t, []string{"later@child.0.birth_datetime"}, found(born("2026-03-08", "2026-03-09T04:45:00Z")))
	require.Equal(t, []string{"skipped@child.0.birth_datetime"}, found(born("2026-03-08", "2026-03-08T02:30:00")))
	require.Empty(t, found(born("2026-03-08", "2026-03-08T02:30:00-05:00")), "an offset says which clock is meant")
	require.Equal(t, []string{"later@placenta_datetime"}, found(func(d *Draft) { set(&d.Mother, "placenta_datetime", "2026-03-09") }))
	require.Equal(t, []string{"later@transfer.0.datetime"}, found(func(d *Draft) { d.Transfers = []Transfer{{DateTime: "2026-03-09"}} }))
	require.Equal(t, []string{"later@consent.date_time"}, found(func(d *Draft) { d.Consent.DateTime = "2027-03-02" }))
}
