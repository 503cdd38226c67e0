// Package ingest takes a Bundle from the request to the receipt (spec, "Push lane"):
//
//	Accept         stores a body durably: receipt, sealed body, queue message
//	ReceiveOpened  delivers the queues of practices that had no work before
//	ReceiveQueues  receives the queues of practices that have work, and begins the first jobs
//	RunJob         does the next job of a practice's queue: map, decide, write
//	Expire         ends ingestions that waited too long
//	Receipt        returns what the caller may read about an ingestion
//
// A confirmed spreadsheet goes through the same queue. Files reads it (app/imports). Package
// changes writes the records.
//
// Every accepted entry is applied exactly once, even if the process crashes. A rejection isn't an
// error but part of the receipt. An error means that the program, the database or the disk failed.
// No error and no log line contains a submitted value.
package ingest

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/mapping/bundle"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// GCPercent is the garbage collector's target percentage (GOGC) for the service. Little of its
// memory is live, but it allocates a lot. With less frequent collections, throughput is a tenth
// higher, for about ten MiB more memory.
const GCPercent = 400

// Settings holds the operator's settings for ingestions.
type Settings struct {
	// BufferTTL is how long a submitted Bundle may wait for processing.
	BufferTTL time.Duration
	// Workers is how many chunks are processed at the same time. If it is 0, the service accepts
	// submissions but doesn't process them.
	Workers int
	// Attendants lists the codes for participation in an Encounter that identify the attendant.
	Attendants []string
	// Reading selects which resources of a Bundle are read.
	Reading birth.Reading
	// MaxInFlight is the maximum size, in bytes, of all bodies that are being received at the same
	// time. One practice can use three quarters of it.
	MaxInFlight int64
	// DiskReserve is the disk space, in bytes, that must stay free. With less, the service accepts
	// nothing. While the WAL is large, more space must stay free (reserve).
	DiskReserve int64
}

// Defaults returns the settings that apply unless the operator changes them.
func Defaults() Settings {
	return Settings{
		BufferTTL:   24 * time.Hour,
		Workers:     runtime.GOMAXPROCS(0),
		Attendants:  []string{"ATND"},
		Reading:     birth.SpecReading,
		MaxInFlight: 128 << 20,
		DiskReserve: 64 << 20,
	}
}

// Service accepts and processes ingestions.
type Service struct {
	db       *store.DB
	vault    *seal.Vault
	auth     *auth.Service
	changes  *changes.Writer
	mapper   bundle.Reader
	settings Settings
	log      *slog.Logger

	// Files reads ingestions that are confirmed spreadsheets.
	Files Files

	// slots limits how many chunks are processed at the same time. It admits the chunks of all
	// practices first come, first served. The chunks of a large batch therefore wait like all
	// others.
	slots *semaphore.Weighted
	// writing is locked for reading by every job that writes a chunk. A job that runs alone locks
	// it exclusively.
	writing sync.RWMutex
	// inFlight is the memory for the bodies that are being received, and answers the memory for the
	// receipts that callers are reading.
	inFlight, answers *budget
	// wake receives a signal when a submission was accepted, to wake the worker.
	wake   chan struct{}
	opened *openings

	// truncationPending is set while deleted patient data may still be in the WAL.
	truncationPending atomic.Bool
	// working counts the jobs that are running.
	working atomic.Int64
	clock   *clock

	idempotencyKey []byte
}

// New makes a Service.
func New(db *store.DB, vault *seal.Vault, users *auth.Service, writer *changes.Writer, settings Settings, log *slog.Logger) *Service {
	return &Service{
		db:             db,
		vault:          vault,
		auth:           users,
		changes:        writer,
		mapper:         bundle.Reader{Attendants: settings.Attendants, Reading: settings.Reading},
		settings:       settings,
		log:            log,
		slots:          semaphore.NewWeighted(int64(max(settings.Workers, 1))),
		inFlight:       newBudget(settings.MaxInFlight, settings.MaxInFlight-settings.MaxInFlight/4),
		answers:        newBudget(answersMax, answersMax/2),
		wake:           make(chan struct{}, 1),
		opened:         newOpenings(settings.Workers),
		clock:          newClock(),
		idempotencyKey: vault.Key("idempotency"),
	}
}

// Wake returns the channel that receives a signal when a submission was accepted. Signals that
// nobody has received yet are merged into one.
func (s *Service) Wake() <-chan struct{} { return s.wake }

// Signal wakes the worker. It doesn't wait.
func (s *Service) Signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// TakeSlot waits until a chunk may be processed. Chunks are admitted in the order in which they
// came. The caller must call done afterwards.
func (s *Service) TakeSlot(ctx context.Context) (done func(), err error) {
	if err := s.slots.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { s.slots.Release(1) }, nil
}

// TakeTruncationPending reports whether SetTruncationPending was called since TakeTruncationPending
// last returned. If it was, deleted patient data may still be in the WAL.
func (s *Service) TakeTruncationPending() bool { return s.truncationPending.Swap(false) }

// SetTruncationPending records that deleted patient data may still be in the WAL.
func (s *Service) SetTruncationPending() { s.truncationPending.Store(true) }
