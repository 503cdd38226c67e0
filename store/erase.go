package store

import (
	"database/sql"
	"time"
)

// MergedBirth returns all records of one birth, in the order of their IDs: the given record, and
// the records that were merged into it, directly or through another record. The given record itself
// must not be merged into another one.
func (v *View) MergedBirth(p PracticeID, record int64) ([]Record, error) {
	return v.records(`
		with birth (id) as (
			select id from records where id = ?1 and practice = ?2
			union
			select m.id from birth b cross join records m on m.merged_into = b.id
		)
		select`+recordColumns+`
		from birth b
		cross join records r on r.id = b.id and r.practice = ?2
		order by r.id`, record, p)
}

// EraseRecords deletes records together with everything that belongs to them: versions, sealed
// values, fingerprints, name codes, participants, duplicate reviews, and the reasons why an undo of
// an import left them unchanged. The caller must include every record that was merged into one of
// the records.
//
// EraseRecords returns ErrNotFound if one of the records doesn't belong to the practice. If a
// deleted review had voided or merged another record, that record keeps its versions, but they no
// longer refer to the review.
func (tx *Tx) EraseRecords(p PracticeID, records []int64) error {
	for _, record := range records {
		before, err := tx.countedNow(p, record)
		if err != nil {
			return err
		}
		tx.tally(p, before, counted{})
	}
	ids := list(records)
	for _, statement := range eraseRecords {
		if err := tx.do(statement, ids, p); err != nil {
			return err
		}
	}
	tx.forget()
	return nil
}

// eraseRecords lists the statements that erase records. They delete the rows that refer to the
// records, or clear the reference in rows that stay, and then delete the records. ?1 is the list of
// record IDs, and ?2 is the practice.
var eraseRecords = []string{
	`delete from kept where record in (select value from json_each(?1)) and ?2`,
	`delete from kept where other in (select value from json_each(?1)) and ?2`,
	`update versions set review = null where review in (
		select w.id from json_each(?1) gone cross join reviews w on w.stays = gone.value where w.practice = ?2
		union
		select w.id from json_each(?1) gone cross join reviews w on w.goes = gone.value where w.practice = ?2)`,
	`delete from reviews where id in (
		select w.id from json_each(?1) gone cross join reviews w on w.stays = gone.value where w.practice = ?2
		union
		select w.id from json_each(?1) gone cross join reviews w on w.goes = gone.value where w.practice = ?2)`,
	`delete from undo_kept where record in (select value from json_each(?1)) and ?2`,
	`delete from names where record in (select value from json_each(?1)) and practice = ?2`,
	`delete from names_due where record in (select value from json_each(?1)) and ?2`,
	`delete from fingerprints where record in (select value from json_each(?1)) and practice = ?2`,
	`delete from custom_values where record in (select value from json_each(?1)) and ?2`,
	`delete from attributions where record in (select value from json_each(?1)) and ?2`,
	`delete from versions where record in (select value from json_each(?1)) and ?2`,
	`delete from records where id in (select value from json_each(?1)) and practice = ?2`,
}

// IngestionsOf returns the public IDs of the submissions that created versions of the records.
func (v *View) IngestionsOf(p PracticeID, records []int64) ([]string, error) {
	return all(v, `
		select distinct i.public_id
		from json_each(?) wanted
		cross join versions v on v.record = wanted.value
		cross join ingestions i on i.id = v.ingestion and i.practice = ?`, value[string], list(records), p)
}

// ReceiptsSince returns the receipts of a practice's submissions that were completed at or after a
// time.
func (v *View) ReceiptsSince(p PracticeID, since time.Time) ([]Ingestion, error) {
	return all(v, `
		select id, public_id, outcome, completed_at
		from ingestions indexed by ingestions_outcomes
		where outcome <> x'' and completed_at >= ? and practice = ? and status = 'completed'`, (*Ingestion).scanReceipt, millis(since), p)
}

func (i *Ingestion) scanReceipt(rows *sql.Rows) error {
	return rows.Scan(&i.ID, &i.PublicID, &i.Outcome, asTime(&i.CompletedAt))
}

// Receipts returns up to limit receipts of a practice's completed submissions of one kind, in the
// order of the submissions' IDs. It leaves out receipts that SweepReceipts has emptied. after is
// the ID of the last submission that the caller has seen, or 0.
func (v *View) Receipts(p PracticeID, kind Kind, after int64, limit int) ([]Ingestion, error) {
	return all(v, `
		select id, public_id, outcome, completed_at
		from ingestions
		where practice = ? and kind = ? and id > ? and status = 'completed' and outcome <> x''
		order by id
		limit ?`, (*Ingestion).scanReceipt, p, kind, after, limit)
}

// SetReceipt replaces the sealed receipt of a completed submission. It returns ErrNotFound if the
// practice has no such submission, or if its receipt has changed since the caller read it.
func (tx *Tx) SetReceipt(p PracticeID, publicID string, read, outcome []byte) error {
	return found(tx.exec(`
		update ingestions set outcome = ?
		where public_id = ? and practice = ? and status = 'completed' and outcome = ? and outcome <> x''`, outcome, publicID, p, read))
}
