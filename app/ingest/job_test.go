package ingest_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/app/task"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

func TestBundlesOfAPracticeApplyInTheOrderTheyWereAcknowledged(t *testing.T) {
	b := fixture.New(t)
	var ids []string
	for n := range 200 { // more than one group
		ids = append(ids, b.Accept(fixture.Course("chart", 1000+n)))
	}
	b.Drain()
	for n, id := range ids {
		out := b.Outcome(id)
		require.Len(t, out.Accepted, 1)
		if n > 0 {
			require.Equal(t, n+1, out.Accepted[0].Version)
			require.Equal(t, b.Outcome(ids[0]).Accepted[0].Submission, out.Accepted[0].Submission)
		}
	}
	require.Len(t, b.Records(), 1)
	b.Clean()
}

// Readers can see the end of an ingestion that the disk doesn't have. After a power cut, the
// ingestion would be in process again.
func TestNoEndIsReportedWhileTheDiskMayNotHaveIt(t *testing.T) {
	b := fixture.New(t)
	id := b.Accept(fixture.Course("chart", 1000))
	poll := func() error {
		_, err := b.Ingest.Receipt(t.Context(), b.Caller.Practice, id)
		return err
	}
	storetest.Moved(t, b.Path, func() { require.NoError(t, poll(), "it has not ended") })
	b.Drain()
	storetest.Moved(t, b.Path, func() { require.ErrorIs(t, poll(), store.ErrMoved) })
	require.NoError(t, poll())
}

func TestAPracticeQueueEndsOnlyWithTheLastOfItsBundles(t *testing.T) {
	b := fixture.New(t)
	for n := range ingest.GroupCount + 1 {
		b.Accept(fixture.Course("chart", 1000+n))
	}
	l := b.Queue()
	ended, err := b.Ingest.RunJob(context.Background(), l)
	require.NoError(t, err)
	require.False(t, ended, "one is left")
	late := ""
	b.Changes.OnItem = func(mapping.Item) { // another is accepted while the last one is read
		if b.Changes.OnItem = nil; late == "" {
			late = b.Accept(fixture.Course("late", 3000))
		}
	}
	ended, err = b.Ingest.RunJob(context.Background(), l)
	require.NoError(t, err)
	require.False(t, ended, "one has come")
	ended, err = b.Ingest.RunJob(context.Background(), l)
	require.NoError(t, err)
	require.True(t, ended)
	require.Len(t, b.Outcome(late).Accepted, 1)
	queues, err := b.Ingest.ReceiveQueues(10, fixture.NoneActive)
	require.NoError(t, err)
	require.Empty(t, queues)
	b.Accept(fixture.Course("chart", 4000))
	b.Queue() // opens the practice queue again
}

func TestTheWorkerIsWokenOncePerOpenedPracticeQueueAndNotPerBundle(t *testing.T) {
	b := fixture.New(t)
	woken := func() bool {
		select {
		case <-b.Ingest.Wake():
			return true
		default:
			return false
		}
	}
	b.Accept(fixture.Course("chart", 1000))
	require.True(t, woken())
	b.Accept(fixture.Course("chart", 1001))
	require.False(t, woken(), "the practice queue waits for the worker")
	l := b.Queue()
	b.Accept(fixture.Course("chart", 1002))
	require.False(t, woken(), "the practice queue is worked")
	for ended := false; !ended; {
		var err error
		ended, err = b.Ingest.RunJob(t.Context(), l)
		require.NoError(t, err)
	}
	b.Clean()
	b.Accept(fixture.Course("chart", 1003))
	require.True(t, woken(), "the practice queue has ended")
}

