package session

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// The page that a visitor requested before signing in is stored in a separate cookie, so that
// visitors who haven't signed in write nothing to the database. The cookie isn't secret, because
// paths contain no patient data. The service validates the cookie when it uses it.

const (
	requestedLife = 10 * time.Minute
	maxRequested  = 1 << 10 // the greatest length of a path in bytes
)

// The cookie with the page to which the visitor returns begins with one of these letters. The
// letter states why the visitor must sign in.
const (
	requestedFresh = "w" // the visitor had not signed in
	requestedEnded = "e" // the session had expired, which the sign-in page states
	requestedForm  = "f" // a form was sent and changed nothing, which the sign-in page states
)

func (s *Sessions) requestedCookie() *http.Cookie { return s.OwnCookie("wanted") }

// RememberPage stores in a cookie the page to which the visitor returns after signing in. Usually,
// this is the page that the visitor requested. If the visitor submitted a form, it is formPage, the
// path of the page with the form, or "" if this page isn't known. The cookie also records whether a
// form was submitted or the session had expired, because the sign-in page shows this to the
// visitor.
func (s *Sessions) RememberPage(c echo.Context, formPage string) {
	path, kind := requestedPath(c), requestedFresh
	_, err := c.Cookie(s.Cookie.Name)
	switch {
	case c.Request().Method == http.MethodPost:
		path, kind = formPage, requestedForm
	case err == nil && s.Token(c.Request().Context()) == "":
		kind = requestedEnded
	}
	if path == "" && kind == requestedFresh || len(path) > maxRequested {
		return
	}
	cookie := s.requestedCookie()
	cookie.Value = kind + base64.RawURLEncoding.EncodeToString([]byte(path))
	cookie.MaxAge = int(requestedLife.Seconds())
	c.SetCookie(cookie)
}

// requestedPath returns the path and query of the page that a request asks for. It returns "" if
// the request doesn't ask for a page.
func requestedPath(c echo.Context) string {
	if c.Request().Method != http.MethodGet || c.Get(noPageKey) != nil {
		return ""
	}
	return c.Request().URL.RequestURI()
}

// IsNoPage marks a request as one that doesn't ask for a page, so that the user doesn't return to
// the request's address after signing in.
func IsNoPage(c echo.Context) { c.Set(noPageKey, true) }

// RememberRequest stores, in the session, the page that a signed-in user has requested. The user
// must set up a second factor before they see the page.
func (s *Sessions) RememberRequest(c echo.Context) {
	if path := requestedPath(c); path != "" {
		s.RememberPath(c, path)
	}
}

// RememberPath stores a path of this site in the session. The user returns to this path after they
// have signed in, set up a second factor, or confirmed with their identity provider.
func (s *Sessions) RememberPath(c echo.Context, path string) {
	s.Put(c.Request().Context(), requestedKey, path)
}

// HasRequest reports whether the session holds a page to which the user should return.
func (s *Sessions) HasRequest(c echo.Context) bool {
	return s.Exists(c.Request().Context(), requestedKey)
}

// WhyEnded returns the message that the sign-in page shows to a visitor whose session has expired,
// or who has sent a form without being signed in. For any other visitor, it returns "".
func (s *Sessions) WhyEnded(c echo.Context) string {
	cookie, err := c.Cookie(s.requestedCookie().Name)
	if err != nil {
		return ""
	}
	switch kind := cookie.Value[:min(1, len(cookie.Value))]; {
	case kind == requestedForm && !s.HasRequest(c): // otherwise, the form is kept
		return "Your session has ended, and nothing was changed. Sign in, then fill in the form again."
	case kind == requestedForm || kind == requestedEnded:
		return "Your session has ended. Sign in to continue."
	}
	return ""
}

// Requested returns the page to which the user should return. It looks first in the session, and
// then in the cookie. It returns "" if there is no such page. The result is always a path of this
// site, even if the cookie contains something else.
func (s *Sessions) Requested(c echo.Context) string {
	path := s.GetString(c.Request().Context(), requestedKey)
	if cookie, err := c.Cookie(s.requestedCookie().Name); err == nil && path == "" {
		coded := cookie.Value[min(1, len(cookie.Value)):]
		if asked, err := base64.RawURLEncoding.DecodeString(coded); err == nil {
			path = string(asked)
		}
	}
	if !ownPath(path) {
		return ""
	}
	return path
}

// TakeRequested returns the page to which the user should return, and forgets this page. If there
// is none, it returns the home page.
func (s *Sessions) TakeRequested(c echo.Context) string {
	path := s.Requested(c)
	s.Remove(c.Request().Context(), requestedKey)
	if _, err := c.Cookie(s.requestedCookie().Name); err == nil {
		gone := s.requestedCookie()
		gone.MaxAge = -1
		c.SetCookie(gone)
	}
	if path == "" {
		return "/registry"
	}
	return path
}

// ownPath reports whether a path leads to this site.
func ownPath(path string) bool {
	u, err := url.Parse(path)
	return err == nil && u.Scheme == "" && u.Host == "" && len(path) <= maxRequested && strings.HasPrefix(path, "/") &&
		!strings.HasPrefix(path, "//") && !strings.Contains(path, `\`)
}
