package store

import (
	"database/sql"
	"errors"

	"birthregistry/app/birth"
)

// Outdated is a record with its present content. After an upgrade, something must be computed again
// from this content, such as the fingerprints.
type Outdated struct {
	Practice PracticeID
	Record   int64
	UUID     string
	Content
}

const outdatedColumns = `select r.practice, r.id, r.uuid, c.version, c.clinical, c.patient`

func (o *Outdated) scan(rows *sql.Rows) error {
	return rows.Scan(&o.Practice, &o.Record, &o.UUID, &o.Version, &o.Clinical, &o.Patient)
}

// CountUnfingerprinted returns how many records, of all practices, have fingerprints in an earlier
// form. The number can be above 0 only after an upgrade.
func (v *View) CountUnfingerprinted() (int, error) {
	return only[int](v, `select count(*) from records indexed by records_unfingerprinted where fingerprinted is null`)
}

// Unfingerprinted returns up to limit records whose fingerprints have an earlier form, in the order
// of their IDs. after is the ID of the last record that the caller has seen, or 0.
func (v *View) Unfingerprinted(after int64, limit int) ([]Outdated, error) {
	return all(v, outdatedColumns+`
		from records r indexed by records_unfingerprinted
		join versions c on c.record = r.id and c.version = r.content
		where r.fingerprinted is null and r.id > ?
		order by r.id
		limit ?`, (*Outdated).scan, after, limit)
}

// Refingerprint stores a record's fingerprints in the present form. It does nothing if they already
// have that form, or if content is no longer the version that holds the record's present content.
// If the record is active and now looks like another active record, it is marked as a possible
// duplicate, unless a review has found that the two aren't duplicates. Refingerprint removes no
// mark.
func (tx *Tx) Refingerprint(p PracticeID, record int64, content int, fingerprints []birth.Fingerprint) error {
	var live bool
	err := tx.one(`
		select state = 'active' from records
		where id = ? and practice = ? and content = ? and fingerprinted is null`, []any{record, p, content}, &live)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	tx.own(recordRow, p, record)
	if err := tx.SetFingerprints(p, RecordFingerprints{Record: record, All: fingerprints, Live: live}); err != nil {
		return err
	}
	return tx.do(`
		update records set
			fingerprinted = 1,
			suspected_duplicate = suspected_duplicate or state = 'active' and `+sharesFingerprint+`
		where id = ?1 and practice = ?2`, record, p)
}

// KeepFingerprints records that a record's fingerprints don't have to be computed again, and
// doesn't change them. It is for records whose content can't be read, so that an upgrade doesn't
// try them again. It returns ErrNotFound if the practice has no such record.
func (tx *Tx) KeepFingerprints(p PracticeID, record int64) error {
	return found(tx.exec(`update records set fingerprinted = 1 where id = ? and practice = ?`, record, p))
}
