package web

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/fhir"
	"birthregistry/app/task"
	"birthregistry/app/web/request"
)

// observe gives every request an ID, survives panics, and writes one log line for each request. The
// line has the route's pattern instead of the path, and no submitted values.
func (s *Server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		began := time.Now()
		h := c.Response().Header()
		h.Set(request.IDHeader, uuid.NewString())
		h.Set("X-Content-Type-Options", "nosniff")
		s.warnOfProxy(c.Request())
		x, err := s.attend(c)
		defer x.leave(c)
		body := c.Request().Body // the body before other limits wrap it
		if err == nil {
			err = s.survive(next, c)
		}
		if err != nil {
			s.renderError(err, c)
		}
		took, verb := time.Since(began), method(c.Request().Method)
		if s.settings.Measure != nil {
			s.settings.Measure(c.Path(), verb, c.Response().Status, took)
		}
		if s.log.Enabled(c.Request().Context(), slog.LevelInfo) {
			s.log.LogAttrs(
				c.Request().Context(), slog.LevelInfo, "request",
				slog.String("request_id", request.ID(c)),
				slog.String("method", verb),
				slog.String("route", c.Path()),
				slog.Int("status", c.Response().Status),
				slog.Int64("bytes", max(c.Request().ContentLength, 0)),
				slog.Float64("duration_ms", float64(took.Microseconds())/1000),
			)
		}
		s.drain(c, body)
		if c.Get(cutKey) != nil {
			panic(http.ErrAbortHandler) // resets the connection (HTTP/1) or the stream (HTTP/2)
		}
		return nil
	}
}

// cutKey is the key in a request's context which marks an answer that has been cut off. Such an
// answer must not look complete.
const cutKey = "cut"

// survive calls next, and converts a panic to an internal error. It doesn't log the panic's value,
// which may contain submitted values.
func (s *Server) survive(next echo.HandlerFunc, c echo.Context) (err error) {
	defer func() {
		if recover() != nil {
			task.Caught(s.log, "request", task.Stack(), "request_id", request.ID(c), "route", c.Path())
			err = fhir.Internal
		}
	}()
	if c.Request().Method == http.MethodOptions && c.Get(echo.ContextKeyHeaderAllow) != nil {
		return echo.ErrMethodNotAllowed // Echo would answer 204 by itself
	}
	return next(c)
}

// method returns a known HTTP method unchanged, and "other" for anything else, so that the log
// contains no words that a client has made up.
func method(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return m
	}
	return "other"
}
