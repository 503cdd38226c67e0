package web_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// join accepts an invitation in a person's browser.
func join(t *testing.T, b *apptest.Browser, code string) {
	t.Helper()
	page := b.Post("/invite", url.Values{"code": {code}})
	require.Equal(t, 200, page.StatusCode, page.Body)
	role := find(t, page, `name="role" value="([a-z]+)"`)
	leadsTo(t, "/registry", b.Post("/invite/join", url.Values{"code": {code}, "role": {role}}))
}

func TestAUserWithAnAccountJoinsAPracticeWhileSignedIn(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	hillside := i.AddPractice("Hillside Birth Center")
	addUser(i, hillside, "vera@example.org", auth.Viewer)
	admin := signedIn(i, olive)
	code := func(email string) string {
		leadsTo(t, "/registry/users/link", admin.Post("/registry/users", url.Values{"email": {email}, "name": {"Vee"}, "role": {"provider"}}))
		return find(t, admin.Get("/registry/users/link"), `/invite#([A-Z2-7]{26})"`)
	}
	link := code("vera@example.org")
	code("nobody@example.org") // the answer is the same

	stranger := i.Stranger()
	refused := stranger.Post("/invite", url.Values{"code": {link}, "password": {wrong}})
	require.Equal(t, 422, refused.StatusCode)
	require.Contains(t, refused.Body, "sign in with it, then open this link again")
	require.Contains(t, refused.Body, "birthregistry user reset")
	leadsTo(t, "/sign-in", stranger.Post("/invite/join", url.Values{"code": {link}, "role": {"provider"}}))
	other := admin.Post("/invite", url.Values{"code": {link}})
	require.Equal(t, 422, other.StatusCode)
	require.Contains(t, other.Body, "This link is for another account")
	require.Equal(t, 422, admin.Post("/invite/join", url.Values{"code": {link}, "role": {"provider"}}).StatusCode)

	vera := signedIn(i, "vera@example.org")
	form := vera.Get("/invite")
	require.Contains(t, form.Body, "You are signed in as vera@example.org.")
	require.NotContains(t, form.Body, `type="password"`)
	asked := vera.Post("/invite", url.Values{"code": {link}})
	require.Contains(t, asked.Body, "<h1>Join Riverside Midwives as Provider?</h1>")
	require.NotContains(t, vera.Get("/account").Body, "Riverside", "asking joins nothing")
	again := vera.Post("/invite/join", url.Values{"code": {link}, "role": {"admin"}})
	require.Equal(t, 200, again.StatusCode)
	require.Contains(t, again.Body, "as Provider?", "another role than was shown is asked for again")
	join(t, vera, link)
	require.Contains(t, vera.Get("/registry").Body, "<strong>Riverside Midwives</strong>")
	require.Equal(t, 422, vera.Post("/invite", url.Values{"code": {link}}).StatusCode)
	require.Contains(t, signedIn(i, "vera@example.org").Get("/registry").Body, "<strong>Riverside Midwives</strong>", "where they worked last")
}
