package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/fhir"
	"birthregistry/app/web/request"
	"birthregistry/app/web/ui"
	"birthregistry/store"
)

// retryAfter is how many seconds a caller should wait when nothing can be stored.
const retryAfter = "5"

// clientGone is the status of a request whose client disconnected before the answer. As in nginx,
// it appears only in the log and the metrics.
const clientGone = 499

// renderError converts an error to a response. No other code does that. It logs an unknown error,
// and answers it as an internal error. If an answer has already begun, renderError marks it as cut
// off, so that it doesn't look complete.
func (s *Server) renderError(err error, c echo.Context) {
	if c.Response().Committed {
		c.Set(cutKey, true)
		return
	}
	if request.Context(c.Request()).Err() != nil { // the work stopped because the client is gone
		_ = c.NoContent(clientGone)
		return
	}
	var status int
	var write func() error
	if forPrograms(c.Request().URL.Path) {
		problem := s.problemOf(err, c)
		s.noteRefusal(c, problem)
		status, write = problem.Status, func() error { return writeProblem(c, problem) }
	} else {
		page := s.pageErrorOf(err, c)
		status, write = page.Status, func() error { return s.pages.RenderError(c, page) }
	}
	h := c.Response().Header()
	switch status {
	case http.StatusMethodNotAllowed:
		if allowed, ok := c.Get(echo.ContextKeyHeaderAllow).(string); ok {
			h.Set(echo.HeaderAllow, strings.TrimPrefix(allowed, "OPTIONS, "))
		}
	case http.StatusUnauthorized:
		h.Set(echo.HeaderWWWAuthenticate, "Bearer")
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", retryAfter)
	}
	request.AbandonBody(c)
	if err := write(); err != nil {
		s.log.Debug("a response was not sent", "cause", err)
	}
}

// machine lists the paths outside the API that programs request.
var machine = []string{"/openapi.json", healthPath, livePath, readyPath, ui.KeySetPath}

// forPrograms reports whether programs request a path, and not people: it is in the API or in machine.
func forPrograms(path string) bool { return isAPI(path) || slices.Contains(machine, path) }

func writeProblem(c echo.Context, problem *fhir.Problem) error {
	if isAPI(c.Request().URL.Path) {
		return request.WriteJSON(c, problem.Status, request.FHIRJSON, problem.Outcome())
	}
	return request.Write(c, problem.Status, echo.MIMETextPlainCharsetUTF8, []byte(http.StatusText(problem.Status)+"\n"))
}

func (s *Server) problemOf(err error, c echo.Context) *fhir.Problem {
	if problem := (*fhir.Problem)(nil); errors.As(err, &problem) {
		return problem
	}
	if http := (*echo.HTTPError)(nil); errors.As(err, &http) {
		switch http.Code {
		case 404:
			return fhir.NoSuchPath
		case 405:
			return fhir.NoSuchMethod
		}
	}
	if store.IsUnavailable(err) {
		return fhir.Busy
	}
	s.log.Error("request failed", "request_id", request.ID(c), "route", c.Path(), "cause", err)
	return fhir.Internal
}
