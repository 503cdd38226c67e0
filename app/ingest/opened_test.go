package ingest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/store"
)

// passed returns the queues that Accept has passed to the worker so far.
func passed(to <-chan *ingest.Queue) (all []*ingest.Queue) {
	for len(to) > 0 {
		all = append(all, <-to)
	}
	return all
}

func TestABundleThatOpensAQueueIsBegunWithItsAcknowledgment(t *testing.T) {
	b := fixture.New(t)
	to := b.Ingest.ReceiveOpened()
	first, second := b.Accept(fixture.Course("one", 3000)), b.Accept(fixture.Course("two", 3000))
	queues := passed(to)
	require.Len(t, queues, 1, "the queue was open already")
	require.Equal(t, []int{1, 0}, attempts(b, b.Caller.Practice))
	waiting, err := b.Ingest.ReceiveQueues(10, fixture.NoneActive)
	require.NoError(t, err)
	require.Empty(t, waiting, "a queue is received once")
	drained(b, queues[0])
	for _, id := range []string{first, second} {
		require.Len(t, b.Outcome(id).Accepted, 1)
	}
	b.Clean()
}

func TestNoMoreBundlesAreBegunWithTheirAcknowledgmentThanAreProcessedAtOnce(t *testing.T) {
	b := fixture.New(t, func(s *ingest.Settings) { s.Workers = 2 })
	to := b.Ingest.ReceiveOpened()
	others := several(b, 3)
	queues := passed(to)
	require.Len(t, queues, 2)
	require.Equal(t, []int{0}, attempts(b, others[2].Practice))
	select {
	case <-b.Ingest.Wake():
	default:
		require.Fail(t, "nobody would process the third")
	}
	drained(b, queues[0])
	several(b, 1)
	require.Len(t, passed(to), 1, "there is room again")
}

func TestAQueueThatNobodyTakesIsReleasedAndLosesNoAttempt(t *testing.T) {
	b := fixture.New(t)
	b.Ingest.ReceiveOpened()
	id := b.Accept(fixture.Course("chart", 3000))
	require.Equal(t, []int{1}, attempts(b, b.Caller.Practice))
	b.Ingest.StopOpened(func(q *ingest.Queue) { require.NoError(t, b.Ingest.ReleaseQueue(q)) })
	require.Equal(t, []int{0}, attempts(b, b.Caller.Practice))
	b.Drain()
	require.Len(t, b.Outcome(id).Accepted, 1)
	b.Accept(fixture.Course("later", 3000))
	require.Equal(t, []int{0}, attempts(b, b.Caller.Practice), "the worker has stopped")
}

func TestABundleThatIsNotStoredTakesNoRoom(t *testing.T) {
	b := fixture.New(t, func(s *ingest.Settings) { s.Workers = 1 })
	to := b.Ingest.ReceiveOpened()
	b.Raw(`create trigger refused before insert on goqite begin select raise(abort, 'refused'); end`)
	for range 3 {
		_, err := b.Ingest.Accept(b.Caller, ingest.Request{Body: strings.NewReader(fixture.Course("chart", 3000)), Limit: 1 << 20})
		require.Error(t, err)
	}
	b.Raw(`drop trigger refused`)
	b.Raw(`create trigger refused before update on goqite begin select raise(abort, 'refused'); end`)
	for range 3 {
		_, err := b.Ingest.Accept(b.Caller, ingest.Request{Body: strings.NewReader(fixture.Course("chart", 3000)), Limit: 1 << 20})
		require.Error(t, err)
	}
	b.Raw(`drop trigger refused`)
	require.Empty(t, passed(to))
	require.Empty(t, attempts(b, b.Caller.Practice))
	b.Accept(fixture.Course("chart", 3000))
	require.Len(t, passed(to), 1)
}

func TestABundleWhosePracticeCannotBeStartedIsStoredAllTheSame(t *testing.T) {
	b := fixture.New(t)
	to := b.Ingest.ReceiveOpened()
	b.Raw(`create trigger stuck before update on ingestions begin select raise(abort, 'stuck'); end`)
	id := b.Accept(fixture.Course("chart", 3000))
	require.Empty(t, passed(to))
	<-b.Ingest.Wake()
	b.Raw(`drop trigger stuck`)
	b.Drain()
	require.Len(t, b.Outcome(id).Accepted, 1)
}

// SQLite rolls the whole transaction back on some errors, such as those of a disk. Whatever is
// written after that would be a transaction of its own.
func TestABundleIsNotAcknowledgedIfSQLiteHasRolledItBackWhenItsPracticeWasStarted(t *testing.T) {
	b := fixture.New(t)
	to := b.Ingest.ReceiveOpened()
	b.Raw(`create trigger gone before update of attempts on ingestions begin select raise(rollback, 'gone'); end`)
	noted := false
	_, err := b.Ingest.AcceptNoting(b.Caller, fixture.Course("chart", 3000), func(*store.Tx) error {
		noted = true
		return nil
	})
	require.Error(t, err)
	require.False(t, noted, "nothing is written after it")
	require.Empty(t, passed(to))
	require.Empty(t, attempts(b, b.Caller.Practice))
	b.Raw(`drop trigger gone`)
	b.Clean()
	b.Accept(fixture.Course("chart", 3000))
	require.Len(t, passed(to), 1)
}

func TestOfBundlesThatOpenAQueueTogetherOnePassesIt(t *testing.T) {
	b := fixture.New(t)
	to := b.Ingest.ReceiveOpened()
	hold, held := make(chan struct{}), make(chan struct{})
	go func() {
		_ = b.DB.Update(func(*store.Tx) error { close(held); <-hold; return nil })
	}()
	<-held
	const n = 5
	ends := make(chan error, n)
	for range n {
		go func() {
			_, err := b.Ingest.Accept(b.Caller, ingest.Request{Body: strings.NewReader(fixture.Course("chart", 3000)), Limit: 1 << 20})
			ends <- err
		}()
	}
	close(hold)
	for range n {
		require.NoError(t, <-ends)
	}
	queues := passed(to)
	require.Len(t, queues, 1)
	drained(b, queues[0])
	require.Empty(t, attempts(b, b.Caller.Practice))
}
