package ingest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

func TestALargeBatchIsProcessedInChunksAndReportedWhole(t *testing.T) {
	b := fixture.New(t)
	const n = 1200
	id := b.Accept(fixture.Large(n))
	b.Drain()
	out := b.Outcome(id)
	b.Reports(out, n, 0)
	for i, a := range out.Accepted {
		require.Equal(t, fmt.Sprintf("Bundle.entry[%d]", i), a.Reference)
	}
	require.Equal(t, n, len(b.Records()))
	b.Clean()
}

func TestAfterACrashEveryEntryOfABatchIsAppliedExactlyOnce(t *testing.T) {
	t.Parallel()
	b := fixture.New(t)
	const n = 5000
	id := b.Accept(fixture.Large(n))
	for crash := range 4 {
		ctx, die := context.WithCancel(context.Background())
		seen := 0
		b.Changes.OnItem = func(mapping.Item) {
			if seen++; seen == 600 { // one chunk is written, and another is in memory
				die()
			}
		}
		l := b.Queue()
		group, err := b.Ingest.NextGroup(b.Caller.Practice)
		require.NoError(t, err)
		if crash > 0 {
			require.Positive(t, group[0].Items, "the batch has advanced")
			require.Less(t, group[0].Items, n)
		}
		require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.Start(b.Caller.Practice, group[0].ID) }))
		require.Error(t, b.Ingest.ProcessLarge(ctx, l.PracticeQueue, group[0]))
		b.Restart()
	}
	b.Drain()
	out := b.Outcome(id)
	b.Reports(out, n, 0)
	for _, a := range out.Accepted {
		require.False(t, a.Amended, "an entry was applied twice")
	}
	for _, r := range b.Records() {
		require.Equal(t, 1, r.Version)
	}
	require.Equal(t, n, len(b.Records()))
	b.Clean()
}

func TestAPanicLateInALargeBatchRejectsThatEntryAlone(t *testing.T) {
	b := fixture.New(t)
	b.Changes.OnItem = func(item mapping.Item) {
		if item.Chart == "" && item.Draft.Chart == "c700" {
			panic("CNRY")
		}
		if item.Chart == "c700" {
			panic("CNRY")
		}
	}
	id := b.Accept(fixture.Large(1200))
	b.Drain()
	out := b.Outcome(id)
	b.Reports(out, 1199, 1)
	require.Equal(t, "Bundle.entry[700]", out.Rejected[0].Reference)
	require.Equal(t, "exception", out.Rejected[0].Outcome.Issue[0].Code)
	require.NotContains(t, b.Log.String(), "CNRY")
	b.Clean()
}

func TestAPanicBeforeAnythingIsWrittenFailsTheWholeBatch(t *testing.T) {
	b := fixture.New(t)
	b.Changes.OnItem = func(item mapping.Item) {
		if item.Chart == "c100" {
			panic("CNRY")
		}
	}
	id := b.Accept(fixture.Large(1200))
	b.Drain()
	require.Equal(t, ingest.MappingPanic, b.Failure(id).Exception)
	require.Empty(t, b.Records(), "failed means that nothing of the push was accepted")
	b.Clean()
}

func TestABatchThatCannotBeFinishedKeepsWhatIsWrittenAndReportsTheRest(t *testing.T) {
	b := fixture.New(t)
	id := b.Accept(fixture.Large(1200))
	ctx, die := context.WithCancel(context.Background())
	seen := 0
	b.Changes.OnItem = func(mapping.Item) {
		if seen++; seen == 600 {
			die()
		}
	}
	l := b.Queue()
	group, err := b.Ingest.NextGroup(b.Caller.Practice)
	require.NoError(t, err)
	require.Error(t, b.Ingest.ProcessLarge(ctx, l.PracticeQueue, group[0]))
	b.Changes.OnItem = nil
	for range ingest.MaxAttempts { // from here on it never advances
		require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.Start(b.Caller.Practice, group[0].ID) }))
	}
	b.Restart()
	b.Drain()
	out := b.Outcome(id)
	require.NotEmpty(t, b.Records())
	b.Reports(out, len(b.Records()), 1)
	require.Equal(t, "Bundle", out.Rejected[0].Reference)
	require.Equal(t, "rest-not-processed", out.Rejected[0].Outcome.Issue[0].Details.Coding[0].Code)
	b.Clean()
}
