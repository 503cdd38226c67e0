package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"birthregistry/app/access"
	"birthregistry/store"
)

// What a session holds besides whose it is (access.SessionUser and the like).
const (
	wantedKey = "wanted" // the page that a kept form belongs to
	flashKey  = "flash"  // what is said once on the next page
	// prefillKey holds the handle of the last launch's chart; openKey holds those of the
	// charts that filled in forms, separated by spaces.
	prefillKey = "prefill"
	openKey    = "prefills"
)

// What a request's context holds besides.
const (
	personKey  = "person"
	severalKey = "several"
	sessionKey = "session" // context.Context: the request's own, without its session
	unkeptKey  = "unkept"  // the session was to be kept at once, and could not be
	refreshKey = "refresh" // int: after how many seconds a page without JavaScript looks again
)

// newSessions makes the sessions of the pages. The cookie holds a random token,
// the database only its hash. Their idle end is the shelf's. It is put together by hand, since the library's
// constructor starts a goroutine of its own.
func newSessions(kept scs.Store, baseURL string) *scs.SessionManager {
	m := &scs.SessionManager{
		Store: kept, Codec: scs.GobCodec{}, HashTokenInStore: true,
		Lifetime: access.AbsoluteEnd,
		Cookie:   scs.SessionCookie{Name: "registry-session", HttpOnly: true, SameSite: http.SameSiteLaxMode, Path: "/"},
	}
	if strings.HasPrefix(baseURL, "https://") {
		m.Cookie.Name, m.Cookie.Secure = "__Host-registry-session", true
	}
	return m
}

func hasSession(c echo.Context) bool { return c.Get(sessionKey) != nil }

// person is who is signed in; signedIn has seen to it that somebody is.
func person(c echo.Context) access.Person { return c.Get(personKey).(access.Person) }

// zone is the zone in which the practice of who is signed in reads times.
func zone(c echo.Context) *time.Location { return person(c).Practice.Location() }

// visited opens the session of a page, refuses what another site sends, and
// renders errors while it is open, so that they look like every other page.
func (s *Server) visited(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		s.pageHeaders(c.Response().Header()) // of a redirect, too
		bound(c)
		err := s.openSession(c)
		if err == nil {
			err = s.recognize(c)
		}
		if err == nil {
			err = s.fromOwnPage(c.Request())
		}
		if err == nil {
			err = s.survive(next, c)
		}
		if err != nil {
			s.renderError(err, c)
		}
		return nil
	}
}

// openSession reads the session of a request and sees to it that it is kept
// before the answer goes out. Where it cannot be kept, as on a full disk, pages
// can be read all the same.
func (s *Server) openSession(c echo.Context) error {
	token := ""
	if cookie, err := c.Cookie(s.sessions.Cookie.Name); err == nil {
		token = cookie.Value
	}
	bare := within(c.Request())
	ctx, err := s.sessions.Load(bare, token)
	if err != nil {
		return err
	}
	c.SetRequest(c.Request().WithContext(ctx))
	c.Set(sessionKey, bare)
	c.Response().Header().Add(echo.HeaderVary, "Cookie")
	c.Response().Before(func() {
		ctx := c.Request().Context()
		if c.Get(unkeptKey) != nil || c.Request().Method == http.MethodHead {
			return // who only asks for the head has not seen what is shown once
		}
		switch s.sessions.Status(ctx) {
		case scs.Modified:
			token, expiry, err := s.sessions.Commit(ctx)
			if err != nil {
				s.log.Warn("a session was not kept", "request_id", requestID(c), "cause", err)
				return
			}
			s.sessions.WriteSessionCookie(ctx, c.Response(), token, expiry)
		case scs.Destroyed:
			s.sessions.WriteSessionCookie(ctx, c.Response(), "", time.Time{})
		}
	})
	return nil
}

// keepSession keeps the session at once, for what would be lost without it.
func (s *Server) keepSession(c echo.Context) error {
	_, _, err := s.sessions.Commit(c.Request().Context())
	if err != nil {
		c.Set(unkeptKey, true)
	}
	return err
}

