package ingest

import (
	"errors"

	"birthregistry/store"
)

// The maximum number of small ingestions that one job processes together, and their maximum total
// size in bytes. If a practice sends many single Bundles, one transaction writes many of them.
const (
	groupCount = 64
	groupBytes = PartSize
)

// Queue is the queue of a practice, received by a worker.
type Queue struct {
	store.PracticeQueue
	// begun lists the ingestions of the next job if their attempt has already been counted.
	begun []store.Ingestion
	// ended releases the reservation that Accept has made for the first job (openings). It is nil
	// if Accept hasn't received this queue.
	ended func()
}

// leave releases the reservation for the first job, if Accept has made one.
func (q *Queue) leave() {
	if q.ended != nil {
		q.ended()
	}
}

// ReceiveQueues receives the queues of practices that have work. The argument most is the maximum
// number of queues. The same transaction begins their first jobs, which saves a commit for a single
// Bundle. It begins only as many jobs as the service processes at the same time. If active reports
// true for a practice, it begins no job, because the worker still has that practice's previous
// queue. RunJob begins the other jobs later. If the process crashes before that, their ingestions
// don't lose an attempt.
func (s *Service) ReceiveQueues(most int, active func(store.PracticeID) bool) (all []*Queue, err error) {
	if s.vault.Ready() == nil && s.spaceToWork() == nil { // otherwise RunJob returns the error
		if all, err = s.receiveQueues(most, max(s.settings.Workers, 1), active); err == nil {
			return all, nil
		}
	}
	// If the job of one practice can't begin, RunJob will return the same error, for this practice
	// only. The transaction above must not ignore the error, because SQLite may have rolled back.
	return s.receiveQueues(most, 0, active)
}

func (s *Service) receiveQueues(most, toBegin int, active func(store.PracticeID) bool) (all []*Queue, err error) {
	err = s.db.Update(func(tx *store.Tx) error {
		all = nil
		for left := toBegin; len(all) < most; {
			l, err := tx.ReceiveQueue()
			if errors.Is(err, store.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			q := &Queue{PracticeQueue: l}
			if left > 0 && !active(l.Practice) {
				left--
				if q.begun, err = begin(tx, l.Practice); err != nil {
					return err
				}
			}
			all = append(all, q)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// begin records the first attempt of the practice's next ingestions and returns them. If the oldest
// was attempted before, begin returns none, because RunJob runs that ingestion alone or ends it.
func begin(tx *store.Tx, p store.PracticeID) ([]store.Ingestion, error) {
	group, err := nextGroup(&tx.View, p)
	if err != nil || len(group) == 0 || group[0].Attempts > 0 {
		return nil, err
	}
	return group, start(tx, p, group)
}

func start(tx *store.Tx, p store.PracticeID, group []store.Ingestion) error {
	ids := make([]int64, len(group))
	for n, i := range group {
		ids[n] = i.ID
	}
	return tx.Start(p, ids...)
}

// ReleaseQueue gives back a practice's queue that still has work, so that it can be received again.
// If a job was begun but hasn't run, its attempt no longer counts.
func (s *Service) ReleaseQueue(q *Queue) error {
	defer q.leave()
	return s.db.Update(func(tx *store.Tx) error {
		if err := giveBack(tx, q.PracticeQueue, q.begun); err != nil {
			return err
		}
		return tx.ReleaseQueue(q.PracticeQueue)
	})
}

// nextGroup returns the ingestions for the next job. The first is the oldest. If it may be
// processed with others, the next ones are added. It stops at one that may not be (goesTogether),
// or when all of them would have more than groupBytes bytes.
func nextGroup(v *store.View, p store.PracticeID) ([]store.Ingestion, error) {
	waiting, err := v.Unfinished(p, groupCount)
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

// goesTogether reports whether an ingestion may be processed together with others. It must not have
// been attempted before, and must not be large.
func goesTogether(i store.Ingestion) bool { return i.Attempts == 0 && !isLarge(i) }

// isLarge reports whether an ingestion is processed chunk by chunk. These are spreadsheets, Bundles
// of more than PartSize bytes, and ingestions of which a chunk has already been written.
func isLarge(i store.Ingestion) bool {
	return i.Size > PartSize || i.Kind == store.CSVKind || i.Items > 0
}
