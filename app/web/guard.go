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

// needs guards a push endpoint. It checks the rate limit, the key (401) and the scope (403), in
// this order. A request with a valid key counts against the key's limit. Any other request counts
// against the limit of its address (spec, "Limits").
//
// To save a query, needs trusts a key that was valid in an earlier request (callerOf). The key may
// have been revoked since then, so the SQL statements of the endpoints check the key again. A
// refused request never reaches such a statement. So if the limit, the scope or the handler causes
// an error, needs checks the key in the database before it answers. If the key is no longer valid,
// needs answers as for any other invalid key.
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

// askFirst is a size in bytes. Before the service reads a larger body, it looks up the key in the
// database. The lookup takes almost no time compared with reading such a body.
const askFirst = 64 << 10

// callerOf returns the holder of an API key. It trusts a key that was valid in an earlier request,
// with one exception. Before a large body is read, callerOf checks the key in the database.
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

// sendAway returns the error for a request without a valid key. That is fhir.Unauthorized, or
// fhir.Throttled if the request's address has exceeded its limit.
func (s *Server) sendAway(c echo.Context) error {
	c.Set(request.CallerKey, nil)
	c.Response().Header().Del("Retry-After") // it belongs to the limit of a key that isn't valid
	return s.limited(func(c echo.Context) error {
		s.rememberRevoked(c)
		return fhir.Unauthorized
	})(c)
}

// limited guards an endpoint that needs no API key. It limits the requests from each network
// address.
func (s *Server) limited(next echo.HandlerFunc) echo.HandlerFunc {
	return limited("default", s.networks, fhir.Throttled, next)
}

// bearer returns the token in the Authorization header. It returns "" unless the request has
// exactly one such header, with the scheme Bearer.
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
