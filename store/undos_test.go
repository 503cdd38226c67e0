package store

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// addUndo gives the practice an import that wrote one of its records, and starts to undo it.
func (w *fixture) addUndo(tx *Tx) (err error) {
	w.undone = Import{PublicID: uuid.NewString(), About: []byte("about")}
	if w.undone.ID, err = tx.AddImport(w.p, w.undone); err != nil {
		return err
	}
	_, confirmed := tx.exec(`update imports set ingestion = ?, kept = 0 where id = ?`, w.ingestion.ID, w.undone.ID)
	_, wrote := tx.exec(`update versions set ingestion = ?, item = 3 where record = ?`, w.ingestion.ID, w.other.ID)
	return errors.Join(confirmed, wrote, tx.StartUndo(w.p, w.undone.ID, w.admin),
		tx.StepUndo(w.p, w.undone.ID, UndoStep{Next: 2, Kept: []KeptRecord{{1, w.record.ID, KeptChanged}}}))
}

func TestAStepOfAnUndoIsStoredOnce(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	step := UndoStep{From: 2, Next: 4, UndoCounts: UndoCounts{Voided: 1, Restored: 2}, Ended: true}
	update(t, db, func(tx *Tx) error {
		require.NoError(t, tx.StartUndo(w.p, w.undone.ID, w.stranger), "again: nothing changes")
		require.ErrorIs(t, tx.StepUndo(w.p, w.undone.ID, UndoStep{From: 0, Next: 2}), ErrNotFound)
		require.NoError(t, tx.StepUndo(w.p, w.undone.ID, step))
		require.ErrorIs(t, tx.StepUndo(w.p, w.undone.ID, UndoStep{From: 4, Next: 5}), ErrNotFound, "it has ended")
		return nil
	})
	view(t, db, func(v *View) error {
		i, err := v.Import(w.p, w.undone.PublicID)
		require.NoError(t, err)
		require.Equal(t, UndoCounts{1, 2, 1}, i.Undo.UndoCounts)
		require.Equal(t, "Olive", i.Undo.By)
		require.False(t, i.Undo.EndedAt.IsZero())
		under, err := v.UnfinishedUndos(9)
		require.Empty(t, under)
		return err
	})
}
