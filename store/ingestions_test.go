package store

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// again reads an ingestion again from the database.
func again(t testing.TB, db *DB, p PracticeID, publicID string) (i Ingestion) {
	t.Helper()
	view(t, db, func(v *View) (err error) {
		i, err = v.Ingestion(p, publicID)
		return err
	})
	return i
}

func TestUnfinishedIngestionsComeInTheOrderOfTheirAcknowledgment(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	var want []string
	for n := range 10 {
		i := accept(t, db, p)
		accept(t, db, other)
		if n%3 == 0 {
			finish(t, db, p, i, Ending{Status: Completed})
			continue
		}
		want = append(want, i.PublicID)
	}
	view(t, db, func(v *View) error {
		all, err := v.Unfinished(p, 4)
		require.Len(t, all, 4)
		for n, i := range all {
			require.Equal(t, want[n], i.PublicID)
		}
		return err
	})
}

func finish(t testing.TB, db *DB, p PracticeID, i Ingestion, end Ending) {
	t.Helper()
	if end.Outcome == nil {
		end.Outcome = []byte("sealed outcome")
	}
	end.Ingestion = i.ID
	update(t, db, func(tx *Tx) error { return tx.Finish(p, end) })
}

func TestAttemptsAreCountedReturnedAndRestartedOnceTheIngestionAdvances(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	i := accept(t, db, p)
	step := func(attempts, items int, fn func(tx *Tx) error) {
		t.Helper()
		update(t, db, fn)
		now := again(t, db, p, i.PublicID)
		require.Equal(t, attempts, now.Attempts)
		require.Equal(t, items, now.Items)
		require.Equal(t, Processing, now.Status, "processing never turns into queued")
	}
	start := func(tx *Tx) error { return tx.Start(p, i.ID) }
	giveBack := func(tx *Tx) error { return tx.GiveBack(p, i.ID) }
	step(1, 0, start)
	step(2, 0, start)
	step(1, 0, giveBack)
	step(0, 0, giveBack)
	step(0, 0, giveBack)
	step(1, 0, start)
	step(2, 0, start)
	entries := []LedgerEntry{
		{First: 0, Next: 250, Accepted: 240, Rejected: 10, Sealed: []byte("one")},
		{First: 250, Next: 300, Accepted: 50, Sealed: []byte("two")},
	}
	for _, e := range entries {
		step(1, e.Next, func(tx *Tx) error { return tx.Progress(p, i.ID, e) })
	}
	require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.Progress(p, i.ID, entries[1]) }), ErrConflict, "a chunk twice")
	view(t, db, func(v *View) error {
		ledger, err := v.Ledger(p, i.ID)
		require.Equal(t, entries, ledger)
		return err
	})
}

func TestATerminalIngestionNeverChangesAndLeavesNothingBehind(t *testing.T) {
	for _, end := range []Ending{
		{Status: Completed, Accepted: 3, Rejected: 1, Outcome: []byte("sealed")},
		{Status: Failed, Outcome: []byte("sealed"), Exception: "MappingPanic", CorrelationID: "c"},
	} {
		db := opened(t)
		p := addPractice(t, db)
		i, neighbor := accept(t, db, p), accept(t, db, p)
		end.Ingestion = i.ID
		e := LedgerEntry{Next: 4, Accepted: 3, Rejected: 1, Sealed: []byte("sealed")}
		update(t, db, func(tx *Tx) error {
			return errors.Join(tx.Start(p, i.ID), tx.Progress(p, i.ID, e), tx.Finish(p, end))
		})
		ended := again(t, db, p, i.PublicID)
		require.Equal(t, Ingestion{
			ID: i.ID, PublicID: i.PublicID, Kind: BundleKind, Status: end.Status, Size: 7, Attempts: 1, Items: end.Accepted + end.Rejected,
			Accepted: end.Accepted, Rejected: end.Rejected, Outcome: []byte("sealed"), CreatedAt: i.CreatedAt, CompletedAt: ended.CompletedAt,
		}, ended)
		require.False(t, ended.CompletedAt.Before(i.CreatedAt))
		if end.Status == Failed {
			require.Equal(t, 1, asked(t, db, `select accepted is null and rejected is null from ingestions where id = ?`, i.ID))
		}
		require.Equal(t, 2, asked(t, db, `select count(*) from buffers`), "the neighbor's")
		require.Zero(t, asked(t, db, `select count(*) from ledger`))

		for name, change := range map[string]func(*Tx) error{
			"start":    func(tx *Tx) error { return tx.Start(p, i.ID) },
			"progress": func(tx *Tx) error { return tx.Progress(p, i.ID, LedgerEntry{First: 4, Next: 5, Sealed: []byte{1}}) },
			"complete": func(tx *Tx) error {
				return tx.Finish(p, Ending{Ingestion: i.ID, Status: Completed, Outcome: []byte("x")})
			},
			"fail": func(tx *Tx) error { return tx.Finish(p, Ending{Ingestion: i.ID, Status: Failed, Outcome: []byte("x")}) },
		} {
			require.ErrorIs(t, db.Update(change), ErrNotFound, name)
			require.Equal(t, ended, again(t, db, p, i.PublicID), name)
		}
		update(t, db, func(tx *Tx) error { return tx.GiveBack(p, i.ID) })
		require.Equal(t, ended, again(t, db, p, i.PublicID))
		require.Zero(t, asked(t, db, `select count(*) from ledger`))
		require.Equal(t, Queued, again(t, db, p, neighbor.PublicID).Status)
	}
}

func TestOnlyQueuedIngestionsOlderThanTheCutoffAreAgedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t)
		p, other := addPractice(t, db), addPractice(t, db)
		old, begun, ended := accept(t, db, p), accept(t, db, p), accept(t, db, p)
		foreign := accept(t, db, other)
		update(t, db, func(tx *Tx) error { return tx.Start(p, begun.ID) })
		finish(t, db, p, ended, Ending{Status: Completed})
		cutoff := time.Now()
		time.Sleep(24 * time.Hour)
		accept(t, db, p)
		view(t, db, func(v *View) error {
			aged, err := v.AgedOut(cutoff.Add(time.Millisecond), 10)
			require.ElementsMatch(t, []Aged{
				{p, Ingestion{ID: old.ID, PublicID: old.PublicID}}, {other, Ingestion{ID: foreign.ID, PublicID: foreign.PublicID}},
			}, aged)
			none, noneErr := v.AgedOut(cutoff, 10)
			require.Empty(t, none, "one that is as old as the cutoff has its time still")
			one, oneErr := v.AgedOut(cutoff.Add(time.Hour), 1)
			require.Len(t, one, 1)
			return errors.Join(err, noneErr, oneErr)
		})
		update(t, db, func(tx *Tx) error {
			for id, want := range map[int64]bool{old.ID: true, begun.ID: false, ended.ID: false} {
				queued, err := tx.StillQueued(p, id)
				require.NoError(t, err)
				require.Equal(t, want, queued)
			}
			_, err := tx.StillQueued(p, 77)
			require.ErrorIs(t, err, ErrNotFound)
			return nil
		})
	})
}
