package intake

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/mapping"
	"birthregistry/app/task"
	"birthregistry/store"
)

func TestBundlesOfAPracticeApplyInTheOrderTheyWereAcknowledged(t *testing.T) {
	b := newBed(t)
	var ids []string
	for n := range 200 { // more than one group
		ids = append(ids, b.accept(course("chart", 1000+n)))
	}
	b.drain()
	for n, id := range ids {
		out := b.outcome(id)
		require.Len(t, out.Accepted, 1)
		if n > 0 {
			require.Equal(t, n+1, out.Accepted[0].Version)
			require.Equal(t, b.outcome(ids[0]).Accepted[0].Submission, out.Accepted[0].Submission)
		}
	}
	require.Len(t, b.records(), 1)
	b.clean()
}

func TestAPracticeQueueEndsWithTheLastOfItsSmallBundlesAndNotBefore(t *testing.T) {
	b := newBed(t)
	for n := range groupCount + 1 {
		b.accept(course("chart", 1000+n))
	}
	l := b.queue()
	ended, err := b.RunJob(context.Background(), l)
	require.NoError(t, err)
	require.False(t, ended, "one is left")
	late := ""
	b.onItem = func(mapping.Item) { // while the last is read, another is accepted
		if b.onItem = nil; late == "" {
			late = b.accept(course("late", 3000))
		}
	}
	ended, err = b.RunJob(context.Background(), l)
	require.NoError(t, err)
	require.False(t, ended, "one has come")
	ended, err = b.RunJob(context.Background(), l)
	require.NoError(t, err)
	require.True(t, ended)
	require.Len(t, b.outcome(late).Accepted, 1)
	queues, err := b.ReceiveQueues(10)
	require.NoError(t, err)
	require.Empty(t, queues)
	b.accept(course("chart", 4000))
	b.queue() // it is opened anew
}

func TestTheWorkerIsWokenForAPracticeQueueThatIsOpenedAndNotForEachOfItsBundles(t *testing.T) {
	b := newBed(t)
	woken := func() bool {
		select {
		case <-b.Wake():
			return true
		default:
			return false
		}
	}
	b.accept(course("chart", 1000))
	require.True(t, woken())
	b.accept(course("chart", 1001))
	require.False(t, woken(), "the practice queue waits for the worker")
	l := b.queue()
	b.accept(course("chart", 1002))
	require.False(t, woken(), "the practice queue is worked")
	for ended := false; !ended; {
		var err error
		ended, err = b.RunJob(t.Context(), l)
		require.NoError(t, err)
	}
	b.clean()
	b.accept(course("chart", 1003))
	require.True(t, woken(), "the practice queue has ended")
}

// The practice queue is still there then, and so is whoever works it: else it would stand
// still until its lease has run out.
func TestAPracticeQueueWhoseEndIsNotCommittedHasNotEnded(t *testing.T) {
	for name, body := range map[string]string{"small": course("chart", 3000), "large": large(1200)} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			id := b.accept(body)
			l := b.queue()
			if name == "large" { // its practice queue ends in a job of its own
				ended, err := b.RunJob(t.Context(), l)
				require.NoError(t, err)
				require.False(t, ended)
			}
			b.raw(`create table spoilt (practice integer references practices (id) deferrable initially deferred) strict`,
				`create trigger spoil after delete on lanes begin insert into spoilt values (-1); end`) // the commit fails
			ended, err := b.RunJob(t.Context(), l)
			require.Error(t, err)
			require.False(t, ended)
			b.raw(`drop trigger spoil`, `drop table spoilt`)
			ended, err = b.RunJob(t.Context(), l)
			require.NoError(t, err)
			require.True(t, ended)
			require.NotEmpty(t, b.outcome(id).Accepted)
			b.clean()
		})
	}
}

