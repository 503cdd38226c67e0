// Package app opens an installation, serves it and closes it again. It connects the
// packages below it, and holds what an operator does to an installation: Doctor,
// checks, backups, Restore, Rehearse and key rotation.
//
//	a, err := app.Open(ctx, app.Defaults("registry.db"))
//	…
//	defer a.Close()
//	err = a.Serve(ctx, listener)
//
// Open migrates the database and creates a missing key file for a new database,
// never for an old one. Only one process can serve a database; everything else
// works while it serves. The end-to-end tests of the project are here, too.
package app

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"birthregistry/app/access"
	"birthregistry/app/certs"
	"birthregistry/app/intake"
	"birthregistry/app/records"
	"birthregistry/app/seal"
	"birthregistry/app/smart"
	"birthregistry/app/systemd"
	"birthregistry/app/task"
	"birthregistry/app/web"
	"birthregistry/app/worker"
	"birthregistry/store"
)

// Version is the program's version; the build sets it.
var Version = "dev"

// Config is an installation with the operator's choices.
type Config struct {
	// DB is the database file; KeyFile the key beside or apart from it, by
	// default the database's name with the ending .key.
	DB      string
	KeyFile string
	// Existing says that the database has to be there. A command that was typed
	// in the wrong folder would make an empty one, and call it sound.
	Existing bool
	Log      *slog.Logger

	Intake intake.Settings
	Smart  smart.Settings
	Web    web.Settings
	// TLS says where the certificate comes from, if any.
	TLS certs.Settings
	// Metrics is where the metrics are served, Plain where who comes without
	// TLS is sent on to the base URL; nil for nowhere.
	Metrics, Plain net.Listener
	// Backups are made while serving; none without a folder.
	Backups Schedule
	// Abandon ends the process when the volume of the database is lost, at once:
	// nothing can be written any more, so there is nothing to finish. Without it,
	// Serve returns.
	Abandon func(error)
}

// App is an open installation.
type App struct {
	DB     *store.DB
	Vault  *seal.Vault
	Access *access.Access
	Intake *intake.Service
	Smart  *smart.Service
	// Records reads records back; Sessions keeps those of the pages.
	Records  *records.Records
	Sessions scs.Store

	config Config
}

// Defaults returns the configuration of an operator who chose nothing.
func Defaults(db string) Config {
	return Config{DB: db, Log: slog.Default(), Intake: intake.Defaults(), Web: web.Defaults()}
}

// KeyFileFor returns where the key of a database is by default: what the
// service manager hands over as the credential registry.key, else the file
// beside the database.
func KeyFileFor(db string) string {
	if handed := systemd.Credential("registry.key"); handed != "" {
		return handed
	}
	return strings.TrimSuffix(db, filepath.Ext(db)) + ".key"
}

// Open opens the installation, making database and key on first use, unless the
// database has to be there.
func Open(ctx context.Context, config Config) (*App, error) {
	if config.KeyFile == "" {
		config.KeyFile = KeyFileFor(config.DB)
	}
	if err := config.absent(); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, config.DB)
	if err != nil {
		return nil, err
	}
	vault, made, err := seal.Open(db, config.KeyFile)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if made {
		if err := store.GiveTo(filepath.Dir(config.KeyFile), config.KeyFile); err != nil {
			return nil, errors.Join(err, db.Close())
		}
		config.Log.Warn("made the key of this database; move it away from the database and keep a copy: without it nothing can be read",
			"database", db.Path(), "key_file", absolute(config.KeyFile))
	}
	if keys, err := vault.Keys(); err != nil || keys.Recovery { // what it signed, the own key could not verify
		return nil, errors.Join(cmp.Or(err, seal.ErrRecoveryKey), db.Close())
	}
	people := access.New(db, vault)
	a := &App{
		DB:       db,
		Vault:    vault,
		Access:   people,
		Intake:   intake.New(db, vault, people, config.Intake, config.Log),
		Smart:    smart.New(db, vault, people, config.Smart, config.Log),
		Records:  records.New(db, vault),
		Sessions: people.Shelf(),
		config:   config,
	}
	if err := sign(ctx, db, vault, people, vault.Signs(), a.upgrading("signing the rows of an earlier version; what was done is kept")); err != nil {
		return nil, errors.Join(fmt.Errorf("sign: %w", err), db.Close())
	}
	if err := a.Intake.RenewFingerprints(ctx, a.upgrading("computing the fingerprints of an earlier version anew; what was done is kept")); err != nil {
		return nil, errors.Join(fmt.Errorf("fingerprints: %w", err), db.Close())
	}
	return a, nil
}