// The practice queue and its worker must still be there. Otherwise the queue would wait until
// its lease has expired.
func TestAPracticeQueueWhoseEndIsNotCommittedHasNotEnded(t *testing.T) {
	for name, body := range map[string]string{"small": fixture.Course("chart", 3000), "large": fixture.Large(1200)} {
		t.Run(name, func(t *testing.T) {
			b := fixture.New(t)
			id := b.Accept(body)
			l := b.Queue()
			if name == "large" { // its practice queue ends in a job of its own
				ended, err := b.Ingest.RunJob(t.Context(), l)
				require.NoError(t, err)
				require.False(t, ended)
			}
			b.Raw(`create table spoilt (practice integer references practices (id) deferrable initially deferred) strict`,
				`create trigger spoil after delete on lanes begin insert into spoilt values (-1); end`) // the commit fails
			ended, err := b.Ingest.RunJob(t.Context(), l)
			require.Error(t, err)
			require.False(t, ended)
			b.Raw(`drop trigger spoil`, `drop table spoilt`)
			ended, err = b.Ingest.RunJob(t.Context(), l)
			require.NoError(t, err)
			require.True(t, ended)
			require.NotEmpty(t, b.Outcome(id).Accepted)
			b.Clean()
		})
	}
}

func TestAttemptsAreCountedBeforeWorkAndTheThirdIsTheLast(t *testing.T) {
	b := fixture.New(t)
	id := b.Accept(fixture.Course("poison", 3000))
	next := b.Accept(fixture.Course("behind", 3000))
	p := b.Caller.Practice
	for range ingest.MaxAttempts {
		group, err := b.Ingest.NextGroup(p)
		require.NoError(t, err)
		require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.Start(p, group[0].ID) }))
		b.Restart() // the Bundle killed the process
		require.Equal(t, store.Processing, b.Receipt(id).Status, "a caller never sees processing turn into queued")
	}
	b.Drain()
	require.Equal(t, ingest.Failure{
		Error:         "The Bundle could not be processed and the push was not accepted.",
		Exception:     ingest.AttemptsExhausted,
		CorrelationID: b.Failure(id).CorrelationID,
	}, b.Failure(id))
	require.Len(t, b.Outcome(next).Accepted, 1, "the queue behind it moves")
	require.Len(t, b.Records(), 1)
	b.Clean()
}

func TestARetriedIngestionIsProcessedAlone(t *testing.T) {
	b := fixture.New(t)
	for range 3 {
		b.Accept(fixture.Course("", 3000))
	}
	p := b.Caller.Practice
	group, err := b.Ingest.NextGroup(p)
	require.NoError(t, err)
	require.Len(t, group, 3)
	require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.Start(p, group[0].ID) }))
	group, err = b.Ingest.NextGroup(p)
	require.NoError(t, err)
	require.Len(t, group, 1)
}

// PHI-1 for a panic.
func TestPHI_1_APanicFailsThatIngestionOnlyAndRevealsNothingOfIt(t *testing.T) {
	b := fixture.New(t)
	b.Changes.OnItem = func(item mapping.Item) {
		if item.Chart == "CNRY-panic" {
			panic("CNRY-panic CNRY-value")
		}
	}
	good, bad, after := b.Accept(fixture.Course("good", 3000)), b.Accept(fixture.Course("CNRY-panic", 3000)), b.Accept(fixture.Course("after", 3000))
	b.Drain()
	require.Equal(t, ingest.MappingPanic, b.Failure(bad).Exception)
	require.Len(t, b.Outcome(good).Accepted, 1)
	require.Len(t, b.Outcome(after).Accepted, 1)
	require.Len(t, b.Records(), 2)
	require.NotContains(t, b.Log.String(), "CNRY")
	require.NotContains(t, string(b.Receipt(bad).Outcome), "CNRY")
	b.Clean()
	_, err := b.DB.TruncateWAL(context.Background())
	require.NoError(t, err)
	require.False(t, fixture.OnDisk(t, b.Path, []byte("CNRY")), "nothing of a failed Bundle is in clear")
}

func TestHealthCountsTheJobsThatAreRunning(t *testing.T) {
	b := fixture.New(t)
	during := -1
	b.Changes.OnItem = func(mapping.Item) { during = b.Ingest.Health(t.Context()).Working }
	b.Accept(fixture.Course("chart", 3000))
	require.Zero(t, b.Ingest.Health(t.Context()).Working)
	b.Drain()
	require.Equal(t, 1, during)
	require.Zero(t, b.Ingest.Health(t.Context()).Working)
}

