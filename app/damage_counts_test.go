package app_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/longtest"
	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/store"
)

// counted stores the counts of a practice's months and providers, as a service does once pages
// have asked for them.
func counted(t *testing.T, config app.Config, p store.PracticeID) {
	t.Helper()
	a, err := app.Open(t.Context(), config)
	require.NoError(t, err)
	a.DB.CountLater(p, []string{"", "2026-03", "2026-05"})
	a.DB.CountProvidersLater(p)
	require.NoError(t, errors.Join(countSteps(a), a.Close()))
}

// countSteps stores the counts for which pages have asked.
func countSteps(a *app.App) (err error) {
	for more := true; more && err == nil; {
		more, err = a.DB.CountStep()
	}
	return err
}

// shown is what the pages of statistics and of providers show of a practice.
type shown struct {
	report    *stats.Report
	providers []records.Group
}

func shownOf(t *testing.T, a *app.App, p store.PracticeID) (s shown, err error) {
	t.Helper()
	first, _ := stats.ParseMonth("2026-01")
	figures, err := a.Records.Statistics(t.Context(), store.Practice{ID: p}, stats.Period{First: first, Last: first + 11})
	groups, err2 := a.Records.ProviderGroups(t.Context(), p)
	return shown{figures.Report, groups}, errors.Join(err, err2)
}

// storedCounts returns the longest stored counts in a table.
func storedCounts(t *testing.T, path, table string) (counts []byte) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1")
	require.NoError(t, err)
	err = db.QueryRow("select counts from " + table + " order by length(counts) desc limit 1").Scan(&counts)
	require.NoError(t, errors.Join(err, db.Close()))
	return counts
}

// keyBytes is how many bytes of a row stand before its counts, by table: the lengths of its
// columns, and those of the columns that aren't 0 or 1.
var keyBytes = map[string]int{"month_counts": 16, "provider_counts": 8}

func TestADamagedByteOfStoredCountsIsFoundAndNeverShown(t *testing.T) {
	t.Parallel()
	flips := longtest.Times(t, 8, 200, "flips")
	config, _ := laden(t, 1000) // counts of providers are stored for each thousand births
	content, err := os.ReadFile(config.DB)
	require.NoError(t, err)
	const p = store.PracticeID(1)
	a, err := app.Open(t.Context(), copied(t, config))
	require.NoError(t, err)
	right, err := shownOf(t, a, p)
	require.NoError(t, errors.Join(err, a.Close()))
	require.Greater(t, right.report.Total.Births, 1000)
	chance := rand.New(rand.NewPCG(18, 6))
	for _, table := range []string{"month_counts", "provider_counts"} {
		counts := storedCounts(t, config.DB, table)
		at := bytes.LastIndex(content, counts) - keyBytes[table]
		require.Positive(t, at, table)
		recounted := 0
		for n := range flips {
			to := copied(t, config)
			flipped := bytes.Clone(content)
			place := chance.IntN(keyBytes[table] + len(counts))
			flipped[at+place] ^= byte(1 + chance.IntN(255))
			require.NoError(t, os.WriteFile(to.DB, flipped, 0o600))
			if shownRight(t, to, p, right, fmt.Sprintf("%s: flip %d at %d", table, n, place)) {
				recounted++
			}
		}
		t.Logf("%s: of %d flips in a row of %d bytes, %d were counted again, and the others refused", table, flips, keyBytes[table]+len(counts), recounted)
		require.Greater(t, recounted, flips/2, table)
	}
}

// shownRight requires that check finds what is damaged in a practice's stored counts, and that
// the pages show what is right or nothing, also once the counts are stored again. It reports
// whether they were, so that check finds nothing any more.
func shownRight(t *testing.T, config app.Config, p store.PracticeID, right shown, about string) bool {
	t.Helper()
	a, err := app.Open(t.Context(), config)
	if err != nil {
		return false
	}
	defer a.Close() //nolint:errcheck // a throwaway copy
	require.NotZero(t, found(t, a), about)
	for range 2 {
		got, err := shownOf(t, a, p)
		if err != nil {
			return false
		}
		require.Equal(t, right, got, about)
		if countSteps(a) != nil {
			return false
		}
	}
	return found(t, a) == 0
}

// found returns how many problems check finds.
func found(t *testing.T, a *app.App) (n int) {
	t.Helper()
	findings, err := a.Check(t.Context())
	if err != nil {
		return 1
	}
	for _, f := range findings {
		if f.Problem != "" {
			n++
		}
	}
	return n
}
