package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/access"
	"birthregistry/app/smart"
	"birthregistry/views"
)

// The public legs of the EHR launch (spec, "EHR-launch (pull) lane"). They are
// the EHR's to ask for: nobody is signed in by them, and nothing is written into
// a practice. A browser that answers HEAD, or POST, is told 405.
const (
	smartRoot    = "/smart/"
	launchPath   = smartRoot + "launch"
	callbackPath = smartRoot + "callback"
	keySetPath   = smartRoot + "jwks.json"
)

// callbackRate is how many callbacks an address may make in a minute (spec,
// "Limits": the limiter named smart-callback).
const callbackRate = 10

func (s *Server) smartRoutes() []route {
	return []route{
		{http.MethodGet, launchPath, s.throttled("default", s.networks), s.getLaunch},
		{http.MethodGet, callbackPath, s.throttled("smart-callback", s.callbacks), s.getCallback},
		{http.MethodGet, keySetPath, open, s.getKeySet},
	}
}

// throttled guards a page for everybody by its limiter, which comes before
// anything else is looked at.
func (s *Server) throttled(name string, l *limiter[string]) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		page := s.public(next)
		return func(c echo.Context) error {
			v := l.allow(access.Network(c.RealIP()))
			v.describe(name, c.Response().Header())
			if !v.allowed {
				return tooManyLaunches
			}
			return page(c)
		}
	}
}

// getLaunch sends the browser to the EHR's authorization server.
func (s *Server) getLaunch(c echo.Context) error {
	if inFrame(c.Request()) {
		return s.framedLaunch(c)
	}
	cookie := s.launchCookie(c)
	to, err := s.smart.Launch(c.Request().Context(), c.QueryParams(), cookie.Value)
	if err != nil {
		return s.launchTrouble(c, err)
	}
	c.SetCookie(cookie)
	return c.Redirect(http.StatusFound, to)
}

// launchCookie is the cookie by which a browser that began a launch is known
// when it comes back. A second launch goes by the same value, so that both can
// be ended.
func (s *Server) launchCookie(c echo.Context) *http.Cookie {
	cookie := &http.Cookie{
		Name: strings.Replace(s.sessions.Cookie.Name, "session", "launch", 1), Path: "/", Value: rand.Text(),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.sessions.Cookie.Secure, MaxAge: int(smart.LaunchLife.Seconds()),
	}
	if sent, err := c.Cookie(cookie.Name); err == nil && len(sent.Value) == len(cookie.Value) {
		cookie.Value = sent.Value
	}
	return cookie
}

// getCallback ends a launch. What the chart fills in waits under a handle in the
// session, which gets a new token: one that somebody else has planted in the
// browser leads to nothing.
func (s *Server) getCallback(c echo.Context) error {
	ctx, browser := c.Request().Context(), ""
	if cookie, err := c.Cookie(s.launchCookie(c).Name); err == nil {
		browser = cookie.Value
	}
	handle, err := s.smart.Callback(smart.Tracked(ctx, requestID(c)), c.QueryParams(), browser)
	if err != nil {
		return s.launchTrouble(c, err)
	}
	s.dropWaiting(c) // the chart of an earlier launch
	err = s.renewSession(c)
	if errors.Is(err, access.ErrSessionEnded) { // while the chart was read: by a sign-out, or another launch that was faster
		err = s.freshSession(c)
	}
	if err != nil {
		return err
	}
	s.sessions.Put(c.Request().Context(), prefillKey, handle)
	if err := s.keepSession(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, prefillPath)
}

// getKeySet publishes the keys with which the service signs at token endpoints.
// It may be kept for so short a time because an EHR asks again only when it
// meets a key that it does not know.
func (s *Server) getKeySet(c echo.Context) error {
	keys, err := s.smart.KeySet(c.Request().Context())
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "public, max-age=300")
	return blob(c, http.StatusOK, plainJSON, keys)
}

// inFrame reports whether a browser asks for what it will show inside another
// page.
func inFrame(r *http.Request) bool {
	return slices.Contains([]string{"iframe", "frame", "embed", "object", "fencedframe"}, r.Header.Get("Sec-Fetch-Dest"))
}

// framedLaunch answers a launch inside the EHR's own window, where the browser
// withholds the session's cookie: a page with one link, which opens the same
// launch in a window of its own. Nothing is spent by it, and nothing echoed: the
// link has no address, which is that of the page.
func (s *Server) framedLaunch(c echo.Context) error {
	if err := s.letFrame(c); err != nil {
		return err
	}
	if err := s.smart.Admits(c.Request().Context(), c.QueryParams()); err != nil {
		return s.launchTrouble(c, err)
	}
	return s.page(c, http.StatusOK, "Open the registry", views.FramedLaunch())
}

// framersKey is the origins that may show a page inside one of theirs.
const framersKey = "framers"

// letFrame lets the EHRs that launch embedded show a page. Every other page
// stays unframable.
func (s *Server) letFrame(c echo.Context) error {
	origins, err := s.smart.FrameOrigins(c.Request().Context())
	if err == nil && len(origins) > 0 {
		c.Set(framersKey, origins)
	}
	return err
}

// launchTrouble says what came of a launch, in words for a clinician; the
// operator finds it in the log by the support code.
func (s *Server) launchTrouble(c echo.Context, err error) error {
	for _, t := range launchTroubles {
		if !errors.Is(err, t.err) {
			continue
		}
		s.log.Warn("a launch did not come through", "request_id", requestID(c), "route", c.Path(), "cause", err)
		if t.err == smart.ErrState {
			if err := s.letFrame(c); err != nil {
				return err
			}
		}
		return t.page
	}
	return fmt.Errorf("web: launch: %w", err)
}
