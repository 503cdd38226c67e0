package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryTableIsSignedOrSaysWhyNot(t *testing.T) {
	db := opened(t)
	all := tables(t, db.write)
	all["sqlite_sequence"], all["goose_db_version"] = nil, nil
	described, err := describe(db.read)
	require.NoError(t, err)
	for _, s := range described {
		require.Contains(t, all, s.name)
		require.NotContains(t, unsigned, s.name)
		delete(all, s.name)
		require.NotEmpty(t, s.columns, s.name)
		require.Equal(t, s.mac, s.macAt >= 0, "%s: only a table with a mac leaves out a column, which is that", s.name)
		for _, column := range append(append([]string{}, s.key...), s.practice, s.via) {
			if column != "" {
				require.Contains(t, s.places, column, s.name)
			}
		}
	}
	for table, why := range unsigned {
		require.Contains(t, all, table)
		require.NotEmpty(t, why, table)
		delete(all, table)
	}
	require.Empty(t, all, "tables that are neither signed nor said to be left out")
}
