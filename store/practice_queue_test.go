package store

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// received receives the next practice queue; ok is false if none is waiting.
func received(t testing.TB, db *DB) (q PracticeQueue, ok bool) {
	t.Helper()
	err := db.Update(func(tx *Tx) (err error) {
		q, err = tx.ReceiveQueue()
		return err
	})
	if err != nil {
		require.ErrorIs(t, err, ErrNotFound)
	}
	return q, err == nil
}

func feed(t testing.TB, db *DB) (f Feed) {
	t.Helper()
	view(t, db, func(v *View) (err error) {
		f, err = v.Feed()
		return err
	})
	return f
}

// messages counts the messages in the queue.
func messages(t testing.TB, db *DB) int { return asked(t, db, `select count(*) from goqite`) }

func TestAPracticeHasOneMessageHoweverManyOfItsIngestionsWait(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	for range 10 {
		accept(t, db, p)
		accept(t, db, other)
	}
	require.Equal(t, 2, messages(t, db))
	require.Equal(t, 2, feed(t, db).Practices)
	one, ok := received(t, db)
	require.True(t, ok)
	two, ok := received(t, db)
	require.True(t, ok)
	require.ElementsMatch(t, []PracticeID{p, other}, []PracticeID{one.Practice, two.Practice})
	_, ok = received(t, db)
	require.False(t, ok, "both are leased")
	accept(t, db, p)
	_, ok = received(t, db)
	require.False(t, ok, "the practice queue is the practice's lock")
}

func TestPracticeQueuesAreReceivedInTheOrderTheyWereOpened(t *testing.T) {
	db := opened(t)
	var want []PracticeID
	for range 5 {
		p := addPractice(t, db)
		want = append(want, p)
		accept(t, db, p)
		time.Sleep(2 * time.Millisecond) // goqite orders by milliseconds
	}
	for _, p := range want {
		l, ok := received(t, db)
		require.True(t, ok)
		require.Equal(t, p, l.Practice)
	}
}

func TestPracticeQueuesInProgressComeAfterThoseThatWait(t *testing.T) {
	db := opened(t)
	accept(t, db, addPractice(t, db))
	time.Sleep(2 * time.Millisecond) // goqite orders by milliseconds
	accept(t, db, addPractice(t, db))
	priorities := func() []int {
		return []int{
			asked(t, db, `select priority from goqite order by created limit 1`),
			asked(t, db, `select priority from goqite order by created desc limit 1`),
		}
	}
	require.Equal(t, []int{waits, waits}, priorities())
	first, ok := received(t, db)
	require.True(t, ok)
	require.Equal(t, []int{worked, waits}, priorities())
	update(t, db, func(tx *Tx) error { return tx.Advance(first) })
	require.Equal(t, []int{worked, waits}, priorities())
	update(t, db, func(tx *Tx) error { return tx.ReleaseQueue(first) })
	require.Equal(t, []int{waits, waits}, priorities())
	again, ok := received(t, db)
	require.True(t, ok)
	require.Equal(t, first, again, "one that is given back has its place again")
	update(t, db, (*Tx).ReleaseQueues)
	require.Equal(t, []int{waits, waits}, priorities(), "and so at the start")
}

func TestAPracticeQueueEndsOnlyWhenNothingIsLeft(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	one, two := accept(t, db, p), accept(t, db, p)
	l, _ := received(t, db)
	end := func() (ended bool) {
		update(t, db, func(tx *Tx) (err error) {
			ended, err = tx.EndQueue(p)
			return err
		})
		return ended
	}
	finish(t, db, p, one, Ending{Status: Completed})
	update(t, db, func(tx *Tx) error { return tx.Start(p, two.ID) })
	require.False(t, end(), "one is being processed")
	require.Equal(t, 1, messages(t, db))
	update(t, db, func(tx *Tx) error { return tx.Advance(l) })
	finish(t, db, p, two, Ending{Status: Failed})
	require.True(t, end())
	require.Zero(t, messages(t, db))
	require.Equal(t, Feed{}, feed(t, db))
	require.True(t, end(), "it has ended already")

	accept(t, db, p) // opens the practice queue again
	l, ok := received(t, db)
	require.True(t, ok)
	require.Equal(t, p, l.Practice)
}

