package ui

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/smart"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/request"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// These are the public paths of the EHR launch (spec, "EHR-launch (pull) lane"). Anybody can open
// them, so they sign nobody in and write nothing into a practice. HEAD and POST requests get a 405.
const (
	LaunchPath   = pages.LaunchRoot + "launch"
	CallbackPath = pages.LaunchRoot + "callback"
	KeySetPath   = pages.LaunchRoot + "jwks.json"
)

type Launch struct {
	*pages.Pages
	smart *smart.Service
}

// GetLaunch begins a launch by redirecting the browser to the EHR's authorization server. If the
// EHR shows the page in a frame, GetLaunch instead shows a link that opens the launch in a separate
// window.
func (h *Launch) GetLaunch(c echo.Context) error {
	if inFrame(c.Request()) {
		return h.framedLaunch(c)
	}
	if err := h.admits(c); err != nil {
		return err
	}
	cookie := h.launchCookie(c)
	to, err := h.smart.Launch(c.Request().Context(), c.QueryParams(), cookie.Value)
	if err != nil {
		return h.launchProblem(c, err)
	}
	c.SetCookie(cookie)
	return c.Redirect(http.StatusFound, to)
}

// admits returns an error for a launch that can't succeed, before anything is sent to the EHR. Such
// a launch comes from an issuer that isn't listed, or from a user who couldn't save the form.
func (h *Launch) admits(c echo.Context) error {
	err := h.smart.Admits(c.Request().Context(), c.QueryParams())
	if err == nil && !mayRecord(c) {
		err = smart.ErrRole
	}
	if err != nil {
		return h.launchProblem(c, err)
	}
	return nil
}

// mayRecord reports whether the user of the browser might be allowed to save the form. It also
// returns true for a visitor, who may sign in later, and for a user of several practices, who may
// have another role in another practice.
func mayRecord(c echo.Context) bool {
	who, ok := session.SignedIn(c)
	return !ok || who.May(auth.RecordCreate) || session.Several(c)
}

// launchCookie returns the cookie with which a launch recognizes its browser when the EHR redirects
// back. A second launch uses the same value, so both launches can be completed.
func (h *Launch) launchCookie(c echo.Context) *http.Cookie {
	cookie := h.Sessions.OwnCookie("launch")
	cookie.Value, cookie.MaxAge = rand.Text(), int(smart.LaunchLife.Seconds())
	if sent, err := c.Cookie(cookie.Name); err == nil && len(sent.Value) == len(cookie.Value) {
		cookie.Value = sent.Value
	}
	return cookie
}

// GetCallback completes a launch. It puts the handle of the prefill, which holds the values from
// the chart, into the session. It also gives the session a new token. If somebody has planted a
// session token in the browser, that token then gives no access to the prefill.
func (h *Launch) GetCallback(c echo.Context) error {
	ctx, browser := c.Request().Context(), ""
	if cookie, err := c.Cookie(h.launchCookie(c).Name); err == nil {
		browser = cookie.Value
	}
	handle, err := h.smart.Callback(smart.Tracked(ctx, request.ID(c)), c.QueryParams(), browser, mayRecord(c))
	if err != nil {
		return h.launchProblem(c, err)
	}
	h.Sessions.DropWaiting(c) // the chart of an earlier launch
	err = h.Sessions.Renew(c)
	if errors.Is(err, auth.ErrSessionEnded) { // ended by a sign-out, or by another launch that came first
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

// GetKeySet publishes the public keys with which EHRs verify the service's requests to token
// endpoints. An EHR that sees an unknown key fetches the keys again, and must then get the new key.
// Caches may therefore store the answer for only five minutes.
func (h *Launch) GetKeySet(c echo.Context) error {
	keys, err := h.smart.KeySet(c.Request().Context())
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "public, max-age=300")
	return request.Write(c, http.StatusOK, request.JSON, keys)
}

// inFrame reports whether the browser will show the page inside another page.
func inFrame(r *http.Request) bool {
	return slices.Contains([]string{"iframe", "frame", "embed", "object", "fencedframe"}, r.Header.Get("Sec-Fetch-Dest"))
}

// framedLaunch answers a launch inside a frame of the EHR, where the browser doesn't send the
// session's cookie. It shows a page with one link, which opens the same launch in a separate
// window. The page doesn't use up the launch. It repeats nothing from the request: the link is
// empty, so it leads to the address of the page itself.
func (h *Launch) framedLaunch(c echo.Context) error {
	if err := h.letFrame(c, c.QueryParams()); err != nil {
		return err
	}
	if err := h.admits(c); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, "Open the registry", views.FramedLaunch())
}

// letFrame allows certain sites to show a page in a frame: the EHR of the launch, and the sites
// that the operator has named for the listed EHRs.
func (h *Launch) letFrame(c echo.Context, launch url.Values) error {
	origins, err := h.smart.FrameOrigins(c.Request().Context(), launch)
	if err == nil && len(origins) > 0 {
		pages.AllowFrame(c, origins)
	}
	return err
}

// launchProblem returns a page that explains a launch's error to a clinician. The page shows a
// support code, by which the operator finds the error in the log.
func (h *Launch) launchProblem(c echo.Context, err error) error {
	for _, t := range launchProblems {
		if !errors.Is(err, t.err) {
			continue
		}
		h.Log.Warn("a launch failed", "request_id", request.ID(c), "route", c.Path(), "cause", err)
		if t.err == smart.ErrState {
			if err := h.letFrame(c, nil); err != nil {
				return err
			}
		}
		return t.page
	}
	return fmt.Errorf("web: launch: %w", err)
}
