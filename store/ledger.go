package store

import "database/sql"

// BufferPart returns one sealed part of a submitted body. After the last part, it returns
// ErrNotFound.
func (v *View) BufferPart(p PracticeID, id int64, part int) (sealed []byte, err error) {
	err = v.one(`
		select sealed from buffers
		where id = ? and exists (select 1 from ingestions where id = ? and practice = ?)`,
		[]any{id*partsMax + int64(part), id, p}, &sealed)
	return sealed, err
}

// LedgerEntry is the result of one chunk of a batch. A chunk is a series of items that one
// transaction processes.
type LedgerEntry struct {
	First, Next        int // the chunk's items: from First to Next-1
	Accepted, Rejected int
	Sealed             []byte // the sealed receipt entries
	// Last is set for the last chunk. Next is then also the total number of items.
	Last bool
}

// Progress adds the result of a chunk to the ledger, and records the item with which the ingestion
// continues. It sets the number of attempts to 1, which stands for the present attempt, because the
// ingestion has made progress. It returns ErrNotFound if the ingestion has already ended.
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
