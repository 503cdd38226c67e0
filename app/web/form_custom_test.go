package web_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	spine "birthregistry/app/birth"
	"birthregistry/store"
)

func TestCustomFieldsAreAskedForAndKeepTheirValuesWhenRetired(t *testing.T) {
	i := apptest.Start(t)
	admin := auth.Operator(store.Practice{ID: i.Practice})
	define := func(f spine.CustomField) spine.CustomField {
		made, err := i.App.CustomFields.Define(admin, f)
		require.NoError(t, err)
		return made
	}
	tub := define(spine.CustomField{Label: "Tub used", Kind: spine.CustomBool})
	visit := define(spine.CustomField{Label: "Home visit", Kind: spine.CustomDate})
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	require.Contains(t, form, visit.Name())
	form.Set(tub.Name(), "yes")
	form.Set(visit.Name(), "soon")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, parsePage(t, answer).summary()[visit.Name()], "Home visit: enter a date")
	form.Set(visit.Name(), "3/9/2026")
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	r := i.Record("B-000001")
	require.Equal(t, "yes", r.Custom[tub.Key].Value)
	require.Equal(t, "2026-03-09", r.Custom[visit.Key].Value)

	require.NoError(t, i.App.CustomFields.SetRetired(admin, tub.ID, true))
	path := "/registry/records/" + r.ID + "/amend"
	form = parsePage(t, b.Get(path)).form()
	require.NotContains(t, form, tub.Name())
	require.Equal(t, "2026-03-09", form.Get(visit.Name()))
	form.Set(tub.Name(), "no") // the form doesn't ask for it, so it isn't stored
	form.Set(visit.Name(), "")
	form.Set("gravida", "2")
	require.Equal(t, 303, b.Post(path, form).StatusCode)
	custom := i.Record("B-000001").Custom
	require.Equal(t, "yes", custom[tub.Key].Value)
	require.Empty(t, custom[visit.Key].Value)

	elsewhere := i.SignIn(i.AddPractice("Elsewhere"), auth.Provider)
	require.NotContains(t, openForm(t, elsewhere, birthOf("Okonkwo")), visit.Name())
}
