package store

import (
	"bytes"
	"database/sql"
	"math"

	"github.com/go-json-experiment/json"
)

// The list of providers adds up stored counts of births. Each stored count covers a thousand of a
// practice's records (migration 47), or sixteen thousand (provider_counts_join.go). Records that no
// stored count covers are counted each time the list is read, as in the statistics of a month
// (month_counts.go).

// providerBirths returns the numbers of births of a practice's providers. If behind is set, more
// counts should be stored, and the caller calls DB.CountProvidersLater.
func (v *View) providerBirths(p PracticeID) (counts providerCounts, behind bool, err error) {
	counts = providerCounts{}
	stored, usable, err := v.storedProviders(p, counts)
	if err != nil {
		return nil, false, err
	}
	gaps := between(stored)
	if err = v.countProviders(p, gaps, counts); err != nil {
		return nil, false, err
	}
	last, err := v.lastToCount(p, gaps[len(gaps)-1].After, countedAtOnce)
	return counts, !usable || len(gaps) > 1 || last > 0, err
}

// storedProviders adds the stored counts of a practice's providers to counts. It returns the ranges
// of record IDs that these counts cover, in order. If a row is damaged or was computed with another
// query than providersQuery, storedProviders empties counts and returns false. It doesn't use the
// undamaged rows either, because they may be outdated: a trigger looks up the row to delete by its
// range, and may have found the damaged row instead.
func (v *View) storedProviders(p PracticeID, counts providerCounts) (stored []idRange, usable bool, err error) {
	usable = true
	err = v.each(`select after, upto, counts from provider_counts where practice = ? order by upto`, func(rows *sql.Rows) error {
		row := countsRow{practice: p, of: ofProviders}
		var b sql.RawBytes
		err := rows.Scan(&row.After, &row.Upto, &b)
		row.stored = b
		body, ok := row.counts()
		usable = usable && ok && providersCurrent(body)
		if usable {
			counts.addBytes(body)
			stored = append(stored, row.idRange)
		}
		return err
	}, p)
	if !usable {
		clear(counts)
		stored = nil
	}
	return stored, usable, err
}

// countedRanges returns the ranges of record IDs that are covered by stored counts, in order.
func (v *View) countedRanges(p PracticeID) ([]idRange, error) {
	return all(v, `select after, upto from provider_counts where practice = ? order by upto`, func(r *idRange, rows *sql.Rows) error {
		return rows.Scan(&r.After, &r.Upto)
	}, p)
}

// between returns the gaps before, between and after ranges of record IDs. The ranges must be in
// order. The last gap has no upper limit.
func between(stored []idRange) (gaps []idRange) {
	after := int64(0)
	for _, r := range stored {
		if r.After > after {
			gaps = append(gaps, idRange{after, r.After})
		}
		after = r.Upto
	}
	return append(gaps, idRange{after, math.MaxInt64})
}

// lastToCount returns the ID of the last of the next records after an ID. records is the number of
// records to take. If there are fewer, lastToCount returns 0.
func (v *View) lastToCount(p PracticeID, after int64, records int) (last int64, err error) {
	err = v.one(`
		select id from records indexed by records_practice
		where practice = ? and id > ?
		order by id
		limit 1 offset ?`, []any{p, after, records - 1}, &last)
	return last, ignore(err, ErrNotFound)
}

// providersQuery selects the providers who took part in births. The births are those whose record
// IDs are in the given ranges.
const providersQuery = `
		select r.id, r.created_at, coalesce(i.survivor, i.id), a.attending
		from json_each(?) wanted
		cross join records r indexed by records_practice
			on r.practice = ? and r.id > wanted.value ->> '$.After' and r.id <= wanted.value ->> '$.Upto'
		cross join attributions a on a.record = r.id and a.version = r.content
		cross join providers i on i.id = a.provider
		where r.state = 'active'`

