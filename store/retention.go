package store

import "time"

// ReceiptsKeptFor is how long a receipt is kept. sweptAtOnce is the greatest number of expired
// rows that one transaction deletes, so that nobody waits long for it.
const (
	ReceiptsKeptFor = 400 * 24 * time.Hour
	sweptAtOnce     = 500
)

// SweepReceipts empties a limited number of the receipts completed before a time, together with
// their Idempotency-Keys. It returns how many it emptied. The ingestions stay, because versions of
// records refer to them.
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

// SweepRefusals deletes a limited number of the requests refused before a time, the oldest first.
// It returns how many it deleted.
func (tx *Tx) SweepRefusals(before time.Time) (int64, error) {
	return tx.exec(`
		delete from refused
		where id in (select id from refused order by id limit ?) and at < ?`, sweptAtOnce, millis(before))
}
