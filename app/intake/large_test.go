package intake

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/mapping"
	"birthregistry/store"
)

// large is a batch of more than one part, whose courses have charts c0, c1, …
func large(n int) string {
	courses := make([]string, n)
	for i := range courses {
		padded := course(fmt.Sprintf("c%d", i), 2000+i%2000)
		courses[i] = `{"resource":` + padded + strings.Repeat(" ", 2000) + `}`
	}
	return `{"resourceType":"Bundle","type":"batch","entry":[` + strings.Join(courses, ",") + `]}`
}

func TestALargeBatchIsWorkedInChunksAndReportedWhole(t *testing.T) {
	b := newBed(t)
	const n = 1200
	id := b.accept(large(n))
	b.drain()
	out := b.outcome(id)
	b.reports(out, n, 0)
	for i, a := range out.Accepted {
		require.Equal(t, fmt.Sprintf("Bundle.entry[%d]", i), a.Reference)
	}
	require.Equal(t, n, len(b.records()))
	b.clean()
}

func TestAfterACrashEveryEntryOfABatchIsAppliedExactlyOnce(t *testing.T) {
	b := newBed(t)
	const n = 5000
	id := b.accept(large(n))
	for crash := range 4 {
		ctx, die := context.WithCancel(context.Background())
		seen := 0
		b.onItem = func(mapping.Item) {
			if seen++; seen == 600 { // when a chunk is written and another is held
				die()
			}
		}
		l := b.queue()
		group, err := b.nextGroup(b.caller.Practice)
		require.NoError(t, err)
		if crash > 0 {
			require.Positive(t, group[0].Items, "the batch has advanced")
			require.Less(t, group[0].Items, n)
		}
		require.NoError(t, b.db.Update(func(tx *store.Tx) error { return tx.Start(b.caller.Practice, group[0].ID) }))
		require.Error(t, b.processLarge(ctx, l, group[0]))
		b.restart()
	}
	b.drain()
	out := b.outcome(id)
	b.reports(out, n, 0)
	for _, a := range out.Accepted {
		require.False(t, a.Amended, "an entry was applied twice")
	}
	for _, r := range b.records() {
		require.Equal(t, 1, r.Version)
	}
	require.Equal(t, n, len(b.records()))
	b.clean()
}

func TestAPanicLateInALargeBatchRejectsThatEntryAlone(t *testing.T) {
	b := newBed(t)
	b.onItem = func(item mapping.Item) {
		if item.Chart == "" && item.Draft.Chart == "c700" {
			panic("CNRY")
		}
		if item.Chart == "c700" {
			panic("CNRY")
		}
	}
	id := b.accept(large(1200))
	b.drain()
	out := b.outcome(id)
	b.reports(out, 1199, 1)
	require.Equal(t, "Bundle.entry[700]", out.Rejected[0].Reference)
	require.Equal(t, "exception", out.Rejected[0].Outcome.Issue[0].Code)
	require.NotContains(t, b.log.String(), "CNRY")
	b.clean()
}

func TestAPanicBeforeAnythingIsWrittenFailsTheWholeBatch(t *testing.T) {
	b := newBed(t)
	b.onItem = func(item mapping.Item) {
		if item.Chart == "c100" {
			panic("CNRY")
		}
	}
	id := b.accept(large(1200))
	b.drain()
	require.Equal(t, MappingPanic, b.failure(id).Exception)
	require.Empty(t, b.records(), "failed means that nothing of the push was accepted")
	b.clean()
}

func TestABatchThatCannotBeFinishedKeepsWhatStandsAndSaysSo(t *testing.T) {
	b := newBed(t)
	id := b.accept(large(1200))
	ctx, die := context.WithCancel(context.Background())
	seen := 0
	b.onItem = func(mapping.Item) {
		if seen++; seen == 600 {
			die()
		}
	}
	l := b.queue()
	group, err := b.nextGroup(b.caller.Practice)
	require.NoError(t, err)
	require.Error(t, b.processLarge(ctx, l, group[0]))
	b.onItem = nil
	for range maxAttempts { // and from here on it never advances
		require.NoError(t, b.db.Update(func(tx *store.Tx) error { return tx.Start(b.caller.Practice, group[0].ID) }))
	}
	b.restart()
	b.drain()
	out := b.outcome(id)
	require.NotEmpty(t, b.records())
	b.reports(out, len(b.records()), 1)
	require.Equal(t, "Bundle", out.Rejected[0].Reference)
	require.Equal(t, "rest-not-processed", out.Rejected[0].Outcome.Issue[0].Details.Coding[0].Code)
	b.clean()
}