// raw changes the database behind the service's back.
func (b *bed) raw(statements ...string) {
	b.Helper()
	db, err := sql.Open("sqlite", b.path)
	require.NoError(b, err)
	defer db.Close() //nolint:errcheck // every statement is its own transaction
	for _, statement := range statements {
		_, err := db.ExecContext(b.Context(), statement)
		require.NoError(b, err)
	}
}

func TestAttemptsAreCountedBeforeWorkAndThreeAreTheEnd(t *testing.T) {
	b := newBed(t)
	id := b.accept(course("poison", 3000))
	next := b.accept(course("behind", 3000))
	p := b.caller.Practice
	for range maxAttempts {
		group, err := b.nextGroup(p)
		require.NoError(t, err)
		require.NoError(t, b.db.Update(func(tx *store.Tx) error { return tx.Start(p, group[0].ID) }))
		b.restart() // the Bundle has killed the process
		require.Equal(t, store.Processing, b.receipt(id).Status, "a caller never sees processing turn into queued")
	}
	b.drain()
	require.Equal(t, Failure{
		Error:         "The Bundle could not be processed and the push was not accepted.",
		Exception:     AttemptsExhausted,
		CorrelationID: b.failure(id).CorrelationID,
	}, b.failure(id))
	require.Len(t, b.outcome(next).Accepted, 1, "the queue behind it moves")
	require.Len(t, b.records(), 1)
	b.clean()
}

func TestAnIngestionThatWasTriedBeforeIsWorkedAlone(t *testing.T) {
	b := newBed(t)
	for range 3 {
		b.accept(course("", 3000))
	}
	p := b.caller.Practice
	group, err := b.nextGroup(p)
	require.NoError(t, err)
	require.Len(t, group, 3)
	require.NoError(t, b.db.Update(func(tx *store.Tx) error { return tx.Start(p, group[0].ID) }))
	group, err = b.nextGroup(p)
	require.NoError(t, err)
	require.Len(t, group, 1)
}

// PHI-1, a panic.
func TestPHI_1_APanicFailsThatIngestionOnlyAndTellsNothingOfIt(t *testing.T) {
	b := newBed(t)
	b.onItem = func(item mapping.Item) {
		if item.Chart == "CNRY-panic" {
			panic("CNRY-panic CNRY-value")
		}
	}
	good, bad, after := b.accept(course("good", 3000)), b.accept(course("CNRY-panic", 3000)), b.accept(course("after", 3000))
	b.drain()
	require.Equal(t, MappingPanic, b.failure(bad).Exception)
	require.Len(t, b.outcome(good).Accepted, 1)
	require.Len(t, b.outcome(after).Accepted, 1)
	require.Len(t, b.records(), 2)
	require.NotContains(t, b.log.String(), "CNRY")
	require.NotContains(t, string(b.receipt(bad).Outcome), "CNRY")
	b.clean()
	_, err := b.db.TruncateWAL(context.Background())
	require.NoError(t, err)
	require.False(t, onDisk(t, b.path, []byte("CNRY")), "nothing of a failed Bundle is in clear")
}

func TestHealthCountsTheTurnsThatAreUnderWay(t *testing.T) {
	b := newBed(t)
	during := -1
	b.onItem = func(mapping.Item) { during = b.Health(t.Context()).Working }
	b.accept(course("chart", 3000))
	require.Zero(t, b.Health(t.Context()).Working)
	b.drain()
	require.Equal(t, 1, during)
	require.Zero(t, b.Health(t.Context()).Working)
}

func TestAPracticeQueueThatBeginsAgainAndAgainIsSeenToStandStill(t *testing.T) {
	b := newBed(t)
	b.accept(course("chart", 3000))
	before, err := feedOf(b)
	require.NoError(t, err)
	l := b.queue()
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for range 2 {
		time.Sleep(2 * time.Millisecond)
		_, err = b.RunJob(stopped, l)
		require.Error(t, err)
	}
	after, err := feedOf(b)
	require.NoError(t, err)
	require.Equal(t, before.OldestAdvance, after.OldestAdvance)
}

