package web_test

import (
	"html"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
)

func TestSSOConfirmsAnActionInPlaceOfThePassword(t *testing.T) {
	i, p := ssoClinic(t)
	b := i.Stranger()
	p.connect(b, "clinic-id")
	require.Contains(t, b.Get("/account").Body, "Confirm with Clinic ID instead")
	start := func() apptest.Page { return b.Post("/account/factor/start", url.Values{"factor": {""}}) }
	require.Equal(t, 422, start().StatusCode)

	confirm := func(claims map[string]any) apptest.Page {
		p.claims = claims
		page := b.Do("GET", "/account/confirm", nil, map[string]string{"Referer": i.URL + "/registry/your-data?a=b"})
		require.Equal(t, 302, page.StatusCode, page.Body)
		return b.Get(p.visited(page.Header.Get("Location")))
	}
	addUser(i, i.Practice, "vera@example.org", auth.Admin)
	for name, claims := range map[string]map[string]any{
		"no time of the sign-in":   nil,
		"a sign-in of an hour ago": {"auth_time": time.Now().Add(-time.Hour).Unix()},
		"a text":                   {"auth_time": "now"},
		"somebody else":            {"auth_time": time.Now().Unix(), "sub": "vera", "email": "vera@example.org"},
	} {
		answer := confirm(claims)
		require.Equal(t, 403, answer.StatusCode, name)
		require.Contains(t, answer.Body, "You were not confirmed", name)
		require.NotEqual(t, 303, start().StatusCode, name)
	}
	require.Equal(t, "login", p.asked.Get("prompt"))
	require.Equal(t, "0", p.asked.Get("max_age"))

	leadsTo(t, "/registry/your-data?a=b", confirm(map[string]any{"auth_time": time.Now().Unix()}))
	require.Contains(t, b.Get("/account").Body, "You have confirmed with Clinic ID.")
	leadsTo(t, "/account/factor", start())
	require.Contains(t, b.Get("/registry/audit").Body, "Confirmed with the identity provider")
}

func TestSSOConfirmsNobodyWhoSignedInWithAPassword(t *testing.T) {
	i, p := ssoClinic(t)
	p.connect(i.Stranger(), "clinic-id")
	b := signedIn(i, olive)
	require.NotContains(t, b.Get("/account").Body, "Confirm with")
	leadsTo(t, "/account", b.Get("/account/confirm"))
}

func TestSSOOffersToSignOutThereToo(t *testing.T) {
	i, p := ssoClinic(t)
	p.settings = map[string]any{"end_session_endpoint": p.URL + "/end?a=b"}
	b := i.Stranger()
	p.connect(b, "clinic-id")
	b.Post("/sign-out", nil)
	link := regexp.MustCompile(`href="([^"]*)">Sign out there, too`).FindStringSubmatch(b.Get("/sign-in").Body)
	require.Len(t, link, 2)
	to, err := url.Parse(html.UnescapeString(link[1]))
	require.NoError(t, err)
	q := to.Query()
	require.Equal(t, p.URL+"/end", to.Scheme+"://"+to.Host+to.Path)
	require.Equal(t, []string{"b", ssoClient, i.URL + "/sign-in"}, []string{q.Get("a"), q.Get("client_id"), q.Get("post_logout_redirect_uri")})
	require.Contains(t, q.Get("id_token_hint"), "eyJ")
	require.NotContains(t, b.Get("/sign-in").Body, "Sign out there", "once")
	leadsTo(t, "/sign-in", b.Get("/registry"))
	require.NotContains(t, i.Log.String(), "eyJ")
}

// Without it, the session at the provider would bring the same unknown identity again and again.
func TestSSOOffersAnUnknownIdentityToSignOutThere(t *testing.T) {
	i, p := ssoClinic(t)
	p.settings = map[string]any{"end_session_endpoint": p.URL + "/end"}
	p.claims = map[string]any{"sub": "private", "email": "private@elsewhere.example"}
	b := i.Stranger()
	refused(t, i, b, p.signIn(b, "clinic-id"), 403, "To use another account of the identity provider, sign out there first.")
	page := b.Get("/sign-in").Body
	require.Contains(t, page, "You are still signed in at Clinic ID.")
	require.Contains(t, page, p.URL+"/end?")
	require.NotContains(t, b.Get("/sign-in").Body, "You are still signed in at", "once")
}

func TestSSOCanBeTheOnlyWayIntoAPractice(t *testing.T) {
	i, p := ssoClinic(t)
	other := newIdentityProvider(t)
	other.listed(i, "Other")
	listed, err := i.App.SSO.Find(t.Context(), "Clinic ID")
	require.NoError(t, err)
	before := signedIn(i, olive)
	operator := auth.Operator(store.Practice{ID: i.Practice})
	require.NoError(t, i.App.Auth.SetSSOOnly(operator, listed.ID))
	leadsTo(t, "/sign-in", before.Get("/registry"))

	b := i.Stranger()
	wrongly := b.Post("/sign-in", credentials(olive, wrong))
	require.NotContains(t, wrongly.Body, "practice sign in with", "only who knows the password learns it")
	rightly := b.Post("/sign-in", credentials(olive, password))
	require.Equal(t, 422, rightly.StatusCode)
	require.Contains(t, rightly.Body, "Your practice requires that you sign in with Clinic ID; use the button “Sign in with Clinic ID”.")
	leadsTo(t, "/sign-in", b.Get("/registry"))
	leadsTo(t, "/sign-in/confirm", other.signIn(b, "other"))
	refused(t, i, b, b.Post("/sign-in/confirm", url.Values{"password": {password}}), 403, "Your practice requires another way to sign in")

	p.connect(b, "clinic-id")
	require.Equal(t, 200, b.Get("/registry").StatusCode)

	require.NoError(t, i.App.Auth.SetSSOOnly(operator, 0))
	require.Equal(t, 200, signedIn(i, olive).Get("/registry").StatusCode)
}

// A user of two practices signs in with the password to the one that allows it, and not to the
// other.
func TestSSOIsRequiredForItsPracticeAlone(t *testing.T) {
	i, p := ssoClinic(t)
	second := i.AddPractice("Hillside")
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.AddMembership(second, userID(i, olive), "viewer") }))
	listed, err := i.App.SSO.Find(t.Context(), "Clinic ID")
	require.NoError(t, err)
	require.NoError(t, i.App.Auth.SetSSOOnly(auth.Operator(store.Practice{ID: i.Practice}), listed.ID))
	b := signedIn(i, olive)
	require.Contains(t, b.Get("/registry").Body, "Hillside")
	b.Post("/account/practice", url.Values{"practice": {"1"}})
	leadsTo(t, "/sign-in", b.Get("/registry"))
	b = i.Stranger()
	p.connect(b, "clinic-id")
	require.Equal(t, 200, b.Get("/registry").StatusCode)
}
