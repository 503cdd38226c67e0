package ops

import (
	"context"
	"errors"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Compact rewrites the database file without anything that was deleted (store.DB.Compact),
// and notes it in the audit trail. It returns the bytes of the file before and after, and
// store.ErrServed when another process serves the database: nothing can be written meanwhile.
func (i *Installation) Compact(ctx context.Context) (before, after int64, err error) {
	lock, err := i.Lock()
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	before, _ = i.DB.Size()
	if err := i.DB.Compact(ctx); err != nil {
		return before, 0, err
	}
	after, _ = i.DB.Size()
	return before, after, i.DB.Update(func(tx *store.Tx) error {
		return i.Auth.Note(tx, auth.Operator(store.Practice{}), "database.compact", "")
	})
}
