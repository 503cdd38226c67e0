package store

import "time"

// Retention of what has served its purpose, a bounded number of rows at a time,
// so that nobody waits for it.
const (
	ReceiptsKeptFor = 400 * 24 * time.Hour
	sweptAtOnce     = 500
)

// SweepReceipts empties receipts that were completed before a time, with their
// Idempotency-Keys, and returns how many. The ingestion stays: versions of
// records refer to it.
func (tx *Tx) SweepReceipts(before time.Time) (int64, error) {
	return tx.exec(`
		update ingestions
		set outcome = x'', idempotency = null
		where id in (
			select id from ingestions
			where outcome <> x'' and completed_at < ?
			limit ?
		)`, millis(before), sweptAtOnce)
}

// SweepRefusals deletes what was noted of refused requests before a time.
func (tx *Tx) SweepRefusals(before time.Time) (int64, error) {
	return tx.exec(`
		delete from refused
		where id in (select id from refused order by id limit ?) and at < ?`, sweptAtOnce, millis(before))
}