func TestAPracticeQueueThatEndsIsOpenedAgainInTheSameCommit(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	one := accept(t, db, p)
	l, _ := received(t, db)
	submit := func(id string) func(*Tx) error {
		return func(tx *Tx) error {
			_, _, err := tx.Accept(p, NewIngestion{PublicID: id, Parts: [][]byte{{1}}})
			return err
		}
	}
	end := func(tx *Tx) error {
		two, err := tx.Ingestion(p, "two")
		if err != nil {
			return err
		}
		over := func(i Ingestion) Ending { return Ending{Ingestion: i.ID, Status: Completed, Outcome: []byte("x")} }
		if err := tx.Finish(p, over(one), over(two)); err != nil {
			return err
		}
		ended, err := tx.EndQueue(p)
		if !ended {
			return errRefused
		}
		return err
	}
	require.NoError(t, errors.Join(together(t, db, submit("two"), end, submit("three"))...))
	again, ok := received(t, db)
	require.True(t, ok)
	require.NotEqual(t, l.Message, again.Message)
	require.Equal(t, 1, messages(t, db))
}

func TestOnlyTheTransactionThatOpensAPracticeQueueIsNotified(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	seen := []bool{}
	submit := func(tx *Tx) error {
		_, _, err := tx.Accept(p, NewIngestion{PublicID: uuid.NewString(), Parts: [][]byte{{1}}})
		seen = append(seen, tx.Opened(p))
		return err
	}
	undone := func(tx *Tx) error { return errors.Join(submit(tx), errRefused) }
	update(t, db, submit)
	update(t, db, submit)
	require.Equal(t, []bool{true, false}, seen, "the practice queue was there")

	update(t, db, func(tx *Tx) error {
		_, err := tx.exec(`delete from ingestions`)
		return err
	})
	update(t, db, func(tx *Tx) error {
		ended, err := tx.EndQueue(p)
		require.True(t, ended)
		return err
	})
	seen = nil
	_ = together(t, db, undone, submit, submit)
	require.Equal(t, []bool{true, true, true}, seen, "the first has opened none in the end; the others share the commit that opens it")
	require.Equal(t, 1, messages(t, db))
}

func TestALeaseRunsOutAfterAMinuteUnlessThePracticeQueueAdvances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t)
		p := addPractice(t, db)
		accept(t, db, p)
		l, ok := received(t, db)
		require.True(t, ok)
		for range 10 { // a practice queue that advances keeps its lease
			time.Sleep(59 * time.Second)
			update(t, db, func(tx *Tx) error { return tx.Advance(l) })
			require.Equal(t, time.Now().Truncate(time.Millisecond).UTC(), feed(t, db).OldestAdvance)
		}
		time.Sleep(Lease - time.Millisecond)
		_, ok = received(t, db)
		require.False(t, ok)
		require.Equal(t, Lease-time.Millisecond, time.Since(feed(t, db).OldestAdvance).Truncate(time.Millisecond))
		time.Sleep(time.Millisecond)
		again, ok := received(t, db)
		require.True(t, ok)
		require.Equal(t, l, again)
		update(t, db, func(tx *Tx) error { return tx.ReleaseQueue(l) })
		again, ok = received(t, db)
		require.True(t, ok, "a practice queue that was given back is there at once")
		require.Equal(t, l, again)
	})
}

func TestTheFeedReportsThePracticeQueueThatHasBeenStuckLongest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t)
		p, other := addPractice(t, db), addPractice(t, db)
		require.Equal(t, Feed{}, feed(t, db))
		opened := time.Now().Truncate(time.Millisecond).UTC()
		accept(t, db, p)
		time.Sleep(time.Hour)
		accept(t, db, p) // new work doesn't count as an advance
		accept(t, db, other)
		require.Equal(t, Feed{Practices: 2, OldestAdvance: opened}, feed(t, db))
	})
}

func TestAMessageIsStillDeliveredHoweverOftenItWasReceived(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	accept(t, db, p)
	raw(t, db, `update goqite set received = ?`, math.MaxInt32)
	l, ok := received(t, db)
	require.True(t, ok)
	require.Equal(t, p, l.Practice)
}
