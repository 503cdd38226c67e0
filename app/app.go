// Package app builds the service on an installation. It connects the packages in this folder,
// answers requests and processes the queue until its context ends.
//
//	a, err := app.Open(ctx, app.Defaults("registry.db"))
//	…
//	defer a.Close()
//	err = a.Serve(ctx, listener)
//
// Only one process can serve a database. Most commands can run in other processes at the same time.
// Package app/ops has what an operator does to an installation. The end-to-end tests of the project
// are in this package.
package app

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/alexedwards/scs/v2"

	"birthregistry/app/archive"
	"birthregistry/app/certs"
	"birthregistry/app/changes"
	"birthregistry/app/customfields"
	"birthregistry/app/drafts"
	"birthregistry/app/erase"
	"birthregistry/app/forget"
	"birthregistry/app/imports"
	"birthregistry/app/ingest"
	"birthregistry/app/ops"
	"birthregistry/app/records"
	"birthregistry/app/review"
	"birthregistry/app/smart"
	"birthregistry/app/sso"
	"birthregistry/app/task"
	"birthregistry/app/web"
	"birthregistry/app/web/ui"
	"birthregistry/app/webhooks"
	"birthregistry/app/worker"
	"birthregistry/store"
)

// Version is the program's version; the build sets it.
var Version = "dev"

// Config holds the settings of an installation and its service.
type Config struct {
	ops.Config

	Ingest   ingest.Settings
	Smart    smart.Settings
	SSO      sso.Settings
	Webhooks webhooks.Settings
	Web      web.ServerSettings
	// TLS names the source of the TLS certificate, if there is one.
	TLS certs.Settings
	// Metrics is the listener on which monitoring reads the metrics. Plain is the listener for
	// requests without TLS, which Serve redirects to the base URL. Each may be nil.
	Metrics, Plain net.Listener
	// Backups is the schedule of the backups that Serve makes. If the schedule has no folder, Serve
	// makes no backups.
	Backups ops.Schedule
	// SetUp is called with the link that sets up an empty installation, and with the time at which
	// the link expires. The link is never logged. SetUp may be nil.
	SetUp func(link string, expires time.Time)
	// Abandon must end the process immediately. Serve calls it when the volume of the database is
	// lost, because nothing can be written anymore. If Abandon is nil, Serve returns instead.
	Abandon func(error)
	// OnlyServes is set if the process does nothing but serve. Serve then sets goals for the
	// garbage collector, which apply to the whole process.
	OnlyServes bool
}

// App is an open installation.
type App struct {
	*ops.Installation
	CustomFields *customfields.Service
	Changes      *changes.Writer  // writes records
	Records      *records.Records // reads records
	Ingest       *ingest.Service
	Imports      *imports.Service
	Drafts       *drafts.Service
	Review       *review.Service
	Archive      *archive.Service // exports and imports practices
	Smart        *smart.Service
	SSO          *sso.Service
	Erase        *erase.Service
	Forget       *forget.Service // forgets practices
	Webhooks     *webhooks.Service
	Sessions     scs.Store // keeps the sessions of the pages

	config Config
}

// Defaults returns the default configuration for the database file db.
func Defaults(db string) Config {
	return Config{Config: ops.Config{DB: db, Log: slog.Default()}, Ingest: ingest.Defaults(), Web: web.Defaults()}
}

// Open opens the installation and builds the service on it. See ops.Open for what it
// creates and upgrades.
func Open(ctx context.Context, config Config) (*App, error) {
	i, err := ops.Open(ctx, config.Config)
	if err != nil {
		return nil, err
	}
	writer := changes.New(i.DB, i.Vault, i.Auth, config.Log)
	queue := ingest.New(i.DB, i.Vault, i.Auth, writer, config.Ingest, config.Log)
	begun := drafts.New(i.DB, i.Vault, i.Auth)
	reader := records.New(i.DB, i.Vault)
	files := imports.New(i.DB, i.Vault, i.Auth, writer, queue, begun)
	return &App{
		Installation: i,
		CustomFields: customfields.New(i.DB, i.Auth),
		Changes:      writer,
		Ingest:       queue,
		Imports:      files,
		Drafts:       begun,
		Review:       review.New(i.Vault, i.Auth, writer),
		Smart:        smart.New(i.DB, i.Vault, i.Auth, config.Smart, config.Log),
		SSO:          sso.New(i.DB, i.Vault, config.SSO),
		Erase:        erase.New(i.DB, i.Auth, writer, queue, files),
		Forget:       forget.New(i.DB, i.Auth),
		Webhooks:     webhooks.New(i.DB, i.Vault, i.Auth, config.Webhooks, config.Log),
		Archive:      archive.New(i.DB, i.Vault, i.Auth, reader, writer, Version),
		Records:      reader,
		Sessions:     i.Auth.SessionStore(),
		config:       config,
	}, nil
}

