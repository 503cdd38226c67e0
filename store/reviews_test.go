package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// lookalikes adds n records with the same fingerprint and marks all but the first as possible
// duplicates.
func lookalikes(t *testing.T, db *DB, p PracticeID, print birth.Fingerprint, n int) (ids []int64) {
	t.Helper()
	for i := range n {
		r := addRecord(t, db, p, "")
		ids = append(ids, r.ID)
		update(t, db, func(tx *Tx) error {
			if err := tx.SetFingerprints(p, RecordFingerprints{Record: r.ID, All: []birth.Fingerprint{print, {byte(r.ID), 1}}, Live: true}); err != nil || i == 0 {
				return err
			}
			return tx.Suspect(p, r.ID)
		})
	}
	return ids
}

func pairsOf(t *testing.T, db *DB, p PracticeID, after Pair, limit int) (all []Pair, n int) {
	t.Helper()
	view(t, db, func(v *View) (err error) {
		if all, err = v.Pairs(p, after, limit); err != nil {
			return err
		}
		n, err = v.CountPairs(p)
		return err
	})
	return all, n
}

func TestWaitingPairsAreListedOnceInTheOrderInWhichTheyCame(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	a := lookalikes(t, db, p, birth.Fingerprint{9}, 3)
	b := lookalikes(t, db, p, birth.Fingerprint{8}, 2)
	lookalikes(t, db, other, birth.Fingerprint{9}, 1)
	want := []Pair{{a[1], a[0]}, {a[2], a[0]}, {b[1], b[0]}} // each is paired with the oldest only
	all, n := pairsOf(t, db, p, Pair{}, 9)
	require.Equal(t, want, all)
	require.Equal(t, 3, n)
	update(t, db, func(tx *Tx) error { return tx.Suspect(p, a[0]) }) // whichever record is marked, it is the same pair
	all, n = pairsOf(t, db, p, Pair{}, 9)
	require.Equal(t, want, all)
	require.Equal(t, 3, n)
	some, _ := pairsOf(t, db, p, want[0], 2)
	require.Equal(t, want[1:], some, "page by page")
	for _, gone := range []string{"voided", "merged"} {
		raw(t, db, `update records set state = ?, merged_into = iif(? = 'merged', ?, null) where id = ?`, gone, gone, a[0], a[1])
		raw(t, db, `update fingerprints set live = 0 where record = ?`, a[1])
		all, _ = pairsOf(t, db, p, Pair{}, 9)
		require.Equal(t, []Pair{{a[2], a[0]}, {b[1], b[0]}}, all, "only active records wait")
	}
}

func TestAPairMarkedAsNotDuplicatesWaitsAgainOnlyOnceTheMarkIsRemoved(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	ids := lookalikes(t, db, p, birth.Fingerprint{9}, 3)
	var review int64
	update(t, db, func(tx *Tx) (err error) {
		if review, err = tx.AddReview(p, Review{Decision: KeepBoth, Stays: ids[0], Goes: ids[2]}); err != nil {
			return err
		}
		return tx.MarkNotDuplicates(p, ids[2], ids[0], review)
	})
	all, _ := pairsOf(t, db, p, Pair{}, 9)
	require.Equal(t, []Pair{{ids[1], ids[0]}, {ids[2], ids[1]}}, all)
	view(t, db, func(v *View) error {
		kept, err := v.NotDuplicates(p, ids)
		require.Equal(t, map[int64][]int64{ids[0]: {ids[2]}, ids[2]: {ids[0]}}, kept)
		return err
	})
	update(t, db, func(tx *Tx) error { return tx.UnmarkNotDuplicates(p, []int64{ids[2]}) })
	all, _ = pairsOf(t, db, p, Pair{}, 9)
	require.Equal(t, []Pair{{ids[1], ids[0]}, {ids[2], ids[0]}}, all)
}

// If one birth is sent under new chart numbers over and over, the queue must not list every
// possible pair. But in the end each record must have been compared.
func TestManyRecordsOfOneBirthWaitOneByOneUntilAllAreCompared(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	ids := lookalikes(t, db, p, birth.Fingerprint{9}, 6)
	all, _ := pairsOf(t, db, p, Pair{}, 99)
	require.Len(t, all, len(ids)-1)
	kept := map[Pair]bool{}
	for len(all) > 0 {
		require.Less(t, len(all), len(ids))
		require.False(t, kept[all[0]], "a pair that was kept comes again")
		kept[all[0]] = true
		update(t, db, func(tx *Tx) error {
			review, err := tx.AddReview(p, Review{Decision: KeepBoth, Stays: all[0].Older(), Goes: all[0].Newer()})
			if err != nil {
				return err
			}
			return tx.MarkNotDuplicates(p, all[0].Newer(), all[0].Older(), review)
		})
		all, _ = pairsOf(t, db, p, Pair{}, 99)
	}
	require.Len(t, kept, len(ids)*(len(ids)-1)/2, "every two of them have been compared")
}

// voided voids a record; its fingerprints no longer count.
func voided(t *testing.T, db *DB, record int64) {
	t.Helper()
	raw(t, db, `update records set state = 'voided' where id = ?`, record)
	raw(t, db, `update fingerprints set live = 0 where record = ?`, record)
}

