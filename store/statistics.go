package store

import (
	"database/sql"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
)

// Births holds the births of one month. Some are included in stored counts, and the others are
// listed one by one.
type Births struct {
	month  string // 2006-01, or "" for records without a month
	stored []byte // encoded stats.MonthCounts, or nil
	// others lists the births that aren't in the stored counts, as text separated by recordEnd.
	// They are read as one row, because reading one row per record would take longer than counting
	// them.
	others string
}

// recordEnd ends a record in the text of others. partEnd separates a record's state, attendant and
// outcome. None of these parts contains a separator.
const (
	recordEnd = " "
	partEnd   = "/"
)

// addTo adds the births to c.
func (b Births) addTo(c *stats.MonthCounts) {
	c.AddBytes(b.stored)
	if b.others == "" {
		return
	}
	for record := range strings.SplitSeq(b.others, recordEnd) {
		state, rest, _ := strings.Cut(record, partEnd)
		attendant, outcome, _ := strings.Cut(rest, partEnd)
		c.Add(birth.State(state), attendant, outcome)
	}
}

// Counted holds the births that a practice's statistics count. It also holds the numbers of records
// that may be counted twice or not at all.
type Counted struct {
	births []Births
	// Behind lists the months whose stored counts should be updated (DB.CountLater).
	Behind []string
	// Pairs is the number of possible duplicates that nobody has reviewed. Counting stops at
	// CountedTo. Reopened is the number of merges into a record that is no longer active.
	Pairs, Reopened int
}

// AddTo adds the births to a report.
func (c *Counted) AddTo(r *stats.Report) {
	var counts stats.MonthCounts
	for _, b := range c.births {
		counts.Reset()
		b.addTo(&counts)
		if m, ok := stats.ParseMonth(b.month); ok {
			r.AddMonth(m, &counts)
		} else {
			r.AddUndated(&counts)
		}
	}
}

// Counted returns the births that a practice's statistics count. These are the births in the
// period, those in earlier months since the given month, and those without a month. If a month has
// stored counts, Counted reads only the records that they don't include. All records are read from
// one index.
func (v *View) Counted(p PracticeID, since stats.Month, period stats.Period) (c Counted, err error) {
	type counted struct {
		upto   int64
		counts []byte
	}
	known := map[string]counted{}
	err = v.each(`
		select month, upto, counts from month_counts
		where practice = ? and (month = '' or month >= ? and month <= ?)`, func(rows *sql.Rows) error {
		row := countsRow{practice: p}
		if err := rows.Scan(&row.of, &row.Upto, &row.stored); err != nil {
			return err
		}
		if counts, ok := row.counts(); ok && stats.CountsReadable(counts) {
			known[row.of] = counted{row.Upto, counts}
		}
		return nil
	}, p, since.String(), period.Last.String())
	if err != nil {
		return c, err
	}
	after := map[string]int64{"": known[""].upto}
	for m := min(since, period.First); m <= period.Last; m++ {
		after[m.String()] = known[m.String()].upto
	}
	err = v.eachMonth(p, after, func(month, others string) {
		if strings.Count(others, recordEnd)+1 >= countsFrom {
			c.Behind = append(c.Behind, month)
		}
		c.births = append(c.births, Births{month, known[month].counts, others})
	})
	if err == nil {
		c.Pairs, err = v.CountPairs(p)
	}
	if err == nil {
		c.Reopened, err = v.CountReopened(p)
	}
	return c, err
}

// eachMonth calls visit for each month in the map after, with the text of the month's records.
// after maps a month to a record ID; only records with a higher ID are included.
func (v *View) eachMonth(p PracticeID, after map[string]int64, visit func(month, others string)) error {
	months, err := json.Marshal(after, json.Deterministic(true))
	if err != nil {
		return err
	}
	return pairs(v, `
		select m.key, coalesce((
			select group_concat(r.state || '`+partEnd+`' || coalesce(r.attendant, '') || '`+partEnd+`' || coalesce(r.outcome, ''), '`+recordEnd+`')
			from records r indexed by records_born
			where r.practice = ? and coalesce(r.birth_month, '') = m.key and r.id > m.value
		), '')
		from json_each(?) m`, visit, p, string(months))
}

