package storetest

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"
)

// Exec runs statements on a database over a connection of its own, unnoticed by the process
// that has the database open. It uses the SQLite driver that package store registers.
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