func TestTheFlagIsRemovedWhenNoDuplicateIsLeft(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	ids := lookalikes(t, db, p, birth.Fingerprint{9}, 3)
	suspected := func() (marked []bool) {
		view(t, db, func(v *View) error {
			all, err := v.RecordsByID(p, ids)
			for _, r := range all {
				marked = append(marked, r.Suspected)
			}
			return err
		})
		return marked
	}
	unsuspect := func() { update(t, db, func(tx *Tx) error { return tx.Unsuspect(p, ids) }) }
	unsuspect()
	require.Equal(t, []bool{false, true, true}, suspected(), "they still do; the first one is not marked by it")
	voided(t, db, ids[0])
	unsuspect()
	require.Equal(t, []bool{false, true, true}, suspected())
	voided(t, db, ids[1])
	unsuspect()
	require.Equal(t, []bool{false, true, false}, suspected(), "one alone looks like nothing; of a voided one the mark says nothing")
}

func TestDecisionsAreKeptAndUndoneOnce(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	view(t, db, func(v *View) error {
		all, err := v.Reviews(w.p, 0, 9)
		require.NoError(t, err)
		require.Len(t, all, 2)
		require.Equal(t, []string{MergeOne, KeepBoth}, []string{all[0].Decision, all[1].Decision}, "newest first")
		next, err := v.Reviews(w.p, all[0].ID, 9)
		require.NoError(t, err)
		require.Equal(t, all[1:], next)
		again, err := v.SentAgain(w.p, 0, 9)
		require.NoError(t, err)
		require.Len(t, again, 1)
		require.Equal(t, w.mergeReview, again[0].ID)
		of, err := v.ReviewsOf(w.p, w.merged.ID, MergeOne, 9)
		require.Len(t, of, 1)
		require.NoError(t, err)
		of, err = v.ReviewsOf(w.p, w.merged.ID, VoidOne, 9)
		require.Empty(t, of)
		return err
	})
	update(t, db, func(tx *Tx) error { return tx.UndoReview(w.p, w.mergeReview, w.admin) })
	require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.UndoReview(w.p, w.mergeReview, w.admin) }), ErrNotFound)
	view(t, db, func(v *View) error {
		undone, err := v.Review(w.p, w.mergeReview)
		require.NoError(t, err)
		require.NotNil(t, undone.UndoneAt)
		require.Equal(t, "Olive", undone.UndoneBy)
		again, err := v.SentAgain(w.p, 0, 9)
		require.Empty(t, again)
		require.NoError(t, err)
		of, err := v.ReviewsOf(w.p, w.merged.ID, MergeOne, 9)
		require.Empty(t, of)
		return err
	})
}

func TestTheHistoryNamesTheReviewThatMadeAVersion(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	stays, goes := addRecord(t, db, p, "1"), addRecord(t, db, p, "2")
	update(t, db, func(tx *Tx) error {
		id, err := tx.AddReview(p, Review{Decision: MergeOne, Stays: stays.ID, Goes: goes.ID, StaysVersion: 2, GoesVersion: 2})
		if err != nil {
			return err
		}
		step := func(r Record, version int, change string) Version {
			return Version{Record: r.ID, Version: version, Content: 1, Change: change, Source: birth.Manual, Review: id}
		}
		return tx.AddVersions(p, []Version{step(stays, 2, "amend"), step(goes, 2, "void"), step(goes, 3, "revive")})
	})
	view(t, db, func(v *View) error {
		events, err := v.History(p, goes.ID, 0, 9)
		require.NoError(t, err)
		require.Equal(t, []any{MergeOne, true, "1"}, []any{events[0].Decision, events[0].Undoes, events[0].OtherChart})
		require.Equal(t, []any{MergeOne, false, stays.UUID}, []any{events[1].Decision, events[1].Undoes, events[1].Other})
		require.Empty(t, events[2].Decision)
		for version, state := range map[int]birth.State{1: birth.Active, 2: birth.Merged, 3: birth.Active} {
			at, err := v.VersionOf(p, goes.ID, version)
			require.NoError(t, err)
			require.Equal(t, state, at.State, version)
		}
		return nil
	})
}

func TestPairsMarkedAsNotDuplicatesAreFoundWithoutReadingEveryRecordThatLooksTheSame(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	print := birth.Fingerprint{9}
	ids := lookalikes(t, db, p, print, 5)
	kept := func(fingerprints ...birth.Fingerprint) (found []int64) {
		view(t, db, func(v *View) (err error) {
			found, err = v.NotDuplicatesUnder(p, fingerprints)
			return err
		})
		return found
	}
	require.Empty(t, kept(print))
	var review int64
	update(t, db, func(tx *Tx) (err error) {
		if review, err = tx.AddReview(p, Review{Decision: KeepBoth, Stays: ids[1], Goes: ids[3]}); err != nil {
			return err
		}
		return tx.MarkNotDuplicates(p, ids[3], ids[1], review)
	})
	require.ElementsMatch(t, []int64{ids[1], ids[3]}, kept(print))
	require.Empty(t, kept(birth.Fingerprint{7}))
	voided(t, db, ids[3])
	require.Equal(t, []int64{ids[1]}, kept(print), "one that does not count looks like nothing")
}
