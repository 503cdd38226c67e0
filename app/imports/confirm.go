package imports

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Confirm queues an import. Rows with errors are left out if leaveOut is set. If there are such
// rows and leaveOut isn't set, Confirm returns ErrLeaveOut. Other errors are ErrNothing if there is
// nothing to import, ErrFileGone and ErrPreviewChanged. Confirming twice has the same effect as
// confirming once.
func (s *Service) Confirm(ctx context.Context, who auth.User, publicID string, leaveOut bool) error {
	return s.confirm(ctx, who, publicID, leaveOut, false)
}

// ConfirmWithDrafts queues an import. In the same transaction, it saves the births with errors as
// drafts of the user (rows.go). Births that can't become drafts are left out (draftable). If the
// user may not have that many drafts, ConfirmWithDrafts returns drafts.ErrTooMany and does nothing.
func (s *Service) ConfirmWithDrafts(ctx context.Context, who auth.User, publicID string) error {
	return s.confirm(ctx, who, publicID, true, true)
}

func (s *Service) confirm(ctx context.Context, who auth.User, publicID string, leaveOut, keep bool) error {
	row, err := s.importRow(ctx, who, auth.ImportRun, publicID)
	if err != nil {
		return err
	}
	i, err := s.opened(who.Practice.ID, row)
	if err != nil || i.Confirmed {
		return err
	}
	found := i.About.Preview
	switch {
	case !i.Kept:
		return ErrFileGone
	case found.New+found.Amends+found.Revives == 0 && (!keep || found.Drafts == 0):
		return ErrNothing
	case found.Errors > 0 && !leaveOut:
		return ErrLeaveOut
	}
	var kept keptRows
	if keep {
		if kept, err = s.keep(ctx, who, i); err != nil {
			return err
		}
	}
	err = s.auth.Act(who, func(tx *store.Tx) error {
		now, err := tx.Import(who.Practice.ID, publicID)
		if err != nil || now.Status != "" { // another click came first
			return err
		}
		if !bytes.Equal(now.About, row.About) { // somebody has just changed how the file is read
			return ErrPreviewChanged
		}
		if keep {
			if err := s.drafts.AddAll(tx, who, kept.drafts); err != nil {
				return err
			}
			if err := tx.SetImport(who.Practice.ID, store.Import{ID: now.ID, Rows: now.Rows, Size: now.Size, About: kept.about}); err != nil {
				return err
			}
		}
		if err := tx.ConfirmImport(who.Practice.ID, now.ID, who.ID, found.Items()); err != nil {
			return err
		}
		return s.auth.Note(tx, who, "import.run", publicID)
	})
	s.queue.Signal()
	return err
}

// Drop deletes an uploaded file, either before its import is confirmed or after the import has
// ended.
func (s *Service) Drop(ctx context.Context, who auth.User, publicID string) error {
	row, err := s.importRow(ctx, who, auth.ImportRun, publicID)
	if err != nil {
		return err
	}
	return s.drop(who, row)
}

// drop deletes a file. It also deletes the texts from the file that are part of the preview.
func (s *Service) drop(who auth.User, row store.Import) error {
	p := who.Practice.ID
	about, err := s.withoutTexts(p, row)
	if err != nil {
		return err
	}
	s.queue.SetTruncationPending()
	return s.auth.Act(who, func(tx *store.Tx) error { return tx.DropImport(p, row.ID, about) })
}

// ErrRunning means that the import is still being processed.
var ErrRunning = errors.New("imports: the import is still running; wait until it has ended")

// Redact deletes the uploaded files of the given submissions, and the texts that are stored about
// these files. It is called in the transaction that erases a birth, with the submissions that name
// the birth. Redact skips submissions that were pushed, because they have no file. It returns
// ErrRunning if one of the imports is being processed.
func (s *Service) Redact(tx *store.Tx, p store.PracticeID, publicIDs []string) error {
	for _, id := range publicIDs {
		row, err := tx.Import(p, id)
		if errors.Is(err, store.ErrNotFound) { // the submission was pushed
			continue
		}
		if err != nil {
			return err
		}
		about, err := s.withoutTexts(p, row)
		if err != nil {
			return err
		}
		if err := store.Translate(tx.DropImport(p, row.ID, about), store.ErrNotFound, ErrRunning); err != nil {
			return err
		}
	}
	return nil
}

// withoutTexts returns the data about an import without any text from the file. It removes headers,
// cells, and the chart numbers and dates in the preview. It returns nil if there is nothing to
// remove, or if the data can no longer be read.
func (s *Service) withoutTexts(p store.PracticeID, row store.Import) ([]byte, error) {
	i, err := s.opened(p, row)
	preview := i.About.Preview
	if err != nil || len(preview.Values)+len(preview.First)+len(preview.Changed) == 0 && i.About.Survey == nil {
		return nil, s.vault.Ready()
	}
	i.About.Survey, i.About.Layout, i.About.Groups, i.About.Crowded, i.About.Fixes = nil, nil, nil, "", nil
	for n, column := range i.About.Ignored { // its header may be a cell, if the file has no header row
		i.About.Ignored[n], _, _ = strings.Cut(column, " ")
	}
	i.About.Preview = preview.WithoutTexts()
	return s.sealAbout(p, row.PublicID, i.About)
}

// Sweep deletes files that have been kept for FileKept. It deletes at most 100 at a time, and
// returns how many were due. It deletes none while the clock has jumped.
func (s *Service) Sweep() (int, error) {
	if s.queue.ClockJump() != 0 {
		return 0, nil
	}
	spent, err := store.Read(context.Background(), s.db, func(v *store.View) ([]store.SpentImport, error) {
		return v.SpentImports(time.Now().Add(-FileKept), 100)
	})
	for _, i := range spent {
		if failed := s.drop(auth.Operator(store.Practice{ID: i.Practice}), i.Import); !errors.Is(failed, store.ErrNotFound) { // otherwise somebody was faster, or its practice is gone
			err = errors.Join(err, failed)
		}
	}
	return len(spent), err
}