// countProviders counts the births of each provider, and adds the numbers to counts. It counts the
// records whose IDs are in the given ranges. It reads the records in the order of their IDs: a
// provider's records are scattered over the file, so reading one provider after another would take
// several times as long.
func (v *View) countProviders(p PracticeID, ranges []idRange, counts providerCounts) error {
	wanted, err := json.Marshal(ranges)
	if err != nil {
		return err
	}
	last := int64(0)
	took := map[int64]bool{} // the providers who took part in the last birth, with whether they attended it
	return v.each(providersQuery, func(rows *sql.Rows) error {
		var record, seen, provider int64
		var attending bool
		err := rows.Scan(&record, &seen, &provider, &attending)
		if record != last {
			clear(took)
			last = record
		}
		attended, again := took[provider]
		more := births{seen: seen}
		if !again {
			more.all = 1
		}
		if attending && !attended {
			more.attended = 1
		}
		took[provider] = attended || attending
		counts.add(provider, more)
		return err
	}, string(wanted), p)
}

// countProvidersOf counts the next records that no stored count covers, and stores the counts. most
// is the maximum number of records. If only the newest records are left, and they are fewer than
// that, countProvidersOf joins stored counts instead. upto is the record ID up to which it has
// counted, and done reports whether there was nothing to do. If before is 0, it first deletes
// stored counts that can't be used.
func (tx *Tx) countProvidersOf(p PracticeID, before int64, most int) (upto int64, done bool, err error) {
	if err := tx.beingForgotten(p); err != nil {
		return 0, true, ignore(err, ErrForgotten)
	}
	if before == 0 {
		if err := tx.dropUnusableProviders(p); err != nil {
			return 0, true, err
		}
	}
	stored, err := tx.countedRanges(p)
	if err != nil {
		return 0, true, err
	}
	next := between(stored)[0]
	last, err := tx.lastToCount(p, next.After, most)
	if err != nil {
		return 0, true, err
	}
	if last > 0 {
		next.Upto = min(next.Upto, last)
	}
	if next.Upto == math.MaxInt64 {
		joined, err := tx.joinProviderCounts(p)
		return next.After, !joined, err
	}
	counts := providerCounts{}
	if err = tx.countProviders(p, []idRange{next}, counts); err != nil {
		return 0, true, err
	}
	row := countsRow{practice: p, of: ofProviders, idRange: next}
	err = tx.do(`insert into provider_counts (practice, upto, after, counts) values (?, ?, ?, ?)`, p, next.Upto, next.After, row.store(counts.bytes()))
	return next.Upto, false, err
}

// dropUnusableProviders deletes all stored counts of a practice's providers if one of them can't be
// used.
func (tx *Tx) dropUnusableProviders(p PracticeID) error {
	_, usable, err := tx.storedProviders(p, providerCounts{})
	if err == nil && !usable {
		err = tx.do(`delete from provider_counts where practice = ?`, p)
	}
	return err
}

// providerCountsRule describes the rule that brokenProviderCounts checks.
const providerCountsRule = "the stored birth counts of providers match the records"

// brokenProviderCounts returns how many stored counts of births are wrong: they don't match the
// records, have changed since they were stored, or cover a record that another one covers, too.
// Counts that another version of this program has stored aren't used, so they aren't compared.
func (v *View) brokenProviderCounts() (broken int, err error) {
	rows, err := all(v, `select practice, after, upto, counts from provider_counts order by practice, upto`, func(r *countsRow, rows *sql.Rows) error {
		r.of = ofProviders
		return rows.Scan(&r.practice, &r.After, &r.Upto, &r.stored)
	})
	for n, r := range rows {
		if err != nil {
			return 0, err
		}
		stored, ok := r.counts()
		if ok && !providersCurrent(stored) {
			continue
		}
		counts := providerCounts{}
		err = v.countProviders(r.practice, []idRange{r.idRange}, counts)
		again := n > 0 && rows[n-1].practice == r.practice && rows[n-1].Upto > r.After
		if again || !ok || !bytes.Equal(counts.bytes(), stored) {
			broken++
		}
	}
	return broken, err
}
