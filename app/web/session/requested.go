package session

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// A page that was requested before the sign-in is stored in a cookie of its own, so
// that visitors who haven't signed in write nothing to the store. The cookie isn't
// secret, since paths hold no patient data, and it is checked when it is used.

const (
	requestedLife = 10 * time.Minute
	maxRequested  = 1 << 10 // bytes of a path
)

// The first character of the cookie's value.
const (
	requestedFresh = "w"
	requestedEnded = "e" // the session had expired, which the sign-in page states
)

func (s *Sessions) requestedCookie() *http.Cookie {
	return &http.Cookie{
		Name: strings.Replace(s.Cookie.Name, "session", "wanted", 1), Path: "/",
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.Cookie.Secure,
	}
}

// RememberPage stores the requested page for after the sign-in. If a session has expired, it
// also makes the sign-in page say so.
func (s *Sessions) RememberPage(c echo.Context) {
	path, kind := "", requestedFresh
	if c.Request().Method == http.MethodGet {
		path = c.Request().URL.RequestURI()
	}
	_, err := c.Cookie(s.Cookie.Name)
	if err == nil && s.Token(c.Request().Context()) == "" {
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

// RememberForm stores the address of a form that is kept until its author has signed
// in.
func (s *Sessions) RememberForm(c echo.Context) {
	s.Put(c.Request().Context(), requestedKey, c.Request().URL.Path)
}

// HasEnded reports whether the visitor of the sign-in page had a session that
// expired.
func (s *Sessions) HasEnded(c echo.Context) bool {
	cookie, err := c.Cookie(s.requestedCookie().Name)
	return err == nil && strings.HasPrefix(cookie.Value, requestedEnded)
}

// RequestedPage returns the page that was requested before the sign-in, once, or the
// home page if there is none. It is always a path of this site, whatever the cookie
// holds.
func (s *Sessions) RequestedPage(c echo.Context) string {
	path := s.PopString(c.Request().Context(), requestedKey)
	if cookie, err := c.Cookie(s.requestedCookie().Name); err == nil {
		gone := s.requestedCookie()
		gone.MaxAge = -1
		c.SetCookie(gone)
		coded := cookie.Value[min(1, len(cookie.Value)):]
		if asked, err := base64.RawURLEncoding.DecodeString(coded); err == nil && path == "" {
			path = string(asked)
		}
	}
	if !ownPath(path) {
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
