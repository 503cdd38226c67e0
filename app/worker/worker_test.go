package worker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/store"
)

func bigBatch(series string, n int) string {
	courses := make([]string, n)
	for i := range courses {
		chart := fmt.Sprintf("%s-%d", series, i)
		courses[i] = apptest.Course{Chart: chart, Mother: chart, Weight: 3000}.Bundle() + strings.Repeat(" ", 500)
	}
	return apptest.Batch(courses...)
}

func TestOnePracticesLargeBatchDoesNotHoldUpAnothersSingleBundle(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	others := make([]string, 3) // more practices with batches than slots
	var batches []apptest.Response
	for n := range others {
		others[n] = i.Mint(i.AddPractice(fmt.Sprintf("Busy %d", n)), "ingest:write", "ingest:read")
		batches = append(batches, i.Post(bigBatch("x", 6000), "Authorization", "Bearer "+others[n]))
	}
	out := i.Push(apptest.Course{Chart: "single"}.Bundle())
	require.Len(t, out.Accepted, 1)
	unfinished := 0
	for n, b := range batches {
		answer := i.Do("GET", apptest.PathOf(b), "", "Authorization", "Bearer "+others[n])
		if answer.JSON(t)["status"] != string(store.Completed) {
			unfinished++
		}
	}
	require.Positive(t, unfinished, "the single Bundle was served only after the batches")
	for n, b := range batches {
		r := i.Receipt(b, "Authorization", "Bearer "+others[n])
		require.Equal(t, 6000, *r.Accepted)
	}
}

func TestAnAcceptedBundleIsProcessedAtOnceAndNotAtTheNextPoll(t *testing.T) {
	i := apptest.Start(t)
	fastest := time.Hour
	for n := range 20 { // with one look every two seconds, each but the first would take two seconds, on any machine
		began := time.Now()
		i.Push(apptest.Course{Chart: fmt.Sprint(n)}.Bundle())
		if n > 0 {
			fastest = min(fastest, time.Since(began))
		}
	}
	require.Less(t, fastest, time.Second)
}

func TestAfterARestartTheQueueIsDrainedBeforeAnythingIsAgedOut(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t, func(c *app.Config) {
		c.Ingest.Workers = 0
		c.Ingest.BufferTTL = time.Hour
	})
	accepted := i.Post(apptest.Course{Chart: "waits"}.Bundle())
	i.Stop()
	const ttl = 6 * time.Second // long enough for any machine to begin with the queue
	time.Sleep(ttl + 100*time.Millisecond)
	i.Config.Ingest.BufferTTL = ttl // by then it has expired
	i.Config.Ingest.Workers = 2
	i.Run()
	defer i.Stop()
	require.Equal(t, store.Completed, i.Receipt(accepted).Status)
}

func TestAQueuedBundleAgesOutOfItsBuffer(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) {
		c.Ingest.Workers = 0
		c.Ingest.BufferTTL = 200 * time.Millisecond
	})
	r := i.Receipt(i.Post(apptest.Course{Chart: "forgotten"}.Bundle()))
	require.Equal(t, store.Failed, r.Status)
	f, err := r.ParseFailure()
	require.NoError(t, err)
	require.Equal(t, "The buffered Bundle for this ingestion is no longer available.", f.Error)
	require.Zero(t, i.Count())
	i.Clean()
}

func TestAnIngestionThatLostItsMessageIsQueuedAgain(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) {
		c.Ingest.Workers = 0
		c.Ingest.BufferTTL = time.Hour
	})
	accepted := i.Post(apptest.Course{Chart: "stranded"}.Bundle())
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
		_, err := tx.ReceiveQueue() // leased to a worker that doesn't exist
		return err
	}))
	i.Stop()
	i.Config.Ingest.Workers = 2
	i.Run()
	defer i.Stop()
	require.Equal(t, store.Completed, i.Receipt(accepted).Status)
}

func TestAPracticeIsServedAgainRightAfterItsPracticeQueueHasEnded(t *testing.T) {
	i := apptest.Start(t)
	for n := range 100 { // each ends the practice queue and opens it again
		began := time.Now()
		i.Push(apptest.Course{Chart: "again", Weight: 3000 + n}.Bundle())
		require.Less(t, time.Since(began), store.Lease, "a queue waited for its lease to run out")
	}
	require.Equal(t, 100, i.Record("again").Version)
}
