package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// unsigned lists the other tables, each with the reason why a change to it misleads nobody.
var unsigned = map[string]string{
	"sums":             "has codes of its own",
	"goqite":           "the queue: Check finds an ingestion that it does not announce",
	"lanes":            "the queue: Check finds an ingestion that it does not announce",
	"buffers":          "sealed to its place, shown nowhere, and gone once its ingestion ends",
	"ledger":           "sealed, and gone once its ingestion ends; the receipt is signed",
	"import_parts":     "sealed to its place, and kept for a day",
	"undo_kept":        "a list of records, whose versions say what has become of them",
	"names":            "a search shows what the records say; the check of the installation compares it with them",
	"provider_names":   "what it finds is compared with the provider's own name",
	"names_due":        "what an upgrade has still to do",
	"tallies":          "Check compares it with the records",
	"tally_totals":     "Check compares it with the records",
	"tally_returns":    "Check compares it with the records",
	"month_counts":     "Check compares it with the records",
	"provider_counts":  "Check compares it with the records",
	"matches":          "sealed to its practice, and shown above each preview that follows it",
	"deliveries":       "notices without content, kept for a week: the receipt stays the contract",
	"rejects":          "reminders, kept for a week: the receipts name what was rejected",
	"drafts":           "sealed to its place and author, counted nowhere, and kept until it is a record",
	"ehr_expiries":     "a reminder: no launch depends on it",
	"launches":         "sealed, and kept for minutes",
	"prefills":         "sealed, and kept until the form is sent",
	"goose_db_version": "the number of the schema, which is checked when the file is opened",
	"sqlite_sequence":  "SQLite's own",
}

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
