package ops

import (
	"context"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Compact rewrites the database file without deleted data (store.DB.Compact), and adds an entry to
// the audit trail. It returns the size of the file in bytes, before and after. It returns
// store.ErrServed if another process serves the database. It also fails while another process
// imports a practice or changes the keys, because that process couldn't write during the rewrite
// and would fail.
func (i *Installation) Compact(ctx context.Context) (before, after int64, err error) {
	for _, lock := range []func() (*store.LockFile, error){i.Lock, i.DB.LockIncoming, i.DB.LockKeys} {
		held, err := lock()
		if err != nil {
			return 0, 0, err
		}
		defer held.Close() //nolint:errcheck // closing releases it, and nothing was written
	}
	before, _ = i.DB.Size()
	if err := i.DB.Compact(ctx); err != nil {
		return before, 0, err
	}
	after, _ = i.DB.Size()
	return before, after, i.DB.Update(func(tx *store.Tx) error {
		return i.Auth.Note(tx, auth.Operator(store.Practice{}), "database.compact", "")
	})
}
