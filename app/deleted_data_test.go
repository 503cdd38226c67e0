package app_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/store"
)

// buffered returns pieces of every part that waits to be processed, as sealed in the file.
func buffered(t *testing.T, file string) (pieces [][]byte) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // read only
	rows, err := db.Query("select sealed from buffers")
	require.NoError(t, err)
	defer rows.Close() //nolint:errcheck // read to the end
	for rows.Next() {
		var sealed []byte
		require.NoError(t, rows.Scan(&sealed))
		for at := 0; at+16 <= len(sealed); at += 1024 {
			pieces = append(pieces, sealed[at:at+16])
		}
	}
	require.NoError(t, rows.Err())
	return pieces
}

// remains counts the pieces that are still in the database or its WAL.
func remains(t *testing.T, file string, pieces [][]byte) (n int) {
	t.Helper()
	var all []byte
	for _, name := range []string{file, file + "-wal"} {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		all = append(all, content...)
	}
	for _, piece := range pieces {
		if bytes.Contains(all, piece) {
			n++
		}
	}
	return n
}

// FILE-2: a submission waits sealed, and a minute after it was processed, not even its sealed
// form is in the database or the WAL, even if another process reads for a long time meanwhile.
func TestFILE_2_ASubmittedBundleIsGoneFromTheFilesAMinuteAfterItsProcessing(t *testing.T) {
	t.Parallel()
	for name, reading := range map[string]time.Duration{"nobody reads": 0, "a reader of fifteen seconds": 15 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newInstallation(t)
			s.start("--workers", "0")
			var text strings.Builder // random, so that it stays large when compressed
			for range 40_000 {
				text.WriteString("CNRY" + rand.Text())
			}
			body := apptest.Course{Chart: "1", Extra: []string{`{"resourceType":"Basic","text":"` + text.String() + `"}`}}.Bundle()
			location, err := (&load{installation: s}).post(sent{key: "k", body: body})
			require.NoError(t, err)
			pieces := buffered(t, s.db)
			require.Greater(t, len(pieces), 300)
			require.Greater(t, remains(t, s.db, pieces), len(pieces)*9/10, "all but those in which a page ends are found")
			require.NotContains(t, databaseFiles(t, s.db), "CNRY", "it waits sealed")
			s.kill()

			db, err := sql.Open("sqlite", "file:"+s.db+"?mode=ro")
			require.NoError(t, err)
			defer db.Close() //nolint:errcheck // read only
			s.start()
			defer s.kill()
			reader, err := db.BeginTx(context.Background(), nil)
			require.NoError(t, err)
			var n int
			require.NoError(t, reader.QueryRow("select count(*) from practices").Scan(&n)) // the snapshot holds everything stored so far
			if reading == 0 {
				require.NoError(t, reader.Rollback())
			}
			require.Equal(t, store.Completed, s.receipt(location).Status)
			completed, late := time.Now(), lateness(t)
			if reading > 0 {
				time.Sleep(reading)
				require.NoError(t, reader.Rollback())
			}
			looked := time.Now()
			for remains(t, s.db, pieces) > 0 {
				require.Less(t, looked.Sub(completed), time.Minute+late(), "a minute after the processing")
				time.Sleep(250 * time.Millisecond)
				looked = time.Now() // looking takes a while itself
			}
			t.Logf("gone %v after the processing", looked.Sub(completed).Round(time.Second))
		})
	}
}
