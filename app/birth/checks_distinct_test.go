package birth

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// dated returns a draft with every date that the checks compare, all in order.
func dated() Draft {
	d := sound()
	for field, text := range map[string]string{
		"last_live_birth_date": "2022-01", "last_other_outcome_date": "2021-01", "last_menstrual_period": "2025-06-01",
		"prenatal_first_visit_date": "2025-08-01", "labor_onset_datetime": "2026-03-01T22:00:00", "membranes_ruptured_datetime": "2026-03-01T23:00:00",
		"active_labor_datetime": "2026-03-01T23:30:00", "full_dilation_datetime": "2026-03-02T03:00:00", "pushing_datetime": "2026-03-02T03:30:00",
		"placenta_datetime": "2026-03-02T04:40:00", "mother_readmission_date": "2026-03-09",
	} {
		set(&d.Mother, field, text)
	}
	set(&d.Children[0], "birth_datetime", "2026-03-02T04:18:00")
	set(&d.Children[0], "newborn_readmission_date", "2026-03-09")
	return d
}

func TestOneWrongDateIsOneMistake(t *testing.T) {
	require.Empty(t, Distinct(Check(dated(), checkedAt)))
	for _, field := range Spine {
		if field.Kind != Date && field.Kind != DateTime || field.Derived {
			continue
		}
		for _, text := range []string{"2062-03-02", "1926-03-02", "2026-03-10", "2026-02-20", "2025-05-01"} {
			d := dated()
			values := &d.Mother
			if field.About == Child {
				values = &d.Children[0]
			}
			if !values.Has(field.Name) {
				continue
			}
			set(values, field.Name, text)
			if field.Name == "birth_datetime" || field.Name == "birth_date" {
				set(values, "birth_date", text)
				set(values, "birth_datetime", text+"T04:18:00")
			}
			all := Check(d, checkedAt)
			found := Distinct(all)
			require.LessOrEqual(t, len(found), 1, "%s %s: %v", field.Name, text, found)
			require.Equal(t, Blocked(all), Blocked(found), "%s %s: %v became %v", field.Name, text, all, found)
			if len(all) > 0 {
				require.Len(t, found, 1, "%s %s", field.Name, text)
				name := func(at Path) bool { return at.dated().Field == Path{Field: field.Name}.dated().Field }
				require.True(t, slices.ContainsFunc(found[0].About, name), "%s %s: %v", field.Name, text, found)
			}
		}
	}
}

func TestADateThatContradictsSeveralNamesThem(t *testing.T) {
	d := dated()
	set(&d.Children[0], "birth_date", "2026-02-20")
	set(&d.Children[0], "birth_datetime", "2026-02-20T04:18:00")
	require.Equal(t, []CheckFinding{{
		Rule: "dates+labor_onset_datetime+active_labor_datetime+full_dilation_datetime+pushing_datetime", Blocks: true,
		About: []Path{
			Of(ChildList, 0, "birth_date"), At("labor_onset_datetime"), At("active_labor_datetime"), At("full_dilation_datetime"), At("pushing_datetime"),
		},
		Text: "“Date of birth” contradicts “Onset of labor”, “Start of active labor”, “Full dilation”, and “Start of pushing”. Correct the first, or the others",
	}}, Distinct(Check(d, checkedAt)))
}

func TestAGestationalAgeThatContradictsTwoDatesIsOneWarning(t *testing.T) {
	d := sound()
	set(&d.Mother, "estimated_due_date", "2026-03-05")
	set(&d.Mother, "last_menstrual_period", "2025-05-29")
	set(&d.Children[0], "gestational_age_weeks", 30)
	found := Distinct(Check(d, checkedAt))
	require.Len(t, found, 1)
	require.Equal(t, "“Gestational age” may not fit “Estimated due date” and “Last menstrual period”. Check all of them", found[0].Text)
}

