package web_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/web"
)

func TestAStrangerWritesNoSession(t *testing.T) {
	i := apptest.Start(t)
	bogus := map[string]string{"Cookie": "registry-session=bogus"}
	for _, ask := range [][2]string{
		{"GET", "/registry"},
		{"GET", "/registry/records"},
		{"GET", "/sign-in"},
		{"GET", "/nowhere"},
		{"GET", "/sign-in/verify"},
		{"POST", "/sign-in/verify"},
		{"POST", "/sign-out"},
		{"POST", "/registry/users"},
		{"POST", "/invite"},
		{"POST", "/invite/join"},
	} {
		for _, headers := range []map[string]string{nil, bogus} {
			page := i.Stranger().Do(ask[0], ask[1], nil, headers)
			require.Nil(t, sessionOf(page), ask)
		}
	}
	require.Contains(t, i.Stranger().Do("GET", "/sign-in", nil, map[string]string{"Cookie": "registry-wanted=e"}).Body, "Your session has ended.")
}

func TestARequestedPageIsAPathOfThisSiteWhateverTheCookieSays(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	for asked, leads := range map[string]string{
		"/registry/users": "/registry/users", "//evil.example": "/registry", "https://evil.example/": "/registry",
		`/\\evil.example`: "/registry", "": "/registry", "/registry/records?page=2": "/registry/records?page=2",
	} {
		page := i.Stranger().Do("POST", "/sign-in", strings.NewReader(credentials(olive, password).Encode()), map[string]string{
			"Content-Type": "application/x-www-form-urlencoded",
			"Cookie":       "registry-wanted=w" + base64.RawURLEncoding.EncodeToString([]byte(asked)),
		})
		leadsTo(t, leads, page)
	}
	b := i.Stranger()
	leadsTo(t, "/sign-in", b.Get("/registry/users"))
	leadsTo(t, "/registry/users", b.Post("/sign-in", credentials(olive, password)))
}

func TestOnlyAPageIsRememberedForAfterTheSignIn(t *testing.T) {
	i := apptest.Start(t)
	at := newFixture(t, i, "requested")
	pages, others := 0, 0
	for _, route := range web.RoutePaths() {
		if route.Method != "GET" || strings.HasPrefix(route.Path, "/api/") || route.Path == "/account/second-factor" {
			continue
		}
		path := at.named.Replace(route.Path)
		asked := i.Stranger().Get(path)
		if asked.StatusCode != 303 || asked.Header.Get("Location") != "/sign-in" {
			continue // it needs no sign-in
		}
		answer := i.SignIn(at.practice, auth.Admin).Get(path)
		if answer.Header.Get("Content-Disposition") != "" || strings.Contains(answer.Header.Get("Content-Type"), "json") {
			others++
			require.Nil(t, cookieNamed(asked, "registry-wanted"), path)
		} else if answer.StatusCode == 200 {
			pages++
			require.NotNil(t, cookieNamed(asked, "registry-wanted"), path)
		}
	}
	require.Greater(t, pages, 40)
	require.Greater(t, others, 5)
}
