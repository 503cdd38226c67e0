package ui

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"birthregistry/app/mapping/form"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
)

// A form that takes longer than the session lasts isn't lost, nor one that is open when the practice
// begins to require a second factor. It is sealed and kept with the session until the same user
// has signed in again or set one up.

// typedKey is the session's key for such a form. maxKept is its largest size in bytes.
const (
	typedKey = "typed"
	maxKept  = 32 << 10
)

// KeepTyped keeps a form in the session until the user may go on with it.
func (h *Form) KeepTyped(c echo.Context) {
	typed, err := pages.Form(c)
	if err != nil || typed.Get("owner") == "" {
		return
	}
	typed.Set("path", c.Request().URL.Path)
	doc := typed.Encode()
	if len(doc) > maxKept {
		return
	}
	ctx := c.Request().Context()
	h.Sessions.Put(ctx, typedKey, doc)
	h.Sessions.RememberPath(c, c.Request().URL.Path)
	if mustSetUp(c) {
		h.Sessions.Flash(c, "What you typed is kept. Set up a second factor first; then “Continue” leads back to the form.")
		return
	}
	h.Sessions.Flash(c, "Your session has ended. Sign in to continue; what you typed is kept.")
}

// mustSetUp reports whether a signed-in user must set up a second factor first.
func mustSetUp(c echo.Context) bool {
	who, ok := session.SignedIn(c)
	return ok && who.LacksSecondFactor
}

// takeTyped returns the kept form if the same user asks for it at the same address.
// Otherwise it discards the form.
func (h *Form) takeTyped(c echo.Context) (url.Values, bool) {
	doc := h.Sessions.PopString(c.Request().Context(), typedKey)
	typed, err := url.ParseQuery(doc)
	if doc == "" || err != nil || typed.Get("owner") != pages.Owner(session.User(c)) || typed.Get("path") != c.Request().URL.Path {
		return nil, false
	}
	return form.Tidy(typed), true
}

// keptNote explains above the form why it is already filled in.
const keptNote = "Here is what you typed before you had to leave the form. Nothing is saved yet."
