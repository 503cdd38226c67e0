package ingest

import (
	"context"
	"errors"

	"birthregistry/app/changes"
	"birthregistry/store"
)

// maxAttempts is how often an ingestion is attempted without progress. An attempt is counted
// before its work starts, so that a Bundle that kills the process isn't retried forever.
const maxAttempts = 3

// The limits of the small ingestions that one job processes together. If a practice sends
// single Bundles, many of them are processed at a time.
const (
	groupCount = 64
	groupBytes = PartSize
)

// ReceiveQueues receives the queues of up to most practices that have work, or none if no
// practice waits.
func (s *Service) ReceiveQueues(most int) (all []store.PracticeQueue, err error) {
	err = s.db.Update(func(tx *store.Tx) error {
		for all = nil; len(all) < most; {
			l, err := tx.ReceiveQueue()
			if errors.Is(err, store.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			all = append(all, l)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// ReleaseQueue returns a practice queue that still has work.
func (s *Service) ReleaseQueue(l store.PracticeQueue) error {
	return s.db.Update(func(tx *store.Tx) error { return tx.ReleaseQueue(l) })
}

// RunJob processes the oldest unfinished ingestions of a practice queue, in order: one large
// Bundle chunk by chunk, or as many small ones as fit together. ended is true if the queue has
// no work left and is closed. If the database or the program fails, the queue is unchanged,
// except that the attempt is counted.
func (s *Service) RunJob(ctx context.Context, l store.PracticeQueue) (ended bool, err error) {
	s.working.Add(1)
	defer s.working.Add(-1)
	if err := s.vault.Ready(); err != nil {
		return false, err
	}
	group, err := s.nextGroup(l.Practice)
	if err != nil {
		return false, err
	}
	if len(group) == 0 {
		err := s.db.Update(func(tx *store.Tx) (err error) {
			ended, err = tx.EndQueue(l.Practice)
			return err
		})
		return ended && err == nil, err // if the commit fails, the practice queue stays
	}
	if first := group[0]; first.Attempts >= maxAttempts {
		return false, s.giveUp(l, first)
	}
	if err := s.spaceToWork(); err != nil {
		return false, err
	}
	ids := make([]int64, len(group))
	for n, i := range group {
		ids[n] = i.ID
	}
	err = s.db.Update(func(tx *store.Tx) error {
		if err := tx.Start(l.Practice, ids...); err != nil {
			return err
		}
		return tx.HoldQueue(l)
	})
	if err != nil {
		return false, err
	}
	if len(group) == 1 && isLarge(group[0]) {
		err = s.processLarge(ctx, l, group[0])
	} else {
		ended, err = s.processSmall(ctx, l, group)
	}
	s.SetTruncationPending()
	if err != nil && (ctx.Err() != nil || store.IsUnavailable(err)) {
		return false, errors.Join(s.giveBack(l, group), err)
	}
	return ended && err == nil, err
}

// spaceToWork returns store.ErrFull if less than a quarter of the disk reserve is free, because
// the job would fail. The service stops accepting Bundles while there is still room for jobs,
// but another program may have filled the disk.
func (s *Service) spaceToWork() error {
	free, err := s.db.FreeSpace()
	if err == nil && free < s.settings.DiskReserve/4 {
		err = store.ErrFull
	}
	return err
}

// nextGroup picks the ingestions for the next job: the oldest and, if it is
// small and has not failed before, the following ones for which both hold as
// well.
func (s *Service) nextGroup(p store.PracticeID) ([]store.Ingestion, error) {
	var waiting []store.Ingestion
	err := s.db.Look(context.Background(), func(v *store.View) (err error) {
		waiting, err = v.Unfinished(p, groupCount)
		return err
	})
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	n, size := 1, waiting[0].Size
	for goesTogether(waiting[0]) && n < len(waiting) && goesTogether(waiting[n]) && size+waiting[n].Size <= groupBytes {
		size += waiting[n].Size
		n++
	}
	return waiting[:n], nil
}

// goesTogether reports whether an ingestion may be processed with others: it has not
// failed before, and is not processed chunk by chunk.
func goesTogether(i store.Ingestion) bool { return i.Attempts == 0 && !isLarge(i) }

// isLarge reports whether an ingestion is processed chunk by chunk: files,
// Bundles above PartSize, and any ingestion with a chunk already written.
func isLarge(i store.Ingestion) bool {
	return i.Size > PartSize || i.Kind == store.CSVKind || i.Items > 0
}

// giveBack uncounts an attempt of ingestions when the service stopped, the
// database was unavailable, or the job had no room for them: the Bundle isn't
// at fault.
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

// processSmall processes small ingestions in one transaction. If no work is
// left, the same transaction closes the practice queue. Ingestions that don't
// fit into one full chunk wait for the next job. If the first alone exceeds a
// chunk, it is split like a large one.
func (s *Service) processSmall(ctx context.Context, l store.PracticeQueue, group []store.Ingestion) (ended bool, err error) {
	bundles, rows, err := s.readGroup(ctx, l.Practice, group)
	if err != nil {
		return false, err
	}
	rest := group[len(bundles):]
	if len(bundles) == 1 && rows > store.FullChunk {
		if err := s.giveBack(l, rest); err != nil {
			return false, err
		}
		return false, s.processLarge(ctx, l, group[0])
	}
	err = s.db.UpdateChunk(rows, func(tx *store.Tx) error {
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
	return ended, err
}

// readBundle is a small ingestion with the changes that were read from it, or with its end
// state if it couldn't be read.
type readBundle struct {
	store.Ingestion
	changes []changes.Change
	// failed is the ingestion's end state if it couldn't be read, or nil.
	failed *store.Ending
}

// readGroup reads and prepares small ingestions once a slot is free: the first,
// then more while all of them fit into one full chunk. rows is the estimated
// number of rows that they write.
func (s *Service) readGroup(ctx context.Context, p store.PracticeID, group []store.Ingestion) (bundles []readBundle, rows int, err error) {
	done, err := s.TakeSlot(ctx)
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

// finishAll writes small ingestions together, in order, and ends them.
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

// errPanicked means that the program itself failed on an item.
var errPanicked = errors.New("ingest: the mapper failed on the Bundle")
