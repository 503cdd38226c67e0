package archive

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"birthregistry/app/review"
	"birthregistry/store"
)

// pairOf returns two records at their present versions: the second goes.
func pairOf(one, two store.Record) review.Pair {
	return review.Pair{Stays: one.UUID, Goes: two.UUID, StaysVersion: one.Version, GoesVersion: two.Version}
}

// plain are the rows of an archive with numbers that don't depend on the installation: those
// of users are addresses, all others are counted from the first of their table.
func plain(t *testing.T, all map[string][]byte) map[string][]map[string]any {
	t.Helper()
	first, emails := map[string]int64{}, map[float64]string{}
	var m Manifest
	require.NoError(t, json.Unmarshal(all[manifestName], &m))
	for _, member := range m.Members {
		first[member.Name] = member.First
	}
	rows := map[string][]map[string]any{}
	for i := range store.ArchiveTables {
		table := &store.ArchiveTables[i]
		for line := range bytes.Lines(all[table.Name+lines]) {
			var row map[string]any
			require.NoError(t, json.Unmarshal(line, &row, jsontext.AllowDuplicateNames(false)))
			delete(row, "chain")
			if content, ok := row["content"].(map[string]any); ok && content["record"] != nil {
				delete(row, "token") // names the practice and the author, too
			}
			if table.Name == "users" {
				emails[row["id"].(float64)] = row["email"].(string)
			}
			for _, c := range table.Columns {
				id, ok := row[c.Name].(float64)
				switch {
				case !ok || c.Kind != store.Own && c.Kind != store.Reference:
				case c.Of == "users":
					row[c.Name] = emails[id]
				default:
					row[c.Name] = id - float64(first[memberOf(c.Of)])
				}
			}
			rows[table.Name] = append(rows[table.Name], row)
		}
	}
	return rows
}