func TestOneDoubtfulValueIsOneWarning(t *testing.T) {
	of := func(list *Values, pairs ...any) {
		for i := 0; i < len(pairs); i += 2 {
			set(list, pairs[i].(string), pairs[i+1])
		}
	}
	twin := func(d *Draft) {
		d.Children = append(d.Children, nil)
		of(&d.Children[1], "birth_date", "2026-03-02")
	}
	for _, c := range []struct {
		name   string
		change func(*Draft)
		want   []string
	}{
		{"a living newborn, by mistake not born alive", func(d *Draft) {
			of(&d.Children[0], "live_birth", false, "infant_living", true, "apgar_one_minute", 8)
			of(&d.Care, "live_births_this_delivery", 1, "fetal_deaths_this_delivery", 0)
		}, []string{"signs-of-life@child.0.live_birth"}},
		{"not born alive, without signs of life", func(d *Draft) {
			of(&d.Children[0], "live_birth", false)
			of(&d.Care, "plurality", 1, "live_births_this_delivery", 1, "fetal_deaths_this_delivery", 0)
		}, []string{"counted@live_births_this_delivery"}},
		{"340 g at 39 weeks", func(d *Draft) {
			of(&d.Children[0], "birth_weight_g", 340, "gestational_age_weeks", 39)
		}, []string{"weight@child.0.birth_weight_g"}},
		{"12 weeks for 39", func(d *Draft) {
			of(&d.Children[0], "birth_weight_g", 3400, "gestational_age_weeks", 12)
			of(&d.Mother, "estimated_due_date", "2026-03-05")
		}, []string{"gestation@child.0.gestational_age_weeks"}},
		{"one newborn, of twins", func(d *Draft) {
			twin(d)
			of(&d.Care, "plurality", 1, "live_births_this_delivery", 1)
			of(&d.Children[0], "live_birth", true)
			of(&d.Children[1], "live_birth", true)
		}, []string{"plurality@plurality"}},
		{"another newborn's weight", func(d *Draft) {
			twin(d)
			of(&d.Children[0], "birth_weight_g", 340)
			of(&d.Children[1], "birth_weight_g", 900, "gestational_age_weeks", 39)
		}, []string{"weight@child.0.birth_weight_g", "weight-gestation@child.1.birth_weight_g"}},
	} {
		d := sound()
		c.change(&d)
		var ids []string
		for _, f := range Distinct(Check(d, checkedAt)) {
			ids = append(ids, f.ID())
		}
		require.Equal(t, c.want, ids, c.name)
	}
}

func TestAFindingKnowsAllValuesThatLedToIt(t *testing.T) {
	births := []Path{Of(ChildList, 0, "birth_date"), Of(ChildList, 1, "birth_date")}
	for id, c := range map[string]struct {
		change func(*Draft)
		values []Path
	}{
		"dates+estimated_due_date+last_menstrual_period@child.0.gestational_age_weeks": {func(d *Draft) {
			set(&d.Mother, "estimated_due_date", "2026-03-05")
			set(&d.Mother, "last_menstrual_period", "2025-05-29")
			set(&d.Children[0], "gestational_age_weeks", 30)
		}, []Path{births[0], Of(ChildList, 0, "gestational_age_days")}},
		"plurality@plurality":               {func(d *Draft) { set(&d.Care, "plurality", 3) }, []Path{Of(ChildList, 0, "birth_order"), Of(ChildList, 1, "birth_order")}},
		"order@placenta_datetime":           {func(d *Draft) { set(&d.Mother, "placenta_datetime", "2026-03-01") }, births},
		"long@labor_onset_datetime":         {func(d *Draft) { set(&d.Mother, "labor_onset_datetime", "2026-02-02") }, births},
		"born-apart@child.1.birth_date":     {func(d *Draft) { set(&d.Children[1], "birth_date", "2026-03-06") }, births},
		"late@mother_readmission_date":      {func(d *Draft) { set(&d.Mother, "mother_readmission_date", "2026-06-01") }, births},
		"transfer-time@transfer.0.datetime": {func(d *Draft) { d.Transfers = []Transfer{{Type: "neonatal", DateTime: "2026-03-01"}} }, births},
	} {
		d := sound()
		d.Children = append(d.Children, nil)
		set(&d.Children[1], "birth_date", "2026-03-02")
		c.change(&d)
		found := Distinct(Check(d, checkedAt.AddDate(1, 0, 0)))
		require.Len(t, found, 1, id)
		require.Equal(t, id, found[0].ID())
		require.Subset(t, found[0].Values(), c.values, id)
	}
}

func TestTwoMistakesAreTwoFindings(t *testing.T) {
	d := dated()
	set(&d.Mother, "full_dilation_datetime", "2062-03-02T03:00:00")
	set(&d.Mother, "mother_readmission_date", "2026-02-20")
	set(&d.Children[0], "birth_weight_g", 450)
	var rules []string
	for _, f := range Distinct(Check(d, checkedAt)) {
		rules = append(rules, f.ID())
	}
	require.Equal(t, []string{"future@full_dilation_datetime", "order@mother_readmission_date", "weight@child.0.birth_weight_g"}, rules)
}

func TestAWarningComesBackOnceTheErrorIsCorrected(t *testing.T) {
	d := dated()
	set(&d.Mother, "labor_onset_datetime", "2026-03-01T23:45:00")
	require.Equal(t, "order@active_labor_datetime", Distinct(Check(d, checkedAt))[0].ID())
	set(&d.Mother, "labor_onset_datetime", "2026-03-02T05:00:00")
	found := Distinct(Check(d, checkedAt))
	require.Len(t, found, 1)
	require.Equal(t, "order@labor_onset_datetime", found[0].ID())
	require.True(t, found[0].Blocks)
}
