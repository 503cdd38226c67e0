package store

import "database/sql"

// BufferPart returns one sealed part of a submitted body, or ErrNotFound after the last.
func (v *View) BufferPart(p PracticeID, id int64, part int) (sealed []byte, err error) {
	err = v.one(`
		select sealed from buffers
		where id = ? and exists (select 1 from ingestions where id = ? and practice = ?)`,
		[]any{id*partsMax + int64(part), id, p}, &sealed)
	return sealed, err
}

// LedgerEntry is the result of one chunk of a batch. A chunk is a run of items that one transaction
// processes.
type LedgerEntry struct {
	First, Next        int // items first to next-1
	Accepted, Rejected int
	Sealed             []byte // the receipt entries
	// Last is set if nothing follows. Next is then stored as the ingestion's total.
	Last bool
}

// Progress adds a chunk to the ledger and records the item at which the ingestion continues.
// Because the ingestion has advanced, its count of attempts is set to 1, for the present attempt.
// Progress returns ErrNotFound if the ingestion has ended in the meantime.
func (tx *Tx) Progress(p PracticeID, id int64, e LedgerEntry) error {
	err := found(tx.exec(`
		update ingestions set items = ?1, attempts = 1, total = iif(?2, ?1, total)
		where id = ?3 and practice = ?4 and status in ('queued', 'processing')`, e.Next, e.Last, id, p))
	if err != nil {
		return err
	}
	return tx.do(`
		insert into ledger (ingestion, first, next, accepted, rejected, sealed)
		values (?, ?, ?, ?, ?, ?)`, id, e.First, e.Next, e.Accepted, e.Rejected, e.Sealed)
}

// Ledger returns the results of a batch's chunks, in order.
func (v *View) Ledger(p PracticeID, id int64) ([]LedgerEntry, error) {
	return all(v, `
		select first, next, accepted, rejected, sealed from ledger
		where ingestion = ? and exists (select 1 from ingestions where id = ? and practice = ?)
		order by first`, func(e *LedgerEntry, rows *sql.Rows) error {
		return rows.Scan(&e.First, &e.Next, &e.Accepted, &e.Rejected, &e.Sealed)
	}, id, id, p)
}
