package web_test

import (
	"encoding/base32"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// find returns the first group of a pattern in a page.
func find(t *testing.T, page apptest.Page, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(page.Body)
	require.NotNil(t, found, "%s\n%s", pattern, page.Body)
	return found[1]
}

func TestAPasswordIsChangedOnTheAccountPage(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Viewer)
	b, other := signedIn(i, olive), signedIn(i, olive)
	for text, form := range map[string]url.Values{
		"The password is wrong.":                        {"present": {wrong}, "next": {"a new and longer one"}},
		"Enter your password.":                          {"present": {""}, "next": {"a new and longer one"}},
		"The password must have at least 15 characters": {"present": {password}, "next": {"zyx-18"}},
		"built from the email address":                  {"present": {password}, "next": {olive + "!"}},
	} {
		page := b.Post("/account/password", form)
		require.Equal(t, 422, page.StatusCode)
		require.Contains(t, page.Body, text)
		require.NotContains(t, page.Body, form.Get("next"))
	}
	before := sessionOf(b.Get("/account"))
	require.Nil(t, before, "a page that is only read sets no cookie")
	done := b.Post("/account/password", url.Values{"present": {password}, "next": {"a new and longer one"}})
	leadsTo(t, "/account", done)
	require.NotNil(t, sessionOf(done), "a new token")
	require.Contains(t, b.Get("/account").Body, "Your password is changed.")
	leadsTo(t, "/sign-in", other.Get("/account"))
}

func TestASecondFactorIsSetUpOnTheAccountPage(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Viewer)
	b, other := signedIn(i, olive), signedIn(i, olive)
	leadsTo(t, "/account", b.Get("/account/factor"))
	require.Equal(t, 422, b.Post("/account/factor/start", url.Values{"factor": {wrong}}).StatusCode)
	leadsTo(t, "/account/factor", b.Post("/account/factor/start", url.Values{"factor": {password}}))
	page := b.Get("/account/factor")
	secret := find(t, page, `id="secret"[^>]*value="([A-Z2-7]{32})"`)
	require.Contains(t, page.Body, "<svg")
	require.NotContains(t, page.Body, "style=")
	bits, err := base32.StdEncoding.DecodeString(secret)
	require.NoError(t, err)
	require.Len(t, bits, 20)
	require.Equal(t, 422, b.Post("/account/factor", url.Values{"code": {"000000"}}).StatusCode)
	code, err := totp.GenerateCode(secret, time.Now())
	require.NoError(t, err)
	leadsTo(t, "/account/codes", b.Post("/account/factor", url.Values{"code": {code}}))
	leadsTo(t, "/sign-in", other.Get("/account"))

	once := b.Get("/account/codes")
	codes := regexp.MustCompile(`[A-Z2-7]{4}(-[A-Z2-7]{4}){3}`).FindAllString(once.Body, -1)
	require.Len(t, codes, 10)
	again := b.Get("/account/codes")
	require.NotContains(t, again.Body, codes[0])
	require.Contains(t, again.Body, "These codes were already shown")
	require.Contains(t, b.Get("/account").Body, "10 recovery codes are left.")
	leadsTo(t, "/account", b.Get("/account/factor"))

	second := i.Stranger()
	leadsTo(t, "/sign-in/verify", second.Post("/sign-in", credentials(olive, password)))
	require.Contains(t, second.Get("/sign-in/verify").Body, "Ask an admin of your practice to remove the second factor")
	leadsTo(t, "/registry", second.Post("/sign-in/verify", url.Values{"recovery": {codes[0]}}))
	for _, do := range []string{"codes", "off"} { // a stolen password is not enough to replace the second factor
		refused := second.Post("/account/factor/change", url.Values{"factor": {password}, "do": {do}})
		require.Equal(t, 422, refused.StatusCode)
		require.Contains(t, refused.Body, "The code is not right")
	}
	require.Equal(t, 422, second.Post("/account/factor/start", url.Values{"factor": {password}, "factor-code": {codes[0]}}).StatusCode)
	leadsTo(t, "/account/codes", second.Post("/account/factor/change", url.Values{"factor": {password}, "factor-code": {codes[1]}, "do": {"codes"}}))
	renewed := regexp.MustCompile(`[A-Z2-7]{4}(-[A-Z2-7]{4}){3}`).FindAllString(second.Get("/account/codes").Body, -1)
	require.NotContains(t, renewed, codes[2])
	require.Equal(t, 422, second.Post("/account/factor/change", url.Values{"factor": {wrong}, "factor-code": {renewed[0]}, "do": {"off"}}).StatusCode)
	leadsTo(t, "/account", second.Post("/account/factor/change", url.Values{"factor": {password}, "factor-code": {renewed[0]}, "do": {"off"}}))
	leadsTo(t, "/registry", i.Stranger().Post("/sign-in", credentials(olive, password)))
	require.NotContains(t, i.Log.String(), secret)
}

