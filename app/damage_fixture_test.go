package app_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/review"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// enrich fills an installation's pages with births, a multiple of a hundred, and adds rows to
// every signed table that had none: records in two practices, some amended, merged or voided;
// EHRs, keys, an import, a group of providers and a certificate.
func enrich(i *apptest.Installation, births int, other store.PracticeID, user int64) {
	i.T.Helper()
	for part := range births / 100 {
		var charts []string
		for n := range 100 {
			charts = append(charts, fmt.Sprintf("many %d-%d", part, n))
		}
		i.Push(bodyOf(charts))
	}
	first := i.Key
	i.Key = i.Mint(other, "ingest:write", "ingest:read")
	for n := range 30 {
		i.Push(apptest.Course{Chart: fmt.Sprintf("H-%d", n+2), Mother: fmt.Sprintf("Hill %d", n), Extra: []string{witness(n%4 + 10)}}.Bundle())
	}
	i.Key = first
	for _, chart := range []string{"M-1", "M-2", "V-1"} {
		i.Push(apptest.Course{Chart: chart, Mother: "Moa Merged", Born: "2026-05-02T04:18:00-05:00"}.Bundle())
	}
	who := auth.User{ID: user, Name: "Robin", Practice: store.Practice{ID: i.Practice}, Role: auth.Admin}
	one, two, three := i.Record("M-1").Head(), i.Record("M-2").Head(), i.Record("V-1").Head()
	_, err := i.App.Review.Merge(who, review.Pair{Stays: one.UUID, StaysVersion: one.Version, Goes: two.UUID, GoesVersion: two.Version}, "", nil)
	require.NoError(i.T, err)
	_, err = i.App.Changes.Void(who, three.UUID, "Entered twice", three.Version)
	require.NoError(i.T, err)
	recipient, err := seal.NewRecovery(filepath.Join(i.T.TempDir(), "recovery.key"))
	require.NoError(i.T, err)
	require.NoError(i.T, i.App.AddRecovery(context.Background(), recipient, func(int, int) {}))
	require.NoError(i.T, i.App.Smart.EnsureKeys())
	require.NoError(i.T, i.App.DB.Update(func(tx *store.Tx) error {
		_, _, err := tx.PutEHR(store.EHR{Issuer: "https://ehr.example.org/fhir", Label: "one", ClientID: "c", Auth: store.AuthPublic, Practice: i.Practice})
		_, _, err2 := tx.PutEHR(store.EHR{Issuer: "https://any.example.org/fhir", Label: "any", ClientID: "c", Auth: store.AuthPublic})
		_, err3 := tx.AddImport(i.Practice, store.Import{PublicID: "an import", User: user, About: []byte("sealed")})
		return errors.Join(err, err2, err3, tx.SetJoined(i.Practice, store.ProviderGroup{NPI: "1234567890", Name: "ida lindqvist"}, 1),
			tx.PutCertificate("registry.example.org", []byte("sealed")))
	}))
}

// derived are the tables that are computed from others. The command check compares them with
// those; a backup ignores them.
var derived = map[string]bool{"month_counts": true, "provider_counts": true, "tallies": true, "tally_totals": true, "tally_returns": true, "sqlite_sequence": true, "goose_db_version": true}

// changedRows lists the tables that differ: the signed ones, and separately those that are
// computed from others.
func changedRows(before, after map[string]string) (signed, computed []string) {
	for table, text := range before {
		switch {
		case after[table] == text:
		case derived[table]:
			computed = append(computed, table)
		default:
			signed = append(signed, table)
		}
	}
	return signed, computed
}
