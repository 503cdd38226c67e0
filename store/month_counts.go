package store

import (
	"bytes"
	"database/sql"
	"sync"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
)

// The statistics add up the counts that are stored for each month (migration 46), and count the
// records that aren't included in stored counts. Stored counts are always computed from the
// records, part of a month in each transaction. If a record that they include changes, triggers
// delete the counts of its month. Stored counts are therefore always correct, and a month without
// stored counts is counted again.

// countsFrom is how many of a month's records must be missing from its stored counts before the
// counts are stored again. The months of small practices have fewer records and would gain nothing
// from stored counts.
const countsFrom = 64

// countedAtOnce is how many records one transaction adds to stored counts.
const countedAtOnce = 1000

// mostToCount is the maximum number of tasks in toCount. A month for which there is no room is
// added when its statistics are next read.
const mostToCount = 10_000

// toCount lists what is still to be counted by CountStep.
type toCount struct {
	mu    sync.Mutex
	tasks map[countTask]int64 // maps each task to the record ID up to which it has been counted since it was requested, or 0
	wake  chan struct{}
}

// countTask says what to count: the births of a month in a practice or, if providers is set, the
// births of the practice's providers.
type countTask struct {
	practice  PracticeID
	month     string
	providers bool
}

// CountLater requests that CountStep store the counts of these months. Requests are lost when the
// process ends.
func (db *DB) CountLater(p PracticeID, months []string) {
	for _, month := range months {
		db.toCount.add(countTask{practice: p, month: month}, 0)
	}
}

// CountProvidersLater requests that CountStep store the birth counts of a practice's providers.
func (db *DB) CountProvidersLater(p PracticeID) {
	db.toCount.add(countTask{practice: p, providers: true}, 0)
}

// add adds a task to the list, unless the list is full, and sends a value on the channel of
// CountWake. upto is the record ID up to which the task has already been counted. If the task was
// requested again meanwhile, it starts over.
func (t *toCount) add(task countTask, upto int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, asked := t.tasks[task]; !asked && len(t.tasks) < mostToCount {
		t.tasks[task] = upto
	}
	select {
	case t.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// CountWake returns a channel that receives a value when there is something to count.
func (db *DB) CountWake() <-chan struct{} { return db.toCount.wake }

// CountStep counts up to about a thousand records, and stores the counts. more is false if there
// was nothing to count.
func (db *DB) CountStep() (more bool, err error) {
	task, upto, found := db.toCount.next()
	if !found {
		return false, nil
	}
	var done bool
	err = db.Update(func(tx *Tx) (err error) {
		if task.providers {
			upto, done, err = tx.countProvidersOf(task.practice, upto, countedAtOnce)
		} else {
			upto, done, err = tx.countMonth(task.practice, task.month, upto, countedAtOnce)
		}
		return err
	})
	if err == nil && !done {
		db.toCount.add(task, upto)
	}
	return true, err
}

// next removes a task from the list and returns it. found is false if the list is empty.
func (t *toCount) next() (task countTask, upto int64, found bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for task, upto := range t.tasks {
		delete(t.tasks, task)
		return task, upto, true
	}
	return task, 0, false
}

// countMonth adds the next records of a month to the month's stored counts. most is the maximum
// number of records. before is the result upto of the previous call, or 0. upto is the ID of the
// last record that was counted, and done reports whether the whole month is counted. If the stored
// counts were deleted since the previous call, because a record has changed, countMonth counts
// nothing and sets done. Otherwise frequent changes would make it start over again and again.
func (tx *Tx) countMonth(p PracticeID, month string, before int64, most int) (upto int64, done bool, err error) {
	if err := tx.beingForgotten(p); err != nil {
		return 0, true, ignore(err, ErrForgotten)
	}
	row := countsRow{practice: p, of: month}
	err = tx.one(`select upto, counts from month_counts where practice = ? and month = ?`, []any{p, month}, &row.Upto, &row.stored)
	if err = ignore(err, ErrNotFound); err != nil {
		return 0, false, err
	}
	if before > 0 && row.Upto != before {
		return 0, true, nil
	}
	var counts stats.MonthCounts
	if body, ok := row.counts(); !ok || !counts.AddBytes(body) {
		row.Upto = 0
	}
	n := 0
	err = tx.each(monthRecords+`
		order by r.id
		limit ?`, func(rows *sql.Rows) error {
		n++
		return addRecordTo(&counts, &row.Upto, rows)
	}, p, month, row.Upto, most)
	if err != nil || n == 0 {
		return 0, true, err
	}
	err = tx.do(`
		insert into month_counts (practice, month, upto, counts) values (?, ?, ?, ?)
		on conflict do update set upto = excluded.upto, counts = excluded.counts`, p, month, row.Upto, row.store(counts.Bytes()))
	return row.Upto, n < most, err
}

// monthRecords selects the records of a month that have an ID above a given one.
const monthRecords = `
		select r.id, r.state, coalesce(r.attendant, ''), coalesce(r.outcome, '')
		from records r indexed by records_born
		where r.practice = ? and coalesce(r.birth_month, '') = ? and r.id > ?`

func addRecordTo(counts *stats.MonthCounts, id *int64, rows *sql.Rows) error {
	var state, attendant, outcome string
	err := rows.Scan(id, &state, &attendant, &outcome)
	counts.Add(birth.State(state), attendant, outcome)
	return err
}

// monthCountsRule describes the rule that brokenMonthCounts checks.
const monthCountsRule = "a practice's stored monthly counts match its records"

// brokenMonthCounts returns the number of months whose stored counts don't match the records, or
// have changed since they were stored. Counts that another version of this program has stored
// aren't used, so they aren't compared.
func (v *View) brokenMonthCounts() (broken int, err error) {
	months, err := all(v, `select practice, month, upto, counts from month_counts`, func(r *countsRow, rows *sql.Rows) error {
		return rows.Scan(&r.practice, &r.of, &r.Upto, &r.stored)
	})
	for _, r := range months {
		if err != nil {
			return 0, err
		}
		stored, ok := r.counts()
		if !ok {
			broken++
			continue
		}
		if !stats.CountsCurrent(stored) {
			continue
		}
		var counts stats.MonthCounts
		var id int64
		err = v.each(monthRecords+` and r.id <= ?`, func(rows *sql.Rows) error {
			return addRecordTo(&counts, &id, rows)
		}, r.practice, r.of, 0, r.Upto)
		if !bytes.Equal(counts.Bytes(), stored) {
			broken++
		}
	}
	return broken, err
}
