package store

import "time"

// CountedTo is the number at which some counts stop, because the exact number above it doesn't
// matter.
const CountedTo = 100

// NeedsAttention holds the numbers of things that need attention in a practice. All of them except
// Reopened and Replaced stop at CountedTo.
type NeedsAttention struct {
	// Failed is the number of Bundles whose processing failed. Rejects is the number of completed
	// Bundles with a rejected entry that isn't known to have been applied since then.
	Failed, Rejects int
	// Incomplete is the number of active records that lack one of birth.KeyFields. Pairs is the
	// number of pairs of records that look like one birth. Reopened is the number of merges in
	// which the record that stayed is no longer active.
	Incomplete, Pairs, Reopened int
	// Replaced is the number of records in which a push has replaced values that a person had
	// entered.
	Replaced int
	// Refused is the number of erased births whose chart number was sent again since an admin last
	// checked.
	Refused int
	// Records reports whether the practice has any records.
	Records bool
}

// NeedsAttention returns the numbers of things that need attention: Bundles that were acknowledged
// at or after a time, and records of any age.
func (v *View) NeedsAttention(p PracticeID, since time.Time) (w NeedsAttention, err error) {
	err = v.one(`
		select
			(select count(*) from (
				select 1 from ingestions indexed by ingestions_failed
				where practice = ?1 and status = 'failed' and created_at >= ?2 and kind = 'bundle' limit ?3)),
			(select count(*) from (
				select 1
				from (select distinct ingestion from rejects indexed by rejects_practice where practice = ?1) r
				cross join ingestions i on i.id = r.ingestion
				where i.created_at >= ?2
				limit ?3)),
			(select count(*) from (
				select 1 from records where practice = ?1 and missing > 0 and state = 'active' limit ?3)),
			(select count(*) from (
				select 1 from tombstones where practice = ?1 and refused > 0 limit ?3)),
			exists (select 1 from records where practice = ?1)`,
		[]any{p, millis(since), CountedTo}, &w.Failed, &w.Rejects, &w.Incomplete, &w.Refused, &w.Records)
	if err == nil {
		w.Pairs, err = v.CountPairs(p)
	}
	if err == nil {
		w.Replaced, err = v.CountReplaced(p)
	}
	if err == nil {
		w.Reopened, err = v.CountReopened(p)
	}
	return w, err
}
