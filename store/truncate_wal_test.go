package store

import (
	"bytes"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// holds returns the files, of the database and its WAL, that contain the bytes.
func holds(t *testing.T, db *DB, secret []byte) (where []string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(db.Path() + suffix)
		require.NoError(t, err)
		if bytes.Contains(content, secret) {
			where = append(where, "db"+suffix)
		}
	}
	return where
}

// reader holds a snapshot open, as a long backup does, until end is called.
func reader(t *testing.T, db *DB) (end func()) {
	t.Helper()
	began, let, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.View(t.Context(), func(v *View) error {
			_, err := v.Practices()
			close(began)
			<-let
			return err
		})
	}()
	<-began
	return sync.OnceFunc(func() {
		close(let)
		require.NoError(t, <-done)
	})
}

// FILE-2 at the level of the store.
func TestFILE_2_DeletedDataIsGoneFromTheFilesAfterTheWALIsTruncated(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	secret := bytes.Repeat([]byte("CNRY-secret-of-a-mother "), 2000) // over many pages
	var i Ingestion
	update(t, db, func(tx *Tx) error {
		id, _, err := tx.Accept(p, NewIngestion{PublicID: "one", Parts: [][]byte{secret}})
		if err == nil {
			i, err = tx.Ingestion(p, id)
		}
		return err
	})
	raw(t, db, `pragma wal_checkpoint(full)`) // now it is in the database file as well
	require.Equal(t, []string{"db", "db-wal"}, holds(t, db, secret[:24]))

	end := reader(t, db)
	finish(t, db, p, i, Ending{Status: Completed})
	clean, err := db.TruncateWAL(t.Context())
	require.NoError(t, err)
	require.False(t, clean, "a reader needs the WAL still")
	require.Contains(t, holds(t, db, secret[:24]), "db-wal")
	end()

	clean, err = db.TruncateWAL(t.Context())
	require.NoError(t, err)
	require.True(t, clean)
	require.Empty(t, holds(t, db, secret[:24]))
}

func TestTruncatingTheWALDoesNotHoldUpTheWriterForALongReader(t *testing.T) {
	db := opened(t)
	addPractice(t, db)
	defer reader(t, db)()
	addPractice(t, db)
	began := time.Now()
	clean, err := db.TruncateWAL(t.Context())
	require.NoError(t, err)
	require.False(t, clean)
	addPractice(t, db)
	require.Less(t, time.Since(began), 9*time.Second, "the busy timeout is ten")
}

func TestTruncatingTheWALSucceedsBetweenShortReadsAndWrites(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	stop := writing(t, db, 4)
	ended := make(chan struct{})
	var reading sync.WaitGroup
	for range 2 {
		reading.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
					if err := db.View(t.Context(), func(v *View) error { _, err := v.Practice(p); return err }); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	cleaned := 0
	for range 20 {
		clean, err := db.TruncateWAL(t.Context())
		require.NoError(t, err)
		if clean {
			cleaned++
		}
	}
	close(ended)
	reading.Wait()
	stop()
	require.Positive(t, cleaned)
}
