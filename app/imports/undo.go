package imports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/store"
)

// UndoFor is how long an import can be undone after it has ended.
const UndoFor = 30 * 24 * time.Hour

// The reasons why an import can't be undone.
var (
	// ErrNotImported means that the import hasn't been confirmed, is still in progress, or has
	// failed.
	ErrNotImported = errors.New("imports: only a completed import can be undone")
	// ErrUndoTooLate means that the import ended more than UndoFor ago.
	ErrUndoTooLate = errors.New("imports: an import can be undone for 30 days; amend or void its records one by one")
)

// undoNote is the reason that the history of a record shows for an undo.
const undoNote = "The import was undone."

// UndoPlan says what an undo would do now, or what it has done.
type UndoPlan struct {
	store.UndoCounts
	// Records lists the first records that an undo has left unchanged. It is empty before the undo,
	// and for users who may not read records.
	Records []store.RecordKept
}

// UndoneBy returns the time until which an import can be undone.
func (i Import) UndoneBy() time.Time { return i.CompletedAt.Add(UndoFor) }

// Undone returns the undo of an import. If there is none, StartedAt is zero.
func (i Import) Undone() store.Undo { return i.row.Undo }

// MayUndo returns nil if a user may undo an import, and otherwise the reason why they may not. They
// need the permission to import. If the import amended records or restored voided records, they
// also need the permission to do the same.
func (i Import) MayUndo(who auth.User, now time.Time) error {
	switch {
	case i.Status != store.Completed:
		return ErrNotImported
	case now.After(i.UndoneBy()):
		return ErrUndoTooLate
	}
	needed := []auth.Permission{auth.ImportRun}
	if i.changed.Amends > 0 {
		needed = append(needed, auth.RecordAmend)
	}
	if i.changed.Revives > 0 {
		needed = append(needed, auth.RecordVoid)
	}
	for _, p := range needed {
		if err := who.Must(p); err != nil {
			return err
		}
	}
	return nil
}

// PlanUndo returns an import and what undoing it would do now. It returns the errors of Undo.
func (s *Service) PlanUndo(ctx context.Context, who auth.User, publicID string) (i Import, plan UndoPlan, err error) {
	if i, err = s.Progress(ctx, who, publicID); err != nil {
		return i, plan, err
	}
	if err = i.MayUndo(who, time.Now()); err != nil {
		return i, plan, err
	}
	plan.UndoCounts, err = store.Read(ctx, s.db, func(v *store.View) (store.UndoCounts, error) {
		return v.CountUndo(who.Practice.ID, i.row.ID)
	})
	return i, plan, err
}

// keptListed is the maximum number of records that are listed as unchanged on the page of an undo.
const keptListed = 100

// UndoResult returns what the undo of an import has done so far.
func (s *Service) UndoResult(ctx context.Context, who auth.User, i Import) (plan UndoPlan, err error) {
	plan.UndoCounts = i.row.Undo.UndoCounts
	if plan.Kept == 0 || !who.May(auth.RecordRead) {
		return plan, nil
	}
	plan.Records, err = store.Read(ctx, s.db, func(v *store.View) ([]store.RecordKept, error) {
		return v.KeptByUndo(who.Practice.ID, i.row.ID, keptListed)
	})
	return plan, err
}

// Undo starts to undo an import. The worker continues the undo (UndoSteps), even after a restart or
// if the user loses the permission. Calling Undo twice has the same effect as calling it once. Its
// errors are ErrNotImported, ErrUndoTooLate, auth.ErrForbidden and store.ErrNotFound.
func (s *Service) Undo(ctx context.Context, who auth.User, publicID string) error {
	i, err := s.Progress(ctx, who, publicID)
	if err != nil || !i.Undone().StartedAt.IsZero() {
		return err
	}
	err = s.auth.Act(who, func(tx *store.Tx) error {
		if err := i.MayUndo(who, tx.Now); err != nil {
			return err
		}
		row, err := tx.Import(who.Practice.ID, publicID)
		if err != nil || !row.Undo.StartedAt.IsZero() { // another click came first
			return err
		}
		if err := tx.StartUndo(who.Practice.ID, row.ID, who.ID); err != nil {
			return err
		}
		return s.auth.Note(tx, who, "import.undo", publicID)
	})
	select {
	case s.undoWake <- struct{}{}:
	default:
	}
	return err
}

// UndoWake returns the channel that receives a signal when a user has requested an undo.
func (s *Service) UndoWake() <-chan struct{} { return s.undoWake }

// undosAtOnce is how many undos one call of UndoSteps advances. undoChunk is the maximum number of
// records that one transaction reverts.
const (
	undosAtOnce = 8
	undoChunk   = 100
)

// UndoSteps does one step of each undo in progress, but of no more than undosAtOnce. It reports
// whether there were any. Every step commits together with the undo's progress, so that no record
// is reverted twice after a crash. If a step fails, the other undos still advance. An undo in a
// practice that is being deleted isn't an error.
func (s *Service) UndoSteps(ctx context.Context) (more bool, err error) {
	if err := s.vault.Ready(); err != nil {
		return false, err
	}
	under, err := store.Read(ctx, s.db, func(v *store.View) ([]store.Undo, error) { return v.UnfinishedUndos(undosAtOnce) })
	for _, u := range under {
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		if failed := s.undoStep(ctx, u); failed != nil && !errors.Is(failed, store.ErrForgotten) {
			err = errors.Join(err, fmt.Errorf("practice %d: %w", u.Practice, failed))
		}
	}
	return len(under) > 0, err
}

func (s *Service) undoStep(ctx context.Context, u store.Undo) error {
	before := map[int64]changes.Before{}
	if err := s.openBefore(ctx, u, before); err != nil {
		return err
	}
	rows := 1
	for _, b := range before {
		rows += b.Rows()
	}
	by := changes.By{User: u.User, Note: undoNote}
	return s.db.UpdateChunk(rows, func(tx *store.Tx) error {
		records, err := tx.ImportedRecords(u.Practice, u.Import, u.Next, undoChunk)
		if err != nil {
			return err
		}
		if err := s.changes.OpenBefore(&tx.View, u.Practice, records, before); err != nil { // a record may have changed since openBefore
			return err
		}
		step := store.UndoStep{From: u.Next, Next: u.Next, Ended: len(records) < undoChunk}
		if len(records) > 0 {
			step.Next = records[len(records)-1].Item + 1
		}
		if step.UndoCounts, step.Kept, err = s.changes.TakeBack(tx, u.Practice, records, before, by); err != nil {
			return err
		}
		return tx.StepUndo(u.Practice, u.Import, step)
	})
}

// openBefore reads the next records of an undo in the state that they had before the import. It
// first waits until it may read them (ingest.Service.TakeSlot).
func (s *Service) openBefore(ctx context.Context, u store.Undo, before map[int64]changes.Before) error {
	done, err := s.queue.TakeSlot(ctx)
	if err != nil {
		return err
	}
	defer done()
	return s.db.View(ctx, func(v *store.View) error {
		records, err := v.ImportedRecords(u.Practice, u.Import, u.Next, undoChunk)
		if err != nil {
			return err
		}
		return s.changes.OpenBefore(v, u.Practice, records, before)
	})
}
