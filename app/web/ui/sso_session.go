package ui

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// signOutKey is the session's key for an offer on the next sign-in page, to sign out at the
// identity provider, too. The value has two lines: the provider's name and the address for signing
// out.
const signOutKey = "sso-sign-out"

// signOutWithin is how long a sign-out waits for the identity provider's configuration.
const signOutWithin = 2 * time.Second

// ssoMarks are the session's keys for the values that a sign-in with an identity provider stores
// there.
var ssoMarks = []string{auth.SessionProvider, auth.SessionIDToken, auth.SessionSSO, auth.SessionConfirm}

// ssoMark removes the identity provider of a sign-in from the session. It returns a function that
// stores the provider in the user's new session. The function stores nothing if the sign-in had no
// identity provider, or if the provider signed in another user.
func (h *Account) ssoMark(c echo.Context, user int64) (mark func()) {
	ctx := c.Request().Context()
	provider, proof, name := h.Sessions.GetInt64(ctx, verifyProvider), h.Sessions.GetString(ctx, verifyIDToken), h.Sessions.GetString(ctx, verifyName)
	of := h.Sessions.GetInt64(ctx, verifyUser)
	h.forgetSSO(c)
	return func() {
		for _, key := range ssoMarks {
			h.Sessions.Remove(ctx, key)
		}
		if provider != 0 && of == user {
			h.Sessions.Put(ctx, auth.SessionProvider, provider)
			h.Sessions.Put(ctx, auth.SessionIDToken, proof)
			h.Sessions.Put(ctx, auth.SessionSSO, name)
			h.Sessions.Remove(ctx, auth.SessionProved) // the provider may not have asked the person to sign in again
		}
	}
}

// forgetSSO removes from the session the identity provider of the current sign-in. The sign-in is
// complete, or the user has signed in with a password or a passkey instead.
func (h *Account) forgetSSO(c echo.Context) {
	for _, key := range []string{verifyProvider, verifyIDToken, verifyName} {
		h.Sessions.Remove(c.Request().Context(), key)
	}
}

// GetStepUp redirects a signed-in user to the identity provider with which they signed in. The
// provider asks them to sign in again. Afterwards, the user returns to the page that they came
// from.
func (h *Account) GetStepUp(c echo.Context) error {
	slug, _, known := strings.Cut(h.Sessions.GetString(c.Request().Context(), auth.SessionSSO), "\n")
	if !known {
		return c.Redirect(http.StatusSeeOther, "/account")
	}
	to, pending, err := h.sso.Begin(c.Request().Context(), slug, true)
	if err != nil {
		return h.stepUpProblem(c, pending.Provider, err)
	}
	back := "/account"
	if from, err := url.Parse(c.Request().Referer()); err == nil && from.Path != "" {
		back = from.RequestURI()
	}
	if asked := c.QueryParam("back"); asked != "" {
		back = asked
	}
	h.Sessions.RememberPath(c, back)
	if err := h.keepJSON(c, ssoPending, pending); err != nil {
		return err
	}
	return c.Redirect(http.StatusFound, to)
}

var notConfirmed = pages.NewError(
	http.StatusForbidden, "You were not confirmed",
	"Nothing was changed. The identity provider must confirm that you are the person who is signed in here, and ask you to sign in again. Go back to the form and try again.",
	"/account", "Go to your account",
)

// stepUpProblem logs why a signed-in user's identity was not confirmed, and returns the page
// notConfirmed. If the error isn't in ssoProblems, it returns the error unchanged.
func (h *Account) stepUpProblem(c echo.Context, provider int64, err error) error {
	if h.ssoProblem(c, provider, err) == err {
		return err
	}
	return notConfirmed
}

// confirmed records, in the audit trail and in the session, that a signed-in user has confirmed
// their identity again. Then it redirects the user to the page from which they came.
func (h *Account) confirmed(c echo.Context, known auth.Known) error {
	who, ok := session.SignedIn(c)
	if !ok || known.Confirm != nil || known.User != who.ID {
		return notConfirmed
	}
	if err := h.auth.NoteAlone(who, "user.confirm", who.Email); err != nil {
		return err
	}
	h.Sessions.Put(c.Request().Context(), auth.SessionConfirm, time.Now().Add(auth.ConfirmedFor).UnixMilli())
	if err := h.Sessions.Prove(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, h.Sessions.TakeRequested(c))
}

// ssoSession describes the identity provider of a session. proof is the ID token of the sign-in.
type ssoSession struct {
	provider    int64
	name, proof string
}

// ssoProof returns the identity provider and the ID token of the session, which is about to end.
func (h *Account) ssoProof(c echo.Context) ssoSession {
	ctx := c.Request().Context()
	_, name, _ := strings.Cut(h.Sessions.GetString(ctx, auth.SessionSSO), "\n")
	return ssoSession{h.Sessions.GetInt64(ctx, auth.SessionProvider), name, h.Sessions.GetString(ctx, auth.SessionIDToken)}
}

// offerSignOut makes the next sign-in page offer to sign out at the identity provider, too. The
// sign-out form can't simply redirect to the provider, because browsers apply the form-action
// policy of the page to redirects.
func (h *Account) offerSignOut(c echo.Context, of ssoSession) {
	if of.provider == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), signOutWithin)
	defer cancel()
	if to := h.sso.SignOut(ctx, of.provider, of.proof); to != "" {
		h.Sessions.Put(c.Request().Context(), signOutKey, of.name+"\n"+to)
	}
}

// signOutThere returns a button that signs the user out at the identity provider. offerSignOut has
// stored the button's name and address in the session, from which signOutThere removes them.
func (h *Account) signOutThere(c echo.Context) views.SSOButton {
	name, to, _ := strings.Cut(h.Sessions.PopString(c.Request().Context(), signOutKey), "\n")
	return views.SSOButton{Name: name, Href: to}
}
