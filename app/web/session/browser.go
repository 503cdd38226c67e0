package session

import (
	"net/http"
	"strings"

	"birthregistry/app/web/request"

	"github.com/labstack/echo/v4"
)

// OwnCookie returns a cookie of this service, without a value. The cookie is named and secured like
// the session's cookie.
func (s *Sessions) OwnCookie(name string) *http.Cookie {
	return &http.Cookie{
		Name: strings.Replace(s.Cookie.Name, "session", name, 1), Path: "/",
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.Cookie.Secure,
	}
}

// markCookie returns the cookie that holds a browser's device cookies, without a value. Package
// auth makes the device cookies (auth.Service.RememberBrowser), one for each user who has signed in
// with the browser. The cookie signs nobody in, and stays when a user signs out.
func (s *Sessions) markCookie() http.Cookie {
	c := s.Cookie
	name := "registry-known"
	if c.Secure {
		name = "__Host-" + name
	}
	return http.Cookie{Name: name, Path: c.Path, Secure: c.Secure, HttpOnly: true, SameSite: http.SameSiteStrictMode}
}

// Marks returns the value of the browser's device cookies, or "" if it has none.
func (s *Sessions) Marks(c echo.Context) string {
	if cookie, err := c.Cookie(s.markCookie().Name); err == nil {
		return cookie.Value
	}
	return ""
}

// MarkBrowser stores a device cookie in the browser. The cookie shows that this user has signed in
// with the browser. If MarkBrowser fails, the user is still signed in.
func (s *Sessions) MarkBrowser(c echo.Context, user int64) {
	marks, life, err := s.auth.RememberBrowser(c.Request().Context(), s.Marks(c), user)
	if err != nil {
		s.log.Warn("a browser was not marked", "request_id", request.ID(c), "cause", err)
		return
	}
	cookie := s.markCookie()
	cookie.Value, cookie.MaxAge = marks, int(life.Seconds())
	c.SetCookie(&cookie)
}
