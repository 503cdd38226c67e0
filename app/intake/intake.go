// Package intake is the one write path. Pushed Bundles, launches, spreadsheets and
// the form all reach the database here and nowhere else.
//
//	Accept    stores a submission durably: receipt, sealed buffer, queue message
//	RunJob    takes the next step of a practice's queue: map, mask, decide, write
//	Save      writes what a person entered in the form
//	Upload    keeps a spreadsheet and previews it; Confirm queues it
//	Merge     decides a review of duplicates; Undo takes it back
//	Expire    ends what was too long in its buffer
//	Receipt   returns what the caller may read of an ingestion
//
// Every accepted entry is applied exactly once, whatever ends the process. A
// rejection is a value in the receipt; an error means that the machinery failed.
// No submitted value appears in an error or a log line.
package intake

import (
	"context"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// GCPercent is the garbage collector's target in the serving process. What
// lives there is small and what passes through is much; collecting less often
// is worth a tenth of the throughput and costs some ten MiB.
const GCPercent = 400

// Settings are the operator's choices.
type Settings struct {
	// BufferTTL is how long a submitted Bundle waits for its processing.
	BufferTTL time.Duration
	// Workers is how many chunks are worked on at a time; 0 accepts only.
	Workers int
	// Attendants are the participation codes of the attendant.
	Attendants []string
	// Reading is which resources of a Bundle are read.
	Reading birth.Reading
	// MaxInFlight bounds the bytes of the bodies being received at a time.
	MaxInFlight int64
	// DiskReserve is the free space, in bytes, below which nothing is accepted;
	// it is more where the write-ahead log is large (reserve).
	DiskReserve int64
}

// Defaults returns the settings of an operator who chose nothing.
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

// Service accepts and processes submissions.
type Service struct {
	db       *store.DB
	vault    *seal.Vault
	auth     *auth.Service
	mapper   mapping.Mapper
	settings Settings
	log      *slog.Logger

	// slots lets the chunks of all practices pass first come, first served, so
	// that a large batch waits its turn like everybody else.
	slots *semaphore.Weighted
	// inFlight is the budget of bytes of bodies being received.
	inFlight *semaphore.Weighted
	// wake tells the worker that something was accepted.
	wake chan struct{}

	// onItem is called with every item before it is prepared; tests make it panic.
	onItem func(mapping.Item)
	// truncationPending is set while deleted patient data may still be in the WAL.
	truncationPending atomic.Bool
	// working counts the jobs that are under way.
	working atomic.Int64
	clock   *wallClock

	fingerprintKey, idempotencyKey, providerKey []byte
}

// New makes a Service.
func New(db *store.DB, vault *seal.Vault, who *auth.Service, settings Settings, log *slog.Logger) *Service {
	return &Service{
		db:             db,
		vault:          vault,
		auth:           who,
		mapper:         mapping.Mapper{Attendants: settings.Attendants, Reading: settings.Reading},
		settings:       settings,
		log:            log,
		slots:          semaphore.NewWeighted(int64(max(settings.Workers, 1))),
		inFlight:       semaphore.NewWeighted(settings.MaxInFlight),
		wake:           make(chan struct{}, 1),
		clock:          newWallClock(),
		fingerprintKey: vault.Key("fingerprint"),
		idempotencyKey: vault.Key("idempotency"),
		providerKey:    vault.Key("provider"),
	}
}

// Wake returns the channel that receives when something was accepted. Signals
// that nobody has taken yet fall together.
func (s *Service) Wake() <-chan struct{} { return s.wake }

func (s *Service) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// takeSlot waits until one of the places for chunks is free.
func (s *Service) takeSlot(ctx context.Context) (done func(), err error) {
	if err := s.slots.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { s.slots.Release(1) }, nil
}

// TakeTruncationPending reports whether something was deleted since the last call, and
// may still be in the WAL.
func (s *Service) TakeTruncationPending() bool { return s.truncationPending.Swap(false) }

// SetTruncationPending says that the WAL could not be truncated.
func (s *Service) SetTruncationPending() { s.truncationPending.Store(true) }
