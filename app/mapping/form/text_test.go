package form

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

func TestNumbersAreReadAsPeopleTypeThem(t *testing.T) {
	for _, c := range []struct {
		field, typed string
		want         float64
		ok           bool
	}{
		{"birth_weight_g", "3420", 3420, true},
		{"birth_weight_g", " 3,420 ", 3420, true},
		{"birth_weight_g", "3420 g", 3420, true},
		{"birth_weight_g", "3420g", 3420, true},
		{"birth_weight_g", "3.42 kg", 3420, true},
		{"birth_weight_g", "7 lb 9 oz", 3430, true},
		{"birth_weight_g", "7lb 9oz", 3430, true},
		{"birth_weight_g", "7 pounds 9 ounces", 3430, true},
		{"birth_weight_g", "3420.5", 3420.5, true}, // the check asks for a whole number
		{"birth_weight_g", "-3420", 0, false},
		{"birth_weight_g", "3e3", 0, false},
		{"birth_weight_g", "3,42", 0, false},
		{"birth_weight_g", "3.420,5", 0, false},
		{"birth_weight_g", "NaN", 0, false},
		{"birth_weight_g", "Inf", 0, false},
		{"birth_weight_g", "0x10", 0, false},
		{"birth_weight_g", "7 9", 0, false},
		{"birth_weight_g", "7 lb 9", 3430, true},
		{"birth_weight_g", "7lb 9", 3430, true},
		{"birth_weight_g", "7#9", 3430, true},
		{"birth_weight_g", "7# 9oz", 3430, true},
		{"birth_weight_g", "7 lbs 9.5", 3444, true},
		{"birth_weight_g", "7#", 3175, true},
		{"birth_weight_g", "3.43 kg", 3430, true},
		{"birth_weight_g", "7 lb 16", 0, false},
		{"birth_weight_g", "7 lb 9 3", 0, false},
		{"birth_weight_g", "7 lb 17 oz", 0, false},
		{"birth_weight_g", "7.5 lb 3 oz", 0, false},
		{"birth_weight_g", "7 lb 7 lb", 0, false},
		{"birth_weight_g", "9 oz 7 lb", 0, false},
		{"birth_weight_g", "3 kg 400 g", 3400, true},
		{"mother_height_in", "5 ft 12 in", 0, false},
		{"birth_weight_g", "3 kg 9", 0, false},
		{"birth_weight_g", "9 7 lb", 0, false},
		{"birth_weight_g", "#7", 0, false},
		{"birth_weight_g", "66 in", 0, false},
		{"birth_weight_g", "about 3000", 0, false},
		{"birth_weight_g", "99999999999999999999", 0, false},
		{"birth_weight_g", "٣٤٢٠", 0, false},
		{"mother_height_in", "66.5", 66.5, true},
		{"newborn_length_cm", "20 in", 50.8, true},
		{"age_at_death_hours", "3 days", 72, true},
		{"age_at_death_hours", "90 min", 1, true},
		{"cord_clamping_seconds", "1.5 min", 90, true},
		{"mother_height_in", "5 ft 6 in", 66, true},
		{"mother_height_in", `5'6"`, 66, true},
		{"mother_height_in", "5'6", 66, true},
		{"mother_height_in", "5 ft 6", 66, true},
		{"mother_height_in", "5 ft 12", 0, false},
		{"mother_height_in", "168 cm", 168 / 2.54, true},
		{"prepregnancy_weight_lb", "60 kg", 60000 / 453.59237, true},
		{"gestational_age_weeks", "39 weeks", 39, true},
		{"blood_loss_ml", "250 mL", 250, true},
		{"blood_loss_ml", "0.25 l", 250, true},
		{"blood_loss_ml", "250cc", 250, true},
		{"blood_loss_ml", "250 milliliters", 250, true},
		{"apgar_five_minute", "0", 0, true},
		{"gravida", "2", 2, true},
		{"gravida", "two", 0, false},
	} {
		v, stated, ok := ReadText(birth.Must(c.field), []string{c.typed})
		require.True(t, stated)
		require.Equal(t, c.ok, ok, c)
		if ok {
			require.InDelta(t, c.want, v.Number, 0.0001, c)
		}
	}
}

