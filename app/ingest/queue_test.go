package ingest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

// attempts returns how many attempts of a practice's unfinished ingestions have been counted,
// the oldest ingestion first.
func attempts(b *fixture.Fixture, p store.PracticeID) (counts []int) {
	b.Helper()
	waiting, err := store.Read(b.Context(), b.DB, func(v *store.View) ([]store.Ingestion, error) { return v.Unfinished(p, 100) })
	require.NoError(b, err)
	for _, i := range waiting {
		counts = append(counts, i.Attempts)
	}
	return counts
}

// drained runs the jobs of a queue until it has ended.
func drained(b *fixture.Fixture, q *ingest.Queue) {
	b.Helper()
	for ended := false; !ended; {
		var err error
		ended, err = b.Ingest.RunJob(b.Context(), q)
		require.NoError(b, err)
	}
}

func TestReceivingAQueueCountsTheFirstAttemptOfItsBundlesAndItsFirstJobCountsNoOther(t *testing.T) {
	b := fixture.New(t)
	ids := []string{b.Accept(fixture.Course("one", 3000)), b.Accept(fixture.Course("two", 3000))}
	q := b.Queue()
	require.Equal(t, []int{1, 1}, attempts(b, b.Caller.Practice))
	require.Equal(t, store.Processing, b.Receipt(ids[0]).Status)
	b.Changes.OnItem = func(mapping.Item) { require.Equal(t, []int{1, 1}, attempts(b, b.Caller.Practice)) }
	drained(b, q)
	for _, id := range ids {
		require.Len(t, b.Outcome(id).Accepted, 1)
	}
	b.Clean()
}

func TestABundleThatKillsTheProcessIsGivenUpAfterThreeAttempts(t *testing.T) {
	b := fixture.New(t)
	poison, behind := b.Accept(fixture.Course("poison", 3000)), b.Accept(fixture.Course("behind", 3000))
	kills, ended := 0, false
	for !ended {
		q, job := b.Queue(), make(chan struct{})
		b.Changes.OnItem = func(item mapping.Item) {
			if item.Chart == "poison" {
				kills++
				runtime.Goexit()
			}
		}
		go func() {
			defer close(job)
			for err := error(nil); !ended && err == nil; {
				ended, err = b.Ingest.RunJob(t.Context(), q)
			}
		}()
		<-job
		if !ended {
			b.Restart()
		}
	}
	require.Equal(t, ingest.MaxAttempts, kills)
	require.Equal(t, ingest.AttemptsExhausted, b.Failure(poison).Exception)
	require.Len(t, b.Outcome(behind).Accepted, 1)
	b.Clean()
}

func TestAQueueThatIsReleasedBeforeItsFirstJobHasLostNoAttempt(t *testing.T) {
	b := fixture.New(t)
	id := b.Accept(fixture.Course("chart", 3000))
	for range ingest.MaxAttempts + 1 { // the service is stopped again and again
		q := b.Queue()
		require.Equal(t, []int{1}, attempts(b, b.Caller.Practice))
		require.NoError(t, b.Ingest.ReleaseQueue(q))
		require.Equal(t, []int{0}, attempts(b, b.Caller.Practice))
	}
	b.Drain()
	require.Len(t, b.Outcome(id).Accepted, 1)
}

// several adds a Bundle of each of n more practices, and returns them.
func several(b *fixture.Fixture, n int) (all []auth.Caller) {
	b.Helper()
	for range n {
		other := b.Caller
		require.NoError(b, b.DB.Update(func(tx *store.Tx) (err error) {
			other.Practice, err = tx.AddPractice(fmt.Sprint("Another ", len(all)), false, true)
			return err
		}))
		_, err := b.Ingest.Accept(other, ingest.Request{Body: strings.NewReader(fixture.Course("chart", 3000)), Limit: 1 << 20})
		require.NoError(b, err)
		all = append(all, other)
	}
	return all
}

func TestAPracticeWhoseBundlesCannotBeStartedHoldsUpNoOther(t *testing.T) {
	for _, fault := range []string{"abort", "rollback"} {
		t.Run(fault, func(t *testing.T) {
			b := fixture.New(t, func(s *ingest.Settings) { s.Workers = 10 })
			b.Accept(fixture.Course("chart", 3000))
			others := several(b, 3)
			b.Raw(`create trigger stuck before update on ingestions when new.practice = 1 begin select raise(` + fault + `, 'stuck'); end`)
			require.EqualValues(t, 1, b.Caller.Practice)
			queues, err := b.Ingest.ReceiveQueues(10, fixture.NoneActive)
			require.NoError(t, err)
			require.Len(t, queues, 4)
			require.Equal(t, []int{0}, attempts(b, others[2].Practice))
			_, err = b.Ingest.RunJob(t.Context(), queues[0])
			require.Error(t, err)
			for _, q := range queues[1:] {
				drained(b, q)
			}
			for _, other := range others {
				require.Empty(t, attempts(b, other.Practice))
			}
		})
	}
}

func TestReceivingCountsAttemptsOnlyOfWhatIsProcessedAtOnce(t *testing.T) {
	b := fixture.New(t, func(s *ingest.Settings) { s.Workers = 2 })
	others := several(b, 4)
	queues, err := b.Ingest.ReceiveQueues(10, func(p store.PracticeID) bool { return p == others[0].Practice })
	require.NoError(t, err)
	require.Len(t, queues, 4)
	var counted []int
	for _, other := range others {
		counted = append(counted, attempts(b, other.Practice)...)
	}
	require.Equal(t, []int{0, 1, 1, 0}, counted, "the first is active, and two are processed at a time")
	for _, q := range queues {
		drained(b, q)
	}
}
