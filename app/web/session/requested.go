package session

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// The page that was asked for before the sign-in waits in a cookie of its own:
// whoever has not signed in writes nothing to the store by asking for pages.
// It is no secret, and checked when it is used; paths hold no patient data.

const (
	requestedLife = 10 * time.Minute
	maxRequested  = 1 << 10 // bytes of a path
)

// What a cookie of a wanted page begins with.
const (
	requestedFresh = "w"
	requestedEnded = "e" // the session had run out, which the sign-in page says
)

func (s *Sessions) requestedCookie() *http.Cookie {
	return &http.Cookie{
		Name: strings.Replace(s.Cookie.Name, "session", "wanted", 1), Path: "/",
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.Cookie.Secure,
	}
}

// RememberPage keeps the page that was asked for, for after the sign-in, and has the sign-in
// page say when a session has expired.
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

// RememberForm keeps the address of a form that is kept until its author has signed in.
func (s *Sessions) RememberForm(c echo.Context) {
	s.Put(c.Request().Context(), requestedKey, c.Request().URL.Path)
}

// HasEnded reports whether who comes to the sign-in had a session that ran out.
func (s *Sessions) HasEnded(c echo.Context) bool {
	cookie, err := c.Cookie(s.requestedCookie().Name)
	return err == nil && strings.HasPrefix(cookie.Value, requestedEnded)
}

// RequestedPage returns the page that was asked for before the sign-in, once, and the
// home page without one. It is a path of this site, whatever the cookie says.
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

// ownPath reports whether a path is one of a page of this site.
func ownPath(path string) bool {
	u, err := url.Parse(path)
	return err == nil && u.Scheme == "" && u.Host == "" && len(path) <= maxRequested && strings.HasPrefix(path, "/") &&
		!strings.HasPrefix(path, "//") && !strings.Contains(path, `\`)
}
