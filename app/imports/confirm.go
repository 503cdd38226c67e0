package imports

import (
	"context"
	"time"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Confirm queues an import. With leaveOut, it leaves out the rows with errors. Confirming
// twice has the same effect as confirming once.
func (s *Service) Confirm(ctx context.Context, who auth.User, publicID string, leaveOut bool) error {
	return s.confirm(ctx, who, publicID, leaveOut, false)
}

// ConfirmWithDrafts queues an import, and the transaction that does so keeps its births
// with errors as drafts of the user (rows.go). Those of records on file are left out. It
// returns drafts.ErrTooMany when they are too many, and then does nothing.
func (s *Service) ConfirmWithDrafts(ctx context.Context, who auth.User, publicID string) error {
	return s.confirm(ctx, who, publicID, true, true)
}

func (s *Service) confirm(ctx context.Context, who auth.User, publicID string, leaveOut, keep bool) error {
	if err := who.Must(auth.ImportRun); err != nil {
		return err
	}
	row, err := s.importRow(ctx, who, publicID)
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
	err = s.db.Update(func(tx *store.Tx) error {
		now, err := tx.Import(who.Practice.ID, publicID)
		if err != nil || now.Status != "" { // another click came first
			return err
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

// Drop deletes a file that nobody wants to import anymore, or the file of a finished
// import.
func (s *Service) Drop(ctx context.Context, who auth.User, publicID string) error {
	if err := who.Must(auth.ImportRun); err != nil {
		return err
	}
	row, err := s.importRow(ctx, who, publicID)
	if err != nil {
		return err
	}
	return s.drop(who.Practice.ID, row)
}

// drop deletes a file, with the texts of it that the preview holds.
func (s *Service) drop(p store.PracticeID, row store.Import) error {
	about, err := s.withoutTexts(p, row)
	if err != nil {
		return err
	}
	s.queue.SetTruncationPending()
	return s.db.Update(func(tx *store.Tx) error { return tx.DropImport(p, row.ID, about) })
}

// withoutTexts returns what is stored about an import without its headers and the texts of
// its cells, nil if there are none, or if it cannot be read any more.
func (s *Service) withoutTexts(p store.PracticeID, row store.Import) ([]byte, error) {
	i, err := s.opened(p, row)
	if err != nil || len(i.About.Preview.Values) == 0 && i.About.Survey == nil {
		return nil, s.vault.Ready()
	}
	i.About.Survey, i.About.Layout, i.About.Groups, i.About.Crowded = nil, nil, nil, ""
	for n := range i.About.Preview.Values {
		i.About.Preview.Values[n].Value = ""
	}
	return s.sealAbout(p, row.PublicID, i.About)
}

// Sweep deletes the files that are older than FileKept, and returns how many.
// It deletes none while the clock is in doubt.
func (s *Service) Sweep() (int, error) {
	if s.queue.ClockJump() != 0 {
		return 0, nil
	}
	var spent []store.SpentImport
	err := s.db.View(context.Background(), func(v *store.View) (err error) {
		spent, err = v.SpentImports(time.Now().Add(-FileKept), 100)
		return err
	})
	for _, i := range spent {
		if err != nil {
			return 0, err
		}
		err = s.drop(i.Practice, i.Import)
	}
	return len(spent), err
}
