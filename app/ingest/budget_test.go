package ingest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/store"
)

// A sheet that is uploaded byte by byte reserves memory all the while.
func TestOnePracticeNeverReservesAllMemoryForBodies(t *testing.T) {
	b := fixture.New(t, func(s *ingest.Settings) { s.MaxInFlight = 8 })
	first := b.Caller.Practice
	release, ok := b.Ingest.TryReserve(first, 6)
	require.True(t, ok)
	_, ok = b.Ingest.TryReserve(first, 1)
	require.False(t, ok)
	other, ok := b.Ingest.TryReserve(first+1, 2)
	require.True(t, ok)
	_, ok = b.Ingest.TryReserve(first+2, 1)
	require.False(t, ok, "nothing is left")
	release()
	other()
	_, ok = b.Ingest.TryReserve(first+1, 6)
	require.True(t, ok)
}

// A long receipt is in memory until its caller has read it.
func TestReceiptsThatAreReadSlowlyLeaveMemoryForThoseOfOthers(t *testing.T) {
	b := fixture.New(t)
	mint := func(p store.PracticeID) (key int64) {
		require.NoError(t, b.DB.Update(func(tx *store.Tx) (err error) {
			key, err = tx.AddAPIKey(p, store.APIKey{Label: "test", Scopes: []string{"ingest:read"}}, []byte{byte(p)})
			return err
		}))
		return key
	}
	slow, other := b.Caller, b.Caller
	slow.Key = mint(slow.Practice)
	require.NoError(t, b.DB.Update(func(tx *store.Tx) (err error) {
		other.Practice, err = tx.AddPractice("Hillside", false, true)
		return err
	}))
	other.Key = mint(other.Practice)
	long := b.Accept(fixture.Batch(fixture.Course("a", 3000), fixture.Course("b", 3000), fixture.Course("c", 3000)))
	b.Drain()
	short := b.Accept(fixture.Course("d", 3000))
	b.Drain()
	b.Caller = other
	others := b.Accept(fixture.Batch(fixture.Course("a", 3000), fixture.Course("b", 3000), fixture.Course("c", 3000)))
	b.Drain()

	b.Ingest.SetAnswers(8 << 10)
	read := func(ingest.Receipt) error { return nil }
	require.NoError(t, b.Ingest.ReceiptFor(t.Context(), slow, long, func(r ingest.Receipt) error {
		require.Equal(t, 3, *r.Accepted)
		require.ErrorIs(t, b.Ingest.ReceiptFor(t.Context(), slow, long, read), fhir.ReceiptsBusy)
		_ = b.Ingest.ReceiptFor(t.Context(), slow, short, func(ingest.Receipt) error { // it may be refused, too
			require.NoError(t, b.Ingest.ReceiptFor(t.Context(), other, others, read))
			return nil
		})
		require.NoError(t, b.Ingest.ReceiptFor(t.Context(), other, others, read))
		return nil
	}))
	require.NoError(t, b.Ingest.ReceiptFor(t.Context(), slow, long, read))
	b.Ingest.SetAnswers(1 << 10)
	require.NoError(t, b.Ingest.ReceiptFor(t.Context(), slow, long, read), "the longest receipt can be read, too")
}
