package forget_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"birthregistry/app/fixture"
	"birthregistry/store"
)

// held returns every sealed value, keyed hash, id and number of the practice that is long enough
// to be found again.
func held(t *testing.T, path string, p store.PracticeID) map[string]bool {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // read to its end
	all := map[string]bool{}
	for _, query := range []string{
		`select patient from versions v join records r on r.id = v.record where r.practice = ?1 and patient is not null`,
		`select cast(uuid as blob) from records where practice = ?1`,
		`select word from names where practice = ?1`,
		`select print from fingerprints where practice = ?1`,
		`select cast(public_id as blob) from ingestions where practice = ?1`,
		`select outcome from ingestions where practice = ?1 and length(outcome) > 0`,
		`select identity from providers where practice = ?1`,
		`select sealed from providers where practice = ?1`,
		`select b.sealed from buffers b join ingestions i on b.id / 4096 = i.id where i.practice = ?1`,
		`select cast(object as blob) from audit where practice = ?1 and length(object) > 20`,
	} {
		rows, err := db.Query(query, int64(p))
		require.NoError(t, err)
		for rows.Next() {
			var value []byte
			require.NoError(t, rows.Scan(&value))
			if len(value) > 60 { // the ends differ from row to row
				value = value[len(value)-40:]
			}
			all[string(value)] = true
		}
		require.NoError(t, rows.Err())
	}
	return all
}

// left counts the values that are still in one of the files.
func left(t *testing.T, values map[string]bool, paths ...string) (n int) {
	t.Helper()
	var all []byte
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		all = append(all, content...)
	}
	for value := range values {
		if bytes.Contains(all, []byte(value)) {
			n++
		}
	}
	return n
}

func TestNothingOfAForgottenPracticeIsLeftInTheWALOrInACopyOfTheFile(t *testing.T) {
	f := fixture.New(t)
	sign(t, f)
	one := f.Caller.Practice
	var two store.PracticeID
	require.NoError(t, f.DB.Update(func(tx *store.Tx) (err error) {
		two, err = tx.AddPractice("Hillside", false, true)
		return err
	}))
	for n := range 150 { // so that the pages hold rows of both
		for _, p := range []store.PracticeID{one, two} {
			f.Caller.Practice = p
			f.Push(fixture.Birth(fmt.Sprint("chart-", n), fmt.Sprintf("Mother%d-%d", n, p), fixture.Evening))
			f.Push(fixture.Birth(fmt.Sprint("chart-", n), fmt.Sprintf("Named%d-%d", n, p), fixture.Evening))
		}
	}
	f.Caller.Practice = one
	f.Accept(fixture.Birth("waits", "Okonkwo", fixture.Evening))
	wal := f.Path + "-wal"
	gone, stays := held(t, f.Path, one), held(t, f.Path, two)
	require.Greater(t, len(gone), 1000)
	require.Equal(t, len(gone), left(t, gone, f.Path, wal), "each is found as long as it is there")
	s := of(f)
	require.NoError(t, s.Begin(one, nil))
	done(t, s)
	require.Zero(t, left(t, gone, wal))
	require.LessOrEqual(t, left(t, gone, f.Path), len(gone)/100, "in what SQLite left behind where it moved rows")
	backup := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, f.DB.Backup(t.Context(), backup))
	require.Zero(t, left(t, gone, backup))
	require.NoError(t, f.DB.Compact(t.Context()))
	require.Zero(t, left(t, gone, f.Path, wal))
	require.Equal(t, len(stays), left(t, stays, f.Path, wal))
	intact(t, f)
}