func TestAPracticeQueueThatStartsAgainAndAgainIsReportedAsNotAdvancing(t *testing.T) {
	b := fixture.New(t)
	b.Accept(fixture.Course("chart", 3000))
	before, err := fixture.FeedOf(b)
	require.NoError(t, err)
	l := b.Queue()
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for range 2 {
		time.Sleep(2 * time.Millisecond)
		_, err = b.Ingest.RunJob(stopped, l)
		require.Error(t, err)
	}
	after, err := fixture.FeedOf(b)
	require.NoError(t, err)
	require.Equal(t, before.OldestAdvance, after.OldestAdvance)
}

func TestABatchStoppedAfterItsLastEntryIsCompletedWithoutARejection(t *testing.T) {
	b := fixture.New(t)
	id := b.Accept(fixture.Large(1200))
	l := b.Queue()
	group, err := b.Ingest.NextGroup(b.Caller.Practice)
	require.NoError(t, err)
	chunks := make(chan ingest.Chunk)
	ended := make(chan error, 1)
	go func() { ended <- b.Ingest.ReadChunks(context.Background(), b.Caller.Practice, group[0], chunks) }()
	for c := range chunks {
		require.NoError(t, b.Ingest.ApplyChunk(l.PracticeQueue, group[0], c))
	}
	require.NoError(t, <-ended)
	for range ingest.MaxAttempts { // killed again and again before the receipt is written
		require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.Start(b.Caller.Practice, group[0].ID) }))
	}
	b.Restart()
	b.Drain()
	b.Reports(b.Outcome(id), 1200, 0)
	b.Clean()
}

func TestTheFirstChunkAfterAnAttemptThatDidNotAdvanceIsSmall(t *testing.T) {
	for attempts, items := range []int{ingest.ChunkItems, ingest.ChunkItems / ingest.Wary, ingest.ChunkItems / ingest.Wary / ingest.Wary} {
		b := fixture.New(t)
		b.Accept(fixture.Large(1200))
		group, err := b.Ingest.NextGroup(b.Caller.Practice)
		require.NoError(t, err)
		group[0].Attempts = attempts
		ctx, stop := context.WithCancel(context.Background())
		chunks := make(chan ingest.Chunk)
		ended := make(chan error, 1)
		go func() { ended <- b.Ingest.ReadChunks(ctx, b.Caller.Practice, group[0], chunks) }()
		require.Len(t, (<-chunks).Changes(), items)
		require.Len(t, (<-chunks).Changes(), ingest.ChunkItems)
		stop()
		for range chunks { // until it has ended
		}
		require.ErrorIs(t, <-ended, context.Canceled)
	}
}

func TestABufferThatCannotBeReadBackFailsTheIngestion(t *testing.T) {
	b := fixture.New(t)
	id := b.Accept(fixture.Course("chart", 3000))
	group, err := b.Ingest.NextGroup(b.Caller.Practice)
	require.NoError(t, err)
	// A part that carries another practice's name does not open.
	moved := group[0]
	moved.PublicID = "elsewhere"
	_, err = b.Ingest.ReadAll(b.Caller.Practice, moved)
	require.Equal(t, ingest.BufferUnreadable, ingest.ExceptionOf(err))
	_, err = b.Ingest.ReadAll(b.Caller.Practice+1, group[0])
	require.Equal(t, ingest.BufferUnreadable, ingest.ExceptionOf(err))
	end, err := b.Ingest.Failed(b.Caller.Practice, group[0], ingest.BufferUnreadable, err)
	require.NoError(t, err)
	require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.Finish(b.Caller.Practice, end) }))
	require.Equal(t, ingest.BufferUnreadable, b.Failure(id).Exception)
}

// None of these failures (too many open files, a full disk, a closing database) is the fault
// of the Bundle, which has its 202.
func TestATemporarilyUnreadableBufferFailsNoIngestion(t *testing.T) {
	b := fixture.New(t)
	b.Accept(fixture.Course("chart", 3000))
	group, err := b.Ingest.NextGroup(b.Caller.Practice)
	require.NoError(t, err)
	require.NoError(t, b.DB.Close())
	_, err = b.Ingest.ReadAll(b.Caller.Practice, group[0])
	require.ErrorIs(t, err, store.ErrClosed)
	require.Empty(t, ingest.ExceptionOf(err), "it is tried again")
}

