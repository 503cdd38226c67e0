package ui

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/smart"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/request"
	"birthregistry/views"
)

// The public legs of the EHR launch (spec, "EHR-launch (pull) lane"). They are
// the EHR's to ask for: nobody is signed in by them, and nothing is written into
// a practice. HEAD and POST are answered 405.
const (
	LaunchPath   = pages.LaunchRoot + "launch"
	CallbackPath = pages.LaunchRoot + "callback"
	KeySetPath   = pages.LaunchRoot + "jwks.json"
)

// Launch answers the public steps of an EHR launch.
type Launch struct {
	*pages.Pages
	smart *smart.Service
}

// GetLaunch sends the browser to the EHR's authorization server.
func (h *Launch) GetLaunch(c echo.Context) error {
	if inFrame(c.Request()) {
		return h.framedLaunch(c)
	}
	cookie := h.launchCookie(c)
	to, err := h.smart.Launch(c.Request().Context(), c.QueryParams(), cookie.Value)
	if err != nil {
		return h.launchProblem(c, err)
	}
	c.SetCookie(cookie)
	return c.Redirect(http.StatusFound, to)
}

// launchCookie is the cookie by which a browser that began a launch is known
// when it comes back. A second launch goes by the same value, so that both can
// be ended.
func (h *Launch) launchCookie(c echo.Context) *http.Cookie {
	cookie := &http.Cookie{
		Name: strings.Replace(h.Sessions.Cookie.Name, "session", "launch", 1), Path: "/", Value: rand.Text(),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: h.Sessions.Cookie.Secure, MaxAge: int(smart.LaunchLife.Seconds()),
	}
	if sent, err := c.Cookie(cookie.Name); err == nil && len(sent.Value) == len(cookie.Value) {
		cookie.Value = sent.Value
	}
	return cookie
}

// GetCallback ends a launch. What the chart fills in waits under a handle in the
// session, which gets a new token: one that somebody else has planted in the
// browser leads to nothing.
func (h *Launch) GetCallback(c echo.Context) error {
	ctx, browser := c.Request().Context(), ""
	if cookie, err := c.Cookie(h.launchCookie(c).Name); err == nil {
		browser = cookie.Value
	}
	handle, err := h.smart.Callback(smart.Tracked(ctx, request.ID(c)), c.QueryParams(), browser)
	if err != nil {
		return h.launchProblem(c, err)
	}
	h.Sessions.DropWaiting(c) // the chart of an earlier launch
	err = h.Sessions.Renew(c)
	if errors.Is(err, auth.ErrSessionEnded) { // while the chart was read: by a sign-out, or another launch that was faster
		err = h.Sessions.Fresh(c)
	}
	if err != nil {
		return err
	}
	h.Sessions.OfferChart(c, handle)
	if err := h.Sessions.Keep(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, pages.PrefillPath)
}

// GetKeySet publishes the keys with which the service signs at token endpoints.
// It may be kept for so short a time because an EHR asks again only when it
// meets a key that it does not know.
func (h *Launch) GetKeySet(c echo.Context) error {
	keys, err := h.smart.KeySet(c.Request().Context())
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "public, max-age=300")
	return request.Write(c, http.StatusOK, request.JSON, keys)
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
func (h *Launch) framedLaunch(c echo.Context) error {
	if err := h.letFrame(c); err != nil {
		return err
	}
	if err := h.smart.Admits(c.Request().Context(), c.QueryParams()); err != nil {
		return h.launchProblem(c, err)
	}
	return h.Render(c, http.StatusOK, "Open the registry", views.FramedLaunch())
}

// letFrame lets the EHRs that launch embedded show a page. Every other page
// stays unframable.
func (h *Launch) letFrame(c echo.Context) error {
	origins, err := h.smart.FrameOrigins(c.Request().Context())
	if err == nil && len(origins) > 0 {
		pages.AllowFrame(c, origins)
	}
	return err
}

// launchProblem says what came of a launch, in words for a clinician; the
// operator finds it in the log by the support code.
func (h *Launch) launchProblem(c echo.Context, err error) error {
	for _, t := range launchProblems {
		if !errors.Is(err, t.err) {
			continue
		}
		h.Log.Warn("a launch did not come through", "request_id", request.ID(c), "route", c.Path(), "cause", err)
		if t.err == smart.ErrState {
			if err := h.letFrame(c); err != nil {
				return err
			}
		}
		return t.page
	}
	return fmt.Errorf("web: launch: %w", err)
}
