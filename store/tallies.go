package store

import (
	"cmp"
	"database/sql"
	"maps"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
)

// Figures across practices are computed from tallies (migration 28): counts for each practice
// and month, their sums, and the numbers of practices that contribute. A function that writes
// records also notes how they change the tallies. The write job (writer.go) stores these changes at
// its end, in the same savepoint, so voiding a record removes it from every figure at once.

// counted says how figures across practices count a record: in which month, and with which outcome.
// Its zero value means that they don't count the record.
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

// countedNow returns how a record counts at present: its month and outcome. It returns ErrNotFound
// if the practice has no such record.
func (tx *Tx) countedNow(p PracticeID, record int64) (counted, error) {
	var r Record
	err := tx.one(`
		select state, coalesce(birth_month, ''), coalesce(outcome, '')
		from records where id = ? and practice = ?`, []any{record, p}, &r.State, &r.Facts.BirthMonth, &r.Facts.Outcome)
	return r.counted(), err
}

func (r *Record) counted() counted { return countedAs(r.State, r.Facts.BirthMonth, r.Facts.Outcome) }

// tally records that a record now counts under another month or outcome.
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

// monthly has counts by month.
type monthly map[stats.Month]stats.Counts

func (m monthly) count(t *stats.Tallier, c counted, times int64) {
	if c.month == 0 {
		return
	}
	counts := m[c.month]
	t.Count(&counts, c.outcome, times)
	m[c.month] = counts
}

// writeTallies adds the job's changes to the stored tallies. It skips sandbox practices, which have
// no tallies. It returns ErrForgotten for a practice that is being forgotten, because Forget has
// already removed its tallies, and the change would be counted a second time.
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

// tallyTable has the statements that read, write and delete the counts of one table.
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

// addCounts adds to the counts of a row and returns the counts from before. A row whose counts
// are all zero is deleted.
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

// addTo returns a function that scans a row of counts and adds it to sum.
func addTo(sum *stats.Counts) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var b sql.RawBytes
		err := rows.Scan(&b)
		sum.AddBytes(b)
		return err
	}
}

// gap is a month in which practices contribute to a measure, and the last earlier month in which
// they contributed. last is 0 if they contributed in no earlier month within stats.MaxMonths, the
// longest period that can end with the month.
type gap struct{ month, last stats.Month }

func (g gap) compare(other gap) int {
	return cmp.Or(cmp.Compare(g.month, other.month), cmp.Compare(g.last, other.last))
}

// returns counts the practices by gap and measure. Each practice that contributes
// to the months from a to b has exactly one gap that ends in those months and
// begins before a.
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

// come records in back how a change of one month's counts changes the practice's gaps. For some
// measures, the change may make the practice begin or cease to contribute in that month.
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
