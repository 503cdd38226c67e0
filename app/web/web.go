// Package web is the HTTP server (spec, "Endpoints").
//
// routes.go and its neighbors list every path with its guard and its handler, so that no path is
// reachable by mistake. The handlers for programs are in package api, and the handlers for people
// in package ui. All handlers return errors, which renderError (errors.go) turns into an
// OperationOutcome or a page. The server also limits the request rate, body size, connections and
// slowness of each caller.
//
// Package request holds what every handler knows about its request. Package session holds what the
// service knows about a browser. Package pages holds what every page needs.
//
// Log lines and API answers contain no submitted values. The one exception is a receipt, which may
// contain the id of a mother's Patient. No URL of the service contains patient data. Echo, the
// router, is used only in this package and the packages below it.
package web

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/guide"
	"birthregistry/app/ingest"
	"birthregistry/app/task"
	"birthregistry/app/web/api"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/request"
	"birthregistry/app/web/session"
	"birthregistry/app/web/ui"
)

// ServerSettings holds the operator's settings for the server.
type ServerSettings struct {
	pages.Environment
	// Names lists further host names of the service.
	Names []string
	// TrustedProxies lists the networks of proxies whose X-Forwarded-For header is trusted.
	TrustedProxies []*net.IPNet
	// RateLimit is the maximum number of requests per minute with the same API key.
	// AnonymousRateLimit is the maximum number per minute from the same address without a valid
	// key.
	RateLimit          int
	AnonymousRateLimit int
	// MaxBody is the maximum size of a request body, in bytes.
	MaxBody int64
	// StaleAfter is how long the queue of submissions (the feed) may make no progress before the
	// health check fails.
	StaleAfter time.Duration
	// Measure is called after every answered request. It is called with the route's pattern, the
	// method, the status code, and the time that the answer took.
	Measure func(route, method string, status int, took time.Duration)
	// Connections is called with the number of open connections, whenever that number has changed
	// by at least 32 (much) since the last call.
	Connections func(open int)
}

// Defaults returns the default settings.
func Defaults() ServerSettings {
	return ServerSettings{
		RateLimit:          120,
		AnonymousRateLimit: 60,
		MaxBody:            32 << 20,
		StaleAfter:         15 * time.Minute,
	}
}

// Server answers HTTP requests.
type Server struct {
	auth     *auth.Service
	ingest   *ingest.Service
	settings ServerSettings
	log      *slog.Logger
	echo     *echo.Echo
	sessions *session.Sessions
	pages    *pages.Pages
	ui       ui.Areas
	api      *api.API
	origins  *http.CrossOriginProtection
	names    []string
	keys     *limiter[int64]
	networks *limiter[string]
	// callbacks is the rate limiter that the spec calls smart-callback ("Limits").
	callbacks *limiter[string]
	// signIns limits the rate of callbacks from identity providers, because each callback may make
	// the service send its client secret to the provider.
	signIns *limiter[string]
	// users limits how many requests of each user are handled at a time.
	users *task.Shares[int64]
	// warnedOfProxy makes sure that the log has only one warning about an untrusted proxy.
	warnedOfProxy sync.Once
	// conns and requests limit how many connections and requests there are at a time. warned limits
	// how often the log warns of too many connections.
	conns, requests *slots
	warned          request.OnceAMinute
}

// New returns a Server. The pages keep their sessions in store.
func New(use ui.UseCases, store scs.Store, settings ServerSettings, log *slog.Logger) *Server {
	s := &Server{
		auth: use.Auth, ingest: use.Ingest, settings: settings, log: log,
		sessions:  session.New(store, settings.BaseURL, use.Auth, use.Smart, log),
		origins:   originsOf(settings.BaseURL),
		names:     namesOf(settings),
		keys:      newLimiter[int64](settings.RateLimit, time.Minute),
		networks:  newLimiter[string](settings.AnonymousRateLimit, time.Minute),
		callbacks: newLimiter[string](callbackRate, time.Minute),
		signIns:   newLimiter[string](signInRate, time.Minute),
		users:     task.NewShares[int64](atOnce),
		conns:     newSlots(maxConnections()),
		requests:  newSlots(mostRequests),
	}
	s.conns.changed, s.conns.crowded = settings.Connections, s.warnOfCrowd
	s.pages = pages.New(s.sessions, use.Auth, settings.Environment, log)
	s.ui = ui.New(s.pages, use, sync.OnceValue(s.newGuide))
	s.api = api.New(use.Ingest, api.Limits{
		BaseURL: settings.BaseURL, MaxBody: settings.MaxBody, StaleAfter: settings.StaleAfter, Version: settings.Version,
		Backups: settings.Backups, Unbelieved: s.unbelieved,
	})
	s.echo = s.newRouter()
	s.routes()
	return s
}

// newRouter returns a router with the middleware that every request passes through.
func (s *Server) newRouter() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = clientIP(s.settings.TrustedProxies)
	e.SchemeExtractor = echo.ExtractSchemeDirect()
	e.HTTPErrorHandler = s.renderError
	e.Use(s.observe, s.secure, s.unslashed)
	return e
}

// Handler returns the HTTP handler.
func (s *Server) Handler() http.Handler { return s.echo }

// clientIP returns a function that finds the IP address of a request's client. It trusts
// X-Forwarded-For only from the given proxies.
func clientIP(proxies []*net.IPNet) echo.IPExtractor {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect()
	}
	trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, proxy := range proxies {
		trust = append(trust, echo.TrustIPRange(proxy))
	}
	return echo.ExtractIPFromXFFHeader(trust...)
}

// newGuide renders the guide with the address and limits of this installation.
func (s *Server) newGuide() *guide.Guide {
	return guide.Must(guide.Facts{
		Base: s.settings.BaseURL, RateLimit: s.settings.RateLimit, AnonymousRateLimit: s.settings.AnonymousRateLimit,
		MaxBodyBytes: s.settings.MaxBody, BufferFor: s.ingest.BufferFor(), Reading: s.ingest.Reading(),
	})
}
