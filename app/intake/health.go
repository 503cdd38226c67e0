package intake

import (
	"time"

	"birthregistry/store"
)

// Health is what the health check asks (spec, "GET /health/json"; decisions 11).
type Health struct {
	// Feed: how many practices have unfinished ingestions, and for how long
	// the one that has stood still longest has not advanced.
	Waiting   int
	StillFor  time.Duration
	FeedError error
	// WriteError says why the database cannot be written.
	WriteError error
	// Free is the free space of the disk, Reserve what is kept of it.
	Free, Reserve int64
	DiskError     error
	// ClockJump is by how much the clock was set meanwhile.
	ClockJump time.Duration
}

// Health looks at the queue, the writer and the disk. It writes nothing: the
// write check begins a transaction and commits it empty.
func (s *Service) Health() Health {
	h := Health{Reserve: s.settings.DiskReserve, ClockJump: s.ClockJump()}
	var feed store.Feed
	h.FeedError = s.db.View(func(v *store.View) (err error) {
		feed, err = v.Feed()
		return err
	})
	h.Waiting = feed.Lanes
	if !feed.OldestAdvance.IsZero() {
		h.StillFor = max(time.Since(feed.OldestAdvance), 0)
	}
	if h.WriteError = s.db.Writable(); h.WriteError == nil {
		h.WriteError = s.db.Update(func(*store.Tx) error { return nil })
	}
	h.Free, h.DiskError = s.db.FreeSpace()
	return h
}
