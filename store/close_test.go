package store

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCloseWaitsForWorkInProgressAndRefusesTheRest(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "registry.db"))
	require.NoError(t, err)
	release := gathering(t, db)
	late := make(chan error, 1)
	go func() { late <- db.Update(countUp) }() // called before Close
	waiting(db, 1, 0)
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	for refused := false; !refused; time.Sleep(time.Millisecond) {
		db.writer.mu.Lock()
		refused = db.writer.closed
		db.writer.mu.Unlock()
	}
	require.ErrorIs(t, db.Update(countUp), ErrClosed)
	require.Empty(t, closed, "Close did not wait")
	release()
	require.NoError(t, <-late)
	require.NoError(t, <-closed)
	require.ErrorIs(t, db.UpdateChunk(1, countUp), ErrClosed)
	require.ErrorIs(t, db.View(t.Context(), func(*View) error { return nil }), ErrClosed)
	_, err = Lookup(t.Context(), db, func(v *View) (string, error) { return v.Replay(1, 1, []byte("key")) })
	require.ErrorIs(t, err, ErrClosed)
	require.NoError(t, db.Close(), "twice")
	countedTo(t, openedAt(t, db.Path()), 1)
}

func TestWritesAcknowledgedDuringCloseAreOnFile(t *testing.T) {
	t.Parallel()
	for range 5 {
		db, err := Open(t.Context(), filepath.Join(t.TempDir(), "registry.db"))
		require.NoError(t, err)
		var wg sync.WaitGroup
		var acknowledged atomic.Int64
		for range 16 {
			wg.Go(func() {
				for {
					err := db.Update(countUp)
					if errors.Is(err, ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					acknowledged.Add(1)
				}
			})
		}
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		require.NoError(t, db.Close())
		wg.Wait()
		countedTo(t, openedAt(t, db.Path()), int(acknowledged.Load()))
	}
}
