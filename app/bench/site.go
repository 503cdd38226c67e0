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

// Where Bundles are posted, and what goes with them.
const bundlePath = "/api/registry/fhir/Bundle"

var bundleHeaders = []string{"Content-Type: application/fhir+json"}

// site is the program as it is shipped, over a database of its own.
type site struct {
	*process
	w      *workshop
	folder string
	db     string
	keys   []string // one a practice
	next   uint64   // number of the next Bundle

	practices []store.PracticeID
}

// provided is a site with so many practices, at which nothing runs yet.
func (w *workshop) provided(practices int) (*site, error) {
	folder, err := w.room()
	if err != nil {
		return nil, err
	}
	s := &site{w: w, folder: folder, db: filepath.Join(folder, "registry.db")}
	return s, s.provide(practices)
}

// site starts the program for so many practices; flags go to serve.
func (w *workshop) site(practices int, flags ...string) (*site, error) {
	s, err := w.provided(practices)
	if err != nil {
		return nil, err
	}
	return s, s.serve(flags...)
}

// serve starts the program anew.
func (s *site) serve(flags ...string) error {
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

// provide makes the practices and their keys.
func (s *site) provide(practices int) (err error) {
	a, err := app.Open(context.Background(), quiet(s.db))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
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
}

// quiet is the configuration of who chose nothing and hears nothing.
func quiet(db string) app.Config {
	config := app.Defaults(db)
	config.Log = slog.New(slog.DiscardHandler)
	return config
}

// benched is the configuration of a program that is measured, as the flags of
// serve give it to ours.
func benched(db string) app.Config {
	config := quiet(db)
	config.Web.MaxBody, config.Web.RateLimit = maxBody, maxRate
	config.Intake.MaxInFlight = 2 * maxBody
	return config
}

// What is measured must not be refused.
const (
	maxBody = 256 << 20
	maxRate = 1_000_000_000
)

// post is a plan that posts a body for so long.
func (s *site) post(body string, callers int, long time.Duration) plan {
	return plan{
		Address: s.address, Method: "POST", Path: bundlePath, Headers: bundleHeaders, Keys: s.keys,
		Body: body, Status: 202, Callers: callers, Warm: long.Seconds() / 4, Time: long.Seconds(), From: s.next,
	}
}

// run runs a plan, whose Bundles have numbers that no other has. The bytes are
// what a Bundle leaves on the disk.
func (s *site) run(p plan) (Figure, error) {
	before := onDisk(s.folder)
	d, err := load(s.w.ctx, p)
	s.next += d.Asked
	if err != nil {
		time.Sleep(time.Second) // let it say why
		return d.Figure, errors.Join(err, errors.New(s.said()))
	}
	d.Bytes = (onDisk(s.folder) - before) / float64(d.Asked)
	return d.Figure, nil
}
