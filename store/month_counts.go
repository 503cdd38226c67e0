package store

import (
	"bytes"
	"database/sql"
	"errors"
	"sync"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
)

// The statistics add up counts that are stored for each month (migration 46), and count the
// records that came after them. The stored counts are only ever counted from records, a part of
// a month in each transaction; triggers delete the counts of a month when a record changes that
// they contain. So counts that are stored are right, and a month without them is counted anew.

// countsFrom is how many records of a month statistics read before their counts are stored. So
// small practices, which gain nothing, store none.
const countsFrom = 64

// countedAtOnce is how many records one transaction adds to the stored counts.
const countedAtOnce = 1000

// mostToCount bounds the list of months to count. What doesn't fit is noticed again when the
// statistics are read the next time.
const mostToCount = 10_000

// toCount lists the months whose counts are to be stored.
type toCount struct {
	mu     sync.Mutex
	months map[monthOf]bool
	wake   chan struct{}
}

type monthOf struct {
	practice PracticeID
	month    string
}

// CountLater has the counts of months stored by CountMonths. It is lost when the process ends.
func (db *DB) CountLater(p PracticeID, months []string) {
	if len(months) == 0 {
		return
	}
	t := &db.toCount
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, month := range months {
		if len(t.months) < mostToCount {
			t.months[monthOf{p, month}] = true
		}
	}
	select {
	case t.wake <- struct{}{}:
	default: // it is awake
	}
}

// CountWake receives a value when there are months to count.
func (db *DB) CountWake() <-chan struct{} { return db.toCount.wake }

// CountMonths stores a part of the counts of one month, and reports whether there is more to do.
func (db *DB) CountMonths() (more bool, err error) {
	of, found := db.toCount.next()
	if !found {
		return false, nil
	}
	var done bool
	err = db.Update(func(tx *Tx) (err error) {
		done, err = tx.countMonth(of.practice, of.month)
		return err
	})
	if err == nil && !done {
		db.CountLater(of.practice, []string{of.month})
	}
	return true, err
}

// next takes a month from the list.
func (t *toCount) next() (of monthOf, found bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for of := range t.months {
		delete(t.months, of)
		return of, true
	}
	return of, false
}

// countMonth adds the next records of a month to its stored counts. It reports whether these
// were the last.
func (tx *Tx) countMonth(p PracticeID, month string) (done bool, err error) {
	if err := tx.beingForgotten(p); err != nil {
		return true, ignore(err, ErrForgotten)
	}
	var upto int64
	var stored []byte
	err = tx.one(`select upto, counts from month_counts where practice = ? and month = ?`, []any{p, month}, &upto, &stored)
	if err = ignore(err, ErrNotFound); err != nil {
		return false, err
	}
	var counts stats.MonthCounts
	if !counts.AddBytes(stored) {
		upto = 0
	}
	n := 0
	err = tx.each(monthRecords+`
		order by r.id
		limit ?`, func(rows *sql.Rows) error {
		n++
		return addRecordTo(&counts, &upto, rows)
	}, p, month, upto, countedAtOnce)
	if err != nil || n == 0 {
		return true, err
	}
	_, err = tx.exec(`
		insert into month_counts (practice, month, upto, counts) values (?, ?, ?, ?)
		on conflict do update set upto = excluded.upto, counts = excluded.counts`, p, month, upto, counts.Bytes())
	return n < countedAtOnce, err
}

// monthRecords selects the records of a month after an ID.
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

// ignore returns nil instead of an expected error.
func ignore(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// monthCountsRule is the rule that brokenMonthCounts checks.
const monthCountsRule = "the figures of a practice are made of its records"

// brokenMonthCounts counts the months whose stored counts don't match the records. Counts of
// another version of this program aren't used, so they aren't checked.
func (v *View) brokenMonthCounts() (broken int, err error) {
	type stored struct {
		of     monthOf
		upto   int64
		counts []byte
	}
	months, err := all(v, `select practice, month, upto, counts from month_counts`, func(s *stored, rows *sql.Rows) error {
		return rows.Scan(&s.of.practice, &s.of.month, &s.upto, &s.counts)
	})
	for _, s := range months {
		if err != nil {
			return 0, err
		}
		if !stats.CountsReadable(s.counts) {
			continue
		}
		var counts stats.MonthCounts
		var id int64
		err = v.each(monthRecords+` and r.id <= ?`, func(rows *sql.Rows) error {
			return addRecordTo(&counts, &id, rows)
		}, s.of.practice, s.of.month, 0, s.upto)
		if !bytes.Equal(counts.Bytes(), s.counts) {
			broken++
		}
	}
	return broken, err
}
