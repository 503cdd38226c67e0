package store

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// interruptImport leaves a practice whose import was interrupted.
func interruptImport(t *testing.T, db *DB) {
	t.Helper()
	require.NoError(t, db.Update(func(tx *Tx) error {
		_, err := tx.BeginIncoming(Incoming{Practice: Practice{Name: "Riverside"}, Digest: []byte("archive")})
		return err
	}))
}

func TestAnImportCanBeginWhileAnInterruptedOneIsDeleted(t *testing.T) {
	db := opened(t)
	interruptImport(t, db)
	release := gathering(t, db)
	swept := make(chan error, 1)
	go func() {
		_, err := db.SweepIncoming()
		swept <- err
	}()
	waiting(db, 0, 1) // the sweep's first transaction
	lock, err := db.tryLockIncoming()
	release()
	require.NoError(t, <-swept)
	require.NoError(t, err)
	require.NoError(t, lock.Close())
}

func TestAnImportThatIsUnderWayIsNotDeleted(t *testing.T) {
	db := opened(t)
	lock, err := db.LockIncoming()
	require.NoError(t, err)
	interruptImport(t, db)
	deleted, err := db.SweepIncoming()
	require.NoError(t, err)
	require.False(t, deleted)
	require.NoError(t, lock.Close())
	deleted, err = db.SweepIncoming()
	require.NoError(t, err)
	require.True(t, deleted)
}

func TestAnImportWaitsAMomentForAnotherProcessButNotForAWholeImport(t *testing.T) {
	db := opened(t)
	synctest.Test(t, func(t *testing.T) {
		held, err := db.LockIncoming()
		require.NoError(t, err)
		_, err = db.LockIncoming()
		require.ErrorIs(t, err, ErrIncoming)
		time.AfterFunc(time.Second, func() { _ = held.Close() })
		lock, err := db.LockIncoming()
		require.NoError(t, err)
		require.NoError(t, lock.Close())
	})
}