// recognize finds who is signed in. A person who was disabled, or has no place
// in the practice any more, is nobody from the next request on.
func (s *Server) recognize(c echo.Context) error {
	ctx := c.Request().Context()
	user := s.sessions.GetInt64(ctx, access.SessionUser)
	if user == 0 {
		return nil
	}
	who, several, err := s.access.Person(ctx, user, store.PracticeID(s.sessions.GetInt64(ctx, access.SessionPractice)))
	if errors.Is(err, access.ErrNoPlace) {
		return s.endSession(c)
	}
	if err != nil {
		return err
	}
	who.Address = c.RealIP()
	c.Set(personKey, who)
	c.Set(severalKey, several)
	return nil
}

// beginSession makes the session that of a person, under a new token. It keeps
// what it held before, which is what they were about to do, but nothing of
// another person's.
func (s *Server) beginSession(c echo.Context, user int64, p store.PracticeID) error {
	ctx := c.Request().Context()
	if owner := s.sessions.GetInt64(ctx, access.SessionUser); owner != 0 && owner != user {
		s.dropCharts(c)
		if err := s.sessions.Clear(ctx); err != nil {
			return err
		}
	}
	s.sessions.Put(ctx, access.SessionUser, user)
	s.sessions.Put(ctx, access.SessionPractice, int64(p))
	s.sessions.Put(ctx, access.SessionAgent, c.Request().UserAgent())
	s.sessions.Put(ctx, access.SessionSince, time.Now().UnixMilli())
	return s.renewSession(c)
}

// emptySession drops what a session holds, but for whose it is. A chart that
// waits is the person's, not the practice's: whoever launched from the EHR may
// have to switch first.
func (s *Server) emptySession(c echo.Context) {
	ctx := c.Request().Context()
	owner := []string{
		access.SessionUser, access.SessionPractice, access.SessionAgent, access.SessionSince, access.SessionSelf,
		prefillKey, openKey,
	}
	for _, key := range s.sessions.Keys(ctx) {
		if !slices.Contains(owner, key) {
			s.sessions.Remove(ctx, key)
		}
	}
}

// renewSession gives a session a new token, as after every change of what it
// may do. Its absolute end stays.
func (s *Server) renewSession(c echo.Context) error {
	ctx := c.Request().Context()
	if err := s.sessions.RenewToken(ctx); err != nil {
		return err
	}
	if since := s.sessions.GetInt64(ctx, access.SessionSince); since != 0 {
		s.sessions.SetDeadline(ctx, time.UnixMilli(since).Add(access.AbsoluteEnd).UTC())
	}
	return nil
}

// freshSession begins an empty session, of nobody, in the place of one that ended
// while its request was under way.
func (s *Server) freshSession(c echo.Context) error {
	bare, _ := c.Get(sessionKey).(context.Context)
	ctx, err := s.sessions.Load(bare, "")
	if err == nil {
		c.SetRequest(c.Request().WithContext(ctx))
	}
	return err
}

// endSession ends a session, which may have been ended already, and forgets the
// charts that it holds.
func (s *Server) endSession(c echo.Context) error {
	s.dropCharts(c)
	err := s.sessions.Destroy(c.Request().Context())
	if errors.Is(err, access.ErrSessionEnded) {
		err = nil
	}
	return err
}

// public guards a page that everybody may see.
func (s *Server) public(next echo.HandlerFunc) echo.HandlerFunc { return s.visited(next) }

// signedIn guards a page: somebody must be signed in, whose role has the
// permission, and whose form it is. Who is not is sent to the sign-in, and back
// after it.
func (s *Server) signedIn(permission access.Permission) echo.MiddlewareFunc {
	guard := s.permitted(permission, func(echo.Context) {})
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return guard(func(c echo.Context) error {
			if err := asOwner(c, person(c)); err != nil {
				return err
			}
			return next(c)
		})
	}
}

// permitted asks for a person with the permission. leave is called before a
// stranger is sent to the sign-in.
func (s *Server) permitted(permission access.Permission, leave func(echo.Context)) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return s.visited(func(c echo.Context) error {
			who, ok := c.Get(personKey).(access.Person)
			if !ok {
				s.want(c)
				leave(c)
				return c.Redirect(http.StatusSeeOther, "/sign-in")
			}
			if !who.May(permission) {
				s.refuseChart(c, permission)
				return noRole
			}
			return next(c)
		})
	}
}

// flash says something once, on the next page.
func (s *Server) flash(c echo.Context, text string) {
	s.sessions.Put(c.Request().Context(), flashKey, text)
}
