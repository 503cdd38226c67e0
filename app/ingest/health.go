package ingest

import (
	"context"
	"time"

	"birthregistry/store"
)

// Health is what the health check reports (spec, "GET /health/json"; decisions 11).
type Health struct {
	// Feed: how many practices have unfinished ingestions, and for how long
	// the one that has stood still longest has not advanced.
	Waiting   int
	StillFor  time.Duration
	FeedError error
	// Working is how many jobs run in this process. While it is 0, nobody processes a
	// feed that stands still.
	Working int
	// WriteError is why the database cannot be written; nil when it can.
	WriteError error
	// Free is the free space of the disk and Reserve what must stay free, in bytes.
	Free, Reserve int64
	DiskError     error
	// ClockJump is by how much the clock was set meanwhile.
	ClockJump time.Duration
}

// Health looks at the queue, the writer and the disk. It writes nothing: the
// write check begins a transaction and commits it empty.
func (s *Service) Health(ctx context.Context) Health {
	_, log := s.db.Size()
	h := Health{Reserve: s.reserve(log), ClockJump: s.ClockJump(), Working: int(s.working.Load())}
	var feed store.Feed
	h.FeedError = s.db.View(ctx, func(v *store.View) (err error) {
		feed, err = v.Feed()
		return err
	})
	h.Waiting = feed.Practices
	if !feed.OldestAdvance.IsZero() {
		h.StillFor = max(time.Since(feed.OldestAdvance), 0)
	}
	if h.WriteError = s.db.Writable(); h.WriteError == nil {
		h.WriteError = s.db.Update(func(*store.Tx) error { return nil })
	}
	h.Free, h.DiskError = s.db.FreeSpace()
	return h
}

// Ready is an error when the database cannot be read.
func (s *Service) Ready(ctx context.Context) error {
	return s.db.View(ctx, func(v *store.View) error {
		_, err := v.Feed()
		return err
	})
}

// reserve is the free space, in bytes, below which nothing is accepted: what
// the operator chose, and twice the write-ahead log, which has to fit into the
// database file when it is brought there, while new writing goes on. What is
// under way takes some MB more; a floor of hundreds would refuse births for
// nothing on a small disk, and the check warns from four times the reserve on.
func (s *Service) reserve(log int64) int64 { return max(s.settings.DiskReserve, 2*log) }
