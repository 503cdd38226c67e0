package web_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
)

// firstRun returns the form that a person fills in to set up a registry.
func firstRun(code string) url.Values {
	return url.Values{
		"code": {code}, "practice": {"Riverside Midwives"}, "zone": {"America/New_York"}, "kind": {"sandbox"},
		"name": {"Dana Rivers"}, "email": {"dana@example.org"}, "password": {"otter lantern quilt seven"},
	}
}

func setUpLink(t *testing.T, i *apptest.Installation) auth.SetUpLink {
	t.Helper()
	link, err := i.App.Auth.SetUpLink(context.Background())
	require.NoError(t, err)
	return link
}

func TestTheFirstRunInTheBrowserMakesThePracticeAndItsAdminAndOpensHome(t *testing.T) {
	i := apptest.StartEmpty(t)
	b := i.Stranger()
	require.Contains(t, b.Get("/sign-in").Body, "not set up yet")
	page := b.Get("/setup")
	require.Equal(t, 200, page.StatusCode)
	require.Contains(t, page.Body, "data-fragment", "the code comes from behind the #")
	require.NotContains(t, page.Body, "checked", "neither live nor sandbox is chosen for the user")
	link := setUpLink(t, i)
	require.WithinDuration(t, time.Now().Add(24*time.Hour), link.Expires, time.Minute)
	require.True(t, strings.HasPrefix(link.Path(), "/setup#"))
	answer := b.Post("/setup", firstRun(link.Code))
	require.Equal(t, 303, answer.StatusCode, answer.Body)
	require.Equal(t, "/registry", answer.Header.Get("Location"))
	home := b.Get("/registry")
	require.Equal(t, 200, home.StatusCode)
	for _, text := range []string{"Riverside Midwives", ", Dana", "Synthetic data only", "second factor", "Send a sample Bundle", "sample.csv"} {
		require.Contains(t, home.Body, text)
	}
	require.NoError(t, i.App.DB.View(context.Background(), func(v *store.View) error {
		p, err := v.Practice(1)
		require.True(t, p.Sandbox)
		require.Equal(t, "America/New_York", p.TimeZone)
		return err
	}))
	require.NotContains(t, i.Stranger().Get("/sign-in").Body, "not set up yet")
	i.Clean()
}

func TestASetUpLinkWorksOnceAndOnlyWhileThereIsNoUser(t *testing.T) {
	i := apptest.StartEmpty(t)
	link, other := setUpLink(t, i), setUpLink(t, i)
	require.Equal(t, 303, i.Stranger().Post("/setup", firstRun(link.Code)).StatusCode)
	for _, code := range []string{link.Code, other.Code} {
		form := firstRun(code)
		form.Set("email", "second@example.org")
		require.Equal(t, 404, i.Stranger().Post("/setup", form).StatusCode)
	}
	again := i.Stranger().Get("/setup")
	require.Equal(t, 404, again.StatusCode)
	require.Contains(t, again.Body, "The registry is set up already")
	_, err := i.App.Auth.SetUpLink(context.Background())
	require.ErrorIs(t, err, auth.ErrIsSetUp)
}

func TestAVisitorWithoutTheCodeOfANewRegistryGetsNothing(t *testing.T) {
	i := apptest.StartEmpty(t)
	i.Logs("set-up link") // serve logs where to find the link
	require.NotContains(t, i.Log.String(), "/setup#", "but not the link")
	i.Log.Reset()
	link := setUpLink(t, i)
	another := func(letter byte) string {
		if letter == 'A' {
			return "B"
		}
		return "A"
	}
	changed := another(link.Code[0]) + link.Code[1:] // a code with another expiry
	for n, code := range []string{"", "x", changed, link.Code[:31] + another(link.Code[31])} {
		form := firstRun(code)
		form.Set("practice", "") // the page mentions nothing else that is wrong
		answer := i.Stranger().From("127.0.0."+string(rune('2'+n))).Post("/setup", form)
		require.Equal(t, 422, answer.StatusCode)
		require.Contains(t, answer.Body, "This is not the code of a set-up link")
		require.NotContains(t, answer.Body, "Enter the name of the practice")
		require.NotContains(t, answer.Body, "otter lantern quilt seven")
	}
	empty, err := i.App.Auth.IsEmpty(context.Background())
	require.NoError(t, err)
	require.True(t, empty)

	guesser := i.Stranger()
	slowed := 0
	for range 8 {
		if answer := guesser.Post("/setup", firstRun("x")); answer.StatusCode == 429 {
			require.NotEmpty(t, answer.Header.Get("Retry-After"))
			slowed++
		}
	}
	require.Positive(t, slowed, "guesses from one address have to wait")
	require.Equal(t, 422, i.Stranger().From("127.0.0.9").Post("/setup", url.Values{"code": {link.Code}}).StatusCode)
	require.Contains(t, i.Log.String(), `"route":"/setup"`)
	require.NotContains(t, i.Log.String(), link.Code)
}

