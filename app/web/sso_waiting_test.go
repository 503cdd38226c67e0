package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// invitedInes returns a browser in which Ines, who is invited, has proved who she is with the
// provider, and the form that asks her to confirm.
func invitedInes(t *testing.T) (i *apptest.Installation, p *identityProvider, b *apptest.Browser, form url.Values) {
	t.Helper()
	i, p = ssoClinic(t)
	p.claims = map[string]any{"sub": "ines", "email": "ines@example.org"}
	_, err := i.App.Auth.Invite(auth.Operator(store.Practice{ID: i.Practice}), "ines@example.org", "Ines", auth.Scribe)
	require.NoError(t, err)
	b = i.Stranger()
	leadsTo(t, "/sign-in/confirm", p.signIn(b, "clinic-id"))
	return i, p, b, parsePage(t, b.Get("/sign-in/confirm")).form()
}

func TestAProvenIdentityThatIsNotConfirmedIsForgotten(t *testing.T) {
	for name, leave := range map[string]func(*testing.T, *apptest.Browser){
		"its owner chose Not now": func(t *testing.T, b *apptest.Browser) {
			leadsTo(t, "/sign-in", b.Post("/sign-in/confirm", url.Values{"cancel": {"yes"}}))
		},
		"somebody opened the sign-in page": func(_ *testing.T, b *apptest.Browser) { b.Get("/sign-in") },
		"somebody signed in with a password": func(t *testing.T, b *apptest.Browser) {
			leadsTo(t, "/registry", b.Post("/sign-in", credentials(olive, password)))
			leadsTo(t, "/registry", b.Get("/sign-in/confirm"))
			b.Post("/sign-out", nil)
		},
		"somebody began another sign-in": func(t *testing.T, b *apptest.Browser) {
			require.Equal(t, 302, b.Get("/sign-in/with/clinic-id").StatusCode)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i, _, b, form := invitedInes(t)
			leave(t, b)
			leadsTo(t, "/sign-in", b.Get("/sign-in/confirm"))
			leadsTo(t, "/sign-in", b.Post("/sign-in/confirm", form))
			leadsTo(t, "/sign-in", b.Get("/registry"))
			require.Zero(t, linkedSubjects(t, i))
		})
	}
}

func TestNobodyConfirmsAnIdentityWhileSignedIn(t *testing.T) {
	i, p, b, form := invitedInes(t)
	callback := p.begin(b, "clinic-id")
	leadsTo(t, "/registry", b.Post("/sign-in", credentials(olive, password)))
	for range 2 { // the second time, after a callback of the former sign-in
		leadsTo(t, "/registry", b.Post("/sign-in/confirm", form))
		require.Contains(t, b.Get("/account").Body, olive)
		require.Equal(t, 400, b.Get(callback).StatusCode)
	}
	require.Zero(t, linkedSubjects(t, i))
}

func TestADamagedListOfProvidersDoesNotKeepPasswordsOut(t *testing.T) {
	i, _ := ssoClinic(t)
	storetest.Exec(t, i.Config.DB, "update sso_providers set name = 'Clinic 1D'")
	b := i.Stranger()
	page := b.Get("/sign-in")
	require.Equal(t, 200, page.StatusCode, page.Body)
	require.NotContains(t, page.Body, "Sign in with Clinic")
	require.Equal(t, 422, b.Post("/sign-in", credentials(olive, wrong)).StatusCode)
	leadsTo(t, "/registry", b.Post("/sign-in", credentials(olive, password)))
	i.Logs("the sign-in page leaves out the identity providers, because their list is damaged")
}

// Any site can send a browser to the callback.
func TestACallbackWithAnotherStateSpoilsNoSignIn(t *testing.T) {
	i, p := ssoClinic(t)
	p.connect(i.Stranger(), "clinic-id")
	b := i.Stranger()
	callback := p.begin(b, "clinic-id")
	for _, query := range []string{"", "?state=guessed&code=a", "?error=access_denied"} {
		require.Equal(t, 400, b.Get("/sign-in/with/clinic-id/callback"+query).StatusCode)
	}
	leadsTo(t, "/registry", b.Get(callback))
	b.Post("/sign-out", nil)
	require.Equal(t, 400, b.Get(callback).StatusCode)
}

// Each callback with a right state makes the service send its client secret. Others cost nothing,
// and any site can make a colleague's browser follow them.
func TestCallbacksOfIdentityProvidersHaveALimitOfTheirOwn(t *testing.T) {
	i, p := ssoClinic(t)
	b := i.Stranger()
	for range 100 {
		require.Equal(t, 400, i.Stranger().Get("/sign-in/with/clinic-id/callback?state=guessed&code=a").StatusCode)
		require.Equal(t, 400, i.Stranger().Get("/sign-in/with/nosuch/callback").StatusCode)
	}
	for n := range 60 {
		answer := b.Get(strings.Replace(p.begin(b, "clinic-id"), "code=", "code=not-", 1))
		require.Equal(t, 502, answer.StatusCode)
		require.Equal(t, `"sign-in-callback";q=60;w=60`, answer.Header.Get("RateLimit-Policy"))
		require.Regexp(t, fmt.Sprintf(`^"sign-in-callback";r=%d;`, 59-n), answer.Header.Get("RateLimit"))
	}
	callback := p.begin(b, "clinic-id")
	p.token = func(http.ResponseWriter) bool {
		require.Fail(t, "the provider was asked")
		return false
	}
	answer := b.Get(callback)
	require.Equal(t, 429, answer.StatusCode)
	require.Contains(t, answer.Body, "Too many sign-ins at once")
	require.Equal(t, 200, b.Get("/sign-in").StatusCode)
}
