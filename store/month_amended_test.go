package store

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestAmendmentsDoNotKeepTheCounterBusy(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	update(t, db, func(tx *Tx) error {
		id, err := tx.NextRecordID()
		var all []Record
		for i := range 3*countedAtOnce + 1 {
			all = append(all, Record{
				ID: id + int64(i), UUID: fmt.Sprint("uuid ", id+int64(i)), State: birth.Active, Version: 1, Content: 1,
				Facts: birth.Facts{BirthMonth: "2026-01", Attendant: "midwife", Outcome: by(birth.Cesarean, true)},
			})
		}
		return errors.Join(err, tx.AddRecords(p, all))
	})
	steps := func(between func()) (n int) {
		db.CountLater(p, []string{"2026-01"})
		for {
			more, err := db.CountStep()
			require.NoError(t, err)
			if !more {
				return n
			}
			n++
			require.Less(t, n, 20, "it would never end")
			between()
		}
	}
	roles := []string{"nurse", "midwife"}
	amended := 0
	require.Equal(t, 2, steps(func() {
		raw(t, db, fmt.Sprintf(`update records set attendant = '%s' where id = (select min(id) from records)`, roles[amended%2]))
		amended++
	}), "a step, and one that finds its counts deleted")
	require.Zero(t, asked(t, db, `select count(*) from month_counts`))
	require.Equal(t, 4, steps(func() {}), "without amendments, all is counted")
	monthCountsAreRight(t, db)
	require.Equal(t, 1, asked(t, db, `select count(*) from month_counts`))
}
