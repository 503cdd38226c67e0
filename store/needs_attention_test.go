package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func init() {
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
	require.Equal(t, NeedsAttention{Failed: 2, Rejects: CountedTo}, waitingIn(t, db, p, time.Now().Add(-time.Hour)))
	require.Equal(t, NeedsAttention{}, waitingIn(t, db, p, time.Now().Add(time.Hour)))
	require.Equal(t, NeedsAttention{}, waitingIn(t, db, other, time.Time{}))
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
