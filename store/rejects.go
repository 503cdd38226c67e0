package store

import "time"

// RejectsKeptFor is how long a rejected course of care needs attention, unless it is applied
// sooner.
const RejectsKeptFor = 7 * 24 * time.Hour

// Rejects holds the courses of care that an ingestion rejected.
type Rejects struct {
	Ingestion int64
	// Charts are keyed hashes of chart numbers (app/changes). An empty hash stands for all rejected
	// courses that can't be recognized when they are sent again.
	Charts [][]byte
}

// AddRejects stores the courses that an ingestion rejected.
func (tx *Tx) AddRejects(p PracticeID, r Rejects) error {
	return tx.do(`
		insert into rejects (practice, ingestion, chart)
		select i.practice, i.id, unhex(wanted.value)
		from json_each(?) wanted
		cross join ingestions i on i.id = ? and i.practice = ?
		where true
		on conflict do nothing`, inHex(r.Charts), r.Ingestion, p)
}

// HasRejects reports whether any rejected course of the practice needs attention.
func (v *View) HasRejects(p PracticeID) (bool, error) {
	return only[bool](v, `select exists (select 1 from rejects where practice = ?)`, p)
}

// DropRejects deletes rejections, given the hashes of chart numbers, because the courses of care
// have been applied since.
func (tx *Tx) DropRejects(p PracticeID, charts [][]byte) error {
	return tx.do(`
		delete from rejects
		where id in (
			select r.id
			from json_each(?) wanted
			cross join rejects r on r.practice = ? and r.chart = unhex(wanted.value)
		)`, inHex(charts), p)
}

// SweepRejects deletes old rejections: those from ingestions that were acknowledged before a time.
// One call deletes a limited number, and returns how many.
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
