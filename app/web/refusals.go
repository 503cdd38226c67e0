package web

import (
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/fhir"
	"birthregistry/app/web/request"
	"birthregistry/store"
)

// noteRefusal records that a request with one of a practice's API keys was refused, so that the
// practice's users can see the refusal. It doesn't record the request's body. If it can't record
// the refusal, the caller still gets the same answer.
func (s *Server) noteRefusal(c echo.Context, problem *fhir.Problem) {
	who, known := c.Get(request.CallerKey).(auth.Caller)
	if !known {
		return
	}
	err := s.auth.NoteRefusal(who, store.Refusal{
		Status:    problem.Status,
		Code:      problem.Name,
		RequestID: request.ID(c),
		Bytes:     max(c.Request().ContentLength, 0),
	})
	if err != nil {
		s.log.Warn("a refused request was not noted", "key", who.Key, "cause", err)
	}
}

// rememberRevoked stores, in the request's context, the practice to which a revoked key belonged.
// noteRefusal then records the refusal for this practice. The stored practice grants nothing.
func (s *Server) rememberRevoked(c echo.Context) {
	if who, err := s.auth.Revoked(c.Request().Context(), bearer(c)); err == nil {
		c.Set(request.CallerKey, who)
	}
}