func TestDatesAreReadAsPeopleTypeThem(t *testing.T) {
	for typed, want := range map[string]string{
		"2026-03-02": "2026-03-02", "3/2/2026": "2026-03-02", "03/02/2026": "2026-03-02", "3-2-2026": "2026-03-02",
		"2026/3/2": "2026-03-02", "2026-3-2": "2026-03-02", "Mar 2, 2026": "2026-03-02", "2 march 2026": "2026-03-02",
		"Sept. 9 2026": "2026-09-09", "2026": "2026", "2026-03": "2026-03", "3/2026": "2026-03", "March 2026": "2026-03", " 3/2/2026 ": "2026-03-02",
		"2/30/2026": "", "13/2/2026": "", "3/0/2026": "", "0/2/2026": "", "3/2/26": "", "3/2": "", "March": "", "yesterday": "", "3.2.2026": "",
		"3/2/2026 4pm": "", "2/2/2/2026": "", "Mar Apr 2026": "", "2026 2027": "", "0000": "", "": "", "3/2/20266": "",
		"2024-02-29": "2024-02-29", "2/29/2025": "", "٢٠٢٦": "",
	} {
		got, ok := ReadDate(typed)
		require.Equal(t, want, got, typed)
		require.Equal(t, want != "", ok, typed)
	}
}

func TestTimesAreReadAsPeopleTypeThem(t *testing.T) {
	for typed, want := range map[string]string{
		"04:18": "04:18:00", "4:18": "04:18:00", "4:18 am": "04:18:00", "4:18 PM": "16:18:00", "4:18p": "16:18:00", "418p": "16:18:00", "418 PM": "16:18:00", " 1218a": "00:18:00", "12 5p": "", "4 18 pm": "", "18p": "", "41 8p": "", "4:18 a": "04:18:00", "4 a pm": "", "4ampm": "", "4 p am": "", "4pm": "16:00:00", "12:05 am": "00:05:00",
		"12 p.m.": "12:00:00", "16:18:30": "16:18:30", "04:18 -05:00": "04:18:00-05:00", "04:18Z": "04:18:00Z", "04:18 +00:00": "04:18:00+00:00",
		"0418": "04:18:00", "1618": "16:18:00", "4.18": "04:18:00", "4.18 pm": "16:18:00", "4h18": "04:18:00", "0418 -05:00": "04:18:00-05:00",
		"2460": "24:60:00", "4h": "", "4..18": "", "04180": "", "4 18": "",
		"4": "", "418": "", "4:1": "", "13 pm": "", "0 am": "", "noon": "", "": "", "4:18:30:10": "", "-4:18": "",
	} {
		require.Equal(t, want, mapping.ReadTime(typed), typed)
	}
}

