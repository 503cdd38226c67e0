package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
)

func TestAFormThatArrivesAfterItsSessionEndedChangesNothing(t *testing.T) {
	i := apptest.Start(t)
	for path, form := range map[string]url.Values{
		"/registry/settings/keys":      {"label": {"late"}, "scope": {"ingest:read"}},
		"/registry/users":              {"email": {"late@example.org"}, "name": {"Late"}, "role": {"admin"}},
		"/registry/fields":             {"label": {"Late"}, "kind": {"text"}},
		"/account/sessions/end-others": {},
		"/account/factor/change":       {"factor": {password}, "do": {"codes"}},
	} {
		t.Run(path, func(t *testing.T) {
			email := fmt.Sprintf("olive%d@example.org", len(path))
			addUser(i, i.Practice, email, auth.Admin)
			b := signedIn(i, email)
			form.Set("owner", find(t, b.Get("/registry/users/invite"), `name="owner" value="([^"]*)"`))
			before := trailLength(t, i)
			page := postLate(b, path, form, func() {
				_, err := i.App.Auth.EndUserSessions(email)
				assert.NoError(t, err)
			})
			leadsTo(t, "/sign-in", page)
			require.Equal(t, before+1, trailLength(t, i), "only the end of the sessions")
		})
	}
}

func TestAFormWithoutASessionChangesNothingAndLeadsBackToItsPage(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	post := func(b *apptest.Browser, path, from string) apptest.Page {
		return b.Do("POST", path, strings.NewReader("label=Late&kind=text"), map[string]string{
			"Content-Type": "application/x-www-form-urlencoded", "Referer": i.URL + from, "Sec-Fetch-Site": "same-origin",
		})
	}
	for from, leads := range map[string]string{
		"/registry/fields":                   "/registry/fields",
		"/registry/records?state=active":     "/registry/records?state=active",
		"/account/password":                  "/registry", // the answer to a form, which can't be opened
		"/registry/settings/keys":            "/registry",
		"/nowhere":                           "/registry",
		"//evil.example/registry/fields":     "/registry",
		"/registry/duplicates/a/b/merge?x=1": "/registry/duplicates/a/b/merge?x=1",
	} {
		b := i.Stranger()
		leadsTo(t, "/sign-in", post(b, "/registry/fields", from))
		page := b.Get("/sign-in").Body
		require.Contains(t, page, "Your session has ended, and nothing was changed. Sign in, then fill in the form again.", from)
		leadsTo(t, leads, b.Post("/sign-in", credentials(olive, password)))
		require.NotContains(t, b.Get("/registry").Body, "nothing was changed", from)
	}
}

func trailLength(t *testing.T, i *apptest.Installation) (n int) {
	t.Helper()
	require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) error {
		return v.Trail(func(store.Audit) error { n++; return nil })
	}))
	return n
}

func TestABirthThatArrivesAfterTheSessionEndedIsKeptForTheSignIn(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	form := openForm(t, b, birthOf("Okonkwo"))
	leadsTo(t, "/sign-in", postLate(b, "/registry/capture", form, func() {
		_, err := i.App.Auth.EndUserSessions(b.Email)
		assert.NoError(t, err)
	}))
	require.Zero(t, i.Count())
	require.Contains(t, b.Get("/sign-in").Body, "what you typed is kept")
	require.NotContains(t, b.Get("/sign-in").Body, "fill in the form again")
}