func TestAUserEndsTheirOwnSessionsAndNobodyElses(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Viewer)
	vera := addUser(i, i.Practice, "vera@example.org", auth.Viewer)
	b, other, third, veras := signedIn(i, olive), signedIn(i, olive), signedIn(i, olive), signedIn(i, "vera@example.org")
	page := b.Get("/account")
	require.Contains(t, page.Body, "This session")
	require.Contains(t, page.Body, "A browser on an unknown system")
	handles := regexp.MustCompile(`name="session" value="([^"]+)"`).FindAllStringSubmatch(page.Body, -1)
	require.Len(t, handles, 2)
	leadsTo(t, "/account", b.Post("/account/sessions/end", url.Values{"session": {handles[0][1]}}))
	ended := 0
	for _, o := range []*apptest.Browser{other, third} {
		if o.Get("/account").StatusCode == 303 {
			ended++
		}
	}
	require.Equal(t, 1, ended)
	open, err := i.App.Auth.SessionsOf(t.Context(), vera)
	require.NoError(t, err)
	b.Post("/account/sessions/end", url.Values{"session": {open[0].Handle}})
	require.Equal(t, 200, veras.Get("/account").StatusCode)
	stolen := map[string]string{"Cookie": "registry-session=" + open[0].Handle}
	leadsTo(t, "/sign-in", i.Stranger().Do("GET", "/account", nil, stolen)) // the handle by itself opens nothing
	leadsTo(t, "/account", b.Post("/account/sessions/end-others", nil))
	for _, o := range []*apptest.Browser{other, third} {
		require.Equal(t, 303, o.Get("/account").StatusCode)
	}
	require.Equal(t, 200, b.Get("/account").StatusCode)
}

func TestAUserOfSeveralPracticesSwitchesBetweenThem(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	second, third := i.AddPractice("Hillside Birth Center"), i.AddPractice("Somebody Else's")
	link, _, err := i.App.Auth.AddUser(second, olive, "", auth.Viewer, "")
	require.NoError(t, err)
	b := signedIn(i, olive)
	require.NotContains(t, b.Get("/account").Body, "Hillside", "a place that is only offered is none")
	join(t, b, link.Code)
	leadsTo(t, "/registry", b.Post("/account/practice", url.Values{"practice": {fmt.Sprint(i.Practice)}}))
	require.Contains(t, b.Get("/account").Body, "Hillside Birth Center")
	require.NotContains(t, b.Get("/account").Body, "Somebody Else")
	leadsTo(t, "/registry/users/link", b.Post("/registry/users", url.Values{"email": {"sam@example.org"}, "role": {"scribe"}, "password": {password}}))
	moved := b.Post("/account/practice", url.Values{"practice": {fmt.Sprint(second)}})
	leadsTo(t, "/registry", moved)
	require.NotNil(t, sessionOf(moved), "a new token")
	home := b.Get("/registry").Body
	require.Contains(t, home, "<strong>Hillside Birth Center</strong>")
	require.Contains(t, home, "Viewer")
	require.Equal(t, 403, b.Get("/registry/users").StatusCode, "a role is one practice's")
	leadsTo(t, "/registry", b.Post("/account/practice", url.Values{"practice": {fmt.Sprint(i.Practice)}}))
	require.Contains(t, b.Get("/registry/users/link").Body, "already been shown", "what one practice left in the session is gone")
	leadsTo(t, "/registry", b.Post("/account/practice", url.Values{"practice": {fmt.Sprint(second)}}))
	for _, bad := range []string{fmt.Sprint(third), "77", "x", "", "-1"} {
		require.Equal(t, 404, b.Post("/account/practice", url.Values{"practice": {bad}}).StatusCode, bad)
	}
	require.Contains(t, b.Get("/registry").Body, "<strong>Hillside Birth Center</strong>")
	alone := i.SignIn(i.Practice, auth.Viewer)
	require.False(t, strings.Contains(alone.Get("/account").Body, "Work in"))
}
