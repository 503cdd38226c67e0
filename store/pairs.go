package store

import (
	"database/sql"

	"birthregistry/app/birth"
)

// Pair is two active records that look like one birth: they share a fingerprint,
// and nobody has said that they are two. Newer is the one with the higher id.
//
// Every such pair has a member that is marked as suspected: whichever was
// written last was compared with the other one then. So the pairs are found from
// the marked records, of which there are few.
type Pair struct{ Newer, Older int64 }

// openPairs puts a marked record, for each of its fingerprints, beside the oldest
// record that it is still to be compared with, not beside each of them: n records
// of one birth wait as n-1 pairs, where all of them would be n²/2. Whatever is
// decided about a pair brings up the next one, until there is none.
const openPairs = `
		select distinct max(r.id, o.id), min(r.id, o.id)
		from records r indexed by records_suspected
		cross join fingerprints mine on mine.record = r.id
		cross join records o on o.id = (
			select theirs.record
			from fingerprints theirs
			where theirs.practice = ?1 and theirs.live = 1 and theirs.print = mine.print and theirs.record <> r.id
				and not exists (select 1 from kept k where k.record = r.id and k.other = theirs.record)
			order by theirs.record
			limit 1
		)
		where r.practice = ?1 and r.suspected_duplicate = 1 and r.state = 'active'`

// Pairs lists up to limit pairs that wait for a review, in the order in which
// they came to be, behind one (its zero value for the beginning).
func (v *View) Pairs(p PracticeID, after Pair, limit int) (all []Pair, err error) {
	err = v.each(openPairs+`
			and (max(r.id, o.id), min(r.id, o.id)) > (?2, ?3)
		order by 1, 2
		limit ?4`, func(rows *sql.Rows) error {
		var pair Pair
		err := rows.Scan(&pair.Newer, &pair.Older)
		all = append(all, pair)
		return err
	}, p, after.Newer, after.Older, limit)
	return all, err
}

// CountPairs counts the pairs that wait for a review, to CountedTo.
func (v *View) CountPairs(p PracticeID) (n int, err error) {
	err = v.one(`select count(*) from (`+openPairs+` limit ?2)`, []any{p, CountedTo}, &n)
	return n, err
}

// Kept returns for each of the records those that a person said are other births.
func (v *View) Kept(p PracticeID, records []int64) (map[int64][]int64, error) {
	kept := map[int64][]int64{}
	err := v.each(`
		select k.record, k.other
		from json_each(?) wanted
		cross join records r on r.id = wanted.value and r.practice = ?
		cross join kept k on k.record = r.id`, func(rows *sql.Rows) error {
		var record, other int64
		err := rows.Scan(&record, &other)
		kept[record] = append(kept[record], other)
		return err
	}, list(records), p)
	return kept, err
}

// KeptUnder finds the active records under fingerprints that a person said are
// another birth than some other: it walks over what was kept in the practice, which is
// by hand, and not over the records of one birth, which may be any number.
func (v *View) KeptUnder(p PracticeID, prints []birth.Fingerprint) (records []int64, err error) {
	err = v.each(`
		select distinct k.record
		from reviews w indexed by reviews_kept
		cross join kept k on k.review = w.id
		cross join fingerprints f on f.record = k.record and f.practice = w.practice and f.live = 1
		where w.practice = ? and w.decision = 'keep' and w.undone_at is null
			and f.print in (select unhex(value) from json_each(?))`, func(rows *sql.Rows) error {
		var record int64
		err := rows.Scan(&record)
		records = append(records, record)
		return err
	}, p, hexes(prints))
	return records, err
}

// Keep says that two records are two births, as a review found; ErrNotFound when
// one is not of the practice.
func (tx *Tx) Keep(p PracticeID, one, two, review int64) error {
	for _, record := range []int64{one, two} {
		if err := tx.owns(recordRow, p, record); err != nil {
			return err
		}
	}
	_, err := tx.exec(`
		insert or replace into kept (record, other, review) values (?1, ?2, ?3), (?2, ?1, ?3)`, one, two, review)
	return err
}

// Unkeep forgets whatever was kept beside the records: their fingerprints have
// changed, or it was undone.
func (tx *Tx) Unkeep(p PracticeID, records []int64) error {
	for _, record := range records {
		if err := tx.owns(recordRow, p, record); err != nil {
			return err
		}
		if _, err := tx.exec(`delete from kept where record = ? or other = ?`, record, record); err != nil {
			return err
		}
	}
	return nil
}

// UnkeepPair forgets that two records were kept beside each other; ErrNotFound
// when one is not of the practice.
func (tx *Tx) UnkeepPair(p PracticeID, one, two int64) error {
	for _, record := range []int64{one, two} {
		if err := tx.owns(recordRow, p, record); err != nil {
			return err
		}
	}
	_, err := tx.exec(`delete from kept where record = ?1 and other = ?2 or record = ?2 and other = ?1`, one, two)
	return err
}

// Suspect marks a record as a possible duplicate; ErrNotFound when the practice
// has no such record. Where a record stands does not change by it.
func (tx *Tx) Suspect(p PracticeID, record int64) error {
	return found(tx.exec(`update records set suspected_duplicate = 1 where id = ? and practice = ?`, record, p))
}

// looksAlike is the condition that a record of practice ?2 shares a fingerprint with
// another active record, and no person marked the two as no duplicates.
const looksAlike = `exists (
	select 1
	from fingerprints mine
	cross join fingerprints theirs
		on theirs.practice = ?2 and theirs.live = 1 and theirs.print = mine.print and theirs.record <> mine.record
	where mine.record = records.id
		and not exists (select 1 from kept k where k.record = mine.record and k.other = theirs.record)
)`

// Unsuspect takes the mark off those of the records that no longer look like another
// active one.
func (tx *Tx) Unsuspect(p PracticeID, records []int64) error {
	_, err := tx.exec(`
		update records set suspected_duplicate = 0
		where id in (select value from json_each(?1)) and practice = ?2 and suspected_duplicate = 1 and not `+looksAlike, list(records), p)
	return err
}