func TestAPanicWhileReadingFailsThatBundleAndHoldsNoSlot(t *testing.T) {
	b := fixture.New(t)
	id := b.Accept(fixture.Course("chart", 3000))
	group, err := b.Ingest.NextGroup(b.Caller.Practice)
	require.NoError(t, err)
	slots := int64(b.Settings.Workers)
	b.Ingest.SetVault(nil) // opening the buffer panics
	err = task.Do(slog.New(slog.NewTextHandler(b.Log, nil)), "job", func() error {
		_, err := b.Ingest.ProcessSmall(t.Context(), store.PracticeQueue{Practice: b.Caller.Practice}, group)
		return err
	})
	require.Error(t, err)
	require.True(t, b.Ingest.Slots().TryAcquire(slots), "a slot was not given back")
	b.Ingest.Slots().Release(slots)
	err = task.Do(slog.New(slog.NewTextHandler(b.Log, nil)), "read", func() error {
		_, err := b.Ingest.ReadAll(b.Caller.Practice, group[0])
		return err
	})
	require.Equal(t, ingest.MappingPanic, ingest.ExceptionOf(err))
	b.Ingest.SetVault(b.Vault)
	b.Drain()
	require.Len(t, b.Outcome(id).Accepted, 1)
}

func TestAQueuedBundleThatAgedOutOfItsBufferFails(t *testing.T) {
	t.Parallel()
	b := fixture.New(t, func(s *ingest.Settings) { s.BufferTTL = 3 * time.Second })
	started := time.Now()
	id := b.Accept(fixture.Course("chart", 3000))
	n, err := b.Ingest.Expire(started)
	require.NoError(t, err)
	require.Zero(t, n, "not yet")
	time.Sleep(3100 * time.Millisecond)
	n, err = b.Ingest.Expire(time.Now())
	require.NoError(t, err)
	require.Zero(t, n, "after a restart the queue is drained before anything is aged out")
	n, err = b.Ingest.Expire(started)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	f := b.Failure(id)
	require.Equal(t, "The buffered Bundle for this ingestion is no longer available.", f.Error)
	require.Empty(t, f.Exception)
	require.NotContains(t, string(b.Receipt(id).Outcome), "exception")
	b.Clean()
	feed, err := fixture.FeedOf(b)
	require.NoError(t, err)
	require.Zero(t, feed.Practices, "nothing is left to advance")
}

func TestAnOrderlyStopGivesTheAttemptBack(t *testing.T) {
	b := fixture.New(t)
	id := b.Accept(fixture.Course("chart", 3000))
	l := b.Queue()
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for range 2 * ingest.MaxAttempts {
		_, err := b.Ingest.RunJob(stopped, l)
		require.Error(t, err)
	}
	require.NoError(t, b.Ingest.ReleaseQueue(l))
	b.Drain()
	require.Len(t, b.Outcome(id).Accepted, 1)
}

func TestNothingOfTheBufferIsLeftOnTheDisk(t *testing.T) {
	b := fixture.New(t)
	body := fixture.Course("chart", 3000)
	b.Accept(body)
	group, err := b.Ingest.NextGroup(b.Caller.Practice)
	require.NoError(t, err)
	var sealed []byte
	require.NoError(t, b.DB.View(t.Context(), func(v *store.View) (err error) {
		sealed, err = v.BufferPart(b.Caller.Practice, group[0].ID, 0)
		return err
	}))
	require.True(t, fixture.OnDisk(t, b.Path, sealed[20:60]))
	b.Drain()
	require.True(t, b.Ingest.TakeTruncationPending())
	clean, err := b.DB.TruncateWAL(context.Background())
	require.NoError(t, err)
	require.True(t, clean)
	require.False(t, fixture.OnDisk(t, b.Path, sealed[20:60]))
}
