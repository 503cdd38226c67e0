package worker

import (
	"context"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/task"
	"birthregistry/store"
)

// sweep does all chores at one interval, and truncates the WAL at another. The chores do the
// following:
//
// They end ingestions whose stored Bundle has expired, repair queues that lost their message, and
// empty old receipts. They delete expired files, answers about spreadsheets, sessions, links, EHR
// launches, prefills, drafts and deliveries. They delete old notes of refused requests and of
// rejected courses of care, and practices whose import was interrupted.
func (w *Worker) sweep(ctx context.Context) {
	if err := w.db.Sound(ctx); err != nil && ctx.Err() == nil {
		w.log.Error("the database is not sound; run: birthregistry doctor", "cause", err)
	}
	every := max(min(sweepEvery, w.settings.BufferTTL/4), 100*time.Millisecond)
	sweeps, truncations := time.NewTicker(every), time.NewTicker(truncateEvery)
	defer sweeps.Stop()
	defer truncations.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweeps.C:
			w.db.Probe()
			for _, c := range w.chores() {
				if err := task.Do(w.log, "sweep", c.do); err != nil {
					w.log.Error(c.failed, "cause", err)
				}
			}
		case <-truncations.C:
			w.truncateWAL(ctx)
		}
	}
}

// chore is one part of a sweep, with the message that is logged if it fails. If one chore fails,
// the others still run.
type chore struct {
	failed string
	do     func() error
}

func (w *Worker) chores() []chore {
	return []chore{
		{"expired buffers cannot be deleted", w.expire},
		{"files older than a day cannot be deleted", func() error { _, err := w.imports.Sweep(); return err }},
		{"old answers about spreadsheets cannot be deleted", func() error { _, err := w.imports.SweepMatches(); return err }},
		{"queues cannot be repaired", func() error { return w.db.Update((*store.Tx).RepairQueues) }},
		{"ended sessions cannot be deleted", func() error { return w.db.Update(auth.Sweep) }},
		{"expired receipts cannot be emptied", w.ingest.SweepOld},
		{"old deliveries of webhooks cannot be deleted", w.sweepDeliveries},
		{"expired drafts cannot be deleted", w.sweepDrafts},
		{"a practice whose import was interrupted cannot be deleted", w.sweepIncoming},
		{"expired launches and prefills cannot be deleted", w.ehrs.Sweep},
	}
}

func (w *Worker) expire() error {
	n, err := w.ingest.Expire(w.started)
	if n > 0 {
		w.log.Warn("buffers aged out before processing", "count", n)
	}
	return err
}

// sweepDrafts deletes drafts that nobody has continued. While the clock is in doubt, it deletes
// none, because nobody could restore them.
func (w *Worker) sweepDrafts() error {
	if w.ingest.ClockInDoubt() {
		return nil
	}
	n, err := w.drafts.Sweep()
	if n > 0 {
		w.ingest.SetTruncationPending()
		w.log.Info("drafts that nobody has continued are deleted", "count", n)
	}
	return err
}

// sweepDeliveries deletes old deliveries. While the clock is in doubt, it deletes none, because
// some may not have been sent yet.
func (w *Worker) sweepDeliveries() error {
	if w.ingest.ClockInDoubt() {
		return nil
	}
	return w.hooks.Sweep()
}

func (w *Worker) sweepIncoming() error {
	deleted, err := w.db.SweepIncoming()
	if deleted {
		w.ingest.SetTruncationPending()
	}
	return err
}

// truncateWAL truncates the WAL if it may contain deleted patient data. If a reader of the database
// prevents that, the next call tries again.
func (w *Worker) truncateWAL(ctx context.Context) {
	if w.ehrs.TakeTruncationPending() {
		w.ingest.SetTruncationPending()
	}
	if !w.ingest.TakeTruncationPending() {
		return
	}
	clean := false
	err := task.Do(w.log, "truncate the WAL", func() (err error) {
		clean, err = w.db.TruncateWAL(ctx)
		return err
	})
	if err != nil && ctx.Err() == nil {
		w.log.Error("the WAL cannot be truncated", "cause", err)
	}
	if !clean {
		w.ingest.SetTruncationPending()
	}
}
