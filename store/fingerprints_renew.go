package store

import (
	"database/sql"
	"errors"

	"birthregistry/app/birth"
)

// Outdated is a record with its present content. An upgrade still has to compute a value that is
// derived from the content, such as the fingerprints.
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

// CountUnfingerprinted counts the records, of all practices, whose fingerprints have an earlier
// form. It returns 0 except after an upgrade.
func (v *View) CountUnfingerprinted() (int, error) {
	return only[int](v, `select count(*) from records indexed by records_unfingerprinted where fingerprinted is null`)
}

// Unfingerprinted returns up to limit records that CountUnfingerprinted counts, in the order of
// their IDs, starting above the given ID.
func (v *View) Unfingerprinted(after int64, limit int) ([]Outdated, error) {
	return all(v, outdatedColumns+`
		from records r indexed by records_unfingerprinted
		join versions c on c.record = r.id and c.version = r.content
		where r.fingerprinted is null and r.id > ?
		order by r.id
		limit ?`, (*Outdated).scan, after, limit)
}

// Refingerprint stores a record's fingerprints in the present form. It does nothing if the stored
// fingerprints already have that form, or if content is no longer the number of the version with
// the record's present content. If the record is active and now looks like another active one, it
// is marked as a possible duplicate, unless a review found that the two aren't duplicates. No mark
// is removed.
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

// KeepFingerprints leaves a record's fingerprints as they are, but marks them as current. It is for
// records whose content can't be read, so that an upgrade doesn't try them again. It returns
// ErrNotFound if the practice has no such record.
func (tx *Tx) KeepFingerprints(p PracticeID, record int64) error {
	return found(tx.exec(`update records set fingerprinted = 1 where id = ? and practice = ?`, record, p))
}