func TestABatchThatWasStoppedWhenAllWasDoneIsCompletedWithoutARejection(t *testing.T) {
	b := newBed(t)
	id := b.accept(large(1200))
	l := b.queue()
	group, err := b.nextGroup(b.caller.Practice)
	require.NoError(t, err)
	chunks := make(chan chunk)
	ended := make(chan error, 1)
	go func() { ended <- b.readChunks(context.Background(), b.caller.Practice, group[0], chunks) }()
	for c := range chunks {
		require.NoError(t, b.applyChunk(l, group[0], c))
	}
	require.NoError(t, <-ended)
	for range maxAttempts { // killed before the receipt, again and again
		require.NoError(t, b.db.Update(func(tx *store.Tx) error { return tx.Start(b.caller.Practice, group[0].ID) }))
	}
	b.restart()
	b.drain()
	b.reports(b.outcome(id), 1200, 0)
	b.clean()
}

func TestTheFirstChunkAfterAnAttemptThatDidNotAdvanceIsSmall(t *testing.T) {
	for attempts, items := range []int{chunkItems, chunkItems / wary, chunkItems / wary / wary} {
		b := newBed(t)
		b.accept(large(1200))
		group, err := b.nextGroup(b.caller.Practice)
		require.NoError(t, err)
		group[0].Attempts = attempts
		ctx, stop := context.WithCancel(context.Background())
		chunks := make(chan chunk)
		ended := make(chan error, 1)
		go func() { ended <- b.readChunks(ctx, b.caller.Practice, group[0], chunks) }()
		require.Len(t, (<-chunks).subs, items)
		require.Len(t, (<-chunks).subs, chunkItems)
		stop()
		for range chunks { // until it has ended
		}
		require.ErrorIs(t, <-ended, context.Canceled)
	}
}

func TestABufferThatCannotBeReadBackFailsTheIngestion(t *testing.T) {
	b := newBed(t)
	id := b.accept(course("chart", 3000))
	group, err := b.nextGroup(b.caller.Practice)
	require.NoError(t, err)
	// Another practice's name in the place: the part does not open there.
	moved := group[0]
	moved.PublicID = "elsewhere"
	_, err = b.readAll(b.caller.Practice, moved)
	require.Equal(t, BufferUnreadable, exceptionOf(err))
	_, err = b.readAll(b.caller.Practice+1, group[0])
	require.Equal(t, BufferUnreadable, exceptionOf(err))
	end, err := b.failed(b.caller.Practice, group[0], BufferUnreadable, err)
	require.NoError(t, err)
	require.NoError(t, b.db.Update(func(tx *store.Tx) error { return tx.Finish(b.caller.Practice, end) }))
	require.Equal(t, BufferUnreadable, b.failure(id).Exception)
}

// A file that cannot be opened for want of handles, a disk without room, a database
// that closes: none of it is the Bundle's doing, which has its 202.
func TestABufferThatCannotBeReadAtTheMomentFailsNoIngestion(t *testing.T) {
	b := newBed(t)
	b.accept(course("chart", 3000))
	group, err := b.nextGroup(b.caller.Practice)
	require.NoError(t, err)
	require.NoError(t, b.db.Close())
	_, err = b.readAll(b.caller.Practice, group[0])
	require.ErrorIs(t, err, store.ErrClosed)
	require.Empty(t, exceptionOf(err), "it is tried again")
}

func TestAPanicInReadingIsThatBundlesAndHoldsNoTurn(t *testing.T) {
	b := newBed(t)
	id := b.accept(course("chart", 3000))
	group, err := b.nextGroup(b.caller.Practice)
	require.NoError(t, err)
	vault, slots := b.vault, int64(b.settings.Workers)
	b.vault = nil // whoever opens the buffer panics
	err = task.Do(b.Service.log, "turn", func() error {
		_, err := b.processSmall(t.Context(), store.PracticeQueue{Practice: b.caller.Practice}, group)
		return err
	})
	require.Error(t, err)
	require.True(t, b.slots.TryAcquire(slots), "a slot was not given back")
	b.slots.Release(slots)
	err = task.Do(b.Service.log, "read", func() error {
		_, err := b.readAll(b.caller.Practice, group[0])
		return err
	})
	require.Equal(t, MappingPanic, exceptionOf(err))
	b.vault = vault
	b.drain()
	require.Len(t, b.outcome(id).Accepted, 1)
}

