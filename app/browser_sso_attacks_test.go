package app_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// code goes from an address to the provider as a person, and returns where the provider sends
// the browser with a code. The browser doesn't go there.
func (s *ssoInstallation) code(b *apptest.Browser, from, subject, address string) (to string) {
	s.t.Helper()
	page := b.Visit(from)
	for range 20 {
		at, err := page.Location()
		if err != nil { // the page of the provider
			interaction := page.Request.URL.String()
			require.True(s.t, strings.HasPrefix(interaction, s.provider.Issuer+"/interaction/"), "%d %s", page.StatusCode, page.Body)
			page = b.Send(interaction, url.Values{"subject": {subject}, "email": {address}, "verified": {"on"}})
			continue
		}
		if at.Query().Has("code") {
			return at.String()
		}
		page = b.Visit(at.String())
	}
	require.FailNow(s.t, "the provider gives no code")
	return ""
}

// callback returns the callback of a sign-in that a person began in a browser.
func (s *ssoInstallation) callback(b *apptest.Browser, subject, address string) string {
	s.t.Helper()
	return s.code(b, "http://"+s.address+"/sign-in/with/clinic-id", subject, address)
}

// stranger returns a browser with nobody in front of it: a program that follows links.
func (s *ssoInstallation) stranger() *apptest.Browser {
	return apptest.NewBrowser(s.t, "http://"+s.address)
}

// refusesAt requires that an address shows a page with this title, and signs nobody in.
func (b ssoBrowser) refusesAt(address, title string) {
	b.Helper()
	b.leave(chromedp.Navigate(address), "a callback")
	b.refused(title)
}

// refused requires that the page has this title, and that nobody is signed in.
func (b ssoBrowser) refused(title string) {
	b.Helper()
	b.awaits(title)
	b.accessible()
	b.press("Go to the sign-in page")
	b.at("/sign-in")
	b.open("/registry")
	b.at("/sign-in")
}

const (
	noAccount = "You have no account here"
	cannot    = "This sign-in cannot continue"
)

func TestAddressesAndSubjectsThatARealIdentityProviderGivesAwayLeadNowhere(t *testing.T) {
	t.Parallel()
	s := newSSOInstallation(t)
	s.browser(t).links()
	s.command("user", "add", "vera@example.org", "--practice", "1", "--role", "viewer")

	b := s.browser(t)
	b.open("/sign-in")
	b.press(clinicID)
	b.proves("vera", "vera@example.org", false)
	b.refused(noAccount) // her address is not verified

	b = s.browser(t)
	b.open("/sign-in")
	b.press(clinicID)
	b.press("Refuse")
	b.refused("The sign-in was canceled")

	b = s.browser(t)
	b.open("/sign-in")
	b.uses("robin's successor", robin)
	b.refused(noAccount) // the provider has given the address to another account
	b.open("/sign-in")
	b.press(clinicID)
	b.awaits(noAccount) // its session there goes on
	b.press("Go to the sign-in page")
	b.press("Sign out there, too")
	b.press("Yes, sign me out")
	b.uses("robin", robin)
	b.at("/registry")

	s.command("user", "disable", robin)
	b = s.browser(t)
	b.open("/sign-in")
	b.uses("robin", "vera@example.org")
	b.refused(noAccount) // neither Robin's account nor Vera's

	s.command("user", "enable", robin)
	s.command("sso", "unlink", robin)
	b = s.browser(t)
	b.open("/sign-in")
	b.uses("robin's successor", robin)
	b.sees("Link Clinic ID to your account") // with the password, which only Robin knows
	b.press("Cancel")
	b.open("/registry")
	b.at("/sign-in")

	s.command("sso", "remove", "Clinic ID")
	b = s.browser(t)
	b.open("/sign-in")
	require.NotContains(t, script[string](b.browser, `document.body.innerText`), clinicID)
	b.open("/sign-in/with/clinic-id")
	b.refused("This sign-in is not offered")
}

func TestCodesThatARealIdentityProviderGaveForSomethingElseSignNobodyIn(t *testing.T) {
	t.Parallel()
	s := newSSOInstallation(t)
	robins := s.browser(t)
	robins.links()
	robins.press("Sign out")

	t.Run("a callback works once", func(t *testing.T) {
		b := s.stranger()
		callback := s.callback(b, "robin", robin)
		require.Equal(t, "/registry", b.Visit(callback).Header.Get("Location"))
		require.Equal(t, 200, b.Get("/registry").StatusCode)
		b.Post("/sign-out", nil)
		again := b.Visit(callback)
		require.Equal(t, 400, again.StatusCode)
		require.Contains(t, again.Body, cannot)
		require.Equal(t, "/sign-in", b.Get("/registry").Header.Get("Location"))
	})
	t.Run("a callback of another browser", func(t *testing.T) {
		robins.refusesAt(s.callback(s.stranger(), "robin", robin), cannot)
	})
	t.Run("a callback of another browser doesn't stop a sign-in that waits here", func(t *testing.T) {
		b := s.stranger()
		callback := s.callback(b, "robin", robin)
		require.Equal(t, 400, b.Visit(s.callback(s.stranger(), "mallory", "mallory@example.org")).StatusCode)
		require.Equal(t, "/registry", b.Visit(callback).Header.Get("Location"))
	})
	t.Run("a code for another service", func(t *testing.T) {
		other, err := url.Parse(s.code(s.stranger(), s.provider.Issuer+"/auth?"+url.Values{
			"client_id": {"other"}, "response_type": {"code"}, "scope": {"openid email"}, "redirect_uri": {s.provider.Issuer + "/other"},
		}.Encode(), "robin", robin))
		require.NoError(t, err)
		b := s.stranger()
		own, err := url.Parse(s.callback(b, "mallory", "mallory@example.org"))
		require.NoError(t, err)
		q := own.Query()
		q.Set("code", other.Query().Get("code"))
		own.RawQuery = q.Encode()
		answer := b.Visit(own.String())
		require.Equal(t, 502, answer.StatusCode)
		require.Contains(t, answer.Body, "The identity provider could not confirm who you are")
		require.Equal(t, "/sign-in", b.Get("/registry").Header.Get("Location"))
	})
	t.Run("a code for another sign-in", func(t *testing.T) {
		robins, err := url.Parse(s.callback(s.stranger(), "robin", robin))
		require.NoError(t, err)
		b := s.stranger()
		own, err := url.Parse(s.callback(b, "mallory", "mallory@example.org"))
		require.NoError(t, err)
		q := own.Query()
		q.Set("code", robins.Query().Get("code"))
		own.RawQuery = q.Encode()
		answer := b.Visit(own.String())
		require.Equal(t, 502, answer.StatusCode, "it has another verifier")
		require.Equal(t, "/sign-in", b.Get("/registry").Header.Get("Location"))
	})
}
