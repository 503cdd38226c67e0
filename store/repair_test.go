package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"maragu.dev/goqite"
)

func TestAfterACrashTheLeasesOfTheCrashedProcessAreReleased(t *testing.T) {
	db := opened(t)
	for range 3 {
		accept(t, db, addPractice(t, db))
		_, ok := received(t, db)
		require.True(t, ok)
	}
	_, ok := received(t, db)
	require.False(t, ok)
	update(t, db, (*Tx).ReleaseQueues)
	for range 3 {
		_, ok := received(t, db)
		require.True(t, ok)
	}
}

func TestAPracticeQueueHiddenByASetBackClockIsReleasedByTheSweep(t *testing.T) {
	db := opened(t)
	p, working := addPractice(t, db), addPractice(t, db)
	accept(t, db, working)
	_, ok := received(t, db)
	require.True(t, ok)
	accept(t, db, p)
	raw(t, db, `update goqite set timeout = ? where id = (select message from lanes where practice = ?)`,
		time.Now().Add(time.Hour).UTC().Format(queueTime), p)
	_, ok = received(t, db)
	require.False(t, ok)
	update(t, db, (*Tx).RepairQueues)
	l, ok := received(t, db)
	require.True(t, ok)
	require.Equal(t, p, l.Practice)
	_, ok = received(t, db)
	require.False(t, ok, "a lease in force is left alone")
}

func TestIngestionsWithoutAMessageOrAPracticeQueueAreQueuedAgain(t *testing.T) {
	for _, loss := range []string{
		`delete from goqite`,
		`delete from lanes`,
		`delete from goqite where true; delete from lanes`,
		`update lanes set message = 'm_gone'`,
	} {
		db := opened(t)
		p, done := addPractice(t, db), addPractice(t, db)
		accept(t, db, p)
		i := accept(t, db, done)
		finish(t, db, done, i, Ending{Status: Completed})
		update(t, db, func(tx *Tx) error {
			_, err := tx.EndQueue(done)
			return err
		})
		raw(t, db, loss)
		update(t, db, (*Tx).RepairQueues)
		require.Equal(t, 1, feed(t, db).Practices, loss)
		l, ok := received(t, db)
		require.True(t, ok, loss)
		require.Equal(t, p, l.Practice, loss)
		_, ok = received(t, db)
		require.False(t, ok, loss)
		require.Equal(t, 1, messages(t, db), "the orphan is gone")
		update(t, db, (*Tx).RepairQueues)
		require.Equal(t, 1, messages(t, db), "what is announced is not announced twice")
	}
}

func TestMessagesThatNoPracticeQueueOwnsAreDropped(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	update(t, db, func(tx *Tx) error {
		for _, body := range []string{"", "x", "77", fmt.Sprint(p), "\xff\x00", "999999999999999999999"} {
			m := goqite.Message{Body: []byte(body), Priority: 9} // ahead of all others
			if err := tx.queue.SendTx(t.Context(), tx.tx.Tx, m); err != nil {
				return err
			}
		}
		return nil
	})
	accept(t, db, p)
	require.Equal(t, 7, messages(t, db))
	l, ok := received(t, db)
	require.True(t, ok)
	require.Equal(t, p, l.Practice)
	require.Equal(t, 1, messages(t, db))
}

func TestARolledBackAnnouncementIsRepeatedInTheSameCommit(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	errs := together(t, db,
		func(tx *Tx) error {
			_, _, err := tx.Accept(p, NewIngestion{PublicID: "one", Parts: [][]byte{{1}}})
			return errors.Join(err, errRefused)
		},
		func(tx *Tx) error {
			_, _, err := tx.Accept(p, NewIngestion{PublicID: "two", Parts: [][]byte{{1}}})
			return err
		},
	)
	require.EqualError(t, errs[0], errRefused.Error())
	require.NoError(t, errs[1])
	_, ok := received(t, db)
	require.True(t, ok)
}
