package store

import (
	"bytes"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
)

// Peers returns a measure's combined counts of all practices, except one practice (but) and
// sandboxes. It counts the months from first to last, including both, which may be at most
// stats.MaxMonths months. It reads only a few rows per month, however many practices there are.
func (v *View) Peers(but PracticeID, m *stats.Measure, first, last stats.Month) (p stats.Peers, err error) {
	var all, own, back stats.Counts
	err = errors.Join(
		v.each(`select counts from tally_totals where month >= ? and month <= ?`, addTo(&all), first, last),
		v.each(tallyOf, addTo(&own), but, first, last),
		v.each(`select counts from tally_returns where month >= ?1 and month <= ?2 and last < ?1`, addTo(&back), first, last),
	)
	if err != nil {
		return p, err
	}
	all.Add(own.Spread(int64(but)), -1)
	at := m.Place()
	p = stats.Peers{Yes: all.Yes(at), Known: all.Known(at), Practices: back.Yes(at)}
	if own.Known(at) > 0 {
		p.Practices--
	}
	if most := PracticeID(all.Majority(at)); most != but {
		var foreign stats.Counts
		err = v.each(tallyOf, addTo(&foreign), most, first, last)
		p.Dominated = 2*foreign.Known(at) > p.Known
	}
	return p, err
}

const tallyOf = `select counts from tallies where practice = ? and month >= ? and month <= ?`

// fillTallies computes the tallies of the practices in a file from an earlier version of this
// program. Progress is saved after each practice, so another call continues after an interruption.
func (db *DB) fillTallies() error {
	for {
		var p PracticeID
		err := db.View(background, func(v *View) error {
			return v.one(`select id from practices indexed by practices_untallied where tallied = 0 order by id limit 1`, nil, &p)
		})
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err == nil {
			err = db.Update(func(tx *Tx) error { return tx.retally(p) })
		}
		if err != nil {
			return err
		}
	}
}

// retally records the changes that make a practice's tallies match its records.
func (tx *Tx) retally(p PracticeID) error {
	change, err := tx.recount(p)
	if err != nil {
		return err
	}
	err = tx.eachTally(p, func(month stats.Month, counts stats.Counts) {
		sum := change[month]
		sum.Add(counts, -1)
		change[month] = sum
	})
	if err != nil {
		return err
	}
	tx.tallies = map[PracticeID]monthly{p: change}
	return found(tx.exec(`update practices set tallied = 1 where id = ?`, p))
}

// recount returns the counts of a practice's active records, keyed by month.
func (v *View) recount(p PracticeID) (monthly, error) {
	all, tallier := monthly{}, stats.Tallier{}
	return all, pairs(v, `
		select coalesce(r.birth_month, ''), group_concat(coalesce(r.outcome, ''), ' ')
		from records r indexed by records_born
		where r.practice = ? and r.state = 'active' and coalesce(r.birth_month, '') > ''
		group by coalesce(r.birth_month, '')`, func(month, outcomes string) {
		for outcome := range strings.SplitSeq(outcomes, " ") {
			all.count(&tallier, countedAs(birth.Active, month, outcome), 1)
		}
	}, p)
}

func (v *View) eachTally(p PracticeID, visit func(stats.Month, stats.Counts)) error {
	return pairs(v, `select month, counts from tallies where practice = ? order by month`, func(month stats.Month, b sql.RawBytes) {
		var counts stats.Counts
		counts.AddBytes(b)
		visit(month, counts)
	}, p)
}

// talliesRule describes the rule that brokenTallies checks.
const talliesRule = "figures across practices match the records"

// brokenTallies returns the number of rows in the tables of tallies that don't match the records.
func (v *View) brokenTallies() (broken int, err error) {
	practices, err := v.Practices()
	if err != nil {
		return 0, err
	}
	totals, back := returns{}, returns{}
	for _, p := range practices {
		months := monthly{}
		if !p.Sandbox {
			if months, err = v.recount(p.ID); err != nil {
				return 0, err
			}
		}
		foreign := sumUp(p.ID, months, totals, back)
		n, err := v.differ(foreign, `select month, 0, counts from tallies where practice = ?`, p.ID)
		if err != nil {
			return 0, err
		}
		broken += n
	}
	all, err := v.differ(totals, `select month, 0, counts from tally_totals`)
	if err != nil {
		return 0, err
	}
	gaps, err := v.differ(back, `select month, last, counts from tally_returns`)
	return broken + all + gaps, err
}

// sumUp adds a practice's counts by month to the argument totals, and the gaps between its months
// to the argument back. It returns the practice's counts in the same form as totals.
func sumUp(p PracticeID, months monthly, totals, back returns) (foreign returns) {
	foreign = returns{}
	last := make([]stats.Month, len(stats.Measures))
	for _, month := range slices.Sorted(maps.Keys(months)) {
		counts := months[month]
		foreign[gap{month: month}] = counts
		sum := totals[gap{month: month}]
		sum.Add(counts.Spread(int64(p)), 1)
		totals[gap{month: month}] = sum
		for place := range last {
			if counts.Known(place) > 0 {
				back.add(last[place], month, place, 1)
				last[place] = month
			}
		}
	}
	return foreign
}

// differ returns how many rows of a query have other counts than want has for them, plus how many
// counts in want have no row.
func (v *View) differ(want returns, query string, args ...any) (broken int, err error) {
	err = v.each(query, func(rows *sql.Rows) error {
		var at gap
		var b sql.RawBytes
		err := rows.Scan(&at.month, &at.last, &b)
		if !bytes.Equal(b, want[at].Bytes()) {
			broken++
		}
		delete(want, at)
		return err
	}, args...)
	for _, counts := range want {
		if counts.Bytes() != nil {
			broken++
		}
	}
	return broken, err
}
