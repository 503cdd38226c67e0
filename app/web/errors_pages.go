package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/store"
)

// pageErrorOf returns the page for an error. If there is no page for the error, it logs the error
// and returns a general page.
func (s *Server) pageErrorOf(err error, c echo.Context) *pages.Error {
	if page := (*pages.Error)(nil); errors.As(err, &page) {
		return page
	}
	if errors.Is(err, auth.ErrForbidden) {
		return pages.ErrRole
	}
	if errors.Is(err, store.ErrNotFound) {
		return pages.ErrNotFound
	}
	if errors.Is(err, store.ErrDamaged) {
		return pages.ErrDamaged
	}
	problem := s.problemOf(err, c)
	switch problem.Status {
	case http.StatusForbidden:
		return pages.ErrUnencrypted
	case http.StatusNotFound:
		return pages.ErrNotFound
	case http.StatusMethodNotAllowed:
		return pages.ErrMethod
	case http.StatusServiceUnavailable:
		return pages.ErrUnavailable
	}
	return pages.ErrInternal
}
