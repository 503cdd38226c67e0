package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"birthregistry/app"
	"birthregistry/app/auth"
	"birthregistry/store"
)

// bundlePath is the path to which Bundles are pushed.
const bundlePath = "/api/registry/fhir/Bundle"

var bundleHeaders = []string{"Content-Type: application/fhir+json"}

// installation is the program as it is shipped, with a separate database.
type installation struct {
	*process
	w      *workshop
	folder string
	db     string
	keys   []string // one API key for each practice
	next   uint64   // the number of the next Bundle
	filled int      // how many records the curve has added to the first practice
	cookie string   // the session cookie of the admin who is signed in

	practices []store.PracticeID
}

// provided returns an installation with the given number of practices. The installation isn't
// running yet.
func (w *workshop) provided(practices int) (*installation, error) {
	folder, err := w.tempFolder()
	if err != nil {
		return nil, err
	}
	s := &installation{w: w, folder: folder, db: filepath.Join(folder, "registry.db")}
	return s, s.provide(practices)
}

// installation returns a running installation with the given number of practices. flags are
// additional flags for the command serve.
func (w *workshop) installation(practices int, flags ...string) (*installation, error) {
	s, err := w.provided(practices)
	if err != nil {
		return nil, err
	}
	return s, s.serve(flags...)
}

// serve starts the program, with additional flags, on the installation.
func (s *installation) serve(flags ...string) error {
	program, err := s.w.program("birthregistry", ".")
	if err != nil {
		return err
	}
	s.process, err = s.w.start("", append([]string{
		program, "serve", "--db", s.db, "--listen", "127.0.0.1:0",
		"--max-body", fmt.Sprint(maxBody), "--rate-limit", fmt.Sprint(maxRate),
	}, flags...)...)
	return err
}

// provide adds practices, each with an API key.
func (s *installation) provide(practices int) error {
	return s.open(context.Background(), func(a *app.App) error {
		for n := range practices {
			var id store.PracticeID
			err := a.DB.Update(func(tx *store.Tx) (err error) {
				id, err = tx.AddPractice(fmt.Sprint("Practice ", n), false, true)
				return err
			})
			if err != nil {
				return err
			}
			key, _, err := a.Auth.Mint(id, "bench", []string{string(auth.IngestWrite), string(auth.IngestRead)}, "bench")
			if err != nil {
				return err
			}
			s.keys, s.practices = append(s.keys, key), append(s.practices, id)
		}
		return nil
	})
}

// quiet returns the default configuration without a log.
func quiet(db string) app.Config {
	config := app.Defaults(db)
	config.Log = slog.New(slog.DiscardHandler)
	return config
}

// benched returns the configuration for a service that the benchmark's own process serves. It
// matches the flags with which the shipped program is started.
func benched(db string) app.Config {
	config := quiet(db)
	config.Web.MaxBody, config.Web.RateLimit = maxBody, maxRate
	config.Ingest.MaxInFlight = 2 * maxBody
	config.OnlyServes = true
	return config
}

// These limits are high enough for everything that is measured.
const (
	maxBody = 256 << 20
	maxRate = 1_000_000_000
)

// post returns a plan in which callers post a body. The plan measures for the duration long, after
// a warm-up of a quarter of that duration.
func (s *installation) post(body string, callers int, long time.Duration) plan {
	return plan{
		Address: s.address, Method: "POST", Path: bundlePath, Headers: bundleHeaders, Keys: s.keys,
		Body: body, Status: 202, Callers: callers, Warm: long.Seconds() / 4, Time: long.Seconds(), From: s.next,
	}
}

// run runs a plan and returns its Figure, in which Bytes is what a request leaves on the disk. run
// also counts the plan's requests, so that the next plan that post returns begins with an unused
// number.
func (s *installation) run(p plan) (Figure, error) {
	before := onDisk(s.folder)
	d, err := load(s.w.ctx, p)
	s.next += d.Asked
	if err != nil {
		time.Sleep(time.Second) // let it log the cause
		return d.Figure, errors.Join(err, errors.New(s.output()))
	}
	d.Bytes = (onDisk(s.folder) - before) / float64(d.Asked)
	return d.Figure, nil
}
