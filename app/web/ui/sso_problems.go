package ui

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/sso"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/request"
)

// notSignedIn returns an error page with a link to the sign-in page.
func notSignedIn(status int, title, text string) *pages.Error {
	return pages.NewError(status, title, text, "/sign-in", "Go to the sign-in page")
}

var stateProblem = notSignedIn(
	http.StatusBadRequest, "This sign-in cannot continue",
	"You are not signed in. This sign-in was already used, took longer than ten minutes, or began in another browser. Sign in again.",
)

// ssoProblems maps the errors of a sign-in with an identity provider to pages. All identities
// without an account get the same page, so that nobody learns which email addresses have an
// account.
var ssoProblems = []struct {
	err  error
	page *pages.Error
}{
	{sso.ErrNoProvider, notSignedIn(
		http.StatusNotFound, "This sign-in is not offered",
		"The sign-in page shows the ways to sign in.",
	)},
	{sso.ErrState, stateProblem},
	{sso.ErrDenied, notSignedIn(
		http.StatusForbidden, "The sign-in was canceled",
		"You are not signed in. Your identity provider did not confirm who you are. Sign in again, or choose another way.",
	)},
	{sso.ErrSlow, notSignedIn(
		http.StatusGatewayTimeout, "The identity provider took too long to answer",
		"You are not signed in. Wait a minute and sign in again, or choose another way.",
	)},
	{sso.ErrUpstream, notSignedIn(
		http.StatusBadGateway, "The identity provider could not confirm who you are",
		"You are not signed in. Sign in again, or choose another way. If it happens again, call the person who runs the registry.",
	)},
	{auth.ErrUnknownIdentity, notSignedIn(
		http.StatusForbidden, "You have no account here",
		"You are not signed in. Ask an admin of your practice for an invitation to the email address that the identity provider knows you by. "+
			"If you have an account under another address, sign in with its password. To use another account of the identity provider, sign out there first.",
	)},
	{auth.ErrNoMembership, notSignedIn(
		http.StatusForbidden, "You have no account here",
		"You are not signed in. Ask an admin of your practice for an invitation.",
	)},
	{auth.ErrOtherProvider, notSignedIn(
		http.StatusForbidden, "Your practice requires another way to sign in",
		"You are not signed in. Ask an admin of your practice how its users sign in.",
	)},
}

// ssoProblem returns the page that explains an error to the person who signs in. It logs the cause
// with the request's ID. provider is the ID of the identity provider, or 0 if there is none. An
// error without a page is returned unchanged.
func (h *Account) ssoProblem(c echo.Context, provider int64, err error) error {
	for _, known := range ssoProblems {
		if errors.Is(err, known.err) {
			h.Log.Warn("a sign-in with an identity provider failed", "request_id", request.ID(c), "route", c.Path(), "provider", provider, "cause", err)
			return known.page
		}
	}
	return err
}

// unawaited returns the page for a callback that doesn't belong to a sign-in of the visitor's
// session. Anybody can send any number of such callbacks, so unawaited writes at most one line a
// minute to the log. The metrics count the responses.
func (h *Account) unawaited(c echo.Context, provider int64) error {
	if h.warned.Due() {
		return h.ssoProblem(c, provider, sso.ErrState)
	}
	return stateProblem
}

// TooManySignIns is the page for a network address that signs in too often.
var TooManySignIns = notSignedIn(
	http.StatusTooManyRequests, "Too many sign-ins at once",
	"Many people signed in from your network within a minute. Wait a minute, then sign in again.",
)
