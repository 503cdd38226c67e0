package ui

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/form"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// A user who switches to another practice in one window, or signs in as another user, may still
// have an older form open in another window. So each form states the user and the practice for
// which it was made, and only that user in that practice may send it. A form that states no user is
// accepted from any user, but can't begin a draft.

// movedForm shows a form that was made for another user or another practice. The form is saved only
// if the current user sends it again.
func (h *Form) movedForm(c echo.Context, f *birthForm) error {
	f.read()
	f.mistake("save", pages.NowIn(f.who)+" This form was opened in another practice or by somebody else. "+
		"Nothing is saved yet. Check the form and save it here, or switch back first")
	return h.showForm(c, http.StatusConflict, f)
}

// strandedForm shows an amendment whose record belongs to another practice. To save the amendment,
// the user must go back to that practice.
func (h *Form) strandedForm(c echo.Context, f *birthForm) error {
	f.made, f.version = f.typed.Get("owner"), number(f.typed.Get("basis"))
	f.edit()
	f.base = nil
	f.parse()
	f.mistake("save", pages.NowIn(f.who)+" The record belongs to another practice. Nothing is saved yet. Switch back in another window, then save here")
	return h.showForm(c, http.StatusConflict, f)
}

// unknown returns the values of custom fields that the practice doesn't have, or has retired.
func (f *birthForm) unknown() (unknown []views.Input) {
	for _, name := range slices.Sorted(maps.Keys(f.typed)) {
		own := slices.ContainsFunc(f.fields, func(field birth.CustomField) bool { return !field.Retired && field.Name() == name })
		if strings.HasPrefix(name, "x_") && !own {
			unknown = append(unknown, views.Input{Name: name, Value: f.typed.Get(name)})
		}
	}
	return unknown
}

// If the session ends while a user fills in a form, or the practice begins to require a second
// factor, the form isn't lost. It is sealed and stored in the session until the same user has
// signed in again or set up a second factor.

// typedKey is the session's key for the form that KeepTyped stores. maxKept is the maximum size of
// the form in bytes.
const (
	typedKey = "typed"
	maxKept  = 32 << 10
)

// KeepTyped stores a submitted form in the session until the user has signed in again or set up a
// second factor, and continues with the form. It doesn't store a form that is larger than maxKept,
// or that states no user.
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

// mustSetUp reports whether a user is signed in who must first set up a second factor.
func mustSetUp(c echo.Context) bool {
	who, ok := session.SignedIn(c)
	return ok && who.LacksSecondFactor
}

// takeTyped removes from the session the form that KeepTyped has stored. If the same user opens the
// same address, takeTyped returns the form. Otherwise it discards the form.
func (h *Form) takeTyped(c echo.Context) (url.Values, bool) {
	doc := h.Sessions.PopString(c.Request().Context(), typedKey)
	typed, err := url.ParseQuery(doc)
	if doc == "" || err != nil || typed.Get("owner") != pages.Owner(session.User(c)) || typed.Get("path") != c.Request().URL.Path {
		return nil, false
	}
	return form.Tidy(typed), true
}

// keptNote is a note above the form that explains why the form is already filled in.
const keptNote = "Here is what you typed before you had to leave the form. Nothing is saved yet."
