package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/fhir"
)

// secure refuses unencrypted requests if the base URL is https. Patient data and keys must arrive
// over TLS, from this machine, or from a trusted proxy. A request that opens a page is redirected
// to the base URL. Any other request gets an error, because it has already exposed its key or form.
func (s *Server) secure(next echo.HandlerFunc) echo.HandlerFunc {
	if !strings.HasPrefix(s.settings.BaseURL, "https://") {
		return next
	}
	return func(c echo.Context) error {
		if !s.inTheClear(c.Request()) {
			return next(c)
		}
		isPage := !forPrograms(c.Request().URL.Path)
		if looks := c.Request().Method == http.MethodGet || c.Request().Method == http.MethodHead; isPage && looks {
			return c.Redirect(http.StatusPermanentRedirect, s.settings.BaseURL+c.Request().URL.RequestURI())
		}
		return fhir.InTheClear
	}
}

// inTheClear reports whether a request came without TLS from outside this machine. If a trusted
// proxy states in X-Forwarded-Proto that the client used plain HTTP, inTheClear believes it. If the
// proxy states nothing, inTheClear assumes that the proxy terminates TLS.
func (s *Server) inTheClear(r *http.Request) bool {
	if r.TLS != nil {
		return false
	}
	peer := peerOf(r)
	if peer == nil {
		return true
	}
	if !s.trusts(peer) {
		return !peer.IsLoopback()
	}
	schemes := strings.Split(strings.Join(r.Header.Values(echo.HeaderXForwardedProto), ","), ",")
	return strings.EqualFold(strings.TrimSpace(schemes[len(schemes)-1]), "http") // the value that the nearest proxy has added
}
