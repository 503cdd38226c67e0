package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
)

const (
	olive    = "olive@example.org"
	password = "correct horse battery"
	wrong    = "incorrect horse battery"
)

// addUser makes a person with the password a member of the practice.
func addUser(i *apptest.Installation, p store.PracticeID, email string, role auth.Role) (user int64) {
	i.T.Helper()
	_, _, err := i.App.Auth.AddUser(p, email, "", role, password)
	require.NoError(i.T, err)
	return userID(i, email)
}

func userID(i *apptest.Installation, email string) (user int64) {
	i.T.Helper()
	require.NoError(i.T, i.App.DB.View(context.Background(), func(v *store.View) error {
		u, err := v.UserByEmail(email)
		user = u.ID
		return err
	}))
	return user
}

func credentials(email, password string) url.Values {
	return url.Values{"email": {email}, "password": {password}}
}

// sessionOf returns the session cookie that an answer sets, or nil.
func sessionOf(page apptest.Page) *http.Cookie {
	for _, cookie := range page.Cookies() {
		if strings.HasSuffix(cookie.Name, "registry-session") {
			return cookie
		}
	}
	return nil
}

// signedIn returns a browser in which a person has signed in on the sign-in page.
func signedIn(i *apptest.Installation, email string) *apptest.Browser {
	i.T.Helper()
	b := i.Stranger()
	page := b.Post("/sign-in", credentials(email, password))
	require.Equal(i.T, 303, page.StatusCode, page.Body)
	return b
}

func leadsTo(t *testing.T, path string, page apptest.Page) {
	t.Helper()
	require.Equal(t, 303, page.StatusCode, page.Body)
	require.Equal(t, path, page.Header.Get("Location"))
}

func TestAUserSignsInSeesTheRequestedPageAndSignsOut(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b := i.Stranger()
	leadsTo(t, "/sign-in", b.Get("/registry/users"))
	form := b.Get("/sign-in")
	require.Equal(t, 200, form.StatusCode)
	for _, text := range []string{`autocomplete="username"`, `autocomplete="current-password"`, "<title>Sign in – Birth registry</title>"} {
		require.Contains(t, form.Body, text)
	}
	leadsTo(t, "/registry/users", b.Post("/sign-in", credentials(olive, password)))
	home := b.Get("/registry")
	require.Equal(t, 200, home.StatusCode)
	require.Contains(t, home.Body, "Practice admin")
	leadsTo(t, "/registry", b.Get("/sign-in"))

	out := b.Post("/sign-out", nil)
	leadsTo(t, "/sign-in", out)
	require.Equal(t, `"cache", "storage"`, out.Header.Get("Clear-Site-Data"))
	require.Contains(t, b.Get("/sign-in").Body, "You are signed out.")
	leadsTo(t, "/sign-in", b.Get("/registry"))
	require.Equal(t, 405, b.Get("/sign-out").StatusCode, "no GET signs out")
}

func TestTheSessionHasANewTokenAfterTheSignInAndTheOldOneIsDead(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	before := sessionOf(b.Post("/sign-out", nil))
	require.NotNil(t, before, "it says once that they are signed out")
	after := sessionOf(b.Post("/sign-in", credentials(olive, password)))
	require.NotEqual(t, before.Value, after.Value)
	require.Equal(t, 200, b.Get("/registry").StatusCode)

	planted := map[string]string{"Cookie": before.Name + "=" + before.Value} // an attempt at session fixation
	leadsTo(t, "/sign-in", i.Stranger().Do("GET", "/registry", nil, planted))
	made := map[string]string{
		"Cookie": before.Name + "=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "Content-Type": "application/x-www-form-urlencoded",
	}
	given := i.Stranger().Do("POST", "/sign-in", strings.NewReader(credentials(olive, password).Encode()), made)
	require.NotContains(t, sessionOf(given).Value, "AAAAAAAA", "a token that was made up is not taken")

	b.Post("/sign-out", nil)
	dead := map[string]string{"Cookie": after.Name + "=" + after.Value}
	leadsTo(t, "/sign-in", i.Stranger().Do("GET", "/registry", nil, dead))
}

