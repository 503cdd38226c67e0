package store

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// addImport gives the practice an uploaded file that nobody has confirmed.
func (w *fixture) addImport(tx *Tx) (err error) {
	w.imported = Import{PublicID: uuid.NewString(), About: []byte("about")}
	if w.imported.ID, err = tx.AddImport(w.p, w.imported); err != nil {
		return err
	}
	return tx.AddImportPart(w.p, w.imported.ID, 0, []byte("part of a file"))
}

// importID drops everything but the ID of an import, so that it can be compared.
func importID(i Import, err error) (any, error) { return i.ID, err }

func TestAnImportIsConfirmedOnceAndThenNeitherChangesNorGrows(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	update(t, db, func(tx *Tx) error {
		return tx.SetImport(w.p, Import{ID: w.imported.ID, Rows: 3, Size: 99, About: []byte("seen")})
	})
	update(t, db, func(tx *Tx) error { return tx.ConfirmImport(w.p, w.imported.ID, w.admin, 2) })
	for _, refused := range []func(tx *Tx) error{
		func(tx *Tx) error { return tx.ConfirmImport(w.p, w.imported.ID, w.admin, 2) },
		func(tx *Tx) error { return tx.SetImport(w.p, Import{ID: w.imported.ID}) },
		func(tx *Tx) error { return tx.AddImportPart(w.p, w.imported.ID, 1, []byte("x")) },
		func(tx *Tx) error { return tx.DropImport(w.p, w.imported.ID, nil) },
	} {
		err := db.Update(refused)
		require.True(t, errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict), "%v", err)
	}
	view(t, db, func(v *View) error {
		i, err := v.Import(w.p, w.imported.PublicID)
		require.NoError(t, err)
		require.Equal(t, Queued, i.Status)
		require.Equal(t, 2, i.Total)
		g, err := v.Ingestion(w.p, w.imported.PublicID)
		require.NoError(t, err)
		require.Equal(t, CSVKind, g.Kind)
		require.Equal(t, w.admin, g.User)
		require.EqualValues(t, 99, g.Size)
		return nil
	})
}

func TestAFileExpiresADayAfterItsUploadOrItsEnd(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	spent := func(cutoff time.Time) (n int) {
		view(t, db, func(v *View) error {
			all, err := v.SpentImports(cutoff, 9)
			n = len(all)
			return err
		})
		return n
	}
	later := time.Now().Add(time.Minute)
	require.Zero(t, spent(time.Now().Add(-time.Hour)))
	require.Equal(t, 1, spent(later))
	update(t, db, func(tx *Tx) error { return tx.ConfirmImport(w.p, w.imported.ID, 0, 1) })
	require.Zero(t, spent(later), "it is being worked on")
	var g Ingestion
	view(t, db, func(v *View) (err error) {
		g, err = v.Ingestion(w.p, w.imported.PublicID)
		return err
	})
	update(t, db, func(tx *Tx) error {
		return tx.Finish(w.p, Ending{Ingestion: g.ID, Status: Completed, Outcome: []byte("x")})
	})
	require.Equal(t, 1, spent(later))
	update(t, db, func(tx *Tx) error { return tx.DropImport(w.p, w.imported.ID, nil) })
	require.Zero(t, spent(later))
	view(t, db, func(v *View) error {
		i, err := v.Import(w.p, w.imported.PublicID)
		require.NoError(t, err, "what it was is kept for good")
		require.False(t, i.Kept)
		_, err = v.ImportPart(w.p, w.imported.ID, 0)
		require.ErrorIs(t, err, ErrNotFound)
		return nil
	})
}

func TestAnImportIsUnconfirmedUntilSomebodyConfirmsIt(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	publicID, added := uuid.NewString(), int64(0)
	var before, after []Import
	update(t, db, func(tx *Tx) (err error) {
		added, err = tx.AddImport(w.p, Import{PublicID: publicID, User: w.admin, About: []byte("about")})
		if err == nil {
			before, err = tx.UnconfirmedImports(w.p)
		}
		if err == nil {
			err = tx.ConfirmImport(w.p, w.imported.ID, 0, 1)
		}
		if err == nil {
			after, err = tx.UnconfirmedImports(w.p)
		}
		return err
	})
	require.Len(t, before, 2)
	require.Equal(t, []int64{w.imported.ID, added}, []int64{before[0].ID, before[1].ID}, "oldest first")
	require.Len(t, after, 1)
	require.NotZero(t, after[0].CreatedAt)
	after[0].CreatedAt = time.Time{}
	require.Equal(t, Import{ID: added, PublicID: publicID, User: w.admin, By: "Olive", About: []byte("about"), Kept: true}, after[0])
}

func TestADroppedImportLeavesNothing(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	update(t, db, func(tx *Tx) error { return tx.DropImport(w.p, w.imported.ID, nil) })
	view(t, db, func(v *View) error {
		_, err := v.Import(w.p, w.imported.PublicID)
		require.ErrorIs(t, err, ErrNotFound)
		var parts int
		require.NoError(t, v.one("select count(*) from import_parts", nil, &parts))
		require.Zero(t, parts)
		return nil
	})
}
