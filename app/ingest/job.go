package ingest

import (
	"context"
	"errors"

	"birthregistry/app/changes"
	"birthregistry/store"
)

// maxAttempts is how many times the service tries to process an ingestion that makes no progress.
// It counts an attempt before the work starts, so that a Bundle that kills the process isn't
// retried forever. From the second attempt on, the ingestion runs alone.
const maxAttempts = 3

// RunJob processes the oldest unfinished ingestions of a practice, in order. One job is either a
// large Bundle, chunk by chunk, or as many small Bundles as fit together. The result ended is true
// if the queue has no work left and is closed.
//
// If RunJob returns an error, whatever it has not committed stays in the queue. The attempt stays
// counted, unless the service was stopped or the database was unavailable.
func (s *Service) RunJob(ctx context.Context, q *Queue) (ended bool, err error) {
	s.working.Add(1)
	defer s.working.Add(-1)
	defer q.leave()
	if err := s.vault.Ready(); err != nil {
		return false, err
	}
	if q.begun == nil {
		group, ended, err := s.next(q)
		if err != nil || len(group) == 0 {
			return ended, err
		}
		if first := group[0]; first.Attempts > 0 {
			return s.runAlone(ctx, q, first)
		}
		if err := s.countAttempt(q, group); err != nil {
			return false, err
		}
		q.begun = group
	}
	group := q.begun
	q.begun = nil
	return s.process(ctx, q.PracticeQueue, group, s.together())
}

// next returns the ingestions of the next job. If no work is left, it closes the queue. If the next
// ingestion has used all its attempts, it ends that ingestion. In both cases it returns no
// ingestions.
func (s *Service) next(q *Queue) (group []store.Ingestion, ended bool, err error) {
	group, err = store.Lookup(context.Background(), s.db, func(v *store.View) ([]store.Ingestion, error) { return nextGroup(v, q.Practice) })
	if err != nil {
		return nil, false, err
	}
	if len(group) == 0 {
		err := s.db.Update(func(tx *store.Tx) (err error) {
			ended, err = tx.EndQueue(q.Practice)
			return err
		})
		return nil, ended && err == nil, err // if the commit fails, the practice queue stays
	}
	if first := group[0]; first.Attempts >= maxAttempts {
		return nil, false, s.endEarly(q.PracticeQueue, first, AttemptsExhausted, nil)
	}
	return group, false, nil
}

// countAttempt records one more attempt for the ingestions of the next job, before the job begins.
// It also extends the time for which the worker holds the practice's queue. It returns
// store.ErrFull if the disk is too full for the job.
func (s *Service) countAttempt(q *Queue, group []store.Ingestion) error {
	if err := s.spaceToWork(); err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error {
		if err := start(tx, q.Practice, group); err != nil {
			return err
		}
		return tx.HoldQueue(q.PracticeQueue)
	})
}

// process processes the ingestions of a job. The attempt must already have been counted.
func (s *Service) process(ctx context.Context, l store.PracticeQueue, group []store.Ingestion, mode *runMode) (ended bool, err error) {
	if len(group) == 1 && isLarge(group[0]) {
		err = s.processLarge(ctx, l, group[0], mode)
	} else {
		ended, err = s.processSmall(ctx, l, group, mode)
	}
	s.SetTruncationPending()
	if err != nil && (ctx.Err() != nil || store.IsUnavailable(err)) {
		return false, errors.Join(s.giveBack(l, group), err)
	}
	return ended && err == nil, err
}

// spaceToWork returns store.ErrFull if less than a quarter of the disk reserve is free. With so
// little space, the job would fail. The service stops accepting Bundles earlier, while there is
// enough space for jobs, but another program may have filled the disk.
func (s *Service) spaceToWork() error {
	free, err := s.db.FreeSpace()
	if err == nil && free < s.settings.DiskReserve/4 {
		err = store.ErrFull
	}
	return err
}

