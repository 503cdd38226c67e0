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
	case found.New+found.Amends+found.Revives == 0:
		return ErrNothing
	case found.Errors > 0 && !leaveOut:
		return ErrLeaveOut
	}
	err = s.db.Update(func(tx *store.Tx) error {
		now, err := tx.Import(who.Practice.ID, publicID)
		if err != nil || now.Status != "" { // another click came first
			return err
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
	s.queue.SetTruncationPending()
	return s.db.Update(func(tx *store.Tx) error { return tx.DropImport(who.Practice.ID, row.ID) })
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
		err = s.db.Update(func(tx *store.Tx) error { return tx.DropImport(i.Practice, i.ID) })
		s.queue.SetTruncationPending()
	}
	return len(spent), err
}
