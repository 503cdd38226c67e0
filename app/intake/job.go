package intake

import (
	"context"
	"errors"

	"birthregistry/store"
)

// The attempts an ingestion gets without advancing. They are counted before
// the work starts, so that a Bundle that kills the process cannot loop.
const maxAttempts = 3

// What is taken together in one job: the backlog of a practice that sends
// single Bundles is processed many at a time.
const (
	groupCount = 64
	groupBytes = partSize
)

// ReceiveQueues receives the next practices that have work, so many at most and
// none when none waits.
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

// ReleaseQueue gives a practice queue back unfinished.
func (s *Service) ReleaseQueue(l store.PracticeQueue) error {
	return s.db.Update(func(tx *store.Tx) error { return tx.ReleaseQueue(l) })
}

// RunJob works the oldest unfinished ingestions of a practice queue, in order: one large
// Bundle chunk by chunk, or as many small ones as go together. ended is true
// when the practice queue has no work left and is closed. An error is broken machinery:
// the work is as it was before the job, but for the attempt.
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
		return ended && err == nil, err // else the commit is lost, and the practice queue is there
	}
	if first := group[0]; first.Attempts >= maxAttempts {
		return false, s.giveUp(l, first)
	}
	if err := s.roomToWork(); err != nil {
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
	s.truncationPending.Store(true)
	if err != nil && (ctx.Err() != nil || store.IsUnavailable(err)) {
		return false, errors.Join(s.giveBack(l, group), err)
	}
	return ended && err == nil, err
}

// roomToWork keeps a job from beginning on a disk that is all but full: it
// would fail and have cost an attempt. What is accepted leaves the reserve free
// for this; another program may have taken it.
func (s *Service) roomToWork() error {
	free, err := s.db.FreeSpace()
	if err == nil && free < s.settings.DiskReserve/4 {
		err = store.ErrFull
	}
	return err
}

// nextGroup picks what the next job takes: the oldest ingestion, and behind
// it, while all are small and none has failed before, those that follow.
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

// goesTogether says that an ingestion may be worked with others: it has not failed
// before, and is not worked chunk by chunk.
func goesTogether(i store.Ingestion) bool { return i.Attempts == 0 && !isLarge(i) }

// isLarge says that an ingestion is worked chunk by chunk, as it always is once it
// has been begun so.
func isLarge(i store.Ingestion) bool {
	return i.Size > partSize || i.Kind == store.CSVKind || i.Items > 0
}

// giveBack takes the attempts back that were cut off by an orderly stop or a
// full disk, or had no room in a job: none of it is the Bundle's doing.
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

// processSmall works small ingestions in one transaction, and closes the practice queue in
// it when they were the last. Those that would make more than a full chunk wait
// for the next job; one that does so by itself is cut up like a large one.
func (s *Service) processSmall(ctx context.Context, l store.PracticeQueue, group []store.Ingestion) (ended bool, err error) {
	pieces, subs, err := s.readGroup(ctx, l.Practice, group)
	if err != nil {
		return false, err
	}
	rest := group[len(pieces):]
	if len(pieces) == 1 && rowsWritten(subs) > store.FullChunk {
		if err := s.giveBack(l, rest); err != nil {
			return false, err
		}
		return false, s.processLarge(ctx, l, group[0])
	}
	err = s.db.UpdateChunk(rowsWritten(subs), func(tx *store.Tx) error {
		if err := giveBack(tx, l, rest); err != nil {
			return err
		}
		if err := s.finishAll(tx, l.Practice, pieces, subs); err != nil {
			return err
		}
		if ended, err = tx.EndQueue(l.Practice); err != nil || ended {
			return err
		}
		return tx.Advance(l)
	})
	return ended, err
}

// finishAll decides small ingestions on one board: in their order, but looked up
// and written together.
func (s *Service) finishAll(tx *store.Tx, p store.PracticeID, pieces []piece, subs []submission) error {
	b, err := s.newBoard(tx, p, subs)
	if err != nil {
		return err
	}
	ends := make([]store.Ending, len(pieces))
	for n, piece := range pieces {
		if ends[n], err = s.finish(b, piece, subs); err != nil {
			return err
		}
		if !b.mayUnsuspect() {
			continue
		}
		if err := b.write(); err != nil {
			return err
		}
		if b, err = s.newBoard(tx, p, subs[piece.next:]); err != nil {
			return err
		}
	}
	if err := b.write(); err != nil {
		return err
	}
	return tx.Finish(p, ends...)
}

// piece is a small ingestion of a group that was read.
type piece struct {
	store.Ingestion
	first, next int // its submissions among those of the group
	// failed is how it ends where it cannot be read; nil otherwise.
	failed *store.Ending
}

// readGroup reads and prepares small ingestions, when it is its turn: the first,
// and of those behind it as many as make no more than a full chunk together.
func (s *Service) readGroup(ctx context.Context, p store.PracticeID, group []store.Ingestion) (pieces []piece, subs []submission, err error) {
	done, err := s.takeSlot(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	rows := 0
	for _, i := range group {
		read, err := s.readAll(p, i)
		one := piece{Ingestion: i, first: len(subs)}
		if class := exceptionOf(err); class != "" {
			end, err := s.failed(p, i, class, err)
			if err != nil {
				return nil, nil, err
			}
			one.failed, read = &end, nil
		} else if err != nil {
			return nil, nil, err
		}
		if rows += rowsWritten(read); len(pieces) > 0 && rows > store.FullChunk {
			return pieces, subs, nil
		}
		subs = append(subs, read...)
		one.next = len(subs)
		pieces = append(pieces, one)
	}
	return pieces, subs, nil
}

// finish decides a piece, and says how its ingestion ends.
func (s *Service) finish(b *board, i piece, subs []submission) (store.Ending, error) {
	if i.failed != nil {
		return *i.failed, nil
	}
	out, err := b.decide(i.ID, subs[i.first:i.next])
	if err != nil {
		return store.Ending{}, err
	}
	return s.completed(b.practice, i.Ingestion, out)
}

// errPanicked says that the program itself failed on an item.
var errPanicked = errors.New("intake: the mapper failed on the Bundle")
