package app_test

import (
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

func TestAnInvitedPersonJoinsWithARealIdentityProvider(t *testing.T) {
	t.Parallel()
	s := newSSOInstallation(t)
	s.command("user", "add", "ines@example.org", "--practice", "1", "--role", "scribe")
	b := s.browser(t)
	b.open("/registry/capture")
	b.accessible()
	b.uses("ines", "ines@example.org")
	b.at("/sign-in/confirm")
	b.sees("You’re joining Crash as scribe", "You will sign in as ines@example.org, with Clinic ID.")
	b.accessible()
	b.fill("name", "Ines Roy")
	b.press("Join Crash")
	b.at("/registry/capture")
	b.open("/account")
	b.sees("Ines Roy", "ines@example.org", "Scribe")
	b.press("Sign out")

	other := s.browser(t)
	other.open("/sign-in")
	other.uses("ines", "another address, which no longer matters")
	other.at("/registry")
}

func TestARealIdentityProviderIsLinkedAndSignedOutHereAndThere(t *testing.T) {
	t.Parallel()
	s := newSSOInstallation(t)
	b := s.browser(t)
	b.links()
	b.press("Sign out")
	b.at("/sign-in")
	b.sees("You are signed out.", "You are still signed in at Clinic ID.")
	b.accessible()
	b.press(clinicID)
	b.at("/registry") // its session there goes on

	b.press("Sign out")
	b.press("Sign out there, too")
	b.press("Yes, sign me out")
	b.at("/sign-in")
	b.uses("robin", robin) // it asks again
	b.at("/registry")
}

func TestARealIdentityProviderConfirmsAnExport(t *testing.T) {
	t.Parallel()
	s := newSSOInstallation(t)
	b := s.browser(t)
	b.links()
	b.open("/registry/data")
	b.press("Confirm with Clinic ID instead")
	b.proves("mallory", "mallory@example.org", true)
	b.awaits("You were not confirmed") // after the provider has replaced its session
	b.open("/registry/data")
	b.sees("Confirm with Clinic ID instead")
	b.press("Confirm with Clinic ID instead")
	b.proves("robin", robin, true) // it asks although it has a session
	b.awaits("You have confirmed with Clinic ID. Leave the password empty.")
	b.at("/registry/data")
	passphrase := script[string](b.browser, `document.querySelector("[data-testid=passphrase]").textContent`)
	folder := t.TempDir()
	call(b.browser, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder})
	b.click("#written")
	b.click(`form[action$="/archive"] button[type=submit]`)
	opensWith(b.browser, folder, passphrase)
}

func TestAPracticeSignsInWithOneRealIdentityProviderOnly(t *testing.T) {
	t.Parallel()
	s := newSSOInstallation(t)
	b := s.browser(t)
	b.links()
	byPassword := s.browser(t)
	byPassword.enter()
	b.open("/registry/users")
	b.press("How users sign in")
	b.accessible()
	b.press("Confirm with Clinic ID instead")
	b.proves("robin", robin, true)
	b.awaits("You have confirmed with Clinic ID. Leave the password empty.")
	b.at("/registry/users/sign-in")
	b.click("#way-2")
	b.press("Save")
	b.sees("Saved.")
	require.True(t, script[bool](b.browser, `document.querySelector("#way-2").checked`))
	byPassword.open("/registry/users")
	byPassword.at("/sign-in")
	byPassword.fill("email", robin)
	byPassword.fill("password", password)
	byPassword.press("Sign in")
	byPassword.sees("Your practice requires that you sign in with Clinic ID")
	byPassword.uses("robin", robin)
	byPassword.at("/registry/users")
	s.command("sso", "require", "1", "--off")
	byPassword.press("Sign out")
	byPassword.enter()

	byPassword.open("/registry/users/sign-in") // linked, but signed in with the password
	byPassword.click("#way-2")
	byPassword.fill("password", password)
	byPassword.press("Save")
	byPassword.at("/sign-in")
	byPassword.sees("Users of Crash now sign in with Clinic ID only. Sign in with it.")
	byPassword.press(clinicID)
	byPassword.at("/registry")
}

func TestARealIdentityProviderIsUnlinkedOnTheAccountPage(t *testing.T) {
	t.Parallel()
	s := newSSOInstallation(t)
	b := s.browser(t)
	b.links()
	b.open("/account")
	b.accessible()
	b.press("Unlink Clinic ID")
	b.accessible()
	b.fill("password", password)
	b.press("Unlink Clinic ID")
	b.at("/account")
	b.sees("Clinic ID is unlinked. Your other sessions have ended.")
	b.press("Sign out")
	b.press(clinicID) // the session there goes on
	b.sees("Link Clinic ID to your account")
}

func TestALaunchFromTheEHRGoesOnAfterASignInWithARealIdentityProvider(t *testing.T) {
	t.Parallel()
	s := newSSOInstallation(t)
	ehr := apptest.StartEHR(t, "http://"+s.address)
	s.command("ehr", "add", ehr.Base(""), "--client-id", public)
	b := s.browser(t)
	b.launchFrom(ehr, amara)
	b.uses("robin", robin)
	b.sees("Link Clinic ID to your account")
	b.fill("password", password)
	b.press("Link Clinic ID")
	b.at(prefilled)
	b.sees("Amara Grace Okonkwo", "MRN-1001")
	require.Equal(t, "Okonkwo", b.value("mother_family_name"))

	b.press("Sign out")
	b.launchFrom(ehr, amara)
	b.press(clinicID)
	b.at(prefilled)
	require.Equal(t, "Okonkwo", b.value("mother_family_name"), "also when the provider asks nothing")
}

func TestADraftLosesNothingInASignInWithARealIdentityProvider(t *testing.T) {
	t.Parallel()
	s := newSSOInstallation(t)
	b := s.browser(t)
	b.links()
	p := typist{b.browser, s.installation}
	typed := p.type40()
	p.stored()
	s.command("user", "end-sessions", robin)
	p.fill("facility_name", "typed afterward")
	typed["facility_name"] = "typed afterward"
	p.awaits("Your session has ended")
	p.click("#save")
	p.awaits("what you typed is kept")
	b.press(clinicID)
	require.Contains(t, b.path(), "/registry/")
	p.requireTyped(typed)
}
