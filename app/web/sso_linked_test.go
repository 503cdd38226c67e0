package web_test

import (
	"fmt"
	"html"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
)

const unlinkPath = "/account/providers/clinic-id/unlink"

func TestAUserUnlinksAnIdentityProvider(t *testing.T) {
	i, p := ssoClinic(t)
	second := i.AddPractice("Hillside")
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.AddMembership(second, userID(i, olive), "admin") }))
	b, other := i.Stranger(), signedIn(i, olive)
	require.NotContains(t, other.Get("/account").Body, "Single sign-on")
	require.Equal(t, 404, other.Get(unlinkPath).StatusCode)
	p.connect(b, "clinic-id")
	require.Contains(t, b.Get("/account").Body, "Identity providers that sign you in")
	require.Contains(t, b.Get(unlinkPath).Body, "Unlink Clinic ID?")

	refused := b.Post(unlinkPath, url.Values{"password": {wrong}})
	require.Equal(t, 422, refused.StatusCode)
	require.Contains(t, refused.Body, "The password is wrong.")
	require.Equal(t, 404, b.Post("/account/providers/other/unlink", url.Values{"password": {password}}).StatusCode)
	require.Equal(t, 1, linkedSubjects(t, i))

	leadsTo(t, "/account", b.Post(unlinkPath, url.Values{"password": {password}}))
	require.Zero(t, linkedSubjects(t, i))
	page := b.Get("/account").Body
	require.Contains(t, page, "Clinic ID is unlinked. Your other sessions have ended.")
	require.NotContains(t, page, "Confirm with Clinic ID", "the session goes on as one with a password")
	leadsTo(t, "/sign-in", other.Get("/registry"))
	require.Equal(t, 404, b.Post(unlinkPath, url.Values{"password": {password}}).StatusCode)
	require.Contains(t, b.Get("/registry/audit").Body, "Unlinked an identity provider")
	leadsTo(t, "/registry", b.Post("/account/practice", url.Values{"practice": {fmt.Sprint(second)}}))
	require.Contains(t, b.Get("/registry/audit").Body, "Unlinked an identity provider", "each practice learns it")
	p.connect(i.Stranger(), "clinic-id")
}

// joined returns a browser in which Ines has joined with the provider, so that nobody knows her password.
func joined(t *testing.T) (i *apptest.Installation, p *identityProvider, b *apptest.Browser) {
	t.Helper()
	i, p, b, form := invitedInes(t)
	leadsTo(t, "/registry", b.Post("/sign-in/confirm", form))
	return i, p, b
}

// stepsUp confirms with the provider.
func (p *identityProvider) stepsUp(b *apptest.Browser) {
	p.t.Helper()
	p.claims["auth_time"] = time.Now().Unix()
	page := b.Get("/account/confirm")
	require.Equal(p.t, 302, page.StatusCode, page.Body)
	require.Equal(p.t, 303, b.Get(p.visited(page.Header.Get("Location"))).StatusCode)
}

func TestTheOnlyWayInIsNotUnlinked(t *testing.T) {
	i, p, b := joined(t)
	p.stepsUp(b)
	refused := b.Post(unlinkPath, nil)
	require.Equal(t, 422, refused.StatusCode)
	require.Contains(t, refused.Body, "Without this identity provider you could not sign in to all of your practices; choose a password on your account page first.")
	require.Equal(t, 1, linkedSubjects(t, i))

	require.Equal(t, 303, b.Post("/account/password", url.Values{"next": {"quilt lantern otter seven"}}).StatusCode)
	leadsTo(t, "/account", b.Post(unlinkPath, nil))
	require.Zero(t, linkedSubjects(t, i))
	leadsTo(t, "/registry", i.Stranger().Post("/sign-in", credentials("ines@example.org", "quilt lantern otter seven")))
}

func TestAnotherProviderIsAWayIntoThePracticesThatDoNotRequireTheFirst(t *testing.T) {
	i, p, b := joined(t)
	other := newIdentityProvider(t)
	second := other.listed(i, "Other")
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
		return tx.AddSSOLink(second.ID, []byte("any"), userID(i, "ines@example.org"))
	}))
	first, err := i.App.SSO.Find(t.Context(), "Clinic ID")
	require.NoError(t, err)
	operator := auth.Operator(store.Practice{ID: i.Practice})
	require.NoError(t, i.App.Auth.SetSSOOnly(operator, first.ID))
	p.stepsUp(b)
	require.Contains(t, b.Get(unlinkPath).Body, "Riverside Midwives requires Clinic ID.")
	require.Equal(t, 422, b.Post(unlinkPath, nil).StatusCode)
	require.NoError(t, i.App.Auth.SetSSOOnly(operator, 0))
	leadsTo(t, "/account", b.Post(unlinkPath, nil))
	require.Equal(t, 1, linkedSubjects(t, i))
}

const waysPath = "/registry/users/sign-in"

func TestAnAdminRequiresAnIdentityProviderForThePractice(t *testing.T) {
	i, p := ssoClinic(t)
	b := signedIn(i, olive)
	require.Contains(t, b.Get("/registry/users").Body, waysPath)
	require.Contains(t, b.Get(waysPath).Body, "Sign in with it once before you choose it.")
	way := func(value, password string) url.Values { return url.Values{"way": {value}, "password": {password}} }
	refusedWith := func(form url.Values, text string) {
		t.Helper()
		answer := b.Post(waysPath, form)
		require.Equal(t, 422, answer.StatusCode)
		require.Contains(t, html.UnescapeString(answer.Body), text)
	}
	refusedWith(way("1", wrong), "The password is wrong.")
	refusedWith(way("1", password), "Your account isn't linked to this identity provider; sign out, sign in with it once, and come back.")
	refusedWith(way("7", password), "This identity provider is not listed; choose another way.")
	refusedWith(way("", password), "This identity provider is not listed; choose another way.")
	leadsTo(t, "/registry", i.Stranger().Post("/sign-in", credentials(olive, password)))

	linked := i.Stranger()
	p.connect(linked, "clinic-id")
	require.NotContains(t, b.Get(waysPath).Body, "Sign in with it once")
	leadsTo(t, "/sign-in", b.Post(waysPath, way("1", password)))
	require.Contains(t, b.Get("/sign-in").Body, "Users of Riverside Midwives now sign in with Clinic ID only. Sign in with it.")
	leadsTo(t, "/sign-in", b.Get("/registry"))
	require.Equal(t, 422, i.Stranger().Post("/sign-in", credentials(olive, password)).StatusCode)

	require.Equal(t, 200, linked.Get("/registry").StatusCode, "it began with the provider")
	require.Regexp(t, `Required an identity provider for sign-in</td><td data-label="About" data-long>\s*Clinic ID`, linked.Get("/registry/audit").Body)
	leadsTo(t, waysPath, linked.Post(waysPath, way("0", password)))
	require.Contains(t, linked.Get("/registry/audit").Body, "Allowed passwords for sign-in again")
	leadsTo(t, "/registry", i.Stranger().Post("/sign-in", credentials(olive, password)))
}

func TestWithoutAnIdentityProviderThereIsNoneToRequire(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	page := b.Get(waysPath)
	require.Equal(t, 200, page.StatusCode)
	require.Contains(t, page.Body, "This registry lists no identity provider.")
	require.NotContains(t, page.Body, "<form method=\"post\" action=\""+waysPath)
}
