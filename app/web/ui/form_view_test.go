package ui

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/form"
	"birthregistry/views"
)

func TestEveryFieldHasExactlyOnePlaceOnTheForm(t *testing.T) {
	place := map[string]string{}
	for _, p := range formParts {
		for _, name := range append(append([]string{}, p.first...), p.more...) {
			require.Empty(t, place[name], "%s is asked for twice", name)
			place[name] = p.id
			require.Equal(t, p.about == birth.Child, birth.Must(name).About == birth.Child, name)
		}
	}
	for _, f := range form.Fields() {
		require.Contains(t, place, f.Name)
	}
	require.Len(t, place, len(form.Fields()))
	for name := range formHints {
		require.True(t, birth.Lookup(name) != nil || name == "chart_number" || name == "consent.granted" || name == "person.role", name)
	}
}

func TestEveryBoxOfThePageIsKeptInADraft(t *testing.T) {
	f := &birthForm{typed: url.Values{
		"child.0.birth_date": {"3/2/2026"}, "transfer.0.type": {"neonatal"}, "x_tub": {"blue"},
	}, fields: []birth.CustomField{{Key: "tub", Kind: birth.CustomText}}}
	f.read()
	for name, field := range fieldsOf(f.view()) {
		sent := url.Values{name: {"text"}}
		if field.Kind == views.DateAndTime || field.Kind == views.Clock {
			sent.Set(name+".time", "9")
		}
		require.Equal(t, sent, form.Keep(sent, f.fields))
	}
}

// fieldsOf returns the fields of a page by name.
func fieldsOf(page views.BirthForm) map[string]views.FormField {
	all := map[string]views.FormField{}
	for _, s := range page.Sections {
		for _, g := range s.Groups {
			for _, f := range append(append([]views.FormField{}, g.Fields...), g.More...) {
				all[f.Name] = f
			}
		}
	}
	return all
}

// A launch fills the form in; this test checks what the form then shows.
func TestAPreFillShowsWhatTheEHRStatedAndOffersToRestoreIt(t *testing.T) {
	pulled := birth.Draft{Children: make([]birth.Values, 1)}
	pulled.Mother.Set(birth.Must("mother_family_name"), birth.Value{Text: "Okonkwo", Source: birth.EHRPull})
	pulled.Mother.Set(birth.Must("mother_height_in"), birth.Value{Number: 66.1, Source: birth.EHRPull})
	pulled.Children[0].Set(birth.Must("birth_weight_g"), birth.Value{Number: 3420, Source: birth.EHRPull})
	f := &birthForm{base: &pulled, notes: []string{"Filled in from Demo EHR"}, typed: form.Values(pulled)}
	f.read()
	page := f.view()
	require.Equal(t, []string{"Filled in from Demo EHR"}, page.Notes)
	shown := fieldsOf(page)
	require.Equal(t, "From EHR", shown["mother_family_name"].Source)
	require.False(t, shown["mother_family_name"].Changed)
	require.Empty(t, shown["gravida"].Source)

	f.typed.Set("child.0.birth_weight_g", "3500")
	f.typed.Set("gravida", "2")
	f.read()
	shown = fieldsOf(f.view())
	weight := shown["child.0.birth_weight_g"]
	require.True(t, weight.Changed)
	require.Equal(t, "3,420 g", weight.Offer)
	require.Equal(t, "3420", weight.FromEHR)
	require.Equal(t, birth.EHRPull, f.form.Draft.Mother[0].Value.Source)

	f.typed.Set("do", weight.Use)
	require.True(t, f.edit())
	require.Equal(t, "3420", f.typed.Get("child.0.birth_weight_g"))
	require.Equal(t, "2", f.typed.Get("gravida"))
	require.False(t, fieldsOf(f.view())["child.0.birth_weight_g"].Changed)
}

func TestWithoutAPreFillTheFormOffersNoHints(t *testing.T) {
	f := &birthForm{typed: url.Values{"do": {"use.gravida"}, "gravida": {"2"}}}
	require.False(t, f.edit())
	for _, do := range []string{"", "save", "add-source", "remove-child.x", "remove-child.-1", "drop-child.0", "add-", "use."} {
		f.typed.Set("do", do)
		before := f.typed.Get("gravida")
		f.edit()
		require.Equal(t, before, f.typed.Get("gravida"), do)
	}
}

func TestTheFormIsShortUntilSomethingIsTyped(t *testing.T) {
	f := &birthForm{typed: url.Values{}}
	first := 0
	for _, s := range f.view().Sections {
		for _, g := range s.Groups {
			require.False(t, g.Open, s.Title)
			first += len(g.Fields)
		}
	}
	require.Less(t, first, 50)
	f.typed.Set("infections", "herpes")
	for _, s := range f.view().Sections {
		for _, g := range s.Groups {
			require.Equal(t, s.ID == "pregnancy", g.Open, s.Title)
		}
	}
}

func TestCustomFieldsStandAtTheEndOfTheForm(t *testing.T) {
	f := &birthForm{typed: url.Values{"x_tub": {"yes"}, "x_team": {"Blue"}}, fields: []birth.CustomField{
		{Key: "tub", Label: "Tub", Kind: birth.CustomBool},
		{Key: "old", Label: "Old", Kind: birth.CustomText, Retired: true},
		{Key: "team", Label: "Team", Kind: birth.CustomChoice, Options: []string{"Red", "Blue"}},
		{Key: "when", Label: "When", Kind: birth.CustomDate},
		{Key: "miles", Label: "Miles", Kind: birth.CustomNumber},
	}}
	f.read()
	page := f.view()
	last := page.Sections[len(page.Sections)-1]
	require.Equal(t, "Custom fields", last.Title)
	require.Len(t, last.Groups[0].Fields, 4)
	require.True(t, fieldsOf(page)["x_tub"].Choices[1].Chosen)
	require.True(t, fieldsOf(page)["x_team"].Choices[2].Chosen)
	require.Equal(t, map[string]string{"tub": "yes", "team": "Blue"}, f.custom)
}

func TestTheErrorSummaryFollowsTheOrderOfThePage(t *testing.T) {
	f := &birthForm{typed: url.Values{
		"child.0.birth_weight_g": {"1"}, "mother_height_in": {"x"}, "mother_birth_date": {"x"}, "consent.date_time": {"x"}, "person.0.role": {"wizard"},
	}}
	f.read()
	f.mistake("save", "It cannot be saved")
	var names []string
	for _, line := range f.view().Mistakes {
		names = append(names, line.Name)
	}
	require.Equal(t, []string{
		"save", "mother_family_name", "mother_birth_date", "mother_height_in", "child.0.birth_date", "child.0.birth_weight_g",
		"person.0.name", "person.0.role", "consent.date_time",
	}, names)
}