func TestTheCookieIsWithheldFromScriptsAndOtherSites(t *testing.T) {
	for base, want := range map[string]string{"": "registry-session", "https://births.example.org": "__Host-registry-session"} {
		i := apptest.Start(t, func(c *app.Config) { c.Web.BaseURL = base })
		addUser(i, i.Practice, olive, auth.Admin)
		page := i.Stranger().Do("POST", "/sign-in", strings.NewReader(credentials(olive, password).Encode()), map[string]string{
			"Content-Type": "application/x-www-form-urlencoded",
		})
		cookie := sessionOf(page)
		require.Equal(t, want, cookie.Name)
		require.True(t, cookie.HttpOnly)
		require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
		require.Equal(t, "/", cookie.Path)
		require.Empty(t, cookie.Domain)
		require.Equal(t, base != "", cookie.Secure)
		require.Zero(t, cookie.MaxAge, "it goes with the browser")
		require.Len(t, cookie.Value, 43, "256 random bits")
		i.Stop()
	}
}

func TestSigningInNeverLeadsToAnotherSite(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	for _, asked := range []string{
		"//evil.example/registry", "/registry/../../evil", "/sign-in?next=https://evil.example", "/\\evil.example", "/registry%2f..%2f..//evil.example",
		"/%2fevil.example", "/registry?next=//evil.example", "/registry/users?return=https://evil.example",
	} {
		b := i.Stranger()
		request := asked
		if !strings.HasPrefix(request, "//") {
			b.Get(request)
		}
		page := b.Post("/sign-in?next=https://evil.example&wanted=//evil.example", url.Values{
			"email": {olive}, "password": {password}, "next": {"https://evil.example"}, "wanted": {"//evil.example"}, "return": {"//evil.example"},
		})
		require.Equal(t, 303, page.StatusCode)
		to, err := url.Parse(page.Header.Get("Location"))
		require.NoError(t, err)
		require.Empty(t, to.Host+to.Scheme, asked)
		require.True(t, strings.HasPrefix(to.Path, "/registry"), "%s leads to %s", asked, to)
	}
	b := i.Stranger()
	b.Post("/registry/users", url.Values{"email": {"x@example.org"}})
	leadsTo(t, "/registry", b.Post("/sign-in", credentials(olive, password)))
}

func TestARefusedSignInSaysTheSameToEverybody(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	addUser(i, i.Practice, "barred@example.org", auth.Viewer)
	_, err := i.App.Auth.DisableUser("barred@example.org")
	require.NoError(t, err)
	var bodies []string
	for _, c := range [][2]string{{olive, wrong}, {"nobody@example.org", wrong}, {"barred@example.org", password}} {
		page := i.Stranger().Post("/sign-in", credentials(c[0], c[1]))
		require.Equal(t, 422, page.StatusCode)
		require.Contains(t, page.Body, "The email address or the password is wrong.")
		require.Contains(t, page.Body, "<title>Error: Sign in")
		require.Contains(t, page.Body, `value="`+c[0]+`"`, "what was typed is kept")
		require.NotContains(t, page.Body, c[1], "but for the password")
		require.Nil(t, sessionOf(page))
		bodies = append(bodies, strings.ReplaceAll(page.Body, c[0], "ADDRESS"))
	}
	require.Equal(t, bodies[0], bodies[1])
	require.Equal(t, bodies[0], bodies[2])
	hostile := i.Stranger().Post("/sign-in", credentials(`"><script>alert(1)</script>`, "x"))
	require.NotContains(t, hostile.Body, "<script>alert")
	require.NotContains(t, i.Log.String(), wrong)
	require.NotContains(t, i.Log.String(), "nobody@example.org")
}

func TestAfterTooManyAttemptsTheSecondsToWaitAreShown(t *testing.T) {
	t.Parallel()
	const wait = 2 * time.Second // after the fourth try
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	address, page := "", apptest.Page{}
	for n := 2; ; n++ { // a busy machine can take longer than the wait for the next try
		address = fmt.Sprint("127.0.0.", n)
		for range 3 {
			require.Equal(t, 422, i.Stranger().From(address).Post("/sign-in", credentials(olive, wrong)).StatusCode)
		}
		began := time.Now()
		require.Equal(t, 422, i.Stranger().From(address).Post("/sign-in", credentials(olive, wrong)).StatusCode)
		page = i.Stranger().From(address).Post("/sign-in", credentials(olive, password))
		if page.StatusCode == 429 {
			break
		}
		require.Greater(t, time.Since(began), wait, "status %d", page.StatusCode)
	}
	require.Regexp(t, `<li>Too many tries; wait \d seconds? and try again\.</li>`, page.Body, "the summary says so")
	require.NotContains(t, page.Body, `class="error"`, "and no field is to blame")
	require.NotEmpty(t, page.Header.Get("Retry-After"))
	require.Contains(t, page.Body, "<title>Error: ")
	time.Sleep(wait + 100*time.Millisecond)
	require.Equal(t, 303, i.Stranger().From(address).Post("/sign-in", credentials(olive, password)).StatusCode)
}

