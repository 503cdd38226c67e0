package store

import (
	"database/sql"

	"birthregistry/app/birth"
)

// Pair is two active records that look like one birth: they share a fingerprint, and
// no review has found that they are not duplicates.
//
// One record of every such pair is marked as a suspected duplicate: the record that was written
// last, because it was compared with the other when it was written. A search for pairs starts
// from the marked records, which are few.
type Pair struct{ Marked, Other int64 }

// Newer returns the record of the pair with the higher ID.
func (p Pair) Newer() int64 { return max(p.Marked, p.Other) }

// Older returns the record of the pair with the lower ID.
func (p Pair) Older() int64 { return min(p.Marked, p.Other) }

// oldestOther returns the SQL for the oldest other record with the same fingerprint (print). It
// skips records that a review found not to be duplicates of the given record.
func oldestOther(print, record string) string {
	return `(
			select theirs.record
			from fingerprints theirs
			where theirs.practice = ?1 and theirs.live = 1 and theirs.print = ` + print + ` and theirs.record <> ` + record + `
				and not exists (select 1 from kept k where k.record = ` + record + ` and k.other = theirs.record)
			order by theirs.record
			limit 1
		)`
}

// openPairs pairs each marked record, for each of its fingerprints, with only one record: the
// oldest one that shares the fingerprint and that no review has compared with the marked record.
// So n records of one birth give n-1 pairs instead of about n²/2. After each decision, the next
// pair appears, until none is left. If two marked records are each paired with the other, the pair
// is listed once, under the newer record.
//
// The pairs come in the order of an index, so a page of the queue reads no more than its own
// pairs, however many wait.
var openPairs = `
		select r.id, o.id
		from records r indexed by records_suspected
		cross join records o on o.id in (
			select ` + oldestOther("mine.print", "r.id") + ` from fingerprints mine where mine.record = r.id
		)
		where r.practice = ?1 and r.suspected_duplicate = 1 and r.state = 'active'
			and not (o.id > r.id and o.suspected_duplicate = 1 and o.state = 'active' and r.id in (
				select ` + oldestOther("again.print", "o.id") + ` from fingerprints again where again.record = o.id
			))`

// Pairs lists up to limit pairs that wait for a review, in the order of their marked records. It
// starts after the given pair, or at the beginning if that is the zero value.
func (v *View) Pairs(p PracticeID, after Pair, limit int) ([]Pair, error) {
	return all(v, openPairs+`
			and r.id >= ?2 and (r.id, o.id) > (?2, ?3)
		order by r.id, o.id
		limit ?4`, func(pair *Pair, rows *sql.Rows) error {
		return rows.Scan(&pair.Marked, &pair.Other)
	}, p, after.Marked, after.Other, limit)
}

// CountPairs counts the pairs that wait for a review, up to CountedTo.
func (v *View) CountPairs(p PracticeID) (int, error) {
	return only[int](v, `select count(*) from (`+openPairs+` limit ?2)`, p, CountedTo)
}

// NotDuplicates returns, for each of the records, the records that a review found not to
// be duplicates of it.
func (v *View) NotDuplicates(p PracticeID, records []int64) (map[int64][]int64, error) {
	others := map[int64][]int64{}
	err := pairs(v, `
		select k.record, k.other
		from json_each(?) wanted
		cross join records r on r.id = wanted.value and r.practice = ?
		cross join kept k on k.record = r.id`, func(record, other int64) {
		others[record] = append(others[record], other)
	}, list(records), p)
	return others, err
}

// NotDuplicatesUnder finds the active records that have one of the fingerprints and that a review
// has separated from another record ("not duplicates"). It starts from the practice's reviews,
// which are few because they are made by hand, and not from the fingerprints, because any number of
// records may share one.
func (v *View) NotDuplicatesUnder(p PracticeID, fingerprints []birth.Fingerprint) ([]int64, error) {
	return all(v, `
		select distinct k.record
		from reviews w indexed by reviews_kept
		cross join kept k on k.review = w.id
		cross join fingerprints f on f.record = k.record and f.practice = w.practice and f.live = 1
		where w.practice = ? and w.decision = 'keep' and w.undone_at is null
			and f.print in (select unhex(value) from json_each(?))`, value[int64], p, hexes(fingerprints))
}

