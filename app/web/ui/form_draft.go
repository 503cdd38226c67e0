package ui

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"birthregistry/app/mapping/form"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
)

// A form that was filled in for so long that the session ended is not lost: it
// waits, sealed like all of a session, for the sign-in of whoever was filling
// it in.

// typedKey is what the session holds of it; maxKept bounds it in bytes.
const (
	typedKey = "typed"
	maxKept  = 32 << 10
)

// KeepTyped keeps a form in the session for after the sign-in.
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
	h.Sessions.RememberForm(c)
	h.Sessions.Flash(c, "Your session has ended. Sign in to go on; what you typed is kept.")
}

// takeTyped takes back a form that was kept. It is shown to nobody but who
// filled it in, and at no other address; otherwise it is forgotten.
func (h *Form) takeTyped(c echo.Context) (url.Values, bool) {
	doc := h.Sessions.PopString(c.Request().Context(), typedKey)
	typed, err := url.ParseQuery(doc)
	if doc == "" || err != nil || typed.Get("owner") != pages.Owner(session.User(c)) || typed.Get("path") != c.Request().URL.Path {
		return nil, false
	}
	return form.Tidy(typed), true
}

// keptNote says over the form why it is filled in already.
const keptNote = "Here is what you typed before your session ended. Nothing is saved yet."
