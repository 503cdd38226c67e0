package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// pageErrorOf words an error for people. What nobody foresaw is logged.
func (s *Server) pageErrorOf(err error, c echo.Context) *pageError {
	if page := (*pageError)(nil); errors.As(err, &page) {
		return page
	}
	if errors.Is(err, auth.ErrForbidden) {
		return noRole
	}
	if errors.Is(err, store.ErrNotFound) {
		return noPage
	}
	if errors.Is(err, store.ErrDamaged) {
		return damagedRow
	}
	problem := s.problemOf(err, c)
	switch problem.Status {
	case http.StatusForbidden:
		return inTheClear
	case http.StatusNotFound:
		return noPage
	case http.StatusMethodNotAllowed:
		return noMethod
	case http.StatusServiceUnavailable:
		return notNow
	}
	return broken
}
