package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is committed to a deleted WAL is lost when the process ends, and the next process
// that opens the database by name creates another WAL.
func TestNothingIsCommittedOnceAFileOfTheDatabaseIsNotInItsPlace(t *testing.T) {
	for _, ending := range []string{"", "-wal", "-shm", ".lock"} {
		t.Run("registry.db"+ending, func(t *testing.T) {
			db := opened(t)
			lock, err := db.Lock()
			require.NoError(t, err)
			defer lock.Close() //nolint:errcheck // nothing was written
			addPractice(t, db)
			require.NoError(t, db.Lost())
			aside := db.Path() + ".aside"
			require.NoError(t, os.Rename(db.Path()+ending, aside))
			require.ErrorIs(t, db.Update(countUp), ErrMoved)
			require.ErrorIs(t, db.Lost(), ErrMoved)
			require.NoError(t, os.WriteFile(db.Path()+ending, nil, 0o600))
			require.ErrorIs(t, db.Update(countUp), ErrMoved, "nor with another in its place")
			require.ErrorIs(t, db.Lost(), ErrMoved)
			require.NoError(t, os.Rename(aside, db.Path()+ending))
			require.NoError(t, db.Update(countUp))
			require.NoError(t, db.Lost())
		})
	}
	t.Run("the folder", func(t *testing.T) {
		db := opened(t)
		folder := filepath.Dir(db.Path())
		require.NoError(t, os.Rename(folder, folder+".aside"))
		require.ErrorIs(t, db.Update(countUp), ErrMoved)
		require.ErrorIs(t, db.Lost(), ErrMoved)
		require.NoError(t, os.Rename(folder+".aside", folder))
		require.NoError(t, db.Lost())
	})
}

// A process may freeze within a transaction and wake up after another machine has taken over
// the volume.
func TestACommitWhileTheFileIsTakenAwayIsNotAcknowledged(t *testing.T) {
	db := opened(t)
	aside := db.Path() + ".aside"
	err := db.Update(func(tx *Tx) error {
		require.NoError(t, os.Rename(db.Path(), aside))
		return countUp(tx)
	})
	require.ErrorIs(t, err, ErrMoved)
	read := func(v *View) (int, error) { return only[int](v, "select count(*) from practices") }
	refused := func(err error) {
		require.ErrorIs(t, err, ErrMoved, "a reader would see what isn't acknowledged")
	}
	_, err = Read(t.Context(), db, read)
	refused(err)
	_, err = Lookup(t.Context(), db, read)
	refused(err)
	refused(db.Durable())
	_, err = db.TruncateWAL(t.Context())
	refused(err)
	require.NoError(t, os.Rename(aside, db.Path()))
	_, err = Read(t.Context(), db, read)
	require.NoError(t, err)
	_, err = Lookup(t.Context(), db, read)
	require.NoError(t, err)
	require.NoError(t, db.Update(countUp))
}
