package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"birthregistry/app"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// These rows measure a batch of 10,000 courses of care (60 MB), and a batch twice as long.

const (
	serviceBatch         = "batch of 10,000 courses"
	serviceTwice         = "batch of 20,000 courses"
	decodeOnly           = "unsealing and decoding alone"
	theBatch             = "the batch's size"
	serviceDuringBatch   = "accept during a batch"
	duringOneTransaction = "during a batch in one transaction"
)

var batchGroups = []group{
	{name: "batch", rows: []row{
		{serviceBatch + ", 202 to completed", serviceBatch, decodeOnly, rate, atLeast(0.6)},
		{serviceBatch + ", peak memory above idle", serviceBatch, theBatch, bytes, atMost(0.6)},
		{serviceTwice + ", peak memory above idle", serviceTwice, serviceBatch, bytes, atMost(1.1)},
	}, ways: batches},
	{name: "accept during a batch", rows: []row{
		{"accept p99 while a batch of 10,000 runs", serviceDuringBatch, duringOneTransaction, p99, atMost(1.0 / 6)},
	}, ways: duringBatch},
}

func batches(w *workshop) (map[string]way, error) {
	n := int(w.scale.pick(10_000, 1_000))
	once, twice := batch(course(lean), 0, n), batch(course(lean), 0, 2*n)
	decode, err := decodes(w, once, n)
	if err != nil {
		return nil, err
	}
	return map[string]way{
		serviceBatch: func() (Figure, error) { return w.batch(once, n) },
		serviceTwice: func() (Figure, error) { return w.batch(twice, 2*n) },
		decodeOnly:   decode,
		theBatch:     func() (Figure, error) { return Figure{Bytes: float64(len(once))}, nil },
	}, nil
}

// batch starts the program, waits until it is idle, and posts a batch. In the Figure, Rate is how
// many courses of care the program processes per second, from the answer 202 until the batch is
// completed. Bytes is the peak memory of the process minus its idle memory.
func (w *workshop) batch(body string, courses int) (f Figure, err error) {
	s, err := w.installation(1)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	time.Sleep(w.scale.rest()) // so that the memory that the start took isn't counted
	idle, _, err := s.memory()
	if err != nil {
		return f, err
	}
	took, err := s.through(body)
	if err != nil {
		return f, err
	}
	f.Rate = float64(courses) / took.Seconds()
	_, peak, err := s.memory()
	f.Bytes = peak - idle
	return f, err
}

// decodes returns the reference for a batch, which opens the sealed parts of the batch and reads
// them into drafts, as the service does. It does nothing else.
func decodes(w *workshop, body string, courses int) (way, error) {
	folder, err := w.tempFolder()
	if err != nil {
		return nil, err
	}
	a, err := app.Open(w.ctx, quiet(filepath.Join(folder, "registry.db")))
	if err != nil {
		return nil, err
	}
	w.undo = append(w.undo, a.Close)
	var parts [][]byte
	place := func(n int) seal.Place { return seal.Place{Practice: 1, Table: "buffers", Row: fmt.Sprint(n)} }
	for part := range slices.Chunk([]byte(body), 1<<20) {
		sealed, err := a.Vault.Seal(place(len(parts)), part)
		if err != nil {
			return nil, err
		}
		parts = append(parts, sealed)
	}
	fetch := func(_ *store.View, n int) ([]byte, error) {
		if n == len(parts) {
			return nil, store.ErrNotFound
		}
		return parts[n], nil
	}
	mapper := bundle.Reader{Attendants: ingest.Defaults().Attendants}
	return func() (f Figure, err error) {
		defer debug.SetGCPercent(debug.SetGCPercent(ingest.GCPercent))
		seen := 0
		began := time.Now()
		err = mapper.Read(ingest.ReadParts(w.ctx, a.DB, a.Vault, fetch, place), func(mapping.Item) error {
			seen++
			return nil
		})
		if seen != courses {
			err = errors.Join(err, fmt.Errorf("read %d courses of %d", seen, courses))
		}
		f.Rate = float64(courses) / time.Since(began).Seconds()
		return f, err
	}, nil
}

// duringBatch measures how long the service takes to accept a submission while it processes a batch
// from another practice. There are 400 submissions a second until the batch is completed.
func duringBatch(w *workshop) (map[string]way, error) {
	service, err := w.installation(2)
	if err != nil {
		return nil, err
	}
	reference, err := w.plainInstallation(2)
	if err != nil {
		return nil, err
	}
	n := int(w.scale.pick(10_000, 1_000))
	during := func(s *installation) way {
		return func() (Figure, error) {
			receipt, err := s.send(batch(course(lean), int(s.next), n))
			if err != nil {
				return Figure{}, err
			}
			s.next += uint64(n)
			p := s.post(course(lean), 64, time.Minute)
			p.Keys, p.Warm, p.Every = s.keys[1:], 0, 64.0/400
			p.While, p.WhileKey = s.address+receipt, s.keys[0]
			return s.run(p)
		}
	}
	return map[string]way{serviceDuringBatch: during(service), duringOneTransaction: during(reference)}, nil
}
