package store

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestAPracticeWithManySlowReadsDoesNotHoldUpAnother(t *testing.T) {
	db := opened(t)
	begun, end := make(chan bool, 50), make(chan bool)
	for range cap(begun) {
		go func() {
			_ = db.View(ReadsOf(t.Context(), 1), func(*View) error {
				begun <- true
				<-end
				return nil
			})
		}()
	}
	for range readers - 2 {
		<-begun
	}
	for _, p := range []PracticeID{2, 3, 0} {
		require.NoError(t, db.View(ReadsOf(t.Context(), p), func(*View) error { return nil }), "practice %d", p)
	}
	require.Empty(t, begun, "the others of the first practice wait")
	close(end)
	for range cap(begun) - (readers - 2) {
		<-begun
	}
}

func TestPracticesThatWaitForASnapshotAreServedInRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		snapshots := newSnapshots(1, 1)
		require.NoError(t, snapshots.take(t.Context(), 9))
		served := make(chan PracticeID, 9)
		for _, p := range []PracticeID{1, 1, 1, 2, 0, 2} {
			go func() {
				require.NoError(t, snapshots.take(t.Context(), p))
				served <- p
			}()
			synctest.Wait()
		}
		var order []PracticeID
		for last := PracticeID(9); len(order) < 6; last = order[len(order)-1] {
			snapshots.leave(last)
			synctest.Wait()
			require.Len(t, served, 1)
			order = append(order, <-served)
		}
		require.Equal(t, []PracticeID{1, 2, 0, 1, 2, 1}, order)
		snapshots.leave(1)
		require.Equal(t, 1, snapshots.free)
		require.Empty(t, snapshots.held)
		require.Empty(t, snapshots.waiting)
		require.Empty(t, snapshots.next)
	})
}

func TestACallerWhoNoLongerWaitsForASnapshotLosesOnlyItsOwnPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		snapshots := newSnapshots(1, 1)
		require.NoError(t, snapshots.take(t.Context(), 1))
		ctx, cancel := context.WithCancel(t.Context())
		refused, served := make(chan error, 1), make(chan error, 1)
		go func() { refused <- snapshots.take(ctx, 2) }()
		synctest.Wait()
		go func() { served <- snapshots.take(t.Context(), 3) }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-refused, context.Canceled)
		snapshots.leave(1)
		require.NoError(t, <-served)
		require.ErrorIs(t, snapshots.take(ctx, 4), context.Canceled)
		snapshots.leave(3)
		require.Equal(t, 1, snapshots.free)
		require.Empty(t, snapshots.waiting)
		require.Empty(t, snapshots.next)
	})
}
