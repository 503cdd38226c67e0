package store

import (
	"cmp"
	"database/sql"
	"slices"
	"strings"
)

// narrowed looks up records that a filter can select, and returns the filter restricted to those
// records. It looks up the records with the filter's words, unless too many records have them; then
// the words stay in the filter. It looks up the suspected duplicates in the same way. It also looks
// up the records of the filter's ingestion. If nothing restricts the filter, it looks up the
// records in the filter's narrowest index, unless they are too many or that index already has the
// order of the list.
func (v *View) narrowed(p PracticeID, f Filter) (Filter, error) {
	if len(f.Words) > 0 {
		records, more, err := v.Named(p, f.Words, fewRecords)
		if err != nil {
			return f, err
		}
		if !more {
			f.Words = nil
			f.KeepOnly(records)
		}
	}
	if f.Suspected {
		records, more, err := v.suspected(p, fewRecords)
		if err != nil {
			return f, err
		}
		if !more {
			f.Suspected = false
			f.KeepOnly(records)
		}
	}
	if f.Ingestion != 0 {
		records, err := all(v, `select record from versions where ingestion = ?`, value[int64], f.Ingestion)
		if err != nil {
			return f, err
		}
		f.Ingestion = 0
		f.KeepOnly(records)
	}
	lead := f.unordered()
	if f.Restricted || f.Chart != "" || f.Order == ByCreation || f.Order == ByBirth && f.Born != "" || lead.index == allIndex {
		return f, nil
	}
	args := append(append([]any{p}, lead.args...), fewRecords+1)
	records, err := all(v, "select r.id from records r indexed by "+lead.index+" where r.practice = ? "+lead.where+" limit ?", value[int64], args...)
	if err == nil && len(records) <= fewRecords {
		f.KeepOnly(records)
	}
	return f, err
}

// KeepBorn restricts a filter to the births of a month ("2026-03").
func (f *Filter) KeepBorn(month string) {
	if !strings.HasPrefix(month, f.Born) { // the filter selects another month or year
		f.KeepOnly(nil)
	}
	f.Born = month
}

// KeepOnly restricts a filter to those of the given records that it doesn't exclude already.
func (f *Filter) KeepOnly(records []int64) {
	slices.Sort(records)
	records = slices.Compact(records)
	if f.Restricted {
		also := make(map[int64]bool, len(f.Only))
		for _, id := range f.Only {
			also[id] = true
		}
		records = slices.DeleteFunc(records, func(id int64) bool { return !also[id] })
	}
	f.Only, f.Restricted = records, true
}

// sorted reports whether a list can be made by sorting its records. That is so if the filter is
// restricted to few records, its words were looked up, and the list isn't in the order of chart
// numbers.
func (f Filter) sorted() bool {
	return f.Restricted && len(f.Only) <= fewRecords && f.Chart == "" && len(f.Words) == 0
}

// few returns the positions of the records that a restricted filter selects, in any order.
func (v *View) few(p PracticeID, f Filter) ([]From, error) {
	only := list(f.Only)
	f.Only, f.Restricted = nil, false
	return all(v, `
		select
			r.id,
			coalesce(r.birth_month, ''),
			r.updated_at
		from json_each(?) wanted
		cross join records r on r.id = wanted.value
		where r.practice = ?`+onTheWay, (*From).scan, append([]any{only, p}, f.onTheWay()...)...)
}

func (f *From) scan(rows *sql.Rows) error { return rows.Scan(&f.ID, &f.Month, &f.Changed) }

// listedFew sorts the records that a restricted filter selects, and returns the records of one
// page.
func (v *View) listedFew(p PracticeID, f Filter, from From, limit int) ([]Record, error) {
	all, err := v.few(p, f)
	if err != nil {
		return nil, err
	}
	order := func(a, b From) int { return f.compare(a, b, from.Back) }
	slices.SortFunc(all, order)
	if from.ID != 0 {
		at, found := slices.BinarySearchFunc(all, from, order)
		if found {
			at++
		}
		all = all[at:]
	}
	all = all[:min(len(all), limit)]
	place, ids := map[int64]int{}, make([]int64, len(all))
	for i, at := range all {
		place[at.ID], ids[i] = i, at.ID
	}
	records, err := v.RecordsByID(p, ids)
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(place[a.ID], place[b.ID]) })
	return records, err
}

// compare compares two positions in a list. If back is set, the order of the list is reversed.
func (f Filter) compare(a, b From, back bool) int {
	order := cmp.Compare(a.ID, b.ID)
	switch f.Order {
	case ByBirth:
		order = cmp.Or(cmp.Compare(a.Month, b.Month), order)
	case ByChange:
		order = cmp.Or(cmp.Compare(a.Changed, b.Changed), order)
	}
	if f.Ascending == back { // newest first
		return -order
	}
	return order
}
