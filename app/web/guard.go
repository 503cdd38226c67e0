package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/fhir"
	"birthregistry/app/web/request"
)

// needs guards a push endpoint: rate limit, key (401), scope (403), in this order.
// A request with a valid key counts against the key's limit, any other against its
// address's (spec, "Limits").
//
// At first, needs assumes that a key that was valid before is still valid. The SQL statements of
// the endpoints check the key again. Before needs returns an error of the limit, the scope or the
// handler, it checks the key itself. If that check fails, its error is the answer.
func (s *Server) needs(scope auth.Scope) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			key := bearer(c)
			who, err := s.callerOf(c.Request(), key)
			if err == nil {
				if err = s.passes(c, who, scope, next); err == nil {
					return nil
				}
				if _, still := s.auth.Identify(request.Context(c.Request()), key); still != nil {
					err = still
				}
			}
			if errors.Is(err, auth.ErrUnknownKey) {
				return s.sendAway(c)
			}
			return err
		}
	}
}

// askFirst is the body size, in bytes, above which the key is looked up in the database first.
// Compared with reading such a body, the lookup costs nothing.
const askFirst = 64 << 10

// callerOf returns the holder of a key. It trusts a key that was valid in an earlier request, with
// one exception: before a large body is requested and read, it checks the key in the database.
func (s *Server) callerOf(r *http.Request, key string) (auth.Caller, error) {
	if r.ContentLength < 0 || r.ContentLength > askFirst || r.Header.Get("Expect") != "" {
		return s.auth.Identify(request.Context(r), key)
	}
	return s.auth.IdentifyCached(request.Context(r), key)
}

// passes checks a caller's limit and scope, records the use of the key, and calls the handler. It
// returns fhir.Throttled, fhir.Forbidden, or the handler's error.
func (s *Server) passes(c echo.Context, who auth.Caller, scope auth.Scope, next echo.HandlerFunc) error {
	c.Set(request.CallerKey, who)
	v := s.keys.allow(who.Key)
	v.describe("default", c.Response().Header())
	if !v.allowed {
		return fhir.Throttled
	}
	if !who.May(scope) {
		return fhir.Forbidden
	}
	if s.auth.UseDue(who) {
		if err := s.auth.NoteUse(who); err != nil { // a full disk must not prevent a poll
			s.log.Warn("the use of a key was not noted", "key", who.Key, "cause", err)
		}
	}
	return next(c)
}

// sendAway answers a request without a valid key.
func (s *Server) sendAway(c echo.Context) error {
	c.Set(request.CallerKey, nil)
	c.Response().Header().Del("Retry-After") // these headers belong to the limit of an invalid key
	return s.limited(func(c echo.Context) error {
		s.rememberRevoked(c)
		return fhir.Unauthorized
	})(c)
}

// limited guards an endpoint that needs no key: every request counts against its address's
// limit.
func (s *Server) limited(next echo.HandlerFunc) echo.HandlerFunc {
	return limited("default", s.networks, fhir.Throttled, next)
}

// bearer returns the token of the Authorization header. It returns "" unless there is exactly one
// such header, with the scheme Bearer.
func bearer(c echo.Context) string {
	headers := c.Request().Header.Values(echo.HeaderAuthorization)
	if len(headers) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
