package ingest

import (
	"errors"
	"time"

	"birthregistry/store"
)

// retentionAfter is how long the wall clock must have been trusted before the service deletes old
// data, such as receipts and drafts. If the clock is wrong when the service starts, somebody will
// notice within this time.
const retentionAfter = time.Hour

// SweepOld empties old receipts. It also deletes old notes of refused requests and of rejected
// courses of care (store.ReceiptsKeptFor, store.RefusalsKeptFor, store.RejectsKeptFor). Each call
// handles only a limited number. A caller who asks for an emptied receipt gets store.ErrNotFound.
// SweepOld does nothing while the clock is in doubt (ClockInDoubt).
func (s *Service) SweepOld() error {
	if s.ClockInDoubt() {
		return nil
	}
	return s.sweepOld()
}

// ClockInDoubt reports whether the wall clock has jumped, or has been trusted for less than an
// hour. The service trusts the clock when it starts, and again a day after a jump. Some data is
// deleted only after weeks, so its deletion can wait until the clock is no longer in doubt.
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