// upgrading returns a function that reports to the log and the service manager, every
// reportEvery, how far a step of an upgrade has come.
func (a *App) upgrading(step string) func(done, total int) {
	reported := time.Time{}
	return func(done, total int) {
		if done < total && time.Since(reported) < reportEvery {
			return
		}
		reported = time.Now()
		a.config.Log.Info(step, "count", done, "items", total)
		_ = systemd.Notify(systemd.Longer) // it may ask for none
	}
}

// reportEvery is how often a long upgrade reports its progress.
const reportEvery = 2 * time.Second

// Begun reports whether the key of an installation is there, and so has its
// database to be: where it is not, its disk is perhaps not mounted, and an empty
// one in its place would know nobody and say that all is well.
func (c Config) Begun() bool {
	if c.KeyFile == "" {
		c.KeyFile = KeyFileFor(c.DB)
	}
	_, err := os.Stat(c.KeyFile)
	return err == nil
}

// absent is an error when the database is not there and has to be.
func (c Config) absent() error {
	begun := c.Begun() // before the other look: who makes both makes the key last
	_, err := os.Stat(c.DB)
	switch {
	case !c.Existing || !errors.Is(err, os.ErrNotExist):
		return nil
	case begun:
		return fmt.Errorf("there is no database at %s, but its key is at %s: mount its disk, or name it with --db, or bring it back with "+
			"birthregistry restore BACKUP; practice add makes a new one", absolute(c.DB), absolute(c.KeyFile))
	}
	return fmt.Errorf("there is no database at %s; name it with --db or REGISTRY_DB, or make one with birthregistry practice add", absolute(c.DB))
}

// absolute says where a file is, whatever folder a command was typed in.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// memoryGoal is where the collector begins to work harder, in bytes: little above
// what the service takes when it waits, so that the longest batch leaves room on
// the smallest box. A batch of 60 MB takes 33 MiB with it; 36 MiB let it take 41
// and 100 MiB 67, all at the same pace.
//
// Every connection takes some memory that no collector gives back, so that it
// moves the goal by as much: without that, two hundred of them had the collector
// take half of the processor.
const (
	memoryGoal       = 28 << 20
	connectionMemory = 128 << 10
)

// memoryFor sets the goal for so many connections.
func memoryFor(connections int) {
	debug.SetMemoryLimit(memoryGoal + int64(connections)*connectionMemory)
}

// Serve answers requests on the listener and works the queue until ctx ends.
// It returns store.ErrServed when another process serves the database.
func (a *App) Serve(ctx context.Context, listener net.Listener) error {
	lock, err := a.lock()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer lock.Close()                                                   //nolint:errcheck // closing releases it, and nothing was written
	if err := a.Vault.Ready(); err != nil && !store.IsUnavailable(err) { // a full disk is waited out
		return errors.Join(err, listener.Close())
	}
	debug.SetGCPercent(intake.GCPercent)
	memoryFor(0)
	a.config.Web.Connections = memoryFor
	secure, err := a.config.TLS.Config(a.DB, a.Vault, a.config.Log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if a.config.Web.BaseURL == "" {
		a.config.Web.BaseURL = baseURL(listener, secure)
	}
	a.Smart.ServeAt(a.config.Web.BaseURL)
	a.config.Web.Version, a.config.Web.Names = Version, a.config.TLS.Domains
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	backups := a.schedule()
	if backups != nil {
		a.config.Web.Backups = backups.State
	}
	workers := worker.New(a.DB, a.Intake, a.Smart, worker.Settings{
		Workers:   a.config.Intake.Workers,
		BufferTTL: a.config.Intake.BufferTTL,
		Backups:   backups,
	}, a.config.Log)
	working := task.Go(a.config.Log, "worker", func() error {
		defer stop() // a service that cannot work its queue must not go on accepting
		return workers.Run(ctx)
	})
	measured := a.beside(ctx, "metrics", a.config.Metrics, a.measure())
	server := web.New(a.Access, a.Intake, a.Records, a.Smart, a.Sessions, a.config.Web, a.config.Log)
	a.config.Log.Info("serving", "address", a.config.Web.BaseURL, "listen", listener.Addr().String(),
		"database", a.DB.Path(), "version", Version, "reading", string(a.config.Intake.Reading))
	plain := a.beside(ctx, "plain", a.config.Plain, server.Handler())
	a.watch(ctx)
	holding := a.holdVolume(ctx, stop)
	resting := a.rest(ctx)
	err = server.Serve(ctx, listener, secure)
	stop()
	return errors.Join(err, <-working, <-measured, <-plain, <-resting, <-holding)
}

// baseURL is where a service is reached that was not told.
func baseURL(listener net.Listener, secure *tls.Config) string {
	scheme := "http://"
	if secure != nil {
		scheme = "https://"
	}
	return scheme + listener.Addr().String()
}

// Close closes the installation.
func (a *App) Close() error { return a.DB.Close() }
