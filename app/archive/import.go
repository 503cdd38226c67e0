package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Brought describes a practice that was imported.
type Brought struct {
	Practice store.Practice
	Manifest Manifest
	Users    []store.User // the practice's users after the import
	Admins   []string     // the addresses of the users to invite as admins
	// Known lists the addresses of the archive's admins who already have an account in this
	// installation. They don't belong to the practice until somebody adds them. An archive can
	// contain anybody's address, so it must not give access to an existing account.
	Known []string
}

// ErrHere means that a practice, or part of it, is already in this installation.
var ErrHere = errors.New("this practice, or a part of it, is in this installation already; nothing was changed. " +
	"To import it again, erase it first: birthregistry practice forget ID. If the erasure has already begun, wait for its certificate")

// Import imports the practice in an archive. It calls progress once when it begins to check the
// archive, and then with the number of versions written and their total. If Import can't write the
// whole practice, it deletes what it has written.
func (s *Service) Import(ctx context.Context, path string, with Opening, progress func(stage string, done, total int)) (b Brought, err error) {
	a, err := openArchive(path, with)
	if err != nil {
		return b, err
	}
	defer a.Close() //nolint:errcheck // only read
	progress("Checking", 0, a.manifest.Versions)
	incoming, err := a.verify(ctx)
	if err != nil {
		return b, err
	}
	lock, err := s.db.LockIncoming()
	if err != nil {
		return b, err
	}
	defer lock.Close() //nolint:errcheck // closing releases it, and nothing was written
	if err := s.drop(ctx); err != nil {
		return b, err
	}
	in, err := s.write(ctx, a, incoming, progress)
	if err != nil {
		return b, errors.Join(err, s.drop(context.WithoutCancel(ctx)))
	}
	b, err = s.brought(context.WithoutCancel(ctx), a, in) // the import is complete, so it must not end as interrupted
	for _, u := range incoming.Users {
		if slices.Contains(in.admins, in.Users[u.ID]) {
			b.Known = append(b.Known, u.Email)
		}
	}
	return b, err
}

// drop deletes rows that an interrupted import has left in the database. It then truncates the WAL,
// which may still contain these rows. If a reader of the database prevents that, the service or the
// next command truncates the WAL later.
func (s *Service) drop(ctx context.Context) error {
	deleted, err := s.db.DropIncoming()
	if err == nil && deleted {
		_, err = s.db.TruncateWAL(ctx)
	}
	return err
}

// write writes the rows of the practice. At the end, it makes the practice visible.
func (s *Service) write(ctx context.Context, a *reader, incoming store.Incoming, progress func(string, int, int)) (in *importer, err error) {
	in = &importer{Service: s, ctx: ctx, from: a, progress: progress}
	err = s.db.Update(func(tx *store.Tx) (err error) {
		in.IncomingIDs, err = tx.BeginIncoming(incoming)
		return err
	})
	if err == nil {
		err = in.all()
	}
	if err == nil {
		err = in.sound()
	}
	if err == nil {
		err = in.finish()
	}
	switch {
	case errors.Is(err, store.ErrConflict):
		err = ErrHere
	case errors.Is(err, store.ErrInvalid), errors.Is(err, store.ErrNotFound):
		err = damaged("rows do not fit together")
	}
	return in, err
}

// sound checks the rules that concern several rows. It returns ErrDamaged if a rule is broken.
func (in *importer) sound() error {
	wrong, err := store.Read(in.ctx, in.db, func(v *store.View) (string, error) { return v.IncomingProblem(in.Practice) })
	if err == nil && wrong != "" {
		err = damaged("%s", wrong)
	}
	return err
}

// finish writes the memberships in the last transaction of the import, which makes the practice
// visible. It leaves out the memberships of users who already had an account here. It adds the
// admins among these users to in.admins.
func (in *importer) finish() error {
	memberships, err := in.held("memberships")
	if err != nil {
		return err
	}
	t, err := store.ArchiveTableNamed("memberships")
	if err != nil {
		return err
	}
	if hasTwice(memberships) {
		return damaged("a user has two roles")
	}
	memberships = slices.DeleteFunc(memberships, func(m []any) bool {
		user, _ := m[0].(int64)
		if in.Accounts[user] && m[1] == string(auth.Admin) && m[4] == nil {
			in.admins = append(in.admins, user)
		}
		return in.Accounts[user]
	})
	tallies, err := store.Read(in.ctx, in.db, func(v *store.View) (store.IncomingTallies, error) { return v.TallyIncoming(in.Practice) })
	if err != nil {
		return err
	}
	return in.db.Update(func(tx *store.Tx) error {
		if err := tx.AddIncomingRows(in.Practice, t, memberships); err != nil {
			return err
		}
		if err := tx.FinishIncoming(in.Practice, tallies); err != nil {
			return err
		}
		p, err := tx.Practice(in.Practice)
		if err != nil {
			return err
		}
		return in.auth.Note(tx, auth.Operator(p), "practice.import", fmt.Sprintf("%d births, manifest SHA-256 %x", in.from.manifest.Records, in.from.digest))
	})
}

// hasTwice reports whether two of the memberships belong to the same user.
func hasTwice(memberships [][]any) bool {
	seen := map[any]bool{}
	for _, m := range memberships {
		if seen[m[0]] {
			return true
		}
		seen[m[0]] = true
	}
	return false
}

// brought returns a description of the imported practice.
func (s *Service) brought(ctx context.Context, a *reader, in *importer) (b Brought, err error) {
	b.Manifest = a.manifest
	err = s.db.View(ctx, func(v *store.View) error {
		if b.Practice, err = v.Practice(in.Practice); err != nil {
			return err
		}
		members, err := v.Members(in.Practice, time.Now())
		for _, m := range members {
			b.Users = append(b.Users, store.User{ID: m.User, Email: m.Email, Name: m.Name})
			if m.Role == string(auth.Admin) && m.DisabledAt == nil {
				b.Admins = append(b.Admins, m.Email)
			}
		}
		return err
	})
	return b, err
}
