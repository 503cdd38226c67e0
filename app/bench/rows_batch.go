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
	"birthregistry/app/intake"
	"birthregistry/app/mapping"
	"birthregistry/app/seal"
)

// A batch of 10,000 courses, 60 MB, and one of twice the length.

const (
	oursBatch  = "batch of 10,000 courses"
	oursTwice  = "batch of 20,000 courses"
	decodeOnly = "unsealing and decoding alone"
	theBatch   = "the batch's size"
	oursBeside = "accept during a batch"
	besideOne  = "during a batch in one transaction"
)

func batchGroups() []group {
	return []group{
		{name: "batch", rows: []row{
			{oursBatch + ", 202 to completed", oursBatch, decodeOnly, rate, atLeast(0.8)},
			{oursBatch + ", peak memory above idle", oursBatch, theBatch, bytes, atMost(0.6)},
			{oursTwice + ", peak memory above idle", oursTwice, oursBatch, bytes, atMost(1.1)},
		}, ways: batches},
		{name: "accept during a batch", rows: []row{
			{"accept p99 while a batch of 10,000 runs", oursBeside, besideOne, p99, atMost(1.0 / 6)},
		}, ways: besides},
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
		oursBatch:  func() (Figure, error) { return w.batch(once, n) },
		oursTwice:  func() (Figure, error) { return w.batch(twice, 2*n) },
		decodeOnly: decode,
		theBatch:   func() (Figure, error) { return Figure{Bytes: float64(len(once))}, nil },
	}, nil
}

// batch posts a batch to a program that was started and has come to rest. The
// rate is that of its courses, from the 202 to completed; the bytes are the
// peak of the process's memory above what it had at rest.
func (w *workshop) batch(body []byte, courses int) (f Figure, err error) {
	s, err := w.site(1)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	time.Sleep(w.scale.rest()) // what a start took beyond that is no part of it
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

// through posts a Bundle of the first practice, and returns how long it took from
// the 202 to completed.
func (s *site) through(body []byte) (time.Duration, error) {
	location, err := s.send(body)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = s.completed(s.w.ctx, location)
	return time.Since(began), err
}

// send posts a Bundle of the first practice and returns its receipt's address.
func (s *site) send(body []byte) (location string, err error) {
	answer, _, err := s.ask("POST", "http://"+s.address+bundlePath, stdbytes.NewReader(body))
	if err != nil {
		return "", err
	}
	if answer.StatusCode != http.StatusAccepted {
		return "", fmt.Errorf("answered %s", answer.Status)
	}
	return answer.Header.Get("Content-Location"), nil
}

// completed waits until a receipt is.
func (s *site) completed(ctx context.Context, location string) error {
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

func (s *site) ask(method, address string, body io.Reader) (*http.Response, string, error) {
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

// decodes is the limit of a batch: its bytes, sealed in parts as the intake
// does, are opened and read into drafts, and nothing else.
func decodes(w *workshop, body []byte, courses int) (way, error) {
	folder, err := w.room()
	if err != nil {
		return nil, err
	}
	a, err := app.Open(w.ctx, quiet(filepath.Join(folder, "registry.db")))
	if err != nil {
		return nil, err
	}
	w.undo = append(w.undo, a.Close)
	b := &sealedBody{vault: a.Vault}
	for part := range slices.Chunk(body, 1<<20) {
		sealed, err := a.Vault.Seal(b.place(len(b.parts)), part)
		if err != nil {
			return nil, err
		}
		b.parts = append(b.parts, sealed)
	}
	mapper := mapping.Mapper{Attendants: intake.Defaults().Attendants}
	return func() (f Figure, err error) {
		defer debug.SetGCPercent(debug.SetGCPercent(intake.GCPercent))
		b.next, b.plain = 0, nil
		seen := 0
		began := time.Now()
		err = mapper.Read(b, func(mapping.Item) error {
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

// sealedBody opens a body part by part as it is read.
type sealedBody struct {
	vault *seal.Vault
	parts [][]byte
	next  int
	plain []byte
}

func (b *sealedBody) place(part int) seal.Place {
	return seal.Place{Practice: 1, Table: "buffers", Row: fmt.Sprint(part)}
}

func (b *sealedBody) Read(p []byte) (n int, err error) {
	if len(b.plain) == 0 {
		if b.next == len(b.parts) {
			return 0, io.EOF
		}
		if b.plain, err = b.vault.Open(b.place(b.next), b.parts[b.next]); err != nil {
			return 0, err
		}
		b.next++
	}
	n = copy(p, b.plain)
	b.plain = b.plain[n:]
	return n, nil
}

// Seek goes back to the beginning.
func (b *sealedBody) Seek(int64, int) (int64, error) {
	b.next, b.plain = 0, nil
	return 0, nil
}

// besides measures 400 submissions a second of another practice for as long as
// a batch is worked.
func besides(w *workshop) (map[string]way, error) {
	ours, err := w.site(2)
	if err != nil {
		return nil, err
	}
	theirs, err := w.plainSite(2)
	if err != nil {
		return nil, err
	}
	n := int(w.scale.pick(10_000, 1_000))
	beside := func(s *site) way {
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
	return map[string]way{oursBeside: beside(ours), besideOne: beside(theirs)}, nil
}