// Every kind of field: the texts it accepts, and the message for anything else.
func TestEveryKindOfFieldIsReadAndChecked(t *testing.T) {
	for _, c := range []struct {
		field, typed, why string
	}{
		{"mother_family_name", "O'Brien <script>", ""},
		{"mother_family_name", fmt.Sprintf("%0201d", 1), "Mother's family name: shorten"},
		{"mother_birth_date", "5/17/1994", ""},
		{"mother_birth_date", "May", "Mother's date of birth: enter a date"},
		{"mother_birth_date", "2/30/1994", "Mother's date of birth: enter a date"},
		{"gravida", "2", ""},
		{"gravida", "41", "whole number from 0 to 40"},
		{"gravida", "1.5", "whole number from 0 to 40"},
		{"gravida", "many", "whole number from 0 to 40"},
		{"mother_height_in", "66.1", ""},
		{"mother_height_in", "12", "number from 30 to 90 in"},
		{"mother_married", "yes", ""},
		{"mother_married", "no", ""},
		{"mother_married", "true", "choose yes or no"},
		{"perineum", "intact", ""},
		{"perineum", "scar", "choose one of the listed options"},
		{"risk_factors", "eclampsia", ""},
		{"risk_factors", "stress", "choose one or more of the listed options"},
		{"labor_onset_datetime", "2026-03-01T22:10", ""},
		{"labor_onset_datetime", "3/1/2026", ""},
		{"labor_onset_datetime", "at dusk", "Onset of labor: enter a date"},
	} {
		typed := url.Values{
			"mother_family_name": {"Okonkwo"}, "child.0.birth_date": {"2026-03-02"}, "person.0.name": {"Maren"}, "person.0.attending": {mapping.Yes},
		}
		typed.Set(c.field, c.typed)
		form := Read(typed, nil)
		found := form.Found(birth.Check(form.Draft, now))
		if c.why == "" {
			require.Empty(t, found, c)
			continue
		}
		require.Len(t, found, 1, c)
		require.True(t, found[0].Blocks)
		require.Equal(t, c.field, found[0].Path().String())
		require.Contains(t, found[0].Text, c.why)
		require.NotContains(t, found[0].Text, c.typed, "no value is repeated")
	}
}

func TestATimeOfBirthBelowADateThatCannotBeReadIsNoSecondProblem(t *testing.T) {
	read := Read(url.Values{"child.0.birth_date": {"3/2/26"}, "child.0.birth_datetime.time": {"1618"}}, nil)
	require.Len(t, read.Problems, 1)
	require.Equal(t, "child.0.birth_date", read.Problems[0].Path().String())
	read = Read(url.Values{"child.0.birth_datetime.time": {"1618"}}, nil)
	require.Contains(t, read.Problems[0].Text, "enter the date, too")
}

func TestADateAndItsTimeAreRead(t *testing.T) {
	for _, c := range []struct {
		date, clock, want, why string
	}{
		{"3/2/2026", "4:18 pm", "2026-03-02T16:18:00", ""},
		{"3/2/2026", "", "2026-03-02", ""},
		{"2026-03-02T04:18", "", "2026-03-02T04:18:00", ""},
		{"", "", "", ""},
		{"", "04:18", "", "enter the date, too"},
		{"2026-03", "04:18", "", "enter the whole date"},
		{"2026-03", "soon", "", "enter the whole date"},
		{"3/2/2026", "0418", "2026-03-02T04:18:00", ""},
		{"3/2/2026", "2460", "", "enter the time"},
		{"3/2/2026", "soon", "", "enter the time as"},
		{"soon", "04:18", "", "enter a date"},
		{"3/2/2026", "25:00", "", "enter the time as"},
		{"3/2/2026", "04:18 -99:00", "", "enter the time as"},
	} {
		form := Read(url.Values{"labor_onset_datetime": {c.date}, "labor_onset_datetime.time": {c.clock}}, nil)
		require.Equal(t, c.want, form.Draft.Mother.Text("labor_onset_datetime"), c)
		require.Equal(t, c.why != "", len(form.Problems) == 1, c)
		if c.why != "" {
			require.Contains(t, form.Problems[0].Text, c.why)
		}
	}
}

func TestTheTimeOfBirthMustBeOnTheDateOfBirth(t *testing.T) {
	typed := url.Values{"child.0.birth_date": {"3/2/2026"}, "child.0.birth_datetime.time": {"4:18 am"}}
	require.Equal(t, "2026-03-02T04:18:00", Read(typed, nil).Draft.Children[0].Text("birth_datetime"))
	typed.Set("child.0.birth_datetime", "3/3/2026")
	require.Equal(t, "2026-03-03T04:18:00", Read(typed, nil).Draft.Children[0].Text("birth_datetime"))
	typed.Del("child.0.birth_datetime")
	typed.Set("child.0.birth_date", "")
	require.Equal(t, "child.0.birth_datetime", Read(typed, nil).Problems[0].Path().String())
}

