package store

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A connection that is opened later opens whatever file has the name by then.
func TestAFileInThePlaceOfTheDatabaseIsNeitherReadNorBackedUp(t *testing.T) {
	db := opened(t)
	addPractice(t, db)
	copied := db.Path() + ".copy"
	require.NoError(t, db.Backup(t.Context(), copied))
	require.NoError(t, os.Rename(db.Path(), db.Path()+".aside"))
	require.ErrorIs(t, db.Update(countUp), ErrMoved)
	readByAll(t, db, 1)
	require.NoError(t, os.Rename(copied, db.Path()))
	require.ErrorIs(t, db.Update(countUp), ErrMoved)
	readByAll(t, db, 1)
	require.ErrorIs(t, db.Backup(t.Context(), db.Path()+".copy"), ErrMoved)
	require.NoError(t, os.Rename(db.Path()+".aside", db.Path()))
	addPractice(t, db)
	clean, err := db.TruncateWAL(t.Context())
	require.NoError(t, err)
	require.True(t, clean)
	readByAll(t, db, 2)
	require.NoError(t, db.Writable())
}

// readByAll counts the practices over every reading connection.
func readByAll(t *testing.T, db *DB, want int) {
	t.Helper()
	for range readers {
		conn, err := db.read.Conn(t.Context())
		require.NoError(t, err)
		defer conn.Close() //nolint:errcheck // returns to the pool
		var n int
		require.NoError(t, conn.QueryRowContext(t.Context(), `select count(*) from practices`).Scan(&n))
		require.Equal(t, want, n)
	}
}
