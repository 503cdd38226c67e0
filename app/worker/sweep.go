package worker

import (
	"context"
	"time"

	"birthregistry/app/access"
	"birthregistry/store"
)

// sweep ages out buffers, announces anew what has lost its message, drops
// sessions, links, launches, pre-fills, receipts and refused requests that have
// had their time, and scrubs, each
// in its own rhythm.
func (w *Worker) sweep(ctx context.Context) error {
	if err := w.db.Sound(ctx); err != nil && ctx.Err() == nil {
		w.log.Error("the database is not sound; run: birthregistry doctor", "cause", err)
	}
	every := max(min(sweepEvery, w.settings.BufferTTL/4), 100*time.Millisecond)
	sweeps, scrubs := time.NewTicker(every), time.NewTicker(scrubEvery)
	defer sweeps.Stop()
	defer scrubs.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-sweeps.C:
			w.db.Probe()
			w.expire()
			if _, err := w.intake.SweepImports(); err != nil {
				w.log.Error("files that have had their day cannot be deleted", "cause", err)
			}
			if err := w.db.Update((*store.Tx).RepairLanes); err != nil {
				w.log.Error("lanes cannot be repaired", "cause", err)
			}
			if err := w.db.Update(access.Sweep); err != nil {
				w.log.Error("ended sessions cannot be dropped", "cause", err)
			}
			if err := w.intake.SweepOld(); err != nil {
				w.log.Error("receipts that have had their time cannot be emptied", "cause", err)
			}
			if err := w.ehrs.Sweep(); err != nil {
				w.log.Error("launches and pre-fills that have run out cannot be dropped", "cause", err)
			}
		case <-scrubs.C:
			w.scrub(ctx)
		}
	}
}

func (w *Worker) expire() {
	n, err := w.intake.Expire(w.started)
	if err != nil {
		w.log.Error("aged buffers cannot be ended", "cause", err)
	}
	if n > 0 {
		w.log.Warn("buffers aged out before processing", "count", n)
	}
}

// scrub empties the log of what was deleted. A reader may be in the way: then
// the next time will do.
func (w *Worker) scrub(ctx context.Context) {
	if w.ehrs.TakeResidue() {
		w.intake.LeaveResidue()
	}
	if !w.intake.TakeResidue() {
		return
	}
	clean, err := w.db.Scrub(ctx)
	if err != nil && ctx.Err() == nil {
		w.log.Error("the log cannot be scrubbed", "cause", err)
	}
	if !clean {
		w.intake.LeaveResidue()
	}
}
