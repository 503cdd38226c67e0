package mapping

import (
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// What is not said stays unsaid in every lane: silence is null, never false and
// never 1.

func TestAConsentThatNobodyWasAskedForIsNotRecordedInAnyLane(t *testing.T) {
	column := slices.Index(CSV{}.Names(), consentColumn)
	for _, c := range []struct {
		cell    string
		consent birth.Consent
	}{
		{"", birth.Consent{}},
		{"no", birth.Consent{Recorded: true}},
		{"yes", birth.Consent{Recorded: true, Granted: true}},
	} {
		form := url.Values{"mother_family_name": {"Okonkwo"}, "child.0.birth_date": {"2026-03-02"}, "consent.granted": {c.cell}}
		typed := ReadForm(form, nil).Draft
		require.Equal(t, c.consent, typed.Consent, "the form")
		require.Equal(t, c.cell, FormValues(typed).Get("consent.granted"), "the form again")
		require.Equal(t, c.cell, CSV{}.Rows(typed, nil)[0][column], "the export")
		course := mustReadCSV(t, "mother_family_name,birth_date,"+consentColumn+"\nOkonkwo,2026-03-02,"+c.cell+"\n")[0]
		require.Equal(t, c.consent, course.Draft.Consent, "the import")
		again, problem := course.Amend(birth.Draft{Children: []birth.Values{nil}})
		require.Nil(t, problem)
		require.Equal(t, c.consent, again.Consent, "the import over a record without one")
	}
}

func TestARowWithoutAPluralityIsNoSingleBirth(t *testing.T) {
	one := mustReadCSV(t, "chart_number,mother_family_name,birth_date\nA,Okonkwo,2026-03-02\n")[0]
	require.Empty(t, said(*one.Draft, "plurality"))
	two := mustReadCSV(t, "chart_number,mother_family_name,birth_date\nA,Okonkwo,2026-03-02\nA,Okonkwo,2026-03-02\n")[0]
	require.Equal(t, "2", said(*two.Draft, "plurality"), "two rows are two newborns")

	pushed := courseOf(t)
	require.Empty(t, said(pushed, "plurality"))
	again, problem := one.Amend(pushed)
	require.Nil(t, problem)
	require.Empty(t, said(*again, "plurality"), "nor does a row over what was pushed say so")
}

func TestAPluralityLeftEmptyOnANewFormIsTheNumberOfNewbornsAndOnARecordNothing(t *testing.T) {
	form := url.Values{"mother_family_name": {"Okonkwo"}, "child.0.birth_date": {"2026-03-02"}}
	require.Equal(t, "1", said(ReadForm(form, nil).Draft, "plurality"))

	pushed := courseOf(t, obs("9274-2", integer(9)))
	typed := FormValues(pushed)
	require.Empty(t, said(ReadForm(typed, &pushed).Draft, "plurality"), "nobody said so when the record was looked at")
	typed.Set("plurality", "1")
	require.Equal(t, "1", said(ReadForm(typed, &pushed).Draft, "plurality"))
	typed.Set("plurality", "")
	typed.Set("child.1.birth_date", "2026-03-02")
	require.Equal(t, "2", said(ReadForm(typed, &pushed).Draft, "plurality"), "a newborn was added")
}

func TestRegistryCodesForUnknownAreNullInEveryLane(t *testing.T) {
	for column, cells := range map[string][]string{
		"birth_weight_g": {"9999", "888888"}, "apgar_five_minute": {"99", "88"}, "cigarettes_per_day_pre": {"99"}, "mother_height_in": {"999"},
		"mother_birth_date": {"9999-09-09", "99/99/9999", "9999-99-99", "99999999", "9/9/9999"}, "birth_datetime": {"9999-12-31T23:59:00Z", "99/99/9999 99:99"},
		"mother_postal_code": {"99999"}, "mother_family_name": {"UNKNOWN"}, "mother_married": {"U", "unknown"}, "attendant_type": {"unk"},
	} {
		for _, cell := range cells {
			course := mustReadCSV(t, "mother_given_names,gravida,"+column+"\nZora,2,"+cell+"\n")[0]
			require.Empty(t, course.Wrong, "%s %s", column, cell)
			require.Empty(t, said(*course.Draft, column), "%s %s", column, cell)
			require.Equal(t, "2", said(*course.Draft, "gravida"))
			at := column
			if birth.Must(column).About == birth.Child {
				at = "child.0." + column
			}
			typed := ReadForm(url.Values{"mother_given_names": {"Zora"}, at: {cell}}, nil)
			require.Empty(t, said(birth.Mask(typed.Draft).Draft(), column), "the form: %s %s", column, cell)
		}
	}
	pushed := courseOf(t, obs("8339-4", quantity(9999, "g")), obs("9274-2", integer(99)), obs("8665-2", m{"valueDateTime": "9999-09-09"}))
	for _, field := range []string{"birth_weight_g", "apgar_five_minute", "last_menstrual_period"} {
		require.Empty(t, said(pushed, field), field)
	}
}