func TestAQueuedBundleThatAgedOutOfItsBufferFails(t *testing.T) {
	b := newBed(t, func(s *Settings) { s.BufferTTL = 50 * time.Millisecond })
	started := time.Now()
	id := b.accept(course("chart", 3000))
	n, err := b.Expire(started)
	require.NoError(t, err)
	require.Zero(t, n, "not yet")
	time.Sleep(60 * time.Millisecond)
	n, err = b.Expire(time.Now())
	require.NoError(t, err)
	require.Zero(t, n, "after a restart the queue is drained before anything is aged out")
	n, err = b.Expire(started)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	f := b.failure(id)
	require.Equal(t, "The buffered Bundle for this ingestion is no longer available.", f.Error)
	require.Empty(t, f.Exception)
	require.NotContains(t, string(b.receipt(id).Outcome), "exception")
	b.clean()
	feed, err := feedOf(b)
	require.NoError(t, err)
	require.Zero(t, feed.Practices, "nothing is left to advance")
}

func feedOf(b *bed) (f store.Feed, err error) {
	err = b.db.View(context.Background(), func(v *store.View) (err error) {
		f, err = v.Feed()
		return err
	})
	return f, err
}

func TestAnOrderlyStopGivesTheAttemptBack(t *testing.T) {
	b := newBed(t)
	id := b.accept(course("chart", 3000))
	l := b.queue()
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for range 2 * maxAttempts {
		_, err := b.RunJob(stopped, l)
		require.Error(t, err)
	}
	require.NoError(t, b.ReleaseQueue(l))
	b.drain()
	require.Len(t, b.outcome(id).Accepted, 1)
}

func TestNothingOfTheBufferIsLeftOnTheDisk(t *testing.T) {
	b := newBed(t)
	body := course("chart", 3000)
	b.accept(body)
	group, err := b.nextGroup(b.caller.Practice)
	require.NoError(t, err)
	var sealed []byte
	require.NoError(t, b.db.View(t.Context(), func(v *store.View) (err error) {
		sealed, err = v.BufferPart(b.caller.Practice, group[0].ID, 0)
		return err
	}))
	require.True(t, onDisk(t, b.path, sealed[20:60]))
	b.drain()
	require.True(t, b.TakeTruncationPending())
	clean, err := b.db.TruncateWAL(context.Background())
	require.NoError(t, err)
	require.True(t, clean)
	require.False(t, onDisk(t, b.path, sealed[20:60]))
}

func onDisk(t *testing.T, path string, needle []byte) bool {
	t.Helper()
	for _, file := range []string{path, path + "-wal"} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		if bytes.Contains(content, needle) {
			return true
		}
	}
	return false
}

// course is a small complete course of care; without a chart number if empty.
func course(chart string, weight int) string {
	identifier := ""
	if chart != "" {
		identifier = fmt.Sprintf(`"identifier":{"value":%q},`, chart)
	}
	return strings.NewReplacer("IDENTIFIER", identifier, "WEIGHT", fmt.Sprint(weight)).Replace(
		`{"resourceType":"Bundle",IDENTIFIER"type":"document","entry":[
		{"resource":{"resourceType":"Patient","id":"m","meta":{"profile":["x/Patient-mother-vr"]}}},
		{"resource":{"resourceType":"Patient","id":"c","meta":{"profile":["x/Patient-child-vr"]},"birthDate":"2026-03-02"}},
		{"resource":{"resourceType":"Observation","code":{"coding":[{"code":"8339-4"}]},"valueQuantity":{"value":WEIGHT,"code":"g"}}}]}`)
}
