// Package pages holds what the pages of package ui share: the layout, headers and errors, the
// reading of forms, downloads, and the addresses of all pages.
//
// Pages renders a page. A form states for whom it was made (Owner). If another user sends the form,
// or the user now works in another practice, it changes nothing. An Error is a page that states
// what went wrong and what to do next. Handlers return it like any other error.
//
// This package parses only urlencoded forms, up to a limit, so that no submitted value reaches a
// temporary file.
package pages

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/request"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// Pages renders the pages with their layout, which has the navigation and the messages that are
// shown once. It also renders errors.
type Pages struct {
	Sessions    *session.Sessions
	auth        *auth.Service
	Environment Environment
	Log         *slog.Logger
}

// Environment holds facts about the installation, which pages and API answers contain.
type Environment struct {
	// BaseURL is the address at which users reach the service, without a slash at its end. Links in
	// answers begin with it, and never depend on the Host header.
	BaseURL string
	// Version is the version of the program. The health check reports it, too.
	Version string
	// Backups returns the age of the newest scheduled backup, and a description of what is wrong
	// with the backups. The age is negative if there is no backup; the description is "" if nothing
	// is wrong. Backups is nil if no backups are scheduled.
	Backups func() (age time.Duration, problem string)
}

// New returns the Pages of an installation.
func New(s *session.Sessions, a *auth.Service, environment Environment, log *slog.Logger) *Pages {
	return &Pages{Sessions: s, auth: a, Environment: environment, Log: log}
}

// contentPolicy allows only files of the service itself. It allows no inline code, no frames, and
// no other site.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; " + noFrames

const noFrames = "frame-ancestors 'none'"

// Headers sets the security headers of a page.
func (p *Pages) Headers(h http.Header) {
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers would send "Origin: null" with the service's own forms
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Cache-Control", "no-store")
	if strings.HasPrefix(p.Environment.BaseURL, "https://") {
		h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
}

// These are the keys of a page's settings in the request's context.
const (
	refreshKey = "refresh" // int: the seconds after which a page reloads without JavaScript
	backKey    = "back"    // string: the path for BackTo
	framersKey = "framers" // []string: the origins that may show the page in a frame
)

// RefreshAfter makes a browser without JavaScript reload the page after the given number of
// seconds.
func RefreshAfter(c echo.Context, seconds int) { c.Set(refreshKey, seconds) }

// AllowFrame allows pages of the given origins to show the page in a frame.
func AllowFrame(c echo.Context, origins []string) { c.Set(framersKey, origins) }

// Done answers a successful action by redirecting to path. The page at path shows the message once.
func (p *Pages) Done(c echo.Context, path, message string) error {
	p.Sessions.Flash(c, message)
	return c.Redirect(http.StatusSeeOther, path)
}

// Render renders a page in its layout. It lists the mistakes at the top of the page, and also shows
// each mistake at its field.
func (p *Pages) Render(c echo.Context, status int, title string, body templ.Component, mistakes ...views.Mistake) error {
	page := views.Page{Title: title, Error: status == http.StatusUnprocessableEntity || status == http.StatusTooManyRequests}
	p.frame(c, &page)
	reader := views.Reader{Mistakes: mistakes}
	if who, ok := session.SignedIn(c); ok {
		reader.Owner, reader.Zone, reader.StepUp = Owner(who), who.Practice.Location(), p.stepUp(c, who)
	}
	ctx := views.WithReader(templ.WithChildren(c.Request().Context(), body), reader)
	var b bytes.Buffer
	if err := views.Layout(page).Render(ctx, &b); err != nil {
		return err
	}
	p.Headers(c.Response().Header())
	if framers, ok := c.Get(framersKey).([]string); ok {
		c.Response().Header().Set("Content-Security-Policy",
			strings.Replace(contentPolicy, noFrames, "frame-ancestors "+strings.Join(framers, " "), 1))
	}
	// A NUL that a user typed is shown as U+FFFD, because HTML can't contain a NUL.
	html := bytes.ReplaceAll(b.Bytes(), []byte{0}, []byte("\uFFFD"))
	return request.Write(c, status, echo.MIMETextHTMLCharsetUTF8, html)
}

// stepUp returns the ways in which a user can confirm an action without a password.
func (p *Pages) stepUp(c echo.Context, who auth.User) (s views.StepUp) {
	if who.HasPasskey {
		s.PasskeyOrigin, s.PasskeyOptions = p.auth.PasskeyOrigin(), StepUpPath+"/options"
	}
	if _, name, known := strings.Cut(p.Sessions.GetString(c.Request().Context(), auth.SessionSSO), "\n"); known {
		s.Provider, s.Href, s.Done = name, StepUpPath, who.Confirmed
		if back, is := c.Get(backKey).(string); is {
			s.Href += "?" + url.Values{"back": {back}}.Encode()
		}
	}
	s.Recent = who.Recent
	return s
}

// BackTo sets the path to which a user returns after they have confirmed with their identity
// provider. A page whose own address doesn't answer GET requests calls BackTo.
func BackTo(c echo.Context, path string) { c.Set(backKey, path) }

// frame fills in what surrounds the content of a page: the message that is shown once and, for a
// signed-in user, their name, role and practice, the navigation and the alarm. If another site may
// show the page in a frame, frame fills in none of this.
func (p *Pages) frame(c echo.Context, page *views.Page) {
	if page.Framed = c.Get(framersKey) != nil; page.Framed {
		return
	}
	page.Refresh, _ = c.Get(refreshKey).(int)
	if session.IsOpen(c) {
		page.Flash, page.FlashHref, page.FlashLink = p.Sessions.TakeFlash(c)
		if page.Flash == "" && c.Path() == "/sign-in" && c.Request().Method == http.MethodGet {
			page.Flash = p.Sessions.WhyEnded(c)
		}
	}
	who, ok := session.SignedIn(c)
	if !ok {
		return
	}
	page.Person, page.Role = who.Label(), who.Role.Label()
	page.Practice, page.Sandbox = who.Practice.Name, who.Practice.Sandbox
	page.Several = session.Several(c)
	navigate(page, who, c.Request().URL.Path)
	if who.Role == auth.Admin {
		page.Version = p.Environment.Version
	}
	page.Alarm = p.alarm(who)
}

// alarm returns a warning for admins if backups fail or are late, and otherwise "". In a small
// practice, perhaps nobody reads the log, but an admin can act on the warning.
func (p *Pages) alarm(who auth.User) string {
	if p.Environment.Backups == nil || who.Role != auth.Admin {
		return ""
	}
	if _, problem := p.Environment.Backups(); problem != "" {
		return problem + " Tell the person who runs the registry: birthregistry doctor names the fix."
	}
	return ""
}

// RenderError renders an error as a page. If the error is the service's fault (5xx), or occurs in
// an EHR launch, the page shows the support code. For an unknown path, no guard has opened the
// session, so RenderError opens it. Signed-in users then see the navigation on this page, too.
func (p *Pages) RenderError(c echo.Context, err *Error) error {
	if !session.IsOpen(c) {
		if p.Sessions.Open(c) == nil {
			_ = p.Sessions.Recognize(c) // if this fails, the page shows no user
		}
	}
	support := ""
	if err.Status >= http.StatusInternalServerError || strings.HasPrefix(c.Request().URL.Path, LaunchRoot) {
		support = request.ID(c)
	}
	return p.Render(c, err.Status, err.title, views.Problem(err.title, err.text, err.next, err.nextLabel, support))
}
