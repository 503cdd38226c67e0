package store

import "time"

// CountedTo is as far as Waiting counts: who has more need not know how many.
const CountedTo = 100

// Waiting is what of a practice wants looking at, each counted to CountedTo.
type Waiting struct {
	// Failed and Rejects are Bundles: those that failed, and completed ones
	// with rejected entries.
	Failed, Rejects int
	// Incomplete are active records without one of birth.KeyFields, Pairs those
	// pairs of them that look like one birth, and the pairs that were merged into a
	// record that counts no longer.
	Incomplete, Pairs int
	// Replaced are the records in which a push that could not be judged has taken
	// the place of what a person said.
	Replaced int
	// Records says whether there are any.
	Records bool
}

// Waiting counts what wants looking at; Bundles since a time, records whenever.
func (v *View) Waiting(p PracticeID, since time.Time) (w Waiting, err error) {
	err = v.one(`
		select
			(select count(*) from (
				select 1 from ingestions indexed by ingestions_failed
				where practice = ?1 and status = 'failed' and created_at >= ?2 and kind = 'bundle' limit ?3)),
			(select count(*) from (
				select 1 from ingestions indexed by ingestions_rejects
				where practice = ?1 and rejected > 0 and created_at >= ?2 and kind = 'bundle' limit ?3)),
			(select count(*) from (
				select 1 from records where practice = ?1 and missing > 0 and state = 'active' limit ?3)),
			exists (select 1 from records where practice = ?1)`,
		[]any{p, millis(since), CountedTo}, &w.Failed, &w.Rejects, &w.Incomplete, &w.Records)
	if err == nil {
		w.Pairs, err = v.CountPairs(p)
	}
	if err == nil {
		w.Replaced, err = v.CountReplaced(p)
	}
	if err == nil {
		var reopened int
		reopened, err = v.CountReopened(p)
		w.Pairs = min(w.Pairs+reopened, CountedTo)
	}
	return w, err
}
