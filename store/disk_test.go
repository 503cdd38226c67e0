package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The WAL counts twice toward the reserve, because a checkpoint needs the same space again in
// the database file before it frees any. So when many callers share a commit on a small disk,
// each must see the free space and the WAL as the callers before it leave them.
func TestDiskSpaceThatOneCallerFillsIsNotAvailableToTheNextOfTheCommit(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	const size = 1 << 20
	var free, log []int64
	look := func(tx *Tx) error {
		f, l, err := tx.DiskSpace()
		free, log = append(free, f), append(log, l)
		return err
	}
	accept := func(tx *Tx) error {
		_, _, err := tx.Accept(w.p, NewIngestion{PublicID: "new", Parts: [][]byte{make([]byte, size/2), make([]byte, size/2)}})
		return err
	}
	part := func(tx *Tx) error { return tx.AddImportPart(w.p, w.imported.ID, 7, make([]byte, size)) }
	undone := func(fn func(*Tx) error) func(*Tx) error {
		return func(tx *Tx) error {
			require.NoError(t, fn(tx))
			return errRefused
		}
	}
	errs := together(t, db, look, undone(accept), look, accept, look, undone(part), look, part, look)
	for n, err := range errs {
		if n == 1 || n == 5 {
			require.ErrorIs(t, err, errRefused)
		} else {
			require.NoError(t, err)
		}
	}
	for n, taken := range []int64{0, 0, size, size, 2 * size} {
		require.Equal(t, free[0]-taken, free[n], "free for look %d", n)
		require.Equal(t, log[0]+taken, log[n], "log for look %d", n)
	}
}
