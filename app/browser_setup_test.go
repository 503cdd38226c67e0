package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// atWidth is a browser of a certain width that checks every page it reaches.
type atWidth struct {
	*browser
	width int64
}

func newAtWidth(t *testing.T, base string, width int64) atWidth {
	t.Helper()
	b := newBrowser(t, base)
	b.run(chromedp.EmulateViewport(width, 800))
	return atWidth{b, width}
}

// reads waits for the words of a page and requires one heading, no violation and no scrolling
// sideways.
func (b atWidth) reads(words string) {
	b.Helper()
	b.awaits(words)
	require.Equal(b, 1, script[int](b.browser, `document.querySelectorAll("h1").length`), "%s has one heading", b.path())
	b.accessible()
	over := script[float64](b.browser, `document.documentElement.scrollWidth - document.documentElement.clientWidth`)
	require.LessOrEqual(b, over, 0.0, "%s scrolls sideways at %d px", b.path(), b.width)
}

func TestARegistryIsSetUpAndAnInvitationAcceptedInTheBrowserOnADeskAndOnAPhone(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 320} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			i := apptest.StartEmpty(t)
			link, err := i.App.Auth.SetUpLink(t.Context())
			require.NoError(t, err)
			invitation := newAtWidth(t, i.URL, width).setsUp(link)
			newAtWidth(t, i.URL, width).accepts(invitation)
			i.Clean()
		})
	}
}

const secret = "otter lantern quilt seven"

// setsUp follows the set-up link to Home, invites a colleague and returns the link for her.
func (b atWidth) setsUp(link auth.SetUpLink) (invitation string) {
	b.Helper()
	b.open(link.Path())
	b.reads("Set up your registry")
	require.Equal(b, link.Code, b.value("code"), "taken from behind the #")
	require.Empty(b, script[string](b.browser, `location.hash`), "and out of the history")
	require.NotEmpty(b, b.value("zone"), "the browser's own")
	b.fill("practice", "Riverside Midwives")
	b.fill("zone", "America/New_York")
	b.click("input[name=kind][value=sandbox]")
	b.fill("name", "Dana Rivers")
	b.fill("email", "dana@example.org")
	b.fill("password", "too short")
	b.press("Set up the registry")
	b.reads("There is a problem")
	require.Equal(b, "Riverside Midwives", b.value("practice"), "what was typed is kept")
	b.fill("password", secret)
	b.press("Set up the registry")
	b.reads("Riverside Midwives")
	require.Equal(b, "/registry", b.path())
	b.sees("Dana", "Synthetic data only", "No births yet", "Send a sample Bundle")

	b.press("Invite your colleagues")
	b.reads("Invite somebody")
	b.fill("email", "maren@example.org")
	b.fill("name", "Maren")
	b.click("input[name=role][value=provider]")
	b.press("Create the invitation")
	b.reads("You will not see this link again")
	return strings.TrimPrefix(b.value("link"), b.base)
}

// accepts follows an invitation to Home.
func (b atWidth) accepts(invitation string) {
	b.Helper()
	b.open(invitation)
	b.reads("You’re joining Riverside Midwives as provider")
	require.NotContains(b, script[string](b.browser, `location.href`), "#")
	b.fill("name", "Maren Lind")
	b.fill("password", secret)
	b.press("Join Riverside Midwives")
	b.reads("No births yet")
	require.Equal(b, "/registry", b.path())
	b.sees("Maren")
	b.press("Record a birth")
	b.reads("Record a birth")
}

func TestAPracticeWhoseNameIsOneLongWordFitsOnAPhone(t *testing.T) {
	t.Parallel()
	i := apptest.StartEmpty(t)
	link, err := i.App.Auth.SetUpLink(t.Context())
	require.NoError(t, err)
	b := newAtWidth(t, i.URL, 320)
	b.open(link.Path())
	b.reads("Set up your registry")
	b.fill("practice", strings.Repeat("Geburtshaus", 18))
	b.fill("zone", "America/New_York")
	b.click("input[name=kind][value=live]")
	b.fill("name", "Dana Rivers")
	b.fill("email", "dana@example.org")
	b.fill("password", secret)
	b.press("Set up the registry")
	b.reads("No births yet")
	b.open("/account")
	b.reads("Your account")
	i.Clean()
}
