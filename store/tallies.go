package store

import (
	"cmp"
	"database/sql"
	"maps"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
)

// Statistics across practices are computed from tallies (migration 28): the counts of each practice
// and month, their sums, and the numbers of practices that contribute. A function that writes
// records also records how the tallies change. At its end, the write job (writer.go) stores these
// changes in the same savepoint. If a record is voided, all statistics therefore change in the same
// commit.

// counted says in which month and with which outcome a record counts in statistics across
// practices. The zero value means that it doesn't count.
type counted struct {
	month   stats.Month
	outcome string
}

func countedAs(state birth.State, month, outcome string) counted {
	m, ok := stats.ParseMonth(month)
	if state != birth.Active || !ok {
		return counted{}
	}
	return counted{m, outcome}
}

// countedNow returns how a record counts at present. It returns ErrNotFound if the practice has no
// such record.
func (tx *Tx) countedNow(p PracticeID, record int64) (counted, error) {
	var r Record
	err := tx.one(`
		select state, coalesce(birth_month, ''), coalesce(outcome, '')
		from records where id = ? and practice = ?`, []any{record, p}, &r.State, &r.Facts.BirthMonth, &r.Facts.Outcome)
	return r.counted(), err
}

func (r *Record) counted() counted { return countedAs(r.State, r.Facts.BirthMonth, r.Facts.Outcome) }

// tally records that the way in which a record counts has changed.
func (tx *Tx) tally(p PracticeID, before, after counted) {
	if before == after {
		return
	}
	if tx.tallies == nil {
		tx.tallies = map[PracticeID]monthly{}
	}
	if tx.tallies[p] == nil {
		tx.tallies[p] = monthly{}
	}
	tx.tallies[p].count(&tx.tallier, before, -1)
	tx.tallies[p].count(&tx.tallier, after, 1)
}

// monthly holds counts of births, keyed by month.
type monthly map[stats.Month]stats.Counts

func (m monthly) count(t *stats.Tallier, c counted, times int64) {
	if c.month == 0 {
		return
	}
	counts := m[c.month]
	t.Count(&counts, c.outcome, times)
	m[c.month] = counts
}

// writeTallies adds the changes that the present job has recorded to the stored tallies. It skips
// sandboxes, which have no tallies. It returns ErrForgotten if a practice is being forgotten:
// Forget has already removed its tallies, so the change would be counted twice.
func (tx *Tx) writeTallies() error {
	for _, p := range slices.Sorted(maps.Keys(tx.tallies)) {
		var sandbox, forgotten bool
		err := tx.one(`
			select is_sandbox, exists (select 1 from forgotten where practice = ?1)
			from practices where id = ?1`, []any{p}, &sandbox, &forgotten)
		if err == nil && forgotten {
			err = ErrForgotten
		}
		if err != nil {
			return err
		}
		if sandbox {
			continue
		}
		if err := tx.writeTalliesOf(p, tx.tallies[p]); err != nil {
			return err
		}
	}
	clear(tx.tallies)
	return nil
}

func (tx *Tx) writeTalliesOf(p PracticeID, changes monthly) error {
	back := returns{}
	for _, month := range slices.Sorted(maps.Keys(changes)) {
		change := changes[month]
		if change.Bytes() == nil {
			continue
		}
		before, err := tx.addCounts(ofPractice, []any{p, month}, change)
		if err != nil {
			return err
		}
		if _, err := tx.addCounts(ofAll, []any{month}, change.Spread(int64(p))); err != nil {
			return err
		}
		if err := tx.come(p, month, before, change, back); err != nil {
			return err
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(back), gap.compare) {
		if _, err := tx.addCounts(ofReturns, []any{at.month, at.last}, back[at]); err != nil {
			return err
		}
	}
	return nil
}

// tallyTable holds the statements that read, write and delete the counts in one table.
type tallyTable struct{ read, write, drop string }

var (
	ofPractice = tallyTable{
		`select counts from tallies where practice = ? and month = ?`,
		`insert into tallies (practice, month, counts) values (?, ?, ?) on conflict do update set counts = excluded.counts`,
		`delete from tallies where practice = ? and month = ?`,
	}
	ofAll = tallyTable{
		`select counts from tally_totals where month = ?`,
		`insert into tally_totals (month, counts) values (?, ?) on conflict do update set counts = excluded.counts`,
		`delete from tally_totals where month = ?`,
	}
	ofReturns = tallyTable{
		`select counts from tally_returns where month = ? and last = ?`,
		`insert into tally_returns (month, last, counts) values (?, ?, ?) on conflict do update set counts = excluded.counts`,
		`delete from tally_returns where month = ? and last = ?`,
	}
)

// addCounts adds change to the counts of a row, and returns the counts from before. It deletes the
// row if all of its counts are then zero.
func (tx *Tx) addCounts(t tallyTable, key []any, change stats.Counts) (before stats.Counts, err error) {
	if err = tx.each(t.read, addTo(&before), key...); err != nil {
		return nil, err
	}
	now := slices.Clone(before)
	now.Add(change, 1)
	if b := now.Bytes(); b != nil {
		err = tx.do(t.write, append(slices.Clone(key), b)...)
	} else {
		err = tx.do(t.drop, key...)
	}
	return before, err
}

// addTo returns a function that reads the counts of a row and adds them to sum.
func addTo(sum *stats.Counts) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var b sql.RawBytes
		err := rows.Scan(&b)
		sum.AddBytes(b)
		return err
	}
}

// gap is a month in which practices contribute to a measure, together with the last month before it
// in which they contributed. last is 0 if they contributed in no earlier month within
// stats.MaxMonths, which is the longest period that can end with the month.
type gap struct{ month, last stats.Month }

func (g gap) compare(other gap) int {
	return cmp.Or(cmp.Compare(g.month, other.month), cmp.Compare(g.last, other.last))
}

// returns holds, for each gap and measure, the number of practices with this gap. A practice that
// contributes to the months from a to b has exactly one gap that ends in these months and begins
// before a.
type returns map[gap]stats.Counts

func (r returns) add(last, month stats.Month, place int, times int64) {
	if month == 0 {
		return
	}
	if last <= month-stats.MaxMonths {
		last = 0
	}
	at := gap{month, last}
	if r[at] == nil {
		r[at] = make(stats.Counts, len(stats.Measures))
	}
	r[at][place] += times
}

// come records, in the argument back, how a practice's gaps change because the counts of a month
// change. For some measures, the practice may begin or stop contributing in that month.
func (tx *Tx) come(p PracticeID, month stats.Month, before, change stats.Counts, back returns) error {
	type crossing struct {
		place      int
		times      int64
		last, next stats.Month
	}
	var changes []crossing
	for place := range stats.Measures {
		was, is := before.Known(place) > 0, before.Known(place)+change.Known(place) > 0
		if was != is {
			changes = append(changes, crossing{place: place, times: map[bool]int64{true: 1, false: -1}[is]})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	err := pairs(&tx.View, `
		select month, counts from tallies
		where practice = ? and month > ? and month < ?
		order by month`, func(at stats.Month, b sql.RawBytes) {
		var counts stats.Counts
		counts.AddBytes(b)
		for i := range changes {
			switch t := &changes[i]; {
			case at == month || counts.Known(t.place) <= 0:
			case at < month:
				t.last = at
			case t.next == 0:
				t.next = at
			}
		}
	}, p, month-stats.MaxMonths, month+stats.MaxMonths)
	for _, t := range changes {
		back.add(t.last, month, t.place, t.times)
		back.add(t.last, t.next, t.place, -t.times)
		back.add(month, t.next, t.place, t.times)
	}
	return err
}
