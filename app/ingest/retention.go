package ingest

import (
	"errors"
	"time"

	"birthregistry/store"
)

// retentionAfter is how long the service runs before it empties receipts and deletes drafts. Within
// this time, a clock that was wrong at the start is noticed.
const retentionAfter = time.Hour

// SweepOld empties old receipts and deletes old notes of refused requests and of rejected courses
// (store.ReceiptsKeptFor, store.RefusalsKeptFor, store.RejectsKeptFor), a limited number per call.
// A caller who asks for an emptied receipt gets ErrNotFound. SweepOld does nothing in the first
// hour, or while the clock has jumped.
func (s *Service) SweepOld() error {
	if s.ClockInDoubt() {
		return nil
	}
	return s.sweepOld()
}

// ClockInDoubt reports whether the service has not run for an hour yet, or the clock has
// jumped. Data that is deleted after weeks can wait until neither is true.
func (s *Service) ClockInDoubt() bool {
	return s.clock.inDoubt(retentionAfter, s.clock.read())
}

func (s *Service) sweepOld() error {
	return s.db.Update(func(tx *store.Tx) error {
		emptied, err := tx.SweepReceipts(tx.Now.Add(-store.ReceiptsKeptFor))
		dropped, err2 := tx.SweepRefusals(tx.Now.Add(-store.RefusalsKeptFor))
		reminders, err3 := tx.SweepRejects(tx.Now.Add(-store.RejectsKeptFor))
		if emptied+dropped+reminders > 0 {
			s.SetTruncationPending()
		}
		return errors.Join(err, err2, err3)
	})
}
