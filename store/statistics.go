package store

import (
	"database/sql"
	"iter"
	"strconv"
	"strings"

	"birthregistry/app/birth"
)

// Births holds the active records of one month and one kind of attendant.
type Births struct {
	Month     string // 2006-01
	Attendant string // an attendant_type of the spine, "" when none is stated
	// outcomes has the records' outcomes as text, separated by outcomeEnd. They come in one
	// row, because a row per record would take longer to read than to count.
	outcomes string
}

// outcomeEnd separates outcomes; none contains it.
const outcomeEnd = " "

// Outcomes visits the outcome (birth.Outcome as text) of each record.
func (b Births) Outcomes() iter.Seq[string] { return strings.SplitSeq(b.outcomes, outcomeEnd) }

// Counted holds the records that a practice's figures count, and the numbers of those that they
// leave out.
type Counted struct {
	// Births are the active records of the requested months. Records leave the figures as soon
	// as they are voided or merged.
	Births []Births
	// Undated counts active records without a month of birth; they are in no period. Pairs
	// counts possible duplicates that nobody has reviewed. Reopened counts merges into a record
	// that no longer counts.
	Undated, Pairs, Reopened int
	// Voided and Merged count the records of those months that the figures leave out.
	Voided, Merged int
}

// Counted returns the records that a practice's figures count in the months from since to last
// ("2026-03"), both included, and the numbers of the records that they leave out in the months
// from first to last. It reads one index once.
func (v *View) Counted(p PracticeID, since, first, last string) (c Counted, err error) {
	err = v.each(`
		select r.birth_month, coalesce(r.attendant, ''), group_concat(coalesce(r.outcome, ''), ' ')
		from records r indexed by records_counted
		where r.practice = ? and r.state = 'active' and r.birth_month >= ? and r.birth_month <= ?
		group by r.birth_month, r.attendant`, func(rows *sql.Rows) error {
		var b Births
		err := rows.Scan(&b.Month, &b.Attendant, &b.outcomes)
		c.Births = append(c.Births, b)
		return err
	}, p, since, last)
	if err != nil {
		return c, err
	}
	err = v.one(`
		select
			(select count(*) from records indexed by records_counted
				where practice = ?1 and state = 'active' and birth_month is null),
			(select count(*) from records indexed by records_state
				where practice = ?1 and state <> 'active' and state = 'voided' and birth_month >= ?2 and birth_month <= ?3),
			(select count(*) from records indexed by records_state
				where practice = ?1 and state <> 'active' and state = 'merged' and birth_month >= ?2 and birth_month <= ?3)`,
		[]any{p, first, last}, &c.Undated, &c.Voided, &c.Merged)
	if err == nil {
		c.Pairs, err = v.CountPairs(p)
	}
	if err == nil {
		c.Reopened, err = v.CountReopened(p)
	}
	return c, err
}

// OutcomesOf visits the active records of the months from first to last, both included, with
// their outcomes. It uses the same index as Counted.
func (v *View) OutcomesOf(p PracticeID, first, last string, visit func(record int64, outcome string)) error {
	return v.each(`
		select group_concat(r.id || ' ' || coalesce(r.outcome, ''), ',')
		from records r indexed by records_counted
		where r.practice = ? and r.state = 'active' and r.birth_month >= ? and r.birth_month <= ?
		group by r.birth_month, r.attendant`, func(rows *sql.Rows) error {
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

// Reported is an active birth in a report.
type Reported struct {
	Record    int64
	Month     string // "" if the birth has none
	Attending bool   // whether the provider attended; always set in a report about the whole practice
	Missing   int    // how many key fields (birth.KeyFields) aren't stated
	Outcome   string
}

// Reported visits the active births of the months from first to last, both included, and those
// without a month: all births of the practice or, if provider isn't 0, those in which the
// provider or an identity merged into it took part.
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

// derivedAtOnce is how many outcomes one transaction derives.
const derivedAtOnce = 1000

// deriveOutcomes derives the outcomes of records that have none: those written by an earlier
// version of this program. A record whose content can't be read gets the empty outcome: it
// counts, but nothing is known about it.
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

// deriveSome derives the outcomes of the next records after an ID, and reports whether there
// are more.
func (tx *Tx) deriveSome(after int64) (last int64, more bool, err error) {
	contents := map[int64][]byte{}
	err = tx.each(`
		select r.id, c.clinical
		from records r indexed by records_underived
		join versions c on c.record = r.id and c.version = r.content
		where r.outcome is null and r.id > ?
		order by r.id
		limit ?`, func(rows *sql.Rows) error {
		var doc []byte
		err := rows.Scan(&last, &doc)
		contents[last] = doc
		return err
	}, after, derivedAtOnce)
	if err != nil {
		return 0, false, err
	}
	for id, doc := range contents {
		text := ""
		if course, err := birth.Restore(doc, nil); err == nil {
			text = course.Facts().Outcome
		}
		if _, err := tx.exec(`update records set outcome = ? where id = ?`, text, id); err != nil {
			return 0, false, err
		}
		_, err := tx.exec(`update practices set tallied = 0 where id = (select practice from records where id = ?) and tallied <> 0`, id)
		if err != nil { // the tallies have counted earlier outcomes, so they are computed again
			return 0, false, err
		}
	}
	return last, len(contents) == derivedAtOnce, nil
}
