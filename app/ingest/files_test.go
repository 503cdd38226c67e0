package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

func TestAfterACrashEveryRowIsAppliedExactlyOnce(t *testing.T) {
	t.Parallel()
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	const n = 3000
	var file strings.Builder
	file.WriteString(fixture.Head)
	for r := range n {
		file.WriteString(fixture.Row(fmt.Sprint("c", r), fmt.Sprint("Mother", r), r%60, 3000))
	}
	i := b.Upload(who, file.String())
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, false))
	for crash := range 3 {
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
		require.Equal(t, crash > 0, group[0].Items > 0)
		require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.Start(b.Caller.Practice, group[0].ID) }))
		require.Error(t, b.Ingest.ProcessLarge(ctx, l.PracticeQueue, group[0]))
		die()
		under, err := b.Imports.Import(t.Context(), who, i.ID)
		require.NoError(t, err)
		require.Equal(t, store.Processing, under.Status)
		require.Positive(t, under.Items)
		require.Equal(t, n, under.Total)
		b.Restart()
	}
	b.Drain()
	done, err := b.Imports.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("rows %d: new %d, amends 0, revives 0, unchanged 0, errors 0, suspected 0", n, n), fixture.Counts(*done.Result))
	require.Len(t, b.Records(), n)
	b.Clean()
}

func TestAnImportThatIsCutShortListsTheRowsItDidNotReach(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	i := b.Upload(who, fixture.Head+fixture.Row("A", "One", 1, 3000)+fixture.Row("B", "Two", 2, 3000)+fixture.Row("C", "Three", 3, 3000))
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, false))
	for range ingest.MaxAttempts { // the process dies on the second row, three times
		l := b.Queue()
		group, err := b.Ingest.NextGroup(b.Caller.Practice)
		require.NoError(t, err)
		require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.Start(b.Caller.Practice, group[0].ID) }))
		if group[0].Items == 0 {
			_, read, err := b.Ingest.BodyOf(b.Context(), b.Caller.Practice, group[0])
			require.NoError(t, err)
			done := errors.New("the first is done")
			require.ErrorIs(t, read(func(item mapping.Item) error {
				first := ingest.NewChunk(b.Changes.Prepare(b.Caller.Practice, birth.CSV, item, 0))
				require.NoError(t, b.Ingest.ApplyChunk(l.PracticeQueue, group[0], first))
				return done
			}), done)
		}
		b.Restart()
	}
	b.Drain()
	done, err := b.Imports.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, "rows 3: new 1, amends 0, revives 0, unchanged 0, errors 2, suspected 0", fixture.Counts(*done.Result))
	left := b.ErrorFile(who, i.ID)
	require.NotContains(t, left, "A,One")
	require.Equal(t, 2, strings.Count(left, "The row could not be processed."))
	require.Len(t, b.Records(), 1)
	b.Clean()
}
