package ingest

import (
	"bytes"
	"context"
	"errors"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// BufferFor returns how long a submitted Bundle may wait for processing.
func (s *Service) BufferFor() time.Duration { return s.settings.BufferTTL }

// Reading returns the setting that selects which resources of a Bundle are read.
func (s *Service) Reading() birth.Reading { return s.settings.Reading }

// Ingestions returns a list of the Bundles that a practice received, newest first
// (store.View.Ingestions).
func (s *Service) Ingestions(ctx context.Context, p store.PracticeID, filter store.IngestionFilter, before int64, limit int) ([]store.ListedIngestion, error) {
	return store.Read(ctx, s.db, func(v *store.View) ([]store.ListedIngestion, error) { return v.Ingestions(p, filter, before, limit) })
}

// ListedIngestion returns one of the Bundles that a practice received. It returns store.ErrNotFound
// if the practice has no Bundle with this id.
func (s *Service) ListedIngestion(ctx context.Context, p store.PracticeID, publicID string) (store.ListedIngestion, error) {
	return store.Read(ctx, s.db, func(v *store.View) (store.ListedIngestion, error) { return v.ListedIngestion(p, publicID) })
}

// Waiting counts what needs attention in a practice. It counts Bundles from the last week, and
// records of any age.
func (s *Service) Waiting(ctx context.Context, p store.PracticeID) (store.NeedsAttention, error) {
	return store.Read(ctx, s.db, func(v *store.View) (store.NeedsAttention, error) {
		return v.NeedsAttention(p, time.Now().Add(-store.RejectsKeptFor))
	})
}

// ErrNoSandbox means that the practice isn't a sandbox. Only a sandbox practice can send samples.
var ErrNoSandbox = errors.New("ingest: samples are sent in a sandbox practice only")

// SendSample accepts a sample Bundle as if another system had pushed it, and returns the public ID
// of its ingestion. The sample is processed like every other Bundle. SendSample returns
// auth.ErrForbidden, ErrNoSandbox, or an error from Accept.
func (s *Service) SendSample(who auth.User, sample []byte) (publicID string, err error) {
	if err := who.Must(auth.SampleSend); err != nil {
		return "", err
	}
	if !who.Practice.Sandbox {
		return "", ErrNoSandbox
	}
	n, err := s.receive(auth.Caller{Practice: who.Practice.ID}, Request{
		Body: bytes.NewReader(sample), Limit: int64(len(sample)),
	})
	if err != nil {
		return "", err
	}
	a, err := s.commit(who, n, func(tx *store.Tx) error { return s.auth.Note(tx, who, "sample.send", n.PublicID) })
	return a.PublicID, err
}
