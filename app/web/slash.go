package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"
)

// unslashed redirects from the address of a page with a slash at its end, which people type and
// other programs add, to the page. The API and the other paths for programs are exact.
func (s *Server) unslashed(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		path, slash := strings.CutSuffix(r.URL.Path, "/")
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !slash || path == "" || !reads || forPrograms(path) || !s.answersGet(path) {
			return next(c)
		}
		s.pages.Headers(c.Response().Header())
		return c.Redirect(http.StatusPermanentRedirect, (&url.URL{Path: path, RawQuery: r.URL.RawQuery}).String())
	}
}

// answersGet reports whether there is a page, or a file, at a path.
func (s *Server) answersGet(path string) bool {
	at := s.echo.NewContext(nil, nil)
	s.echo.Router().Find(http.MethodGet, path, at)
	return at.Path() != "" && at.Get(echo.ContextKeyHeaderAllow) == nil
}