func TestCustomFieldsAreReadAndChecked(t *testing.T) {
	fields := []birth.CustomField{
		{Key: "tub", Label: "Tub", Kind: birth.CustomBool},
		{Key: "visit", Label: "Visit", Kind: birth.CustomDate},
		{Key: "miles", Label: "Miles", Kind: birth.CustomNumber},
		{Key: "old", Label: "Old", Kind: birth.CustomText, Retired: true},
		{Key: "note", Label: "Note", Kind: birth.CustomText},
		{Key: "team", Label: "Team", Kind: birth.CustomChoice, Options: []string{"Red", "Blue"}},
	}
	onFile := map[string]string{"old": "kept", "note": "cleared"}
	custom, problems := ReadCustom(url.Values{
		"x_tub": {"yes"}, "x_visit": {"3/2/2026"}, "x_miles": {"12"}, "x_old": {"changed"}, "x_note": {""}, "x_none": {"z"}, "tub": {"no"},
	}, fields, onFile)
	require.Empty(t, problems)
	require.Equal(t, map[string]string{"tub": "yes", "visit": "2026-03-02", "miles": "12", "old": "kept", "note": ""}, custom)
	require.Equal(t, "cleared", onFile["note"], "the record on file is not touched")
	_, problems = ReadCustom(url.Values{"x_team": {"Green"}, "x_miles": {"far"}, "x_visit": {"soon"}}, fields, nil)
	require.Len(t, problems, 3)
	_, problems = ReadCustom(url.Values{"x_note": {strings.Repeat("ü", 101)}}, fields, nil)
	require.Len(t, problems, 1, "a text is never cut")
	require.Equal(t, "Note: shorten the text to 100 characters", problems[0].Text)
	custom, problems = ReadCustom(url.Values{}, fields, nil)
	require.Nil(t, custom)
	require.Empty(t, problems)
	again := url.Values{}
	CustomValues(again, fields, map[string]string{"tub": "yes", "old": "kept"})
	require.Equal(t, url.Values{"x_tub": {"yes"}}, again)
}

func TestGestationIsReadAsMidwivesWriteIt(t *testing.T) {
	for typed, want := range map[string][2]float64{
		"39+4": {39, 4}, "39 + 4": {39, 4}, "39w4d": {39, 4}, "39w 4d": {39, 4}, "39 4/7": {39, 4}, "39 weeks 4 days": {39, 4},
		"39 wk 4 d": {39, 4}, "39 weeks, 4 days": {39, 4}, "39W4D": {39, 4}, "41+0": {41, 0},
		"39 4/7 weeks": {39, 4}, "39-4/7 wks": {39, 4}, "39 weeks and 4 days": {39, 4}, "39w and 4d": {39, 4},
		"39 weeks 4/7": {39, 4}, "39+4 wks": {39, 4}, "39+4/7": {39, 4}, "39w + 4d": {39, 4},
	} {
		form := Read(url.Values{"child.0.gestational_age_weeks": {typed}}, nil)
		require.Empty(t, form.Problems, typed)
		child := form.Draft.Children[0]
		weeks, _ := child.Get("gestational_age_weeks")
		days, stated := child.Get("gestational_age_days")
		require.True(t, stated, typed)
		require.Equal(t, want, [2]float64{weeks.Number, days.Number}, typed)
	}
	for _, typed := range []string{"39+", "+4", "39+14", "139+4", "39 4", "39/7", "39 4/8", "39.4w4d", "39-4", "39+7", "3 9/7", "39 and 4", "39 4/7 days", "394/7", "39w4", "39 4 weeks"} {
		form := Read(url.Values{"child.0.gestational_age_weeks": {typed}}, nil)
		require.Len(t, form.Problems, 1, typed)
		require.False(t, form.Draft.Children[0].Has("gestational_age_weeks"), typed)
		require.False(t, form.Draft.Children[0].Has("gestational_age_days"), typed)
	}
}

