package store

import "time"

// ReceiptsKeptFor is how long a receipt is kept. sweptAtOnce is the maximum number of expired rows
// that one transaction deletes, so that other writes don't have to wait long.
const (
	ReceiptsKeptFor = 400 * 24 * time.Hour
	sweptAtOnce     = 500
)

// SweepReceipts empties the receipts of submissions that were completed before a time, and deletes
// the Idempotency-Keys of these submissions. One call empties a limited number of receipts, and
// returns how many. The rows of the submissions stay, because versions of records refer to them.
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

// SweepRefusals deletes the requests that were refused before a time, oldest first. One call
// deletes a limited number, and returns how many it deleted.
func (tx *Tx) SweepRefusals(before time.Time) (int64, error) {
	return tx.exec(`
		delete from refused
		where id in (select id from refused order by id limit ?) and at < ?`, sweptAtOnce, millis(before))
}
