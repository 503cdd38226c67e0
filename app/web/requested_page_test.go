package web_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
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
