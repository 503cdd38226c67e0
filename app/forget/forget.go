// Package forget erases a practice from an installation (decision 53). It erases every row, sealed
// value, buffer, queue message, index word, count and audit entry of the practice, from the
// database file, its free pages and its write-ahead log. Until the file is compacted, pages that
// other rows share may still hold fragments. A copy of the file (a backup) holds none.
//
// Two things stay. One is a certificate, which names the practice. The other is a number and a hash
// for each of the practice's entries in the audit trail, because the hash of each entry in the
// trail depends on the hash of the entry before it.
//
//	s := forget.New(db, users)
//	err := s.Begin(practice, checksum) // from then on nobody sees the practice
//	done, err := s.Work(ctx)           // deletes it, in transactions that hold nobody up
//	c, err := s.Certificate(ctx, practice)
//
// Begin and Work may run in different processes: while the service runs, only its process may call
// Work. If that process is killed, at most one transaction is lost, and the next process continues.
//
// Backups made before the erasure still hold the practice. This package can't change them.
package forget

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Service erases practices from one installation.
type Service struct {
	db   *store.DB
	auth *auth.Service
}

// New makes a Service.
func New(db *store.DB, users *auth.Service) *Service { return &Service{db, users} }

// Begin begins to erase a practice. exported is the SHA-256 hash of an archive that was made here
// and holds all of the practice's data, or nil if nobody needs an archive. From then on, the
// practice's API keys don't work, its users can't see it, its submissions aren't processed, and no
// statistics include it. Begin returns store.ErrNotFound if there is no such practice,
// store.ErrExportUnknown if no such archive was made here, and store.ErrExportOld if the practice
// has changed since the archive was made.
func (s *Service) Begin(p store.PracticeID, exported []byte) error {
	return s.db.Update(func(tx *store.Tx) error {
		if err := tx.Forget(p, exported); err != nil {
			return err
		}
		what := fmt.Sprintf("practice %d, without an export", p)
		if exported != nil {
			what = fmt.Sprintf("practice %d, exported as SHA-256 %s", p, hex.EncodeToString(exported))
		}
		return s.auth.Note(tx, auth.Operator(store.Practice{}), "practice.forget", what)
	})
}

// Work deletes the data of the practices that are being erased. Only the process that serves the
// database may call it. If one practice can't be deleted, Work deletes the others, and then returns
// the error. done is false if Work must be called again later, because of an error or because a
// reader still needs the write-ahead log.
func (s *Service) Work(ctx context.Context) (done bool, err error) {
	all, err := store.Read(ctx, s.db, (*store.View).Forgetting)
	var gone []store.PracticeID
	for _, f := range all {
		if f.DeletedAt.IsZero() {
			if failed := s.delete(ctx, f.Practice); failed != nil {
				err = errors.Join(err, fmt.Errorf("practice %d: %w", f.Practice, failed))
				continue
			}
		}
		gone = append(gone, f.Practice)
	}
	if len(gone) == 0 {
		return err == nil, err
	}
	clean, ended := s.end(ctx, gone)
	err = errors.Join(err, ended)
	return clean && err == nil, err
}

// end truncates the write-ahead log, which still holds rows of the deleted practices, and then
// records that their erasure is complete. It returns false if a reader still needs the log.
func (s *Service) end(ctx context.Context, gone []store.PracticeID) (clean bool, err error) {
	if clean, err = s.db.TruncateWAL(ctx); err != nil || !clean {
		return false, err
	}
	return true, s.db.Update(func(tx *store.Tx) error {
		for _, p := range gone {
			if err := tx.EndForgetting(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// delete deletes the rows of a practice. If a request that began before the erasure writes more
// rows meanwhile, delete finds these rows at the end and deletes them, too.
func (s *Service) delete(ctx context.Context, p store.PracticeID) error {
	for gone := false; !gone; {
		for stage := range store.ForgetStages {
			if err := s.deleteStage(ctx, p, stage); err != nil {
				return err
			}
		}
		err := s.db.Update(func(tx *store.Tx) (err error) {
			if gone, err = tx.ForgetPractice(p); err != nil || !gone {
				return err
			}
			return s.auth.Note(tx, auth.Operator(store.Practice{}), "practice.forgotten", fmt.Sprintf("practice %d", p))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) deleteStage(ctx context.Context, p store.PracticeID, stage int) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.db.UpdateChunk(store.FullChunk, func(tx *store.Tx) (err error) {
			more, err = tx.ForgetRows(p, stage, s.auth.Trail.ErasedCode)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Progress describes how much of a practice has been erased.
type Progress struct {
	Erased, Left int // numbers of births
	// Waits is set if all rows are deleted, but the write-ahead log still holds them until it is
	// truncated. Done is set once nothing of the practice is left.
	Waits, Done bool
}

// Progress returns how much of a practice has been erased, or store.ErrNotFound if Begin was never
// called for it.
func (s *Service) Progress(ctx context.Context, p store.PracticeID) (at Progress, err error) {
	err = s.db.View(ctx, func(v *store.View) error {
		f, err := v.Forgotten(p)
		if err != nil {
			return err
		}
		at.Erased, at.Done = int(f.Deleted["records"]), !f.EndedAt.IsZero()
		at.Waits = !at.Done && !f.DeletedAt.IsZero()
		at.Left, _, err = v.CountVersions(p)
		return err
	})
	return at, err
}

// ErrNotDone means that the practice is still being erased.
var ErrNotDone = errors.New("forget: the practice is still being forgotten; the service continues, and so does the command practice forget")