// giveBack makes an attempt not count for these ingestions. It is called if the service was
// stopped, if the database was unavailable, or if the ingestions didn't fit into the job. In these
// cases, the Bundle isn't at fault.
func (s *Service) giveBack(l store.PracticeQueue, group []store.Ingestion) error {
	return s.db.Update(func(tx *store.Tx) error { return giveBack(tx, l, group) })
}

func giveBack(tx *store.Tx, l store.PracticeQueue, group []store.Ingestion) error {
	for _, i := range group {
		if err := tx.GiveBack(l.Practice, i.ID); err != nil {
			return err
		}
	}
	return nil
}

// processSmall processes small ingestions in one transaction. If no work is left, the same
// transaction closes the practice's queue. Ingestions that don't fit into one full chunk wait for
// the next job. If even the first doesn't fit, it is split like a large one.
func (s *Service) processSmall(ctx context.Context, l store.PracticeQueue, group []store.Ingestion, mode *runMode) (ended bool, err error) {
	bundles, rows, err := s.readGroup(ctx, l.Practice, group, mode)
	if err != nil {
		return false, err
	}
	rest := group[len(bundles):]
	if len(bundles) == 1 && rows > store.FullChunk {
		if err := s.giveBack(l, rest); err != nil {
			return false, err
		}
		return false, s.processLarge(ctx, l, group[0], mode)
	}
	err = mode.write(func() error {
		return s.db.UpdateChunk(rows, func(tx *store.Tx) error {
			if err := giveBack(tx, l, rest); err != nil {
				return err
			}
			if err := s.finishAll(tx, l.Practice, bundles); err != nil {
				return err
			}
			if ended, err = tx.EndQueue(l.Practice); err != nil || ended {
				return err
			}
			return tx.Advance(l)
		})
	})
	return ended, err
}

// readBundle is a small ingestion that has been read, with its changes. If it couldn't be read,
// failed is set instead.
type readBundle struct {
	store.Ingestion
	changes []changes.Change
	// failed is how the ingestion ends if it couldn't be read. Otherwise, it is nil.
	failed *store.Ending
}

// readGroup reads and prepares small ingestions. It always includes the first one. It includes
// further ones while all of them fit into one full chunk. It waits until the job may read
// (runMode.slot). The result rows estimates how many rows the ingestions write.
func (s *Service) readGroup(ctx context.Context, p store.PracticeID, group []store.Ingestion, mode *runMode) (bundles []readBundle, rows int, err error) {
	done, err := mode.slot(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	for _, i := range group {
		read, err := s.readAll(p, i)
		one := readBundle{Ingestion: i, changes: read}
		if class := exceptionOf(err); class != "" {
			end, err := s.failed(p, i, class, err)
			if err != nil {
				return nil, 0, err
			}
			one.failed, one.changes = &end, nil
		} else if err != nil {
			return nil, 0, err
		}
		more := changes.Rows(one.changes)
		if len(bundles) > 0 && rows+more > store.FullChunk {
			return bundles, rows, nil
		}
		rows += more
		bundles = append(bundles, one)
	}
	return bundles, rows, nil
}

// finishAll writes several small ingestions in order, in one transaction, and ends them.
func (s *Service) finishAll(tx *store.Tx, p store.PracticeID, bundles []readBundle) error {
	batches := make([]changes.Batch, len(bundles))
	for n, b := range bundles {
		batches[n] = changes.Batch{Ingestion: b.ID, Changes: b.changes}
	}
	results, err := s.changes.Apply(tx, p, batches...)
	if err != nil {
		return err
	}
	ends := make([]store.Ending, len(bundles))
	for n, b := range bundles {
		if b.failed != nil {
			ends[n] = *b.failed
		} else if ends[n], err = s.completed(p, b.Ingestion, outcomeOf(results[n])); err != nil {
			return err
		}
	}
	return tx.Finish(p, ends...)
}

// errPanicked means that the program panicked while it read an item. This is a defect of the
// program.
var errPanicked = errors.New("ingest: the mapper failed on the Bundle")
