package ingest

import (
	"errors"
	"time"

	"birthregistry/store"
)

// retentionAfter is how long the service has run before it empties receipts: a
// clock that was wrong at the start is noticed by then.
const retentionAfter = time.Hour

// SweepOld empties receipts and drops refused requests that have had their time
// (store.ReceiptsKeptFor, store.RefusalsKeptFor), some at a time. A caller's
// receipt is unknown from then on.
func (s *Service) SweepOld() error {
	if time.Since(s.clock.began) < retentionAfter || s.ClockJump() != 0 {
		return nil
	}
	return s.sweepOld()
}

func (s *Service) sweepOld() error {
	return s.db.Update(func(tx *store.Tx) error {
		emptied, err := tx.SweepReceipts(tx.Now.Add(-store.ReceiptsKeptFor))
		dropped, err2 := tx.SweepRefusals(tx.Now.Add(-store.RefusalsKeptFor))
		if emptied+dropped > 0 {
			s.SetTruncationPending()
		}
		return errors.Join(err, err2)
	})
}
