package ingest

import (
	"context"
	"strings"

	"golang.org/x/sync/semaphore"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/mapping"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// These exports give the tests access to the package's internals. The tests stop a job between
// its steps, as a crash does.

const (
	ChunkItems  = chunkItems
	Wary        = wary
	GroupCount  = groupCount
	MaxAttempts = maxAttempts
)

type Chunk = chunk

func NewChunk(changes ...changes.Change) Chunk { return chunk{changes: changes} }

func (c chunk) Changes() []changes.Change { return c.changes }

var (
	ExceptionOf = exceptionOf
	IsLarge     = isLarge
)

func (s *Service) NextGroup(p store.PracticeID) ([]store.Ingestion, error) {
	return store.Read(context.Background(), s.db, func(v *store.View) ([]store.Ingestion, error) { return nextGroup(v, p) })
}

func (s *Service) ProcessLarge(ctx context.Context, l store.PracticeQueue, i store.Ingestion) error {
	return s.processLarge(ctx, l, i, s.together())
}

func (s *Service) ProcessSmall(ctx context.Context, l store.PracticeQueue, group []store.Ingestion) (bool, error) {
	return s.processSmall(ctx, l, group, s.together())
}

func (s *Service) ApplyChunk(l store.PracticeQueue, i store.Ingestion, c Chunk) error {
	return s.applyChunk(l, i, c)
}

func (s *Service) ReadAll(p store.PracticeID, i store.Ingestion) ([]changes.Change, error) {
	return s.readAll(p, i)
}

func (s *Service) ReadChunks(ctx context.Context, p store.PracticeID, i store.Ingestion, chunks chan<- Chunk) error {
	return s.readChunks(ctx, p, i, chunks, s.together())
}

func (s *Service) BodyOf(ctx context.Context, p store.PracticeID, i store.Ingestion) (*PartReader, func(func(mapping.Item) error) error, error) {
	return s.bodyOf(ctx, p, i)
}

func (s *Service) CompleteLarge(l store.PracticeQueue, i store.Ingestion) error {
	return s.completeLarge(l, i, Outcome{})
}

func (s *Service) Failed(p store.PracticeID, i store.Ingestion, class string, cause error) (store.Ending, error) {
	return s.failed(p, i, class, cause)
}

// AcceptAlone accepts a body as Accept does, but in a transaction of its own; lock keeps other
// callers out.
func (s *Service) AcceptAlone(c auth.Caller, in Request, lock func() func()) error {
	n, err := s.receive(c, in)
	if err != nil {
		return err
	}
	defer lock()()
	_, err = s.commit(auth.User{Practice: store.Practice{ID: c.Practice}}, n, func(*store.Tx) error { return nil })
	return err
}

// SetAnswers sets the memory for the receipts that callers are reading.
func (s *Service) SetAnswers(bytes int64) { s.answers = newBudget(bytes, bytes/2) }

func (s *Service) Slots() *semaphore.Weighted { return s.slots }

func (s *Service) SetVault(vault *seal.Vault) { s.vault = vault }

// Writing reports whether a job writes. AloneWaits reports whether one waits to run alone.
func (s *Service) Writing() bool {
	if s.writing.TryLock() {
		s.writing.Unlock()
		return false
	}
	return true
}

func (s *Service) AloneWaits() bool {
	if s.writing.TryRLock() {
		s.writing.RUnlock()
		return false
	}
	return true
}

// AcceptNoting accepts a body as Accept does, with a note in the same transaction.
func (s *Service) AcceptNoting(c auth.Caller, body string, note func(*store.Tx) error) (Acknowledgement, error) {
	n, err := s.receive(c, Request{Body: strings.NewReader(body), Limit: int64(len(body))})
	if err != nil {
		return Acknowledgement{}, err
	}
	return s.commit(auth.User{Practice: store.Practice{ID: c.Practice}}, n, note)
}
