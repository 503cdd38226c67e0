package storetest

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rows returns the sorted rows of every table, as one text for each table.
func Rows(t testing.TB, path string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // read only
	all := map[string]string{}
	for _, name := range rowsOf(t, db, `select name from sqlite_schema where type = 'table'`) {
		lines := rowsOf(t, db, `select * from "`+name+`"`)
		slices.Sort(lines)
		all[name] = strings.Join(lines, "\n")
	}
	return all
}

// rowsOf runs a query, and returns each row as a text.
func rowsOf(t testing.TB, db *sql.DB, query string) (lines []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer rows.Close() //nolint:errcheck // rows.Err is checked
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, into := make([]string, len(columns)), make([]any, len(columns))
		row := make([]sql.NullString, len(columns))
		for n := range row {
			into[n] = &row[n]
		}
		require.NoError(t, rows.Scan(into...))
		for n, v := range row {
			values[n] = v.String
		}
		lines = append(lines, strings.Join(values, "|"))
	}
	require.NoError(t, rows.Err())
	return lines
}
