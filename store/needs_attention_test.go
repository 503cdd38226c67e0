package store

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func init() {
	unscoped["SweepRejects"] = "the sweep"
	chores["select 1 from ingestions indexed by ingestions_failed"] = "what is waiting: each counted to a hundred, over the indexes of what is rare"
}

func waitingIn(t *testing.T, db *DB, p PracticeID, since time.Time) (w NeedsAttention) {
	t.Helper()
	view(t, db, func(v *View) (err error) {
		w, err = v.NeedsAttention(p, since)
		return err
	})
	return w
}

func TestItemsThatNeedAttentionAreCountedSinceATimeAndUpToAHundred(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	var ends []Ending
	for range CountedTo + 20 {
		ends = append(ends, completed(1, 1))
	}
	addIngestions(t, db, p, 0, append(ends, failed, failed, completed(1, 0))...)
	rejectAll(t, db, p)
	require.Equal(t, NeedsAttention{Failed: 2, Rejects: CountedTo}, waitingIn(t, db, p, time.Now().Add(-time.Hour)))
	require.Equal(t, NeedsAttention{}, waitingIn(t, db, p, time.Now().Add(time.Hour)))
	require.Equal(t, NeedsAttention{}, waitingIn(t, db, other, time.Time{}))
}

// rejectAll stores a rejected course of each ingestion that has rejected one.
func rejectAll(t *testing.T, db *DB, p PracticeID) {
	t.Helper()
	update(t, db, func(tx *Tx) error {
		return tx.do(`insert into rejects (practice, ingestion, chart) select practice, id, cast(cast(id as text) as blob) from ingestions where practice = ? and rejected > 0`, p)
	})
}

func TestAnIngestionNeedsAttentionUntilEachOfItsRejectedCoursesIsApplied(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	addIngestions(t, db, p, 0, completed(0, 2), completed(1, 1))
	var ids []int64
	view(t, db, func(v *View) (err error) {
		ids, err = all(v, `select id from ingestions order by id`, func(id *int64, rows *sql.Rows) error { return rows.Scan(id) })
		return err
	})
	a, b, unknown := []byte("a"), []byte("b"), []byte{}
	rejects := func() int { return waitingIn(t, db, p, time.Time{}).Rejects }
	update(t, db, func(tx *Tx) error {
		return errors.Join(
			tx.AddRejects(p, Rejects{ids[0], [][]byte{a, b}}), tx.AddRejects(p, Rejects{ids[0], [][]byte{a}}),
			tx.AddRejects(p, Rejects{ids[1], [][]byte{a, unknown}}))
	})
	require.Equal(t, 2, rejects())
	drop := func(p PracticeID, charts ...[]byte) {
		update(t, db, func(tx *Tx) error { return tx.DropRejects(p, charts) })
	}
	drop(other, a, b)
	drop(p, a)
	require.Equal(t, 2, rejects(), "another one is left")
	drop(p, b)
	require.Equal(t, 1, rejects(), "the course without a chart number is never known to be applied")
	update(t, db, func(tx *Tx) error {
		swept, err := tx.SweepRejects(time.Now().Add(-time.Hour))
		require.Zero(t, swept)
		return err
	})
	update(t, db, func(tx *Tx) error {
		swept, err := tx.SweepRejects(time.Now().Add(time.Hour))
		require.EqualValues(t, 1, swept)
		return err
	})
	require.Zero(t, rejects())
}

func TestIncompleteActiveRecordsNeedAttention(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	update(t, db, func(tx *Tx) error {
		record := func(id int64, uuid string, state birth.State, missing int, suspected bool) Record {
			return Record{
				ID: id, UUID: uuid, State: state, Version: 1, Content: 1, Suspected: suspected,
				Source: birth.Manual, Facts: birth.Facts{Missing: missing},
			}
		}
		return tx.AddRecords(p, []Record{
			record(1, "a", birth.Active, 0, false), record(2, "b", birth.Active, 3, false), record(3, "c", birth.Active, 1, true),
			record(4, "d", birth.Voided, 2, true),
		})
	})
	require.Equal(t, NeedsAttention{Incomplete: 2, Records: true}, waitingIn(t, db, p, time.Now()))
}
