package web

import (
	"bytes"
	"errors"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"birthregistry/app/access"
	"birthregistry/store"
	"birthregistry/views"
)

// pageError is a page that says what went wrong and what to do next. It is
// returned as an error and rendered like every other.
type pageError struct {
	status          int
	title, text     string
	next, nextLabel string
}

func (p *pageError) Error() string { return "web: " + p.title }

// The troubles every page may meet.
var (
	noPage = &pageError{
		http.StatusNotFound, "This page does not exist",
		"The address may be mistyped, or what it showed may be gone.", "/registry", "Go to the home page",
	}
	noRole = &pageError{
		http.StatusForbidden, "Your role does not allow this",
		"Nothing was changed. Ask a practice admin if you need it.", "/registry", "Go to the home page",
	}
	noMethod = &pageError{
		http.StatusMethodNotAllowed, "This page does not take that",
		"Nothing was changed. Open the page from the navigation.", "/registry", "Go to the home page",
	}
	inTheClear = &pageError{
		http.StatusForbidden, "Use the https address",
		"The registry does not answer without encryption. Nothing was changed.", "", "",
	}
	notNow = &pageError{
		http.StatusServiceUnavailable, "The registry cannot save at the moment",
		"Nothing was changed. Go back, wait a minute and send the form again; if it stays so, call whoever runs the registry.", "", "",
	}
	broken = &pageError{
		http.StatusInternalServerError, "Sorry, there is a problem",
		"Nothing was changed. Go back and try again; if it happens again, call whoever runs the registry.", "", "",
	}
)

// contentPolicy allows nothing but what the pages bring themselves: no inline
// code, no frame, no other site.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; " + noFrames

const noFrames = "frame-ancestors 'none'"

func (s *Server) pageHeaders(h http.Header) {
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("Referrer-Policy", "same-origin") // under no-referrer, browsers send "Origin: null" with the service's own forms
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Cache-Control", "no-store")
	if strings.HasPrefix(s.settings.BaseURL, "https://") {
		h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
}

// page renders a page inside the frame.
func (s *Server) page(c echo.Context, status int, title string, body templ.Component) error {
	p := views.Page{Title: title, Error: status == http.StatusUnprocessableEntity || status == http.StatusTooManyRequests}
	s.frame(c, &p)
	ctx := templ.WithChildren(c.Request().Context(), body)
	if who, ok := c.Get(personKey).(access.Person); ok {
		ctx = views.InZone(views.WithOwner(ctx, owner(who)), who.Practice.Location())
	}
	var b bytes.Buffer
	if err := views.Layout(p).Render(ctx, &b); err != nil {
		return err
	}
	s.pageHeaders(c.Response().Header())
	if framers, ok := c.Get(framersKey).([]string); ok {
		c.Response().Header().Set("Content-Security-Policy",
			strings.Replace(contentPolicy, noFrames, "frame-ancestors "+strings.Join(framers, " "), 1))
	}
	// A NUL that was typed into a box goes back as a mark: no page may hold one.
	html := bytes.ReplaceAll(b.Bytes(), []byte{0}, []byte("\uFFFD"))
	return blob(c, status, echo.MIMETextHTMLCharsetUTF8, html)
}

// frame fills in what every page shows of who is signed in.
func (s *Server) frame(c echo.Context, p *views.Page) {
	p.Version = s.settings.Version
	if p.Framed = c.Get(framersKey) != nil; p.Framed {
		return
	}
	p.Refresh, _ = c.Get(refreshKey).(int)
	if hasSession(c) {
		p.Flash = s.sessions.PopString(c.Request().Context(), flashKey)
		if p.Flash == "" && c.Path() == "/sign-in" && c.Request().Method == http.MethodGet && s.hasEnded(c) {
			p.Flash = "Your session has ended. Sign in to go on."
		}
	}
	who, ok := c.Get(personKey).(access.Person)
	if !ok {
		return
	}
	p.Person, p.Role = who.Label(), who.Role.Label()
	p.Practice, p.Sandbox = who.Practice.Name, who.Practice.Sandbox
	p.Several, _ = c.Get(severalKey).(bool)
	p.Nav = navigation(who, c.Request().URL.Path)
	p.Alarm = s.alarm(who)
}

// alarm tells an admin that backups fail or are late: in a small practice that
// is who can see to it, and nobody may be reading the log.
func (s *Server) alarm(who access.Person) string {
	if s.settings.Backups == nil || who.Role != access.Admin {
		return ""
	}
	if _, problem := s.settings.Backups(); problem != "" {
		return problem + " Tell whoever runs the registry: birthregistry doctor names the fix."
	}
	return ""
}

// sections are the entries of the navigation with what a person needs to see
// them.
var sections = []struct {
	href, label string
	needs       access.Permission
}{
	{"/registry", "Home", access.SignedIn},
	{"/registry/capture", "Record a birth", access.RecordCreate},
	{"/registry/records", "Records", access.RecordRead},
	{duplicatesPath, "Duplicates", access.DuplicateView},
	{providersPath, "Providers", access.ProviderView},
	{"/registry/statistics", "Statistics", access.StatsView},
	{"/registry/import", "Import", access.ImportView},
	{"/registry/ingestions", "Ingestions", access.IngestionView},
	{"/registry/fields", "Own fields", access.FieldDefine},
	{"/registry/users", "Users", access.UserManage},
	{"/registry/audit", "Audit", access.AuditView},
	{"/registry/settings", "Settings", access.KeyList},
}

func navigation(who access.Person, path string) (nav []views.NavItem) {
	for _, section := range sections {
		if !who.May(section.needs) {
			continue
		}
		current := path == section.href || section.href != "/registry" &&
			(strings.HasPrefix(path, section.href+"/") || strings.HasPrefix(path, section.href+"s/"))
		nav = append(nav, views.NavItem{Href: section.href, Label: section.label, Current: current})
	}
	return nav
}

// renderTrouble renders an error as a page. What is our fault, or may be an
// EHR's, comes with the support code. A path that is none has no guard; who is signed in sees the
// frame there all the same.
func (s *Server) renderTrouble(c echo.Context, p *pageError) error {
	if !hasSession(c) {
		if err := s.openSession(c); err == nil {
			_ = s.recognize(c) // without it the page shows nobody's frame
		}
	}
	support := ""
	if p.status >= http.StatusInternalServerError || strings.HasPrefix(c.Request().URL.Path, smartRoot) {
		support = requestID(c)
	}
	return s.page(c, p.status, p.title, views.Trouble(p.title, p.text, p.next, p.nextLabel, support))
}

// pageErrorOf words an error for people. What nobody foresaw is logged.
func (s *Server) pageErrorOf(err error, c echo.Context) *pageError {
	if page := (*pageError)(nil); errors.As(err, &page) {
		return page
	}
	if errors.Is(err, access.ErrForbidden) {
		return noRole
	}
	if errors.Is(err, store.ErrNotFound) {
		return noPage
	}
	if errors.Is(err, store.ErrDamaged) {
		return damagedRow
	}
	problem := s.problemOf(err, c)
	switch problem.Status {
	case http.StatusForbidden:
		return inTheClear
	case http.StatusNotFound:
		return noPage
	case http.StatusMethodNotAllowed:
		return noMethod
	case http.StatusServiceUnavailable:
		return notNow
	}
	return broken
}
