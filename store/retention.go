package store

import "time"

// ReceiptsKeptFor is how long a receipt is kept. sweptAtOnce is the greatest number of expired rows
// that one transaction deletes, so that other writes don't wait long.
const (
	ReceiptsKeptFor = 400 * 24 * time.Hour
	sweptAtOnce     = 500
)

// SweepReceipts empties old receipts and deletes their Idempotency-Keys: those of ingestions that
// completed before a time. One call empties a limited number, and returns how many. The ingestions
// stay, because versions of records refer to them.
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

// SweepRefusals deletes old refused requests, oldest first: those that were refused before a time.
// One call deletes a limited number, and returns how many.
func (tx *Tx) SweepRefusals(before time.Time) (int64, error) {
	return tx.exec(`
		delete from refused
		where id in (select id from refused order by id limit ?) and at < ?`, sweptAtOnce, millis(before))
}
