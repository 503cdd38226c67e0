package records

import (
	"context"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// ReviewSize is how many pairs or decisions one page of the review shows.
const ReviewSize = 25

// Waiting is a pair of records that waits for a review. Merge is nil unless the two records were
// merged. The pair then waits again, because the record that stayed is no longer active.
type Waiting struct {
	Older, Newer Row
	Merge        *Resolution
}

// Resolution is a decision about two records, and its present effect. If the decision was a merge
// or a void, the record Goes left the statistics, and the record Stays remained in them.
type Resolution struct {
	store.Review
	Stays, Goes store.Record
	// Again is set if the record Goes has changed since the merge, for example by a push with its
	// chart number. It nevertheless stays merged (decision 26).
	Again bool
	// Lost is set if the record Stays is no longer active, because it was voided or merged into
	// another record. Neither of the two records is then in the statistics.
	Lost bool
	// Waits is set if the two records were merged and wait for a review again (decision 26).
	Waits bool
	// May is set if the decision can still be undone.
	May bool
}

// Queue returns one page of the pairs that wait for a review, oldest first. after is the zero value
// for the first page, which begins with merges that wait again. The result next must be passed as
// after to get the next page. It is the zero value on the last page.
func (r *Records) Queue(ctx context.Context, p store.PracticeID, after store.Pair) (waiting []Waiting, next store.Pair, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		var again []Resolution
		if after == (store.Pair{}) {
			reviews, err := v.Reopened(p, ReviewSize)
			if err != nil {
				return err
			}
			if again, err = resolutions(v, p, reviews); err != nil {
				return err
			}
		}
		pairs, err := v.Pairs(p, after, ReviewSize+1)
		if err != nil {
			return err
		}
		if len(pairs) > ReviewSize {
			pairs = pairs[:ReviewSize]
			next = pairs[ReviewSize-1]
		}
		waiting, err = r.paired(v, p, again, pairs)
		return err
	})
	return waiting, next, err
}

// paired returns the pairs for one page of the review: first the merges that wait again, then the
// pairs of possible duplicates.
func (r *Records) paired(v *store.View, p store.PracticeID, again []Resolution, pairs []store.Pair) (waiting []Waiting, err error) {
	var ids []int64
	for _, w := range again {
		ids = append(ids, w.Stays.ID, w.Goes.ID)
	}
	for _, pair := range pairs {
		ids = append(ids, pair.Marked, pair.Other)
	}
	found, err := v.RecordsByID(p, ids)
	if err != nil {
		return nil, err
	}
	rows, err := r.rows(v, p, found)
	if err != nil {
		return nil, err
	}
	byID := map[int64]Row{}
	for _, row := range rows {
		byID[row.ID] = row
	}
	for i, w := range again {
		older, newer := min(w.Stays.ID, w.Goes.ID), max(w.Stays.ID, w.Goes.ID)
		waiting = append(waiting, Waiting{Older: byID[older], Newer: byID[newer], Merge: &again[i]})
	}
	for _, pair := range pairs {
		waiting = append(waiting, Waiting{Older: byID[pair.Older()], Newer: byID[pair.Newer()]})
	}
	return waiting, nil
}

// Resolved returns one page of the decisions, newest first. If before isn't 0, it returns only
// decisions older than the one with this ID. If again is set, it returns only merges in which the
// record Goes has changed since the merge. The result next must be passed as before to get the next
// page. It is 0 on the last page.
func (r *Records) Resolved(ctx context.Context, p store.PracticeID, before int64, again bool) (all []Resolution, next int64, err error) {
	err = r.db.View(ctx, func(v *store.View) (err error) {
		list := v.Reviews
		if again {
			list = v.SentAgain
		}
		reviews, err := list(p, before, ReviewSize+1)
		if err != nil {
			return err
		}
		if len(reviews) > ReviewSize {
			reviews = reviews[:ReviewSize]
			next = reviews[ReviewSize-1].ID
		}
		all, err = resolutions(v, p, reviews)
		return err
	})
	return all, next, err
}

// SentAgain returns the number of merges in which the record that goes has changed since the merge.
// It stops counting at ReviewSize+1, which is enough to show whether one page can hold all of them.
func (r *Records) SentAgain(ctx context.Context, p store.PracticeID) (int, error) {
	all, err := store.Read(ctx, r.db, func(v *store.View) ([]store.Review, error) { return v.SentAgain(p, 0, ReviewSize+1) })
	return len(all), err
}

// Resolution returns the decision with the given ID, or ErrNotFound.
func (r *Records) Resolution(ctx context.Context, p store.PracticeID, review int64) (out Resolution, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		w, err := v.Review(p, review)
		if err != nil {
			return store.Translate(err, store.ErrNotFound, ErrNotFound)
		}
		all, err := resolutions(v, p, []store.Review{w})
		if err == nil {
			out = all[0]
		}
		return err
	})
	return out, err
}

// merges returns the newest merges of a record into others, and of others into it. It leaves out
// merges that were undone. It returns at most ReviewSize merges.
func (r *Records) merges(v *store.View, p store.PracticeID, head store.Record) ([]Resolution, error) {
	reviews, err := v.ReviewsOf(p, head.ID, store.MergeOne, ReviewSize)
	if err != nil {
		return nil, err
	}
	return resolutions(v, p, reviews)
}

func resolutions(v *store.View, p store.PracticeID, reviews []store.Review) ([]Resolution, error) {
	var ids []int64
	for _, w := range reviews {
		ids = append(ids, w.Stays, w.Goes)
	}
	found, err := v.RecordsByID(p, ids)
	if err != nil {
		return nil, err
	}
	byID := map[int64]store.Record{}
	for _, record := range found {
		byID[record.ID] = record
	}
	all := make([]Resolution, len(reviews))
	for i, w := range reviews {
		all[i] = Resolution{Review: w, Stays: byID[w.Stays], Goes: byID[w.Goes]}
		all[i].judge()
	}
	return all, nil
}

// judge sets Again, Lost, Waits and May from the present state of the two records.
func (w *Resolution) judge() {
	stands := w.UndoneAt == nil
	switch w.Decision {
	case store.KeepBoth:
		w.May = stands
	case store.VoidOne:
		w.May = stands && w.Goes.State == birth.Voided && w.Goes.Version == w.GoesVersion
	case store.MergeOne:
		w.May = stands && w.Goes.MergedInto == w.Stays.ID
		w.Again = w.May && w.Goes.Version > w.GoesVersion
		w.Lost = w.May && w.Stays.State != birth.Active
		w.Waits = w.May && w.Goes.State == birth.Merged && w.ReopenedAt != nil
	}
}
