package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	spine "birthregistry/app/birth"
	"birthregistry/app/mapping/uscore"
	"birthregistry/app/smart"
)

// pageBound is the most bytes that a page may have, without the stylesheet and the script.
const pageBound = 100_000

// mostNewborns is as many as the form takes, more than were ever born at once.
const mostNewborns = 12

// chartFields are the fields that a chart may fill in.
var chartFields = strings.Fields(`
	mother_family_name mother_given_names mother_birth_date mother_postal_code mother_race mother_ethnicity gravida parity estimated_due_date
	last_menstrual_period prenatal_visit_count prenatal_first_visit_date previous_cesareans previous_live_births_living previous_live_births_dead
	other_pregnancy_outcomes last_live_birth_date last_other_outcome_date previous_preterm_birth risk_factors infections mother_height_in
	prepregnancy_weight_lb delivery_weight_lb cigarettes_per_day_pre cigarettes_per_day_t1 cigarettes_per_day_t2 cigarettes_per_day_t3
	chorioamnionitis perineum maternal_morbidity facility_name plurality
	child_family_name child_given_names birth_date birth_datetime birth_order child_sex birth_weight_g gestational_age_weeks gestational_age_days
	delivery_method fetal_presentation apgar_one_minute apgar_five_minute apgar_ten_minute newborn_conditions congenital_anomalies`)

// sized opens a draft with this many newborns and returns the size of its page.
func sized(t *testing.T, b *apptest.Browser, newborns int, typed url.Values) int {
	t.Helper()
	path, sent := draftOf(t, b, typed)
	for n := range newborns {
		sent.Set(fmt.Sprintf("child.%d.birth_date", n), "3/2/2026")
	}
	press(t, b, path, "go-on", sent)
	return len(b.Get(path).Body)
}

func TestTheFormOfAnyNumberOfNewbornsIsAtMostAHundredKilobytes(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	for newborns := 1; newborns <= mostNewborns; newborns++ {
		require.LessOrEqual(t, sized(t, b, newborns, birthOf("Okonkwo")), pageBound, "%d newborns", newborns)
	}
}

func TestTheHintOfANewbornsBoxIsWrittenOnceAndDescribesTheBoxOfEachNewborn(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	typed := birthOf("Okonkwo")
	typed.Set("child.1.birth_date", "3/2/2026")
	typed.Set("child.1.newborn_length_cm", "50")
	path, sent := draftOf(t, b, typed)
	press(t, b, path, "go-on", sent)
	p := parsePage(t, b.Get(path))
	require.Equal(t, 1, strings.Count(b.Get(path).Body, "In grams, or write 7 lb 9 oz."))
	for field, hint := range map[string]string{
		"child.0.birth_weight_g": "child.0.birth_weight_g-hint", "child.1.birth_weight_g": "child.0.birth_weight_g-hint",
		"child.1.newborn_length_cm": "child.1.newborn_length_cm-hint", // the first newborn's box is folded away
	} {
		by, _ := attrOf(p.byID(field), "aria-describedby")
		require.Contains(t, strings.Fields(by), hint)
		p.byID(hint)
	}
}

// statedBy returns a value of a field as an EHR states it.
func statedBy(f *spine.Field) (v spine.Value) {
	switch f.Kind {
	case spine.Int, spine.Decimal:
		v.Number = f.Min
	case spine.Date:
		v.Text = "2026-03-02"
	case spine.DateTime:
		v.Text = "2026-03-02T04:18:00"
	case spine.Bool:
		v.Flag = true
	case spine.Codes:
		v.Set = []string{f.Options[0].Code}
	case spine.Code:
		v.Text = f.Options[0].Code
	default:
		v.Text = "Stated"
	}
	return ehr(v)
}

// fullChart returns a chart that states everything a chart may fill in, with the source of
// each value.
func fullChart(newborns int) smart.Prefill {
	chart, filled := mothersChart(), uscore.Filled{}
	filled.Draft.Children = make([]spine.Values, newborns)
	state := func(into *spine.Values, at spine.Path) {
		into.Set(spine.Must(at.Field), statedBy(spine.Must(at.Field)))
		filled.Origins = append(filled.Origins, uscore.Origin{At: at, Text: "170.2 cm, LOINC 8302-2, 2025-10-01"})
	}
	for _, name := range chartFields {
		switch spine.Must(name).About {
		case spine.Mother:
			state(&filled.Draft.Mother, spine.At(name))
		case spine.Care:
			state(&filled.Draft.Care, spine.At(name))
		case spine.Child:
			for n := range newborns {
				state(&filled.Draft.Children[n], spine.Of(spine.ChildList, n, name))
			}
		}
	}
	chart.Reading.As = map[uscore.Role]uscore.Filled{uscore.Mother: filled}
	return chart
}

func TestTheFormThatAnEHRFillsInIsAtMostAHundredKilobytes(t *testing.T) {
	i := apptest.Start(t)
	for newborns := 1; newborns <= 3; newborns++ {
		b := i.SignIn(i.Practice, auth.Admin)
		i.Pulled(b, fullChart(newborns))
		page := b.Get(prefilled)
		require.Equal(t, 200, page.StatusCode)
		require.Contains(t, page.Body, "LOINC 8302-2")
		require.LessOrEqual(t, len(page.Body), pageBound, "%d newborns", newborns)
	}
}

func TestTheRareFactsOfOneOfSeveralNewbornsAreFetchedByAButton(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	typed := birthOf("Okonkwo")
	typed.Set("child.1.birth_date", "3/2/2026")
	typed.Set("child.1.vitamin_k", "oral")
	path, sent := draftOf(t, b, typed)
	press(t, b, path, "go-on", sent)
	sent = formAt(t, b, path)
	require.Equal(t, "oral", sent.Get("child.1.vitamin_k"), "what holds something is there")
	require.False(t, sent.Has("child.0.vitamin_k"))
	next := press(t, b, path, "unfold-child.0", sent)
	require.Equal(t, path+"?unfold=child.0#child.0", next)
	shown := parsePage(t, b.Get(next))
	fetched := shown.form()
	require.True(t, fetched.Has("child.0.vitamin_k"))
	require.False(t, fetched.Has("child.1.eye_prophylaxis"))
	fetched.Set("child.0.vitamin_k", "declined")
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", fetched))
}
