package storetest

import (
	"database/sql"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Exec runs statements on a database over a separate connection. A process that has the database
// open doesn't notice. Exec uses the SQLite driver that package store registers.
func Exec(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // every statement is its own transaction
	for _, statement := range statements {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
}

// Moved renames the database file, calls fn, and renames the file back. To the process that has the
// database open, this looks like an unplugged disk. The process must treat commits as possibly
// lost, even if it can still read them.
func Moved(t testing.TB, path string, fn func()) {
	t.Helper()
	aside := path + ".aside"
	require.NoError(t, os.Rename(path, aside))
	defer func() { require.NoError(t, os.Rename(aside, path)) }()
	fn()
}
