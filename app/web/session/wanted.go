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
	wantedLife = 10 * time.Minute
	maxWanted  = 1 << 10 // bytes of a path
)

// What a cookie of a wanted page begins with.
const (
	wantedFresh = "w"
	wantedEnded = "e" // the session had run out, which the sign-in page says
)

func (s *Sessions) wantedCookie() *http.Cookie {
	return &http.Cookie{
		Name: strings.Replace(s.Cookie.Name, "session", "wanted", 1), Path: "/",
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.Cookie.Secure,
	}
}

// Want keeps the page that was asked for, for after the sign-in, and has the sign-in
// page say when a session has expired.
func (s *Sessions) Want(c echo.Context) {
	path, kind := "", wantedFresh
	if c.Request().Method == http.MethodGet {
		path = c.Request().URL.RequestURI()
	}
	_, err := c.Cookie(s.Cookie.Name)
	if err == nil && s.Token(c.Request().Context()) == "" {
		kind = wantedEnded
	}
	if path == "" && kind == wantedFresh || len(path) > maxWanted {
		return
	}
	cookie := s.wantedCookie()
	cookie.Value = kind + base64.RawURLEncoding.EncodeToString([]byte(path))
	cookie.MaxAge = int(wantedLife.Seconds())
	c.SetCookie(cookie)
}

// WantForm keeps the address of a form that is kept until its author has signed in.
func (s *Sessions) WantForm(c echo.Context) {
	s.Put(c.Request().Context(), wantedKey, c.Request().URL.Path)
}

// HasEnded reports whether who comes to the sign-in had a session that ran out.
func (s *Sessions) HasEnded(c echo.Context) bool {
	cookie, err := c.Cookie(s.wantedCookie().Name)
	return err == nil && strings.HasPrefix(cookie.Value, wantedEnded)
}

// Wanted returns the page that was asked for before the sign-in, once, and the
// home page without one. It is a path of this site, whatever the cookie says.
func (s *Sessions) Wanted(c echo.Context) string {
	path := s.PopString(c.Request().Context(), wantedKey)
	if cookie, err := c.Cookie(s.wantedCookie().Name); err == nil {
		gone := s.wantedCookie()
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
	return err == nil && u.Scheme == "" && u.Host == "" && len(path) <= maxWanted && strings.HasPrefix(path, "/") &&
		!strings.HasPrefix(path, "//") && !strings.Contains(path, `\`)
}
