package app_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// withAuthenticator gives the browser a device that recognizes its owner.
func (b *browser) withAuthenticator() {
	b.Helper()
	call(b, webauthn.Enable, webauthn.EnableParams{})
	call(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
}

// atLocalhost starts an installation whose address has a name.
func atLocalhost(t *testing.T) *apptest.Installation {
	t.Helper()
	at := freeAddress(t)
	i := apptest.Start(t, func(c *app.Config) { c.Web.BaseURL = strings.Replace("http://"+at, "127.0.0.1", "localhost", 1) })
	i.Stop()
	i.Listen = at
	i.Run()
	return i
}

func (b *browser) types(email string) {
	b.Helper()
	b.fill("email", email)
	b.fill("password", secret)
	b.press("Sign in")
}

// confirms lets the device confirm the form that a selector finds.
func (b *browser) confirms(form string) {
	b.Helper()
	b.click(form + `[data-confirm] button`)
	b.awaits("Your passkey confirms this form.")
	require.Equal(b, "status", script[string](b, `document.activeElement.role`), "the focus stays where the button was")
}

func TestAPasskeyIsAddedUsedAndDeletedInTheBrowser(t *testing.T) {
	t.Parallel()
	chromium(t)
	i := atLocalhost(t)
	_, _, err := i.App.Auth.AddUser(i.Practice, "olive@example.org", "Olive", auth.Admin, secret)
	require.NoError(t, err)
	b := newBrowser(t, i.Config.Web.BaseURL)
	b.withAuthenticator()
	b.open("/sign-in")
	b.sees("Sign in with your fingerprint, face or screen lock instead of a password.")
	b.accessible()
	b.types("olive@example.org")
	b.open("/account")
	b.fill("passkey", "My laptop")
	b.fill("passkey-password", "wrong wrong wrong wrong")
	b.click(`form[data-passkey] button[type=submit]`)
	b.awaits("The password is wrong.")
	b.fill("passkey-password", secret)
	b.press("Add a passkey")
	b.sees("Your passkey was added", "You will not see these again")
	b.open("/account")
	b.sees("My laptop", "10 recovery codes are left")
	b.accessible()

	b.press("Sign out")
	b.open("/registry/capture") // leads to the sign-in, and back
	require.Equal(t, "/sign-in", b.path())
	b.press("Sign in with a passkey")
	require.Equal(t, "/registry/capture", b.path())

	b.press("Sign out")
	b.open("/registry/records")
	b.types("olive@example.org")
	require.Equal(t, "/sign-in/verify", b.path())
	b.accessible()
	b.press("Use your passkey")
	require.Equal(t, "/registry/records", b.path())

	b.open("/account")
	b.confirms(`form[action="/account/factor/change"] `)
	b.press("Make new recovery codes")
	b.sees("You will not see these again")
	b.open("/registry/data")
	b.accessible()
	b.confirms("")
	require.True(t, script[bool](b, `document.querySelector("#password").disabled && document.querySelector("#code").disabled`))
	b.open("/account/passkeys/1/delete")
	b.confirms("")
	b.press("Delete the passkey")
	b.sees("The passkey is deleted.")
	b.press("Sign out")
	b.press("Sign in with a passkey")
	b.sees("The passkey was not accepted; try again, or sign in another way.")
	b.types("olive@example.org")
	require.Equal(t, "/registry", b.path())
	b.press("Sign out")
	b.withoutScript()
	b.open("/sign-in")
	require.NotContains(t, script[string](b, `document.body.innerText`), "passkey")
}

func TestTheScriptNamesARateLimitInTheBrowser(t *testing.T) {
	t.Parallel()
	chromium(t)
	i := atLocalhost(t)
	i.Stop()
	i.Config.Web.AnonymousRateLimit = 1
	i.Run()
	b := newBrowser(t, i.Config.Web.BaseURL)
	b.withAuthenticator()
	b.open("/sign-in")
	b.click(`#passkey`)
	b.awaits("The device did not confirm. Try again.") // it has no passkey
	require.Equal(t, "passkey", script[string](b, `document.activeElement.id`), "the focus stays on the button")
	b.accessible()
	i.Stop() // it counts anew: the second try is to come within a minute of the first, however slow the machine is
	i.Run()
	b.open("/sign-in")
	b.click(`#passkey`)
	b.awaits("The device did not confirm. Try again.")
	b.click(`#passkey`)
	b.awaits("Too many tries. Wait a minute and try again.")
}
