// Package ingest takes a Bundle from the request to the receipt (spec, "Push lane"):
//
//	Accept         stores a body durably: receipt, sealed buffer, queue message
//	ReceiveOpened  delivers the queues of practices that had no work before
//	ReceiveQueues  receives the queues of practices that have work, and begins the first jobs
//	RunJob         does the next job of a practice's queue: map, decide, write
//	Expire         ends ingestions that waited too long
//	Receipt        returns what the caller may read about an ingestion
//
// A confirmed spreadsheet goes through the same queue; Files reads it (app/imports). Package
// changes writes the records.
//
// Every accepted entry is applied exactly once, even if the process crashes. A
// rejection is a value in the receipt; an error means that the program, the database or the disk
// failed.
// No submitted value appears in an error or a log line.
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

// GCPercent is the garbage collector's target in the serving process. Little memory is live,
// but much is allocated. Collecting less often increases the throughput by a tenth and takes
// some ten MiB more.
const GCPercent = 400

// Settings are the operator's settings.
type Settings struct {
	// BufferTTL is how long a submitted Bundle may wait for processing.
	BufferTTL time.Duration
	// Workers is how many chunks are processed at a time. With 0, the service accepts
	// submissions but doesn't process them.
	Workers int
	// Attendants lists the participation codes that mark the attendant.
	Attendants []string
	// Reading selects the resources of a Bundle that are read.
	Reading birth.Reading
	// MaxInFlight is the greatest number of bytes of bodies that are being received at the same
	// time.
	MaxInFlight int64
	// DiskReserve is the free space, in bytes, below which nothing is accepted. While the WAL is
	// large, more space must stay free (reserve).
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

	// Files reads the confirmed spreadsheets among the ingestions.
	Files Files

	// slots admits the chunks of all practices first come, first served, so that the chunks of a
	// large batch wait like all others.
	slots *semaphore.Weighted
	// writing is locked for reading by every job that writes a chunk, and exclusively by a job that
	// runs alone.
	writing sync.RWMutex
	// inFlight is the budget, in bytes, of the bodies that are being received.
	inFlight *semaphore.Weighted
	// wake receives a signal when something was accepted, to wake the worker.
	wake   chan struct{}
	opened *openings

	// truncationPending is set while deleted patient data may still be in the WAL.
	truncationPending atomic.Bool
	// working counts the jobs that are under way.
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
		inFlight:       semaphore.NewWeighted(settings.MaxInFlight),
		wake:           make(chan struct{}, 1),
		opened:         newOpenings(settings.Workers),
		clock:          newClock(),
		idempotencyKey: vault.Key("idempotency"),
	}
}

// Wake returns the channel that receives a signal when something was accepted.
// Signals that nobody has received yet are merged into one.
func (s *Service) Wake() <-chan struct{} { return s.wake }

// Signal wakes the worker.
func (s *Service) Signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// TakeSlot waits until a chunk may be processed, first come, first served.
func (s *Service) TakeSlot(ctx context.Context) (done func(), err error) {
	if err := s.slots.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { s.slots.Release(1) }, nil
}

// TakeTruncationPending reports whether SetTruncationPending was called since the last call:
// deleted patient data may still be in the WAL.
func (s *Service) TakeTruncationPending() bool { return s.truncationPending.Swap(false) }

// SetTruncationPending records that deleted patient data may still be in the WAL.
func (s *Service) SetTruncationPending() { s.truncationPending.Store(true) }
