package store

import (
	"database/sql"
)

// Content is the content that a record has in one of its versions.
type Content struct {
	Version  int // the version in which this content was stored
	Clinical []byte
	Patient  []byte // the sealed patient data
}

// Contents returns the present contents of records, by record ID.
func (v *View) Contents(p PracticeID, records []int64) (map[int64]Content, error) {
	found := make(map[int64]Content, len(records))
	err := v.each(`
		select
			r.id,
			c.version,
			c.clinical,
			c.patient
		from json_each(?) wanted
		cross join records r on r.id = wanted.value and r.practice = ?
		cross join versions c on c.record = r.id and c.version = r.content`, func(rows *sql.Rows) error {
		var id int64
		var c Content
		err := rows.Scan(&id, &c.Version, &c.Clinical, &c.Patient)
		found[id] = c
		return err
	}, list(records), p)
	return found, err
}

// RecordsByID returns the records with the given IDs. IDs that the practice doesn't have are
// skipped.
func (v *View) RecordsByID(p PracticeID, ids []int64) ([]Record, error) {
	return v.records(`
		select`+recordColumns+`
		from json_each(?) wanted
		cross join records r on r.id = wanted.value and r.practice = ?`, list(ids), p)
}

// Survivor returns the record into which a record was merged, or ErrNotFound if it wasn't merged.
func (v *View) Survivor(p PracticeID, record int64) (Record, error) {
	return first(v.records(`
		select`+recordColumns+`
		from records merged
		cross join records r on r.id = merged.merged_into and r.practice = merged.practice
		where merged.id = ? and merged.practice = ?`, record, p))
}