func TestAnAgeThatIsNoWholeNumberOfWeeksIsAskedForInWeeksAndDays(t *testing.T) {
	for _, typed := range []string{"39.4", "55", "9", "39+8"} {
		form := Read(url.Values{"child.0.gestational_age_weeks": {typed}}, nil)
		require.Len(t, form.Problems, 1, typed)
		require.Equal(t, "Gestational age: enter 10 to 50 weeks and the days, such as 39+4", form.Problems[0].Text)
	}
}

func TestATypedAgeThatTheDatesContradictIsAskedAbout(t *testing.T) {
	for age, asked := range map[string]int{"31": 0, "45": 1} {
		form := Read(url.Values{
			"mother_age_years": {age}, "mother_birth_date": {"5/17/1994"}, "child.0.birth_date": {"3/2/2026"},
		}, nil)
		require.Len(t, form.Problems, asked, age)
		require.False(t, birth.Blocked(form.Problems))
	}
}

func TestWeeksAndDaysAreOneBoxOfTheForm(t *testing.T) {
	weeks, days := "child.0.gestational_age_weeks", "child.0.gestational_age_days"
	for _, sent := range []struct{ weeks, days, box, left string }{
		{"39", "4", "39+4", ""},
		{"39", "", "39", ""},
		{"39w4d", "4", "39w4d", ""},
		{"39w4d", "", "39w4d", ""},
		{"39+4", "5", "39+4", "5"}, // a mistake, which both boxes show
		{"39", "9", "39", "9"},
		{"", "4", "", "4"},
		{"soon", "4", "soon", "4"},
	} {
		form := Tidy(url.Values{weeks: {sent.weeks}, days: {sent.days}})
		require.Equal(t, sent.box, form.Get(weeks))
		require.Equal(t, sent.left, form.Get(days))
		require.Equal(t, sent.left != "", form.Has(days))
	}
	var d birth.Draft
	d.Children = make([]birth.Values, 1)
	d.Children[0].Set(birth.Must("gestational_age_weeks"), birth.Value{Number: 39})
	d.Children[0].Set(birth.Must("gestational_age_days"), birth.Value{Number: 0})
	require.Equal(t, "39+0", Values(d).Get(weeks))
	require.False(t, Values(d).Has(days))
}

func TestDaysThatAreTypedTwiceMustBeTheSame(t *testing.T) {
	for days, problems := range map[string]int{"4": 0, "5": 1} {
		form := Read(url.Values{"child.0.gestational_age_weeks": {"39+4"}, "child.0.gestational_age_days": {days}}, nil)
		require.Len(t, form.Problems, problems, days)
	}
}

func TestADateWithTheDayFirstAndAMidnightGetTheirOwnWords(t *testing.T) {
	for _, typed := range []string{"21/3/2026", "21.3.2026", "21-03-2026"} {
		form := Read(url.Values{"last_menstrual_period": {typed}}, nil)
		require.Len(t, form.Problems, 1, typed)
		require.Contains(t, form.Problems[0].Text, "write the month first", typed)
	}
	for _, typed := range []string{"2400", "24:00", "Midnight"} {
		form := Read(url.Values{"child.0.birth_date": {"3/2/2026"}, "child.0.birth_datetime.time": {typed}}, nil)
		require.Len(t, form.Problems, 1, typed)
		require.Contains(t, form.Problems[0].Text, "enter midnight as 0:00", typed)
	}
}

func TestAYearWithTwoDigitsIsRefusedAndFourAreAskedFor(t *testing.T) {
	for _, typed := range []string{"3/2/26", "03-02-26", "3.2.26"} {
		form := Read(url.Values{"last_menstrual_period": {typed}, "child.0.birth_datetime": {typed}}, nil)
		require.Len(t, form.Problems, 2, typed)
		for _, p := range form.Problems {
			require.Contains(t, p.Text, "write the year with four digits", typed)
		}
	}
}