// handleOf returns the handle of the latest session of a user who has signed in.
func handleOf(i *apptest.Installation, who auth.User) string {
	i.T.Helper()
	all, err := i.App.Auth.SessionsOf(i.T.Context(), who.ID)
	require.NoError(i.T, err)
	require.NotEmpty(i.T, all)
	return all[0].Handle
}

func TestASecondFactorIsAskedForOnAPageOfItsOwn(t *testing.T) {
	i := apptest.Start(t)
	user := addUser(i, i.Practice, olive, auth.Admin)
	signedIn(i, olive)
	secret := auth.NewSecondFactor()
	code, err := totp.GenerateCode(secret, time.Now())
	require.NoError(t, err)
	who, _, err := i.App.Auth.UserIn(t.Context(), user, i.Practice)
	require.NoError(t, err)
	recovery, err := i.App.Auth.EnableSecondFactor(who, secret, code, handleOf(i, who))
	require.NoError(t, err)

	b := i.Stranger()
	leadsTo(t, "/sign-in", b.Get("/sign-in/verify"))
	leadsTo(t, "/sign-in", b.Get("/registry/users"))
	first := b.Post("/sign-in", credentials(olive, password))
	leadsTo(t, "/sign-in/verify", first)
	leadsTo(t, "/sign-in", b.Get("/registry")) // half a sign-in opens nothing
	page := b.Get("/sign-in/verify")
	require.Contains(t, page.Body, `autocomplete="one-time-code"`)
	require.Contains(t, page.Body, `inputmode="numeric"`)
	require.NotContains(t, page.Body, olive)
	refused := b.Post("/sign-in/verify", url.Values{"code": {code}})
	require.Equal(t, 422, refused.StatusCode, "the code was used")
	refused = b.Post("/sign-in/verify", url.Values{"recovery": {"AAAA-BBBB-CCCC-DDDD"}})
	require.Equal(t, 422, refused.StatusCode)
	require.Contains(t, refused.Body, "<details open>")
	require.Contains(t, refused.Body, "The code is not right, or was used before; try the next one.")
	in := b.Post("/sign-in/verify", url.Values{"recovery": {recovery[3]}})
	leadsTo(t, "/registry", in)
	require.NotEqual(t, sessionOf(first).Value, sessionOf(in).Value, "a new token after each step")
	require.Contains(t, b.Get("/registry").Body, "You used a recovery code.")
	leadsTo(t, "/sign-in", b.Post("/sign-in/verify", url.Values{"recovery": {recovery[4]}}))

	other := i.Stranger()
	leadsTo(t, "/sign-in/verify", other.Post("/sign-in", credentials(olive, password)))
	_, err = i.App.Auth.DisableUser(olive)
	require.NoError(t, err)
	leadsTo(t, "/sign-in", other.Post("/sign-in/verify", url.Values{"recovery": {recovery[5]}}))
	leadsTo(t, "/sign-in", b.Get("/registry"))
}

