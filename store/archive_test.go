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

// archiveLeavesOut lists the tables that no archive holds, each with the reason.
var archiveLeavesOut = map[string]string{
	"api_keys":               "keys stay behind: the practice mints new ones. The manifest lists their labels and scopes",
	"ehrs":                   "a registration belongs to a vendor, an address and a secret: it is made anew. The manifest lists them",
	"links":                  "invitations and resets lead to this installation's address",
	"sessions":               "people sign in anew",
	"sso_providers":          "the installation's: identity providers, each with a secret",
	"sso_links":              "people sign in anew, and are linked to an identity provider of the other installation",
	"sso_only":               "names an identity provider of the installation's",
	"second_factor_required": "its admin requires it anew, once they have a second factor there",
	"recovery_codes":         "the second factor is set up anew",
	"passkeys":               "bound to this installation's address: people add new ones",
	"tombstones":             "keyed hashes of the chart numbers of erased births, which nobody knows any more and so nobody can compute elsewhere",
	"refused":                "requests refused in the last thirty days: they concern keys that stay behind",
	"buffers":                "an export waits until the practice's queue is empty",
	"ledger":                 "an export waits until the practice's queue is empty",
	"lanes":                  "an export waits until the practice's queue is empty",
	"goqite":                 "an export waits until the practice's queue is empty",
	"import_parts":           "uploaded files are kept for a day",
	"fingerprints":           "recomputed: they are keyed hashes of the installation's",
	"names":                  "recomputed: they are keyed hashes of the installation's",
	"names_due":              "recomputed with the names",
	"provider_names":         "recomputed from the providers' names",
	"tallies":                "recomputed from the records",
	"month_counts":           "recomputed from the records",
	"provider_counts":        "recomputed from the records",
	"tally_totals":           "the installation's: sums over practices",
	"tally_returns":          "the installation's: sums over practices",
	"sums":                   "the installation's: recomputed codes of the rows",
	"audit":                  "its entries are in the member audit, with those from before an earlier move",
	"audit_head":             "the installation's: the chain in the archive needs no key",
	"exports":                "the installation's: which archives were made here",
	"export_states":          "the installation's: whether a practice has changed since",
	"forgotten":              "the installation's: which practices were erased here",
	"incoming":               "the installation's: which archives were imported here",
	"seal_epochs":            "the installation's keys",
	"seal_recipients":        "the installation's keys",
	"seal_list":              "the installation's keys",
	"secrets":                "the installation's keys",
	"client_keys":            "the installation's keys",
	"webhooks":               "belong to keys, which stay behind",
	"rejects":                "reminders of a week: they concern what systems send with keys that stay behind",
	"deliveries":             "belong to keys, which stay behind",
	"certificates":           "the installation's",
	"launches":               "kept for minutes",
	"prefills":               "kept until a form is sent, for half an hour",
	"ehr_expiries":           "a reminder of the installation's",
	"goose_db_version":       "the number of the schema",
	"sqlite_sequence":        "SQLite's own",
}

// archiveOmits lists the columns of archived tables that no archive holds, each with the
// reason.
var archiveOmits = map[string]string{
	"users.password":          "passwords stay behind",
	"users.totp":              "second factors stay behind",
	"users.totp_step":         "second factors stay behind",
	"users.created_at":        "belongs to the account, which is another's in another installation",
	"users.signed_in_at":      "belongs to the account",
	"users.disabled_at":       "belongs to the account",
	"practices.tallied":       "recomputed",
	"memberships.accepted_at": "every place is offered anew, as an invitation",
	"memberships.used_at":     "every place is offered anew, as an invitation",
	"ingestions.api_key":      "keys stay behind",
	"ingestions.idempotency":  "a keyed hash of the installation's: a repeated Idempotency-Key is a new submission after a move",
	"providers.identity":      "a keyed hash: recomputed from the member identity",
	"providers.npi":           "a keyed hash: recomputed from the member identity",
	"provider_groups.npi":     "a keyed hash: recomputed from the provider that npi_of names",
	"records.source":          "recomputed from the version with the content",
	"records.birth_month":     "recomputed from the version with the content",
	"records.attendant":       "recomputed from the version with the content",
	"records.method":          "recomputed from the version with the content",
	"records.missing":         "recomputed from the version with the content",
	"records.outcome":         "recomputed from the version with the content",
	"records.fingerprinted":   "recomputed with the fingerprints",
	"versions.id":             "nothing refers to it",
	"imports.kept":            "uploaded files are kept for a day",
	"former_audit.id":         "the place in the member",
	"former_audit.area":       "computed from the action",
}

// A table or column that a migration adds is exported, recomputed or left behind: its
// author says which, here or in archive_tables.go.
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
		_, left := archiveLeavesOut[table]
		archived, kept := exported[table]
		require.NotEqual(t, left, kept, "name %s in ArchiveTables or archiveLeavesOut", table)
		for _, column := range columns {
			if !kept || column == "mac" || column == "practice" {
				continue
			}
			_, omitted := archiveOmits[table+"."+column]
			require.NotEqual(t, omitted, slices.Contains(archived, column), "name %s.%s in ArchiveTables or archiveOmits", table, column)
		}
	}
	for table := range archiveLeavesOut {
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
