package ingest

import (
	"context"
	"time"

	"birthregistry/store"
)

// Health is what the health check reports (spec, "GET /health/json").
type Health struct {
	// Waiting is the number of practices with unfinished ingestions. StillFor is the longest time
	// for which one of these practices has made no progress. If the clock was changed during that
	// time, StillFor counts from the moment when the service noticed the change. FeedError is the
	// error from reading these two values.
	Waiting   int
	StillFor  time.Duration
	FeedError error
	// Working is how many jobs are running in this process. While it is 0, the queue isn't being
	// processed.
	Working int
	// WriteError is the reason why the database can't be written. It is nil if the database can be
	// written.
	WriteError error
	// Free is the free space on the disk, and Reserve is the space that must stay free. Both are in
	// bytes.
	Free, Reserve int64
	DiskError     error
	// ClockJump is by how much the clock was changed while the service ran (Service.ClockJump).
	ClockJump time.Duration
}

// Health checks the queue, the writer and the disk. To check the writer, it commits an empty
// transaction. It stores nothing.
func (s *Service) Health(ctx context.Context) Health {
	_, log := s.db.Size()
	h := Health{Reserve: s.reserve(log), ClockJump: s.ClockJump(), Working: int(s.working.Load())}
	feed, err := store.Read(ctx, s.db, (*store.View).Feed)
	h.FeedError = err
	h.Waiting = feed.Practices
	if !feed.OldestAdvance.IsZero() {
		h.StillFor = s.clock.age(feed.OldestAdvance, s.clock.read())
	}
	if h.WriteError = s.db.Writable(); h.WriteError == nil {
		h.WriteError = s.db.Update(func(*store.Tx) error { return nil })
	}
	h.Free, h.DiskError = s.db.FreeSpace()
	return h
}

// Ready returns an error if the database can't be read.
func (s *Service) Ready(ctx context.Context) error {
	return s.db.View(ctx, func(v *store.View) error {
		_, err := v.Feed()
		return err
	})
}

// reserve returns how much disk space must stay free, in bytes. With less, the service accepts
// nothing. The operator chooses this space, but it is at least twice the size of the WAL, which is
// the argument log. That is because a checkpoint copies the WAL into the database file while new
// writes continue. Work in progress needs only some MB more. A fixed minimum of hundreds of MB
// would refuse births on a small disk for no reason. The health check warns when less than four
// times the reserve is free.
func (s *Service) reserve(log int64) int64 { return max(s.settings.DiskReserve, 2*log) }
