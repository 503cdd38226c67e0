package ingest_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

// attempted counts an attempt of every Bundle of the fixture's practice, as if the process had
// ended during their first one.
func attempted(b *fixture.Fixture) {
	b.Helper()
	group, err := b.Ingest.NextGroup(b.Caller.Practice)
	require.NoError(b, err)
	for _, i := range group {
		require.NoError(b, b.DB.Update(func(tx *store.Tx) error { return tx.Start(b.Caller.Practice, i.ID) }))
	}
}

// queuesOf receives the queues of the fixture's practice and of another one.
func queuesOf(b *fixture.Fixture) (own, other *ingest.Queue) {
	b.Helper()
	queues, err := b.Ingest.ReceiveQueues(2, fixture.NoneActive)
	require.NoError(b, err)
	require.Len(b, queues, 2)
	require.Equal(b, b.Caller.Practice, queues[0].Practice)
	return queues[0], queues[1]
}

func TestABatchThatWasAttemptedBeforeRunsAloneUntilItsFirstChunkIsWritten(t *testing.T) {
	b := fixture.New(t, func(s *ingest.Settings) { s.Workers = 2 })
	id := b.Accept(fixture.Large(1200))
	attempted(b)
	several(b, 1)
	batch, single := queuesOf(b)
	singleEnded, written := make(chan struct{}), 0
	b.Changes.OnItem = func(item mapping.Item) {
		switch item.Draft.Chart {
		case "c0": // the batch runs
			go func() {
				defer close(singleEnded)
				_, _ = b.Ingest.RunJob(t.Context(), single)
			}()
		case "chart": // the single Bundle is read
			group, err := b.Ingest.NextGroup(b.Caller.Practice)
			require.NoError(t, err)
			written = group[0].Items
		case "c1000":
			<-singleEnded
		}
	}
	drained(b, batch)
	require.Equal(t, ingest.ChunkItems/ingest.Wary, written, "the first chunk after an attempt is small")
	require.Empty(t, attempts(b, single.Practice))
	b.Reports(b.Outcome(id), 1200, 0)
}

func TestAnIngestionThatWasAttemptedBeforeIsCountedOnceNoOtherJobWrites(t *testing.T) {
	b := fixture.New(t)
	b.Accept(fixture.Course("again", 3000))
	attempted(b)
	several(b, 1)
	again, first := queuesOf(b)
	b.Raw(`create trigger early before insert on records when new.practice <> 1
		begin select raise(abort, 'counted too early') from ingestions where practice = 1 and attempts > 1; end`)
	require.EqualValues(t, 1, b.Caller.Practice)
	entered, free, ends := make(chan struct{}), make(chan struct{}), make(chan error, 3)
	release := sync.OnceFunc(func() { close(free) })
	defer release() // also after a failure
	go func() {
		ends <- b.DB.Update(func(*store.Tx) error { // the write of the first job waits behind this one
			close(entered)
			<-free
			return nil
		})
	}()
	<-entered
	run := func(q *ingest.Queue) {
		_, err := b.Ingest.RunJob(t.Context(), q)
		ends <- err
	}
	go run(first)
	require.Eventually(t, b.Ingest.Writing, time.Minute, time.Millisecond)
	go run(again)
	require.Eventually(t, b.Ingest.AloneWaits, time.Minute, time.Millisecond)
	release()
	for range 3 {
		require.NoError(t, <-ends)
	}
	require.Empty(t, attempts(b, again.Practice))
}
