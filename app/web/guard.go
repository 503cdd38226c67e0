package web

import (
	"errors"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/access"
	"birthregistry/app/fhir"
)

const callerKey = "caller"

func caller(c echo.Context) access.Caller { return c.Get(callerKey).(access.Caller) }

// needs guards a push endpoint: rate limit, key (401), scope (403), in this
// order. A request with a valid key draws on the key's bucket, any other on
// that of its address (spec, "Limits").
func (s *Server) needs(scope access.Scope) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			who, err := s.access.Identify(bearer(c))
			unknown := errors.Is(err, access.ErrUnknownKey)
			if err != nil && !unknown {
				return err
			}
			if !unknown {
				c.Set(callerKey, who)
			}
			if !s.admit(c, who, unknown) {
				return fhir.Throttled
			}
			if unknown {
				s.rememberRevoked(c)
				return fhir.Unauthorized
			}
			if !who.May(scope) {
				return fhir.Forbidden
			}
			if s.access.DueNote(who) {
				if err := s.access.NoteUse(who); err != nil { // a full disk must not stop a poll
					s.log.Warn("the use of a key was not noted", "key", who.Key, "cause", err)
				}
			}
			return next(c)
		}
	}
}

// admit draws on the right bucket and tells the caller how it stands.
func (s *Server) admit(c echo.Context, who access.Caller, unknown bool) bool {
	var v verdict
	if unknown {
		v = s.networks.allow(access.Network(c.RealIP()))
	} else {
		v = s.keys.allow(who.Key)
	}
	v.describe("default", c.Response().Header())
	return v.allowed
}

// bearer returns the token of the one Authorization header, or "".
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