// MarkNotDuplicates stores that two records are two births, as a review found. It returns
// ErrNotFound if one of them isn't the practice's.
func (tx *Tx) MarkNotDuplicates(p PracticeID, one, two, review int64) error {
	if err := tx.owns(recordRow, p, one, two); err != nil {
		return err
	}
	return tx.do(`
		insert or replace into kept (record, other, review) values (?1, ?2, ?3), (?2, ?1, ?3)`, one, two, review)
}

// UnmarkNotDuplicates deletes everything that MarkNotDuplicates stored about the records, because
// their fingerprints have changed. It returns ErrNotFound if one of the records isn't the
// practice's.
func (tx *Tx) UnmarkNotDuplicates(p PracticeID, records []int64) error {
	for _, record := range records {
		if err := tx.owns(recordRow, p, record); err != nil {
			return err
		}
		if err := tx.do(`delete from kept where record = ? or other = ?`, record, record); err != nil {
			return err
		}
	}
	return nil
}

// UnmarkNotDuplicatePair deletes what MarkNotDuplicates stored about a pair, because the review was
// undone. It returns ErrNotFound if one of the records isn't the practice's.
func (tx *Tx) UnmarkNotDuplicatePair(p PracticeID, one, two int64) error {
	if err := tx.owns(recordRow, p, one, two); err != nil {
		return err
	}
	return tx.do(`delete from kept where record = ?1 and other = ?2 or record = ?2 and other = ?1`, one, two)
}

// Suspect marks a record as a possible duplicate. It returns ErrNotFound if the practice has no
// such record. The record's position in lists doesn't change.
func (tx *Tx) Suspect(p PracticeID, record int64) error {
	return found(tx.exec(`update records set suspected_duplicate = 1 where id = ? and practice = ?`, record, p))
}

// sharesFingerprint is the condition that a record of practice ?2 shares a fingerprint with another
// active record. It ignores pairs that a review found not to be duplicates.
const sharesFingerprint = `exists (
	select 1
	from fingerprints mine
	cross join fingerprints theirs
		on theirs.practice = ?2 and theirs.live = 1 and theirs.print = mine.print and theirs.record <> mine.record
	where mine.record = records.id
		and not exists (select 1 from kept k where k.record = mine.record and k.other = theirs.record)
)`

// PossibleDuplicates returns those of the records that are active and share a fingerprint with
// another active record. It ignores pairs that a review found not to be duplicates. Unlike the mark
// of a suspected duplicate, it includes both records of a pair.
func (v *View) PossibleDuplicates(p PracticeID, of []int64) ([]int64, error) {
	return all(v, `
		select records.id
		from json_each(?1) wanted
		cross join records on records.id = wanted.value and records.practice = ?2
		where records.state = 'active' and `+sharesFingerprint, value[int64], list(of), p)
}

// suspected returns the records that are marked as suspected duplicates, and those with which they
// wait for a review.
func (v *View) suspected(p PracticeID) ([]int64, error) {
	ids, err := all(v, `select id from records indexed by records_suspected where practice = ? and suspected_duplicate = 1`, value[int64], p)
	if err != nil {
		return nil, err
	}
	const unlimited = -1
	waiting, err := v.Pairs(p, Pair{}, unlimited)
	for _, pair := range waiting {
		ids = append(ids, pair.Other)
	}
	return ids, err
}

// Unsuspect removes the mark from those of the records that no longer share a fingerprint with
// another active record. It ignores pairs that a review found not to be duplicates.
func (tx *Tx) Unsuspect(p PracticeID, records []int64) error {
	return tx.do(`
		update records set suspected_duplicate = 0
		where id in (select value from json_each(?1)) and practice = ?2 and suspected_duplicate = 1 and not `+sharesFingerprint, list(records), p)
}
