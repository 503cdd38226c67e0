package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// RecordNames holds the words of the mother's name in a record's present content. Each word is a
// keyed code (birth.NameWord).
type RecordNames struct {
	Record int64
	All    []birth.NameWord
	Fresh  bool // set if no words are stored for the record yet
}

// SetNames replaces the stored words of the mother's name for some records. The search finds
// records by these words. SetNames returns ErrNotFound if a record doesn't belong to the practice.
func (tx *Tx) SetNames(p PracticeID, of ...RecordNames) error {
	var values []any
	for _, r := range of {
		if err := tx.owns(recordRow, p, r.Record); err != nil {
			return err
		}
		if !r.Fresh {
			if err := tx.do(`delete from names where record = ? and practice = ?`, r.Record, p); err != nil {
				return err
			}
		}
		for i := range r.All {
			values = append(values, p, r.All[i][:], r.Record)
		}
	}
	return tx.bulk(`names (practice, word, record)`, values)
}

// NamesOf returns the stored words of the mother's name for each record, in ascending order.
func (v *View) NamesOf(p PracticeID, records []int64) (map[int64][]birth.NameWord, error) {
	names := map[int64][]birth.NameWord{}
	err := pairs(v, `
		select n.record, n.word
		from json_each(?) wanted
		cross join names n on n.record = wanted.value and n.practice = ?`, func(record int64, raw []byte) {
		var word birth.NameWord
		copy(word[:], raw)
		names[record] = append(names[record], word)
	}, list(records), p)
	return names, err
}

// CountUnnamed returns the number of records, in all practices, for which the words of the mother's
// name still have to be stored. The number can be above 0 only after an upgrade.
func (v *View) CountUnnamed() (int, error) { return only[int](v, `select count(*) from names_due`) }

// Unnamed returns up to limit records for which the words of the mother's name still have to be
// stored, in the order of their IDs. after is the ID of the last record that the caller has seen,
// or 0.
func (v *View) Unnamed(after int64, limit int) ([]Outdated, error) {
	return all(v, outdatedColumns+`
		from (select record from names_due where record > ? order by record limit ?) due
		cross join records r on r.id = due.record
		cross join versions c on c.record = r.id and c.version = r.content`, (*Outdated).scan, after, limit)
}

// IndexNames stores the words of the mother's name for a record that had none. content is the
// version from which the words were computed. If it no longer holds the record's present content,
// IndexNames stores nothing, because the newer content was stored together with its words.
func (tx *Tx) IndexNames(p PracticeID, record int64, content int, names []birth.NameWord) error {
	var same bool
	err := tx.one(`
		select r.content = ? from names_due d
		cross join records r on r.id = d.record
		where d.record = ? and r.practice = ?`, []any{content, record, p}, &same)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if same {
		if err := tx.SetNames(p, RecordNames{Record: record, All: names}); err != nil {
			return err
		}
	}
	return tx.do(`delete from names_due where record = ?`, record)
}

// wordRange is the range of all words with the same beginning. It includes low but not high.
type wordRange struct{ low, high []byte }

// rangeOf returns the range of all words with a beginning. The beginning must not consist only of
// 0xff bytes, because the range would then have no upper limit.
func rangeOf(beginning []byte) wordRange {
	high := bytes.Clone(beginning)
	for i := len(high) - 1; i >= 0; i-- {
		if high[i]++; high[i] != 0 {
			break
		}
	}
	return wordRange{beginning, high}
}

// namedSo is the SQL condition that a record has a word in a range. The two %s stand for the record
// and the practice.
const namedSo = ` and exists (
				select 1 from names o
				where o.record = %s and o.practice = %s and o.word >= ? and o.word < ?
			)`

// Named returns the records that match a search for words of the mother's name. Each word is stored
// as a keyed code, and a record matches if it has a code for every one of the beginnings. Each
// record is returned once. most is the maximum number of codes that Named reads. If there are
// further codes, more is true, and some records may be missing.
func (v *View) Named(p PracticeID, beginnings [][]byte, most int) (records []int64, more bool, err error) {
	lead, others, err := v.rarest(p, beginnings, most)
	if err != nil || lead.low == nil {
		return nil, false, err
	}
	query := strings.Builder{}
	query.WriteString(`
		select n.record
		from names n
		where n.practice = ? and n.word >= ? and n.word < ?`)
	args := []any{p, lead.low, lead.high}
	for _, o := range others {
		fmt.Fprintf(&query, namedSo, "n.record", "n.practice")
		args = append(args, o.low, o.high)
	}
	query.WriteString(`
		limit ?`)
	records, err = all(v, query.String(), value[int64], append(args, most+1)...)
	more = len(records) > most
	slices.Sort(records)
	return slices.Compact(records), more, err
}

// rarest returns the ranges of the words with the given beginnings, divided into the range with the
// fewest rows (lead) and the other ranges. It counts the rows of a range only up to a limit.
func (v *View) rarest(p PracticeID, beginnings [][]byte, most int) (lead wordRange, others []wordRange, err error) {
	fewest := 0
	for i, beginning := range beginnings {
		of, n := rangeOf(beginning), 0
		err := v.one(`
			select count(*) from (
				select 1 from names where practice = ? and word >= ? and word < ? limit ?
			)`, []any{p, of.low, of.high, most + 1}, &n)
		switch {
		case err != nil:
			return lead, nil, err
		case i == 0:
			lead, fewest = of, n
		case n < fewest:
			lead, of, fewest = of, lead, n
			fallthrough
		default:
			others = append(others, of)
		}
	}
	return lead, others, nil
}
