package store

import "time"

// RejectsKeptFor is how long a rejected course of care is reported as needing attention, unless it
// is applied sooner.
const RejectsKeptFor = 7 * 24 * time.Hour

// Rejects holds the courses of care that one submission's processing rejected.
type Rejects struct {
	Ingestion int64
	// Charts holds keyed hashes of chart numbers (app/changes). An empty hash stands for all
	// rejected courses of care that couldn't be recognized if they were sent again.
	Charts [][]byte
}

// AddRejects stores which courses of care a submission's processing rejected.
func (tx *Tx) AddRejects(p PracticeID, r Rejects) error {
	return tx.do(`
		insert into rejects (practice, ingestion, chart)
		select i.practice, i.id, unhex(wanted.value)
		from json_each(?) wanted
		cross join ingestions i on i.id = ? and i.practice = ?
		where true
		on conflict do nothing`, inHex(r.Charts), r.Ingestion, p)
}

// HasRejects reports whether the practice has any rejected courses of care that still need
// attention.
func (v *View) HasRejects(p PracticeID) (bool, error) {
	return only[bool](v, `select exists (select 1 from rejects where practice = ?)`, p)
}

// DropRejects deletes the rejections of courses of care that were applied later. charts holds the
// hashes of their chart numbers.
func (tx *Tx) DropRejects(p PracticeID, charts [][]byte) error {
	return tx.do(`
		delete from rejects
		where id in (
			select r.id
			from json_each(?) wanted
			cross join rejects r on r.practice = ? and r.chart = unhex(wanted.value)
		)`, inHex(charts), p)
}

// SweepRejects deletes the rejections in submissions that were acknowledged before a time. One call
// deletes a limited number, and returns how many it deleted.
func (tx *Tx) SweepRejects(before time.Time) (int64, error) {
	return tx.exec(`
		delete from rejects
		where id in (
			select r.id
			from (select id, ingestion from rejects order by id limit ?) r
			cross join ingestions i on i.id = r.ingestion
			where i.created_at < ?
		)`, sweptAtOnce, millis(before))
}
