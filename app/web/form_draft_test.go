package web_test

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

const longPassword = "a long enough sentence for a test"

// enter signs a person with a password in on the sign-in page.
func enter(t *testing.T, b *apptest.Browser, email string) apptest.Page {
	t.Helper()
	answer := b.Post("/sign-in", url.Values{"email": {email}, "password": {longPassword}})
	require.Equal(t, 303, answer.StatusCode, answer.Body)
	return answer
}

// clinic returns an installation with two people who have passwords.
func clinic(t *testing.T) *apptest.Installation {
	i := apptest.Start(t)
	for email, role := range map[string]auth.Role{"olive@example.org": auth.Provider, "carla@example.org": auth.Admin} {
		_, _, err := i.App.Auth.AddUser(i.Practice, email, email[:5], role, longPassword)
		require.NoError(t, err)
	}
	return i
}

func TestAFormOutlivesTheSessionOfTheUserWhoFilledItIn(t *testing.T) {
	i := clinic(t)
	b := i.Stranger()
	enter(t, b, "olive@example.org")
	form := openForm(t, b, birthOf("Okonkwo"))
	_, err := i.App.Auth.EndUserSessions("olive@example.org")
	require.NoError(t, err)

	answer := b.Post("/registry/capture", form)
	require.Equal(t, 303, answer.StatusCode)
	require.Equal(t, "/sign-in", answer.Header.Get("Location"))
	require.Contains(t, b.Get("/sign-in").Body, "what you typed is kept")
	require.Equal(t, "/registry/capture", enter(t, b, "olive@example.org").Header.Get("Location"))

	back := b.Get("/registry/capture")
	require.Contains(t, back.Body, "Here is what you typed")
	again := parsePage(t, back).form()
	for name, texts := range birthOf("Okonkwo") {
		require.Equal(t, texts, again[name], name)
	}
	require.Equal(t, 303, b.Post("/registry/capture", again).StatusCode)
	require.Equal(t, 1, i.Count())
	require.NotContains(t, b.Get("/registry/capture").Body, "Okonkwo", "once only")
	for _, file := range []string{i.Config.DB, i.Config.DB + "-wal"} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(content), "Okonkwo", "what waits is sealed")
	}
}

func TestAnAmendmentOutlivesTheSessionAndStillSeesWhatChanged(t *testing.T) {
	i := clinic(t)
	b, other := i.Stranger(), i.Stranger()
	enter(t, b, "olive@example.org")
	require.Equal(t, 303, b.Post("/registry/capture", openForm(t, b, birthOf("Okonkwo"))).StatusCode)
	path := "/registry/records/" + i.Record("B-000001").ID + "/amend"
	form := parsePage(t, b.Get(path)).form()
	form.Set("gravida", "3")
	_, err := i.App.Auth.EndUserSessions("olive@example.org")
	require.NoError(t, err)
	require.Equal(t, 303, b.Post(path, form).StatusCode)

	enter(t, other, "carla@example.org")
	foreign := parsePage(t, other.Get(path)).form()
	foreign.Set("parity", "1")
	require.Equal(t, 303, other.Post(path, foreign).StatusCode)

	require.Equal(t, path, enter(t, b, "olive@example.org").Header.Get("Location"))
	require.Equal(t, path, b.Get(path).Header.Get("Location"), "it is stored, then shown")
	back := b.Get(path)
	require.Contains(t, back.Body, "Here is what you typed")
	require.Contains(t, back.Body, "This record has changed since you opened it")
	require.Equal(t, "3", parsePage(t, back).form().Get("gravida"))
	saves(t, b, path, parsePage(t, back).form())
	require.Equal(t, 3, i.Record("B-000001").Version)
}

func TestAKeptFormIsShownToNobodyElse(t *testing.T) {
	i := clinic(t)
	b := i.Stranger()
	enter(t, b, "olive@example.org")
	form := openForm(t, b, birthOf("Okonkwo"))
	_, err := i.App.Auth.EndUserSessions("olive@example.org")
	require.NoError(t, err)
	b.Post("/registry/capture", form)
	enter(t, b, "carla@example.org")
	require.NotContains(t, b.Get("/registry/capture").Body, "Okonkwo")

	b = i.Stranger()
	enter(t, b, "olive@example.org")
	require.Equal(t, 303, b.Post("/registry/capture", openForm(t, b, birthOf("Lindqvist"))).StatusCode)
	form = openForm(t, b, birthOf("Okonkwo"))
	_, err = i.App.Auth.EndUserSessions("olive@example.org")
	require.NoError(t, err)
	b.Post("/registry/capture", form)
	enter(t, b, "olive@example.org")
	amend := b.Get("/registry/records/" + i.Record("B-000001").ID + "/amend")
	require.Equal(t, 200, amend.StatusCode)
	require.NotContains(t, amend.Body, "Okonkwo", "nor at another address")

	large := birthOf("Okonkwo")
	large.Set("owner", "1/1")
	large.Set("reason", strings.Repeat("x", 100<<10))
	stranger := i.Stranger()
	require.Equal(t, 303, stranger.Post("/registry/capture", large).StatusCode)
	require.NotContains(t, stranger.Get("/sign-in").Body, "is kept")
}