func TestASetUpFormWithAMistakeKeepsWhatWasTypedAndTheLink(t *testing.T) {
	i := apptest.StartEmpty(t)
	link := setUpLink(t, i)
	b := i.Stranger()
	for field, wrong := range map[string]string{"practice": " ", "zone": "Nowhere/City", "kind": "other", "email": "dana", "password": "short"} {
		form := firstRun(link.Code)
		form.Set(field, wrong)
		answer := b.Post("/setup", form)
		require.Equal(t, 422, answer.StatusCode, field)
		require.Contains(t, answer.Body, `href="#`+field+`"`)
		require.Contains(t, answer.Body, link.Code, "the code stays in its box")
	}
	require.Equal(t, 303, b.Post("/setup", firstRun(link.Code)).StatusCode)
}

func TestAnEmptySetUpFormNamesEverythingThatIsMissingAtOnce(t *testing.T) {
	i := apptest.StartEmpty(t)
	answer := i.Stranger().Post("/setup", url.Values{"code": {setUpLink(t, i).Code}, "zone": {""}})
	require.Equal(t, 422, answer.StatusCode)
	at := 0
	for _, field := range []string{"practice", "zone", "kind", "email", "password"} {
		found := strings.Index(answer.Body, `href="#`+field+`"`)
		require.Greater(t, found, at, "%s, in the order of the form", field)
		at = found
	}
}

func TestSettingUpOrAcceptingAnInvitationSignsTheUserIn(t *testing.T) {
	i := apptest.StartEmpty(t)
	b := i.Stranger()
	require.Equal(t, 303, b.Post("/setup", firstRun(setUpLink(t, i).Code)).StatusCode)
	users := b.Get("/registry/users")
	require.Contains(t, users.Body, "Dana Rivers")
	require.NotContains(t, users.Body, "Never")
	leadsTo(t, "/registry/users/link", b.Post("/registry/users", url.Values{"email": {"sam@example.org"}, "name": {"Sam"}, "role": {"scribe"}}))
	require.Contains(t, b.Get("/registry/users").Body, "Never")
	code := find(t, b.Get("/registry/users/link"), `/invite#([A-Z2-7]{26})"`)
	leadsTo(t, "/registry", i.Stranger().Post("/invite", url.Values{"code": {code}, "password": {"velvet anchor maple nine"}}))
	require.NotContains(t, b.Get("/registry/users").Body, "Never")
}

func TestANewUserIsOfferedAPasskeyOnceWhereOneWorks(t *testing.T) {
	const passkeyOffer = `<a href="/account#passkeys">Next, add a passkey`
	atName := apptest.StartEmpty(t, func(c *app.Config) { c.Web.BaseURL = passkeyOrigin })
	admin := atName.Stranger()
	leadsTo(t, "/registry", admin.Post("/setup", firstRun(setUpLink(t, atName).Code)))
	require.Contains(t, admin.Get("/registry").Body, passkeyOffer)
	require.NotContains(t, admin.Get("/registry").Body, passkeyOffer)
	leadsTo(t, "/registry/users/link", admin.Post("/registry/users", url.Values{"email": {"vera@example.org"}, "name": {"Vera"}, "role": {"viewer"}}))
	code := find(t, admin.Get("/registry/users/link"), `/invite#([A-Z2-7]{26})"`)
	vera := atName.Stranger()
	leadsTo(t, "/registry", vera.Post("/invite", url.Values{"code": {code}, "name": {"Vera"}, "password": {password}}))
	require.Contains(t, vera.Get("/registry").Body, passkeyOffer)

	atNumber := apptest.StartEmpty(t)
	b := atNumber.Stranger()
	b.Post("/setup", firstRun(setUpLink(t, atNumber).Code))
	home := b.Get("/registry").Body
	require.NotContains(t, home, passkeyOffer)
	require.Contains(t, home, `<a href="/account#factor-state">Next, protect your account with a second factor.</a>`)
}