func TestOpeningALinkDoesNotUseItUp(t *testing.T) {
	i := apptest.Start(t)
	link, _, err := i.App.Auth.AddUser(i.Practice, olive, "Olive", auth.Admin, "")
	require.NoError(t, err)
	b := i.Stranger()
	for range 3 { // as link previews do
		page := b.Get("/invite")
		require.Equal(t, 200, page.StatusCode)
		require.Contains(t, page.Body, "data-fragment")
		require.NotContains(t, page.Body, "password", "first the page says what the invitation is for")
		b.Do("HEAD", "/invite", nil, nil)
	}
	for range 3 {
		offer := b.Post("/invite", url.Values{"code": {link.Code}})
		require.Equal(t, 200, offer.StatusCode)
		require.Contains(t, offer.Body, "<h1>You’re joining Riverside Midwives as practice admin</h1>")
		require.Contains(t, offer.Body, `value="Olive"`)
		require.Contains(t, offer.Body, `autocomplete="new-password"`)
	}
	short := b.Post("/invite", url.Values{"code": {link.Code}, "password": {"too short"}})
	require.Equal(t, 422, short.StatusCode)
	require.Contains(t, short.Body, "at least 15 characters")
	require.Contains(t, short.Body, link.Code, "the code is kept")
	require.NotContains(t, short.Body, "too short")
	unknown := b.Post("/invite", url.Values{"code": {"AAAA"}, "password": {password}})
	require.Equal(t, 422, unknown.StatusCode)
	require.Contains(t, unknown.Body, "This is not the code of a link")
	leadsTo(t, "/registry", b.Post("/invite", url.Values{"code": {link.Code}, "name": {"Olive Oak"}, "password": {password}}))
	require.Contains(t, b.Get("/registry").Body, ", Olive", "she is signed in")
	require.Contains(t, b.Get("/account").Body, "Olive Oak")
	b = i.Stranger()
	used := b.Post("/invite", url.Values{"code": {link.Code}, "password": {wrong}})
	require.Equal(t, 422, used.StatusCode)
	require.Contains(t, used.Body, "This link was used")
	leadsTo(t, "/registry", b.Post("/sign-in", credentials(olive, password)))

	reset, err := i.App.Auth.AccountLink(olive, auth.ResetOptions{})
	require.NoError(t, err)
	newer, err := i.App.Auth.AccountLink(olive, auth.ResetOptions{})
	require.NoError(t, err)
	for _, more := range []url.Values{{}, {"password": {wrong}}} {
		replaced := b.Post("/reset", with(more, "code", reset.Code))
		require.Contains(t, replaced.Body, "A newer link replaced this one")
		require.NotContains(t, replaced.Body, `type="password"`, "nobody thinks up a password for a link that doesn't work")
	}
	require.NotContains(t, b.Get("/reset").Body, `type="password"`)
	for range 3 {
		open := b.Post("/reset", url.Values{"code": {newer.Code}})
		require.Equal(t, 200, open.StatusCode)
		require.Contains(t, open.Body, "It will be the password of "+olive)
		require.Contains(t, open.Body, `autocomplete="new-password"`)
		require.NotContains(t, open.Body, "Delete my passkeys", "there are none")
	}
	short = b.Post("/reset", url.Values{"code": {newer.Code}, "password": {"too short"}})
	require.Equal(t, 422, short.StatusCode)
	require.Contains(t, short.Body, "at least 15 characters")
	require.Contains(t, b.Post("/reset", url.Values{"code": {link.Code}}).Body, "This link was used")
	leadsTo(t, "/sign-in", i.Stranger().Post("/reset", url.Values{"code": {newer.Code}, "password": {wrong}}))
	leadsTo(t, "/sign-in", b.Get("/registry"))
	require.NotContains(t, i.Log.String(), link.Code)
	require.NotContains(t, i.Log.String(), newer.Code)
}

func TestAFormOfAnotherSiteSignsNobodyIn(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	for _, path := range []string{"/sign-in", "/sign-in/verify", "/sign-out", "/invite", "/reset"} {
		page := i.Stranger().Do("POST", path, strings.NewReader(credentials(olive, password).Encode()), map[string]string{
			"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site",
		})
		require.Equal(t, 403, page.StatusCode, path)
		require.Nil(t, sessionOf(page), path)
	}
}

func TestAHugeFormIsRefused(t *testing.T) {
	i := apptest.Start(t)
	for _, path := range []string{"/sign-in", "/invite"} {
		page := i.Stranger().Post(path, url.Values{"email": {strings.Repeat("x", 1<<20)}})
		require.Equal(t, 413, page.StatusCode, path)
	}
	empty := i.Stranger().Do("POST", "/sign-in", strings.NewReader(`{"email":"x"}`), map[string]string{"Content-Type": "application/json"})
	require.Equal(t, 422, empty.StatusCode)
}

func TestTheSignInSaysThatTheSessionHasExpired(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	_, err := i.App.Auth.EndUserSessions(olive)
	require.NoError(t, err)
	leadsTo(t, "/sign-in", b.Get("/account"))
	require.Contains(t, b.Get("/sign-in").Body, "Your session has ended.")
	leadsTo(t, "/account", b.Post("/sign-in", credentials(olive, password)))
	fresh := i.Stranger()
	fresh.Get("/registry")
	require.NotContains(t, fresh.Get("/sign-in").Body, "has ended")
}
