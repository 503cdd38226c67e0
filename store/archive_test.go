package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// addEHR gives the practice an EHR of its own.
func (w *fixture) addEHR(tx *Tx) error {
	_, _, err := tx.PutEHR(EHR{Issuer: fmt.Sprintf("https://own-ehr-%d.example.org/fhir", w.p), Auth: AuthPublic, Practice: w.p})
	return err
}

// A table or column that a migration adds is exported, recomputed or left behind: its
// author says which in archive_tables.go.
func TestEveryTableAndColumnIsExportedRecomputedOrLeftBehind(t *testing.T) {
	db := opened(t)
	schema := tables(t, db.read)
	exported := map[string][]string{}
	for _, of := range ArchiveTables {
		for _, c := range of.Columns {
			exported[of.Table] = append(exported[of.Table], c.DatabaseColumn())
		}
		require.Contains(t, schema, of.Table)
	}
	for table, columns := range schema {
		_, left := ArchiveLeavesOut[table]
		archived, kept := exported[table]
		require.NotEqual(t, left, kept, "name %s in ArchiveTables or ArchiveLeavesOut", table)
		for _, column := range columns {
			if !kept || column == "mac" || column == "practice" {
				continue
			}
			_, omitted := ArchiveOmits[table+"."+column]
			require.NotEqual(t, omitted, slices.Contains(archived, column), "name %s.%s in ArchiveTables or ArchiveOmits", table, column)
		}
	}
	for table := range ArchiveLeavesOut {
		if table != "goose_db_version" && table != "sqlite_sequence" {
			require.Contains(t, schema, table)
		}
	}
}

// The rows of a table that grows with every birth come in the order of an index: sorting
// them would take memory for all of them.
func TestAnExportSortsNoLongTable(t *testing.T) {
	db := opened(t)
	for _, name := range []string{"ingestions", "records", "versions", "participants", "custom_values", "not_duplicates", "reviews", "audit"} {
		table, err := ArchiveTableNamed(name)
		require.NoError(t, err)
		for _, from := range []string{table.from, table.then} {
			if from != "" {
				require.NotContains(t, strings.Join(plan(t, db, table.rows(from)), "\n"), "TEMP B-TREE", name)
			}
		}
	}
}
