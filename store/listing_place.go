package store

import (
	"slices"
	"strings"
)

// PlaceWithin returns the position of a record in a list, counted from 1, and the length of the
// list. Both are 0 if the list doesn't contain the record. They are also 0 if finding them is too
// much work for a web page: if the number of records reaches the limit most, if the list is in the
// order of chart numbers, or if more than walkSteps entries of an index would have to be read.
func (v *View) PlaceWithin(p PracticeID, f Filter, r Record, most int) (place, all int, err error) {
	all, more, err := v.CountWithin(p, f, most)
	if err != nil || more || f.Chart != "" {
		return 0, 0, err
	}
	found, err := v.positions(p, f, all)
	if err != nil {
		return 0, 0, err
	}
	order := func(a, b From) int { return f.compare(a, b, false) }
	slices.SortFunc(found, order)
	at, has := slices.BinarySearchFunc(found, Behind(r), order)
	if !has {
		return 0, 0, nil
	}
	return at + 1, len(found), nil
}

// positions returns the positions of the records that a filter selects, in any order. most is the
// maximum number of positions.
func (v *View) positions(p PracticeID, f Filter, most int) ([]From, error) {
	f, err := v.narrowed(p, f)
	if err != nil {
		return nil, err
	}
	if f.sorted() {
		return v.few(p, f)
	}
	lead := f.unordered()
	named, words := f.named()
	query := strings.Join([]string{
		"select r.id, coalesce(r.birth_month, ''), r.updated_at from (select r.id as at from records r indexed by ", lead.index,
		" where r.practice = ? ", lead.where, " limit ?) cross join records r on r.id = at where true", onTheWay, named, " limit ?",
	}, "")
	return all(v, query, (*From).scan, slices.Concat([]any{p}, lead.args, []any{walkSteps}, f.onTheWay(), words, []any{most})...)
}
