package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/sso"
	"birthregistry/app/web/api"
	"birthregistry/app/web/pages"
)

// apiRoot is the beginning of all paths whose errors are OperationOutcomes.
const apiRoot = "/api/"

// isAPI reports whether a path is under apiRoot, so that its errors are OperationOutcomes. The path
// may begin with a double slash, which callers send if their base URL ends with a slash.
func isAPI(path string) bool {
	return strings.HasPrefix("/"+strings.TrimLeft(path, "/")+"/", apiRoot)
}

const (
	healthPath = "/health/json"
	livePath   = "/health/live"
	readyPath  = "/health/ready"
)

// route is a method and a path, with the guard and the handler.
type route struct {
	method, path string
	guard        echo.MiddlewareFunc
	handler      echo.HandlerFunc
}

// routes registers every path. For every GET, it also registers HEAD. The exceptions are the steps
// of a handshake with an EHR or an identity provider, because each step works only once and a HEAD
// request must not use it up.
func (s *Server) routes() {
	for _, r := range s.routeTable() {
		s.echo.Add(r.method, r.path, r.handler, r.guard)
		if r.method == http.MethodGet && !strings.HasPrefix(r.path, pages.LaunchRoot) && !strings.HasPrefix(r.path, sso.Path) {
			s.echo.HEAD(r.path, r.handler, r.guard)
		}
	}
}

// routeTable lists every path with its guard and handler. A test requests each path with every
// role.
func (s *Server) routeTable() []route {
	return slices.Concat(
		s.apiRoutes(), s.frameRoutes(), s.signInRoutes(), s.invitationRoutes(), s.accountRoutes(), s.userRoutes(),
		s.formRoutes(), s.importRoutes(), s.recordRoutes(), s.duplicateRoutes(), s.providerRoutes(), s.statisticsRoutes(), s.reportRoutes(), s.auditRoutes(), s.yourDataRoutes(),
		s.settingsRoutes(), s.ingestionRoutes(), s.fieldRoutes(), s.docRoutes(), s.smartRoutes(),
	)
}

func (s *Server) apiRoutes() []route {
	return []route{
		{http.MethodPost, api.FHIRRoot + "/Bundle", s.needs(auth.IngestWrite), s.api.PostBundle},
		{http.MethodGet, api.FHIRRoot + "/ingestions/:ingestion", s.needs(auth.IngestRead), s.api.GetReceipt},
		{http.MethodGet, api.FHIRRoot + "/metadata", s.limited, s.api.GetMetadata},
		{http.MethodGet, "/openapi.json", open, api.GetContract},
		{http.MethodGet, healthPath, open, s.api.GetHealth},
		{http.MethodGet, livePath, open, api.GetLive},
		{http.MethodGet, readyPath, open, s.api.GetReady},
	}
}

// open is the guard of a public path. It checks nothing.
func open(next echo.HandlerFunc) echo.HandlerFunc { return next }
