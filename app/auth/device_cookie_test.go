package auth

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// signIn is SignIn from an unknown browser.
func (g *gate) signIn(ctx context.Context, email, password, address string) (SignInResult, error) {
	return g.SignIn(ctx, email, password, Visitor{Address: address})
}

// marked returns the mark of a browser in which these people signed in, one after the other.
func (g *gate) marked(emails ...string) (kept string) {
	g.t.Helper()
	for _, email := range emails {
		var err error
		kept, _, err = g.RememberBrowser(g.t.Context(), kept, g.id(email))
		require.NoError(g.t, err)
	}
	return kept
}

// flooded occupies every slot for hashing the passwords of unknown browsers until the test
// ends.
func (g *gate) flooded() {
	g.limits.hashing.slots <- struct{}{}
	g.limits.hashing.waiting.Store(hashesAtATime + hashesWaiting)
	g.t.Cleanup(func() { <-g.limits.hashing.slots })
}

func TestRL_9_AFloodOfSignInsKeepsNoKnownUserOut(t *testing.T) {
	g := opened(t)
	g.add(olive, Admin)
	g.add("vera@example.org", Viewer)
	kept := g.marked(olive, "vera@example.org")
	_, err := g.signIn(t.Context(), olive, password, here)
	require.NoError(t, err)
	g.flooded()
	_, err = g.signIn(t.Context(), olive, password, "203.0.113.9")
	require.ErrorAs(t, err, new(Wait), "a stranger waits")
	_, err = g.signIn(t.Context(), olive, password, here)
	require.NoError(t, err, "from where she signed in before")
	for _, email := range []string{olive, "vera@example.org"} {
		_, err = g.SignIn(t.Context(), email, password, Visitor{"203.0.113.9", kept})
		require.NoError(t, err, "with a browser that both signed in with before, from anywhere")
	}
	_, err = g.SignIn(t.Context(), "vera@example.org", password, Visitor{"203.0.113.10", g.marked(olive)})
	require.ErrorAs(t, err, new(Wait), "another person's mark is none")
	require.NoError(t, g.Confirm(t.Context(), g.who(olive, g.p), password), "who is signed in goes on")
}

// A neighbor behind the same address, or an attacker of one account, delays other browsers,
// but not a marked one. A marked browser's own wrong guesses delay it like any other.
func TestRL_9_AKnownBrowserIsDelayedOnlyByItsOwnAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		g.add(olive, Admin)
		kept := g.marked(olive)
		for n := range 60 {
			_, _ = g.signIn(t.Context(), fmt.Sprintf("nobody-%d@example.org", n), wrong, here)
			_, _ = g.signIn(t.Context(), olive, wrong, here)
		}
		_, err := g.signIn(t.Context(), olive, password, here)
		require.ErrorAs(t, err, new(Wait))
		_, err = g.SignIn(t.Context(), olive, password, Visitor{here, kept})
		require.NoError(t, err)
		for range 8 {
			_, err = g.SignIn(t.Context(), olive, wrong, Visitor{here, kept})
		}
		require.ErrorAs(t, err, new(Wait))
		_, err = g.SignIn(t.Context(), olive, password, Visitor{here, g.marked(olive)})
		require.NoError(t, err, "another browser of hers does not wait for this one")
	})
}

func TestOnlyTheInstallationCanMarkABrowserAndTheMarkExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		who := g.add(olive, Admin)
		kept := g.marked(olive)
		require.Len(t, g.deviceCookies(kept), 1)
		for n := range kept {
			forged := []byte(kept)
			if forged[n]++; n == len(kept)-1 {
				continue // its last bits carry no information
			}
			require.Empty(t, g.deviceCookies(string(forged)), "changed at %d", n)
		}
		require.Empty(t, opened(t).deviceCookies(kept), "another installation's")
		for _, none := range []string{"", ".", "x", strings.Repeat("A", 64), strings.Repeat(".", 10_000)} {
			require.Empty(t, g.deviceCookies(none))
		}
		many := g.marked(olive, olive, olive)
		require.Len(t, g.deviceCookies(many), 1, "one a person")
		require.NotContains(t, many, kept)
		require.Len(t, g.deviceCookies(kept+strings.Repeat("."+kept, 20)), maxDeviceCookies)
		require.NoError(t, g.ChangePassword(who, password, "a new and longer one", ""))
		of, err := g.attempt(t.Context(), olive, Visitor{here, kept})
		require.NoError(t, err)
		require.Empty(t, of.device, "it ends with the password")
		kept = g.marked(olive)
		of, err = g.attempt(t.Context(), olive, Visitor{here, kept})
		require.NoError(t, err)
		require.NotEmpty(t, of.device)
		time.Sleep(deviceCookieLife)
		require.Empty(t, g.deviceCookies(kept))
	})
}