// OutcomesOf calls visit for every active record of the months from first to last, including both,
// with the record's outcome. It uses the same index as Counted.
func (v *View) OutcomesOf(p PracticeID, first, last string, visit func(record int64, outcome string)) error {
	return v.each(`
		select group_concat(r.id || ' ' || coalesce(r.outcome, ''), ',')
		from records r indexed by records_born
		where r.practice = ? and r.state = 'active' and coalesce(r.birth_month, '') >= ? and coalesce(r.birth_month, '') <= ?
		group by coalesce(r.birth_month, '')`, func(rows *sql.Rows) error {
		var all string
		if err := rows.Scan(&all); err != nil {
			return err
		}
		for one := range strings.SplitSeq(all, ",") {
			id, outcome, _ := strings.Cut(one, " ")
			record, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				return err
			}
			visit(record, outcome)
		}
		return nil
	}, p, first, last)
}

// Reported is an active birth that a report includes.
type Reported struct {
	Record    int64
	Month     string // "" if the birth has none
	Attending bool   // whether the provider attended; always set in a report about the whole practice
	Missing   int    // how many key fields (birth.KeyFields) aren't stated
	Outcome   string
}

// Reported calls visit for every active birth of the months from first to last, including both, and
// for every active birth without a month. If provider isn't 0, only births are included in which
// this provider, or one that was merged into it, took part.
func (v *View) Reported(p PracticeID, provider int64, first, last string, visit func(Reported)) error {
	query, args := `
		select r.id, coalesce(r.birth_month, ''), 1, r.missing, coalesce(r.outcome, '')
		from records r
		where r.practice = ?1 and r.state = 'active' and (r.birth_month is null or r.birth_month between ?3 and ?4)`, []any{p, provider, first, last}
	if provider != 0 {
		query = `
		select r.id, coalesce(r.birth_month, ''), max(a.attending), r.missing, coalesce(r.outcome, '')
		from providers s
		cross join attributions a on a.provider = s.id
		cross join records r on r.id = a.record and r.content = a.version and r.state = 'active'
		where ` + onePerson + ` and (r.birth_month is null or r.birth_month between ?3 and ?4)
		group by r.id`
	}
	return v.each(query, func(rows *sql.Rows) error {
		var b Reported
		if err := rows.Scan(&b.Record, &b.Month, &b.Attending, &b.Missing, &b.Outcome); err != nil {
			return err
		}
		visit(b)
		return nil
	}, args...)
}

// derivedAtOnce is how many outcomes one transaction of deriveOutcomes stores.
const derivedAtOnce = 1000

// deriveOutcomes stores the outcomes of records that have none, because an earlier version of this
// program wrote them. A record whose content can't be read gets an empty outcome: statistics count
// the birth, but nothing is known about it.
func (db *DB) deriveOutcomes() error {
	more := false
	err := db.View(background, func(v *View) error {
		return v.one(`select exists (select 1 from records indexed by records_underived where outcome is null)`, nil, &more)
	})
	for after := int64(0); err == nil && more; {
		err = db.Update(func(tx *Tx) (err error) {
			after, more, err = tx.deriveSome(after)
			return err
		})
	}
	return err
}

// deriveSome stores the outcomes of the next records after an ID. last is the ID of the last of
// these records. more reports whether there may be further records.
func (tx *Tx) deriveSome(after int64) (last int64, more bool, err error) {
	contents := map[int64][]byte{}
	err = pairs(&tx.View, `
		select r.id, c.clinical
		from records r indexed by records_underived
		join versions c on c.record = r.id and c.version = r.content
		where r.outcome is null and r.id > ?
		order by r.id
		limit ?`, func(id int64, doc []byte) {
		last, contents[id] = id, doc
	}, after, derivedAtOnce)
	if err != nil {
		return 0, false, err
	}
	for id, doc := range contents {
		text := ""
		if course, err := birth.Restore(doc, nil); err == nil {
			text = course.Facts().Outcome
		}
		if err := tx.do(`update records set outcome = ? where id = ?`, text, id); err != nil {
			return 0, false, err
		}
		err := tx.do(`update practices set tallied = 0 where id = (select practice from records where id = ?) and tallied <> 0`, id)
		if err != nil { // the tallies include earlier outcomes, so they must be computed again
			return 0, false, err
		}
	}
	return last, len(contents) == derivedAtOnce, nil
}
