package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestADraftIsOverwrittenOnlyByAPageThatHasSeenItsLastChange(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	update(t, db, func(tx *Tx) error {
		require.NoError(t, tx.SetDraft(w.p, w.draft, 1, []byte("second")))
		require.ErrorIs(t, tx.SetDraft(w.p, w.draft, 1, []byte("stale")), ErrNotFound)
		d, err := tx.Draft(w.p, w.draft)
		require.Equal(t, "second", string(d.Sealed))
		require.Equal(t, 2, d.Revision)
		require.Equal(t, "Olive", d.By)
		return err
	})
}

func TestDraftsAreListedLastSavedFirstAndByAuthor(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	update(t, db, func(tx *Tx) error {
		require.NoError(t, tx.AddDraft(w.p, Draft{Token: "other", Author: w.stranger, Sealed: []byte("x")}))
		tx.Now = tx.Now.Add(time.Minute)
		require.NoError(t, tx.SetDraft(w.p, w.draft, 1, []byte("later")))
		all, err := tx.Drafts(w.p, 0, 9)
		require.NoError(t, err)
		require.Equal(t, []string{w.draft, "other"}, []string{all[0].Token, all[1].Token})
		own, err := tx.Drafts(w.p, w.stranger, 9)
		require.NoError(t, err)
		require.Len(t, own, 1)
		n, mine, err := tx.CountDrafts(w.p, w.admin)
		require.Equal(t, []int{2, 1}, []int{n, mine})
		return err
	})
}

func TestADraftAgesOutFromItsLastChange(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	update(t, db, func(tx *Tx) error {
		n, err := tx.SweepDrafts(tx.Now.Add(-time.Minute))
		require.NoError(t, err)
		require.Zero(t, n)
		n, err = tx.SweepDrafts(tx.Now.Add(time.Second))
		require.EqualValues(t, 1, n)
		_, gone := tx.Draft(w.p, w.draft)
		require.ErrorIs(t, gone, ErrNotFound)
		return err
	})
}
