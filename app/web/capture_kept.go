package web

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"birthregistry/app/access"
	"birthregistry/app/mapping"
)

// A form that was filled in for so long that the session ended is not lost: it
// waits, sealed like all of a session, for the sign-in of whoever was filling
// it in.

// typedKey is what the session holds of it; maxKept bounds it in bytes.
const (
	typedKey = "typed"
	maxKept  = 32 << 10
)

// keepsTyped guards the form's own address as signedIn does, but that it keeps
// what was typed: where nobody is signed in any more, and, in the handler, where
// somebody else is.
func (s *Server) keepsTyped(permission access.Permission) echo.MiddlewareFunc {
	return s.permitted(permission, s.keepTyped)
}

// keepTyped keeps a form in the session, as far as a stranger's address may
// have something kept.
func (s *Server) keepTyped(c echo.Context) {
	if !s.networks.allow(access.Network(c.RealIP())).allowed {
		return
	}
	typed, err := sentForm(c)
	if err != nil || typed.Get("owner") == "" {
		return
	}
	typed.Set("path", c.Request().URL.Path)
	doc := typed.Encode()
	if len(doc) > maxKept {
		return
	}
	ctx := c.Request().Context()
	s.sessions.Put(ctx, typedKey, doc)
	s.sessions.Put(ctx, wantedKey, c.Request().URL.Path)
	s.flash(c, "Your session has ended. Sign in to go on; what you typed is kept.")
}

// takeTyped takes back a form that was kept. It is shown to nobody but who
// filled it in, and at no other address; otherwise it is forgotten.
func (s *Server) takeTyped(c echo.Context) (url.Values, bool) {
	doc := s.sessions.PopString(c.Request().Context(), typedKey)
	typed, err := url.ParseQuery(doc)
	if doc == "" || err != nil || typed.Get("owner") != owner(person(c)) || typed.Get("path") != c.Request().URL.Path {
		return nil, false
	}
	return mapping.Tidy(typed), true
}

// keptNote says over the form why it is filled in already.
const keptNote = "Here is what you typed before your session ended. Nothing is saved yet."
