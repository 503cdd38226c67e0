package store

import (
	"database/sql"

	"birthregistry/app/birth"
)

// Pair is two active records that look like the same birth: they share a fingerprint, and no review
// has found that they aren't duplicates.
//
// In every such pair, the record that was written last is marked as a suspected duplicate, because
// it was compared with the other record when it was written. A search for pairs starts from the
// marked records, which are few.
type Pair struct{ Marked, Other int64 }

// Newer returns the higher of the two record IDs.
func (p Pair) Newer() int64 { return max(p.Marked, p.Other) }

// Older returns the lower of the two record IDs.
func (p Pair) Older() int64 { return min(p.Marked, p.Other) }

// oldestOther returns SQL that selects the oldest other active record with a fingerprint. print and
// record are the SQL for the fingerprint and for the record's ID. It skips records that a review
// has found not to be duplicates of the given record.
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

// openPairs selects the pairs that wait for a review. For each fingerprint of a marked record, it
// selects only one other record: the oldest one that shares the fingerprint and that no review has
// compared with the marked record. For n records of one birth, there are therefore n-1 pairs rather
// than about n²/2. After each decision, the next pair appears, until none is left. If two marked
// records are paired with each other, the pair is listed once, under the newer record.
//
// The pairs come in the order of an index. A page of the queue reads only its own pairs, however
// many are waiting.
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

// Pairs returns up to limit pairs that wait for a review, in the order of their marked records. It
// starts after the given pair, or at the beginning if after is the zero Pair.
func (v *View) Pairs(p PracticeID, after Pair, limit int) ([]Pair, error) {
	return all(v, openPairs+`
			and r.id >= ?2 and (r.id, o.id) > (?2, ?3)
		order by r.id, o.id
		limit ?4`, func(pair *Pair, rows *sql.Rows) error {
		return rows.Scan(&pair.Marked, &pair.Other)
	}, p, after.Marked, after.Other, limit)
}

// CountPairs returns how many pairs wait for a review. It stops counting at CountedTo.
func (v *View) CountPairs(p PracticeID) (int, error) {
	return only[int](v, `select count(*) from (`+openPairs+` limit ?2)`, p, CountedTo)
}

// NotDuplicates returns, for each of the given records, the other records that a review has found
// not to be its duplicates.
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

// NotDuplicatesUnder returns the active records that have one of the fingerprints and that a review
// has found not to be duplicates of another record. It starts from the practice's reviews, which
// are made by hand and therefore few. Starting from the fingerprints would be slow, because any
// number of records may share one.
func (v *View) NotDuplicatesUnder(p PracticeID, fingerprints []birth.Fingerprint) ([]int64, error) {
	return all(v, `
		select distinct k.record
		from reviews w indexed by reviews_kept
		cross join kept k on k.review = w.id
		cross join fingerprints f on f.record = k.record and f.practice = w.practice and f.live = 1
		where w.practice = ? and w.decision = 'keep' and w.undone_at is null
			and f.print in (select unhex(value) from json_each(?))`, value[int64], p, hexes(fingerprints))
}

// MarkNotDuplicates records that a review has found two records not to be duplicates. It returns
// ErrNotFound if one of them doesn't belong to the practice.
func (tx *Tx) MarkNotDuplicates(p PracticeID, one, two, review int64) error {
	if err := tx.owns(recordRow, p, one, two); err != nil {
		return err
	}
	return tx.do(`
		insert or replace into kept (record, other, review) values (?1, ?2, ?3), (?2, ?1, ?3)`, one, two, review)
}

// UnmarkNotDuplicates removes all marks that MarkNotDuplicates has made for the records, because
// their fingerprints have changed. It returns ErrNotFound if one of the records doesn't belong to
// the practice.
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

// UnmarkNotDuplicatePair removes the mark that MarkNotDuplicates has made for a pair, because the
// review was undone. It returns ErrNotFound if one of the two records doesn't belong to the
// practice.
func (tx *Tx) UnmarkNotDuplicatePair(p PracticeID, one, two int64) error {
	if err := tx.owns(recordRow, p, one, two); err != nil {
		return err
	}
	return tx.do(`delete from kept where record = ?1 and other = ?2 or record = ?2 and other = ?1`, one, two)
}

// Suspect marks a record as a possible duplicate, without changing its position in lists. It
// returns ErrNotFound if the practice has no such record.
func (tx *Tx) Suspect(p PracticeID, record int64) error {
	return found(tx.exec(`update records set suspected_duplicate = 1 where id = ? and practice = ?`, record, p))
}

// sharesFingerprint is the SQL condition that a record of practice ?2 shares a fingerprint with
// another active record. It ignores pairs that a review has found not to be duplicates.
const sharesFingerprint = `exists (
	select 1
	from fingerprints mine
	cross join fingerprints theirs
		on theirs.practice = ?2 and theirs.live = 1 and theirs.print = mine.print and theirs.record <> mine.record
	where mine.record = records.id
		and not exists (select 1 from kept k where k.record = mine.record and k.other = theirs.record)
)`

// PossibleDuplicates returns the given records that are active and share a fingerprint with another
// active record. It ignores pairs that a review found not to be duplicates. Unlike the mark of a
// suspected duplicate, it includes both records of a pair.
func (v *View) PossibleDuplicates(p PracticeID, of []int64) ([]int64, error) {
	return all(v, `
		select records.id
		from json_each(?1) wanted
		cross join records on records.id = wanted.value and records.practice = ?2
		where records.state = 'active' and `+sharesFingerprint, value[int64], list(of), p)
}

// suspected returns the records that are marked as suspected duplicates, and those with which they
// wait for a review. If they may be more than most, it returns no records and true for more.
func (v *View) suspected(p PracticeID, most int) (ids []int64, more bool, err error) {
	ids, err = all(v, `
		select id
		from records indexed by records_suspected
		where practice = ? and suspected_duplicate = 1
		limit ?`, value[int64], p, most+1)
	if err != nil || len(ids) > most {
		return nil, true, err
	}
	waiting, err := v.Pairs(p, Pair{}, most+1)
	for _, pair := range waiting {
		ids = append(ids, pair.Other)
	}
	if err != nil || len(ids) > most {
		return nil, true, err
	}
	return ids, false, nil
}

// Unsuspect removes the mark from each of the given records that no longer shares a fingerprint
// with another active record. It ignores pairs that a review found not to be duplicates.
func (tx *Tx) Unsuspect(p PracticeID, records []int64) error {
	return tx.do(`
		update records set suspected_duplicate = 0
		where id in (select value from json_each(?1)) and practice = ?2 and suspected_duplicate = 1 and not `+sharesFingerprint, list(records), p)
}
