package store

// row identifies a row that belongs to a practice.
type row struct {
	table    table
	practice PracticeID
	id       int64
}

// table is one of the tables to whose rows other rows refer.
type table int

const (
	recordRow table = iota
	providerRow
	// keyRow stands for an API key that isn't revoked. Most callers that share a commit use the
	// same key, which is then checked only once.
	keyRow
)

// ownRow maps each table to the query that checks whether a row belongs to a practice.
var ownRow = [...]string{
	recordRow:   `select 1 from records where id = ? and practice = ?`,
	providerRow: `select 1 from providers where id = ? and practice = ?`,
	keyRow:      `select 1 from api_keys where id = ? and practice = ? and revoked_at is null`,
}

// own records that a row belongs to a practice. It is called when this transaction has just written
// or checked the row.
func (tx *Tx) own(t table, p PracticeID, id int64) { tx.owned[row{t, p, id}] = true }

// owns returns ErrNotFound unless all of the rows belong to the practice. A write that refers to a
// row calls owns first, unless its statement checks the practice itself.
func (tx *Tx) owns(t table, p PracticeID, ids ...int64) error {
	for _, id := range ids {
		if tx.owned[row{t, p, id}] {
			continue
		}
		var one int
		if err := tx.one(ownRow[t], []any{id, p}, &one); err != nil {
			return err
		}
		tx.own(t, p, id)
	}
	return nil
}

// forget discards what the transaction has learned about rows and queues. This may no longer be
// true, for example after a rollback.
func (tx *Tx) forget() {
	clear(tx.announced)
	clear(tx.owned)
}