// memoryGoal is the memory limit of the Go runtime, in bytes: above it, the garbage collector works
// harder. It is slightly more than the idle service takes, so that even the longest batch fits on
// the smallest machine. With this limit, a batch of 60 MB takes 33 MiB. With a limit of 36 MiB it
// took 41 MiB, and with 100 MiB it took 67 MiB. The limit made no difference to the speed.
//
// Every connection takes some memory that the collector can't free, so the limit rises by
// connectionMemory for each connection. Without that, the collector took half of the processor when
// there were two hundred connections.
const (
	memoryGoal       = 28 << 20
	connectionMemory = 128 << 10
)

// memoryFor sets the memory limit of the Go runtime for a number of connections.
func memoryFor(connections int) {
	debug.SetMemoryLimit(memoryGoal + int64(connections)*connectionMemory)
}

// Serve answers requests on the listener and processes the queue until ctx ends. It returns
// store.ErrServed when another process serves the database.
func (a *App) Serve(ctx context.Context, listener net.Listener) error {
	lock, err := a.Lock()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer lock.Close()                                                   //nolint:errcheck // closing releases it, and nothing was written
	if err := a.Vault.Ready(); err != nil && !store.IsUnavailable(err) { // a full disk may get space again, so Serve starts anyway
		return errors.Join(err, listener.Close())
	}
	a.DB.SweepLeftovers()
	if a.config.OnlyServes {
		debug.SetGCPercent(ingest.GCPercent)
		memoryFor(0)
		a.config.Web.Connections = memoryFor
	}
	secure, err := a.config.TLS.Config(a.DB, a.Vault, a.config.Log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if a.config.Web.BaseURL == "" {
		a.config.Web.BaseURL = BaseURL(listener, secure)
	}
	a.Smart.ServeAt(a.config.Web.BaseURL)
	a.SSO.ServeAt(a.config.Web.BaseURL)
	a.Auth.ServeAt(a.config.Web.BaseURL)
	a.config.Web.Version, a.config.Web.Names = Version, a.config.TLS.Domains
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	backups := a.Backups(a.config.Backups)
	if backups != nil {
		a.config.Web.Backups = backups.State
	}
	workers := worker.New(a.DB, a.Ingest, a.Imports, a.Smart, a.Drafts, a.Forget, a.Webhooks, worker.Settings{
		Workers:   a.config.Ingest.Workers,
		BufferTTL: a.config.Ingest.BufferTTL,
		Backups:   backups,
		Notify:    true,
	}, a.config.Log)
	working := task.Go(a.config.Log, "worker", func() error {
		defer stop() // a service that can't process its queue must not accept more
		return workers.Run(ctx)
	})
	measured := a.listen(ctx, "metrics", a.config.Metrics, a.measure())
	server := web.New(a.UseCases(), a.Sessions, a.config.Web, a.config.Log)
	a.config.Log.Info("serving", "address", a.config.Web.BaseURL, "listen", listener.Addr().String(),
		"database", a.DB.Path(), "version", Version, "reading", string(a.config.Ingest.Reading))
	a.offerSetUp(ctx)
	plain := a.listen(ctx, "plain", a.config.Plain, server.Handler())
	stopping := a.Watch(ctx)
	holding := a.HoldVolume(ctx, func(err error) {
		if a.config.Abandon != nil {
			a.config.Abandon(err)
		}
		stop()
	})
	resting := ops.Rest(ctx, a.config.Log)
	err = server.Serve(ctx, listener, secure)
	stop()
	<-stopping
	return errors.Join(err, <-working, <-measured, <-plain, <-resting, <-holding)
}

// offerSetUp passes the set-up link of an empty installation to Config.SetUp.
func (a *App) offerSetUp(ctx context.Context) {
	link, err := a.Auth.SetUpLink(ctx)
	if err != nil { // it was set up before, or the pages will state what is wrong with the database
		return
	}
	a.config.Log.Info("nobody can sign in yet; open the set-up link that birthregistry serve or birthregistry setup-link prints",
		"address", a.config.Web.BaseURL+"/setup")
	if a.config.SetUp != nil {
		a.config.SetUp(a.config.Web.BaseURL+link.Path(), link.Expires)
	}
}

// BaseURL returns the base URL of a service that was configured without one. If the service listens
// on all interfaces, the URL has the host 127.0.0.1, because nobody can call [::] or 0.0.0.0.
func BaseURL(listener net.Listener, secure *tls.Config) string {
	scheme := "http://"
	if secure != nil {
		scheme = "https://"
	}
	address := listener.Addr().String()
	if to, ok := listener.Addr().(*net.TCPAddr); ok && to.IP.IsUnspecified() {
		address = net.JoinHostPort("127.0.0.1", strconv.Itoa(to.Port))
	}
	return scheme + address
}

// UseCases returns the services that the pages and the API call.
func (a *App) UseCases() ui.UseCases {
	return ui.UseCases{
		Auth: a.Auth, CustomFields: a.CustomFields, Ingest: a.Ingest, Changes: a.Changes, Records: a.Records,
		Imports: a.Imports, Drafts: a.Drafts, Review: a.Review, Smart: a.Smart, SSO: a.SSO, Erase: a.Erase, Archive: a.Archive,
		Webhooks: a.Webhooks,
	}
}
