package store

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/go-json-experiment/json"
)

// The list of providers adds up counts that are stored for each thousand of a practice's records
// (migration 47), and counts the records between them and after them, as the statistics do with
// those of a month (month_counts.go).

// births counts those of a provider and of all identities merged into it.
type births struct {
	all, attended int
	seen          int64 // when the last of the records was created, in milliseconds since 1970
}

// providerCounts has the births of providers, by the provider into which they were merged.
type providerCounts map[int64]births

func (c providerCounts) add(provider int64, more births) {
	sum := c[provider]
	c[provider] = births{sum.all + more.all, sum.attended + more.attended, max(sum.seen, more.seen)}
}

// bytes encodes the counts. Equal counts have equal bytes.
func (c providerCounts) bytes() []byte {
	b := []byte{}
	for _, provider := range slices.Sorted(maps.Keys(c)) {
		n := c[provider]
		for _, number := range []int64{provider, int64(n.all), int64(n.attended), n.seen} {
			b = binary.AppendVarint(b, number)
		}
	}
	return b
}

// addBytes adds counts that bytes encoded.
func (c providerCounts) addBytes(b []byte) {
	number := func() int64 {
		n, size := binary.Varint(b)
		b = b[max(size, 0):]
		if size <= 0 {
			b = nil
		}
		return n
	}
	for len(b) > 0 {
		provider := number()
		c.add(provider, births{int(number()), int(number()), number()})
	}
}

// idRange is the records with an ID above After and up to Upto.
type idRange struct{ After, Upto int64 }

// providerBirths counts the births of a practice's providers. It also reports whether counts
// should be stored (DB.CountProvidersLater).
func (v *View) providerBirths(p PracticeID) (counts providerCounts, behind bool, err error) {
	counts = providerCounts{}
	var stored []idRange
	err = v.each(`select after, upto, counts from provider_counts where practice = ? order by upto`, func(rows *sql.Rows) error {
		var r idRange
		var b sql.RawBytes
		err := rows.Scan(&r.After, &r.Upto, &b)
		counts.addBytes(b)
		stored = append(stored, r)
		return err
	}, p)
	if err != nil {
		return nil, false, err
	}
	gaps := between(stored)
	if err = v.countProviders(p, gaps, counts); err != nil {
		return nil, false, err
	}
	last, err := v.lastToCount(p, gaps[len(gaps)-1].After, countedAtOnce)
	return counts, len(gaps) > 1 || last > 0, err
}

// countedRanges returns the ranges whose counts are stored, in order.
func (v *View) countedRanges(p PracticeID) ([]idRange, error) {
	return all(v, `select after, upto from provider_counts where practice = ? order by upto`, func(r *idRange, rows *sql.Rows) error {
		return rows.Scan(&r.After, &r.Upto)
	}, p)
}

// between returns the ranges that are in none of the given ones, which are in order. The last
// has no end.
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

// lastToCount returns the ID of the last of this many records after an ID, or 0 if there are
// fewer.
func (v *View) lastToCount(p PracticeID, after int64, records int) (last int64, err error) {
	err = v.one(`
		select id from records indexed by records_practice
		where practice = ? and id > ?
		order by id
		limit 1 offset ?`, []any{p, after, records - 1}, &last)
	return last, ignore(err, ErrNotFound)
}

// countProviders adds the births of the records in ranges of IDs to counts. It reads the records
// in their order: a provider's records are scattered over the file, so reading one provider after
// another takes several times as long.
func (v *View) countProviders(p PracticeID, ranges []idRange, counts providerCounts) error {
	wanted, err := json.Marshal(ranges)
	if err != nil {
		return err
	}
	last := int64(0)
	took := map[int64]bool{} // the providers who took part in the last birth, and whether they attended
	return v.each(`
		select r.id, r.created_at, coalesce(i.survivor, i.id), a.attending
		from json_each(?) wanted
		cross join records r indexed by records_practice
			on r.practice = ? and r.id > wanted.value ->> '$.After' and r.id <= wanted.value ->> '$.Upto'
		cross join attributions a on a.record = r.id and a.version = r.content
		cross join providers i on i.id = a.provider
		where r.state = 'active'`, func(rows *sql.Rows) error {
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

// countProvidersOf stores the counts of the next records that are in no stored range: most of
// them, and no fewer at the end. It reports whether there were none.
func (tx *Tx) countProvidersOf(p PracticeID, most int) (done bool, err error) {
	if err := tx.beingForgotten(p); err != nil {
		return true, ignore(err, ErrForgotten)
	}
	stored, err := tx.countedRanges(p)
	if err != nil {
		return true, err
	}
	next := between(stored)[0]
	last, err := tx.lastToCount(p, next.After, most)
	if err != nil {
		return true, err
	}
	if last > 0 {
		next.Upto = min(next.Upto, last)
	}
	if next.Upto == math.MaxInt64 {
		return true, nil
	}
	counts := providerCounts{}
	if err = tx.countProviders(p, []idRange{next}, counts); err != nil {
		return true, err
	}
	_, err = tx.exec(`insert into provider_counts (practice, upto, after, counts) values (?, ?, ?, ?)`, p, next.Upto, next.After, counts.bytes())
	return false, err
}

// providerCountsRule is the rule that brokenProviderCounts checks.
const providerCountsRule = "the births of the providers are those of the records"

// brokenProviderCounts counts the stored counts that don't match the records, or that count
// records of others again.
func (v *View) brokenProviderCounts() (broken int, err error) {
	type stored struct {
		practice PracticeID
		idRange
		counts []byte
	}
	rows, err := all(v, `select practice, after, upto, counts from provider_counts order by practice, upto`, func(s *stored, rows *sql.Rows) error {
		return rows.Scan(&s.practice, &s.After, &s.Upto, &s.counts)
	})
	for n, s := range rows {
		if err != nil {
			return 0, err
		}
		counts := providerCounts{}
		err = v.countProviders(s.practice, []idRange{s.idRange}, counts)
		again := n > 0 && rows[n-1].practice == s.practice && rows[n-1].Upto > s.After
		if again || !bytes.Equal(counts.bytes(), s.counts) {
			broken++
		}
	}
	return broken, err
}
