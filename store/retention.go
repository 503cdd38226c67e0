package store

import "time"

// ReceiptsKeptFor is how long a receipt is kept. sweptAtOnce is the greatest number of expired
// rows that one transaction deletes, so that nobody waits long for it.
const (
	ReceiptsKeptFor = 400 * 24 * time.Hour
	sweptAtOnce     = 500
)

// SweepReceipts empties receipts completed before a time, a limited number at a time, with their
// Idempotency-Keys, and returns how many. The ingestions stay: versions of records refer to them.
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

// SweepRefusals deletes requests refused before a time, the oldest first, a limited number at a
// time, and returns how many.
func (tx *Tx) SweepRefusals(before time.Time) (int64, error) {
	return tx.exec(`
		delete from refused
		where id in (select id from refused order by id limit ?) and at < ?`, sweptAtOnce, millis(before))
}
