package main

import (
	stdbytes "bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"birthregistry/app"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
	"birthregistry/app/seal"
)

// A batch of 10,000 courses, 60 MB, and one of twice the length.

const (
	serviceBatch         = "batch of 10,000 courses"
	serviceTwice         = "batch of 20,000 courses"
	decodeOnly           = "unsealing and decoding alone"
	theBatch             = "the batch's size"
	serviceDuringBatch   = "accept during a batch"
	duringOneTransaction = "during a batch in one transaction"
)

func batchGroups() []group {
	return []group{
		{name: "batch", rows: []row{
			{serviceBatch + ", 202 to completed", serviceBatch, decodeOnly, rate, atLeast(0.8)},
			{serviceBatch + ", peak memory above idle", serviceBatch, theBatch, bytes, atMost(0.6)},
			{serviceTwice + ", peak memory above idle", serviceTwice, serviceBatch, bytes, atMost(1.1)},
		}, ways: batches},
		{name: "accept during a batch", rows: []row{
			{"accept p99 while a batch of 10,000 runs", serviceDuringBatch, duringOneTransaction, p99, atMost(1.0 / 6)},
		}, ways: duringBatch},
	}
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

// batch posts a batch to a program that has started and become idle. Rate counts its
// courses, from the 202 to completed; Bytes is the process's peak memory above what
// it had when idle.
func (w *workshop) batch(body []byte, courses int) (f Figure, err error) {
	s, err := w.installation(1)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	time.Sleep(w.scale.rest()) // the memory of the start does not count
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

// through posts a Bundle of the first practice, and returns the time from the 202 to
// completed.
func (s *installation) through(body []byte) (time.Duration, error) {
	location, err := s.send(body)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = s.completed(s.w.ctx, location)
	return time.Since(began), err
}

// send posts a Bundle of the first practice, and returns the address of its receipt.
func (s *installation) send(body []byte) (location string, err error) {
	answer, _, err := s.ask("POST", "http://"+s.address+bundlePath, stdbytes.NewReader(body))
	if err != nil {
		return "", err
	}
	if answer.StatusCode != http.StatusAccepted {
		return "", fmt.Errorf("answered %s", answer.Status)
	}
	return answer.Header.Get("Content-Location"), nil
}

// completed waits until a receipt is completed.
func (s *installation) completed(ctx context.Context, location string) error {
	for began := time.Now(); time.Since(began) < 10*time.Minute && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		_, body, err := s.ask("GET", location, http.NoBody)
		if err != nil {
			return err
		}
		switch head := body[:min(len(body), 200)]; {
		case strings.Contains(head, `"completed"`):
			return nil
		case strings.Contains(head, `"failed"`):
			return fmt.Errorf("it failed: %s", head)
		}
	}
	return errors.Join(ctx.Err(), errors.New("it is not completed"))
}

func (s *installation) ask(method, address string, body io.Reader) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(s.w.ctx, method, address, body)
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Authorization", "Bearer "+s.keys[0])
	r.Header.Set("Content-Type", "application/fhir+json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, "", err
	}
	content, err := io.ReadAll(answer.Body)
	return answer, string(content), errors.Join(err, answer.Body.Close())
}

// decodes is the reference for a batch: it opens its bytes, sealed in parts as the
// service seals them, and reads them into drafts, and nothing else.
func decodes(w *workshop, body []byte, courses int) (way, error) {
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
	for part := range slices.Chunk(body, 1<<20) {
		sealed, err := a.Vault.Seal(place(len(parts)), part)
		if err != nil {
			return nil, err
		}
		parts = append(parts, sealed)
	}
	part := func(n int) ([]byte, error) { return a.Vault.Open(place(n), parts[n]) }
	mapper := bundle.Reader{Attendants: ingest.Defaults().Attendants}
	return func() (f Figure, err error) {
		defer debug.SetGCPercent(debug.SetGCPercent(ingest.GCPercent))
		seen := 0
		began := time.Now()
		err = mapper.Read(&sealedBody{size: int64(len(body)), part: part}, func(mapping.Item) error {
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

// duringBatch measures 400 submissions a second of another practice for as long as a
// batch is processed.
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
			location, err := s.send(batch(course(lean), int(s.next), n))
			if err != nil {
				return Figure{}, err
			}
			s.next += uint64(n)
			p := s.post(course(lean), 64, time.Minute)
			p.Keys, p.Warm, p.Every = s.keys[1:], 0, 64.0/400
			p.While, p.WhileKey = strings.TrimPrefix(location, "http://"), s.keys[0]
			return s.run(p)
		}
	}
	return map[string]way{serviceDuringBatch: during(service), duringOneTransaction: during(reference)}, nil
}
