package store

import (
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// Filter selects and orders the records of a list. Its zero value selects all records, newest
// first.
type Filter struct {
	State  birth.State
	Source birth.Source // the source of the present content
	// Born is the month ("2026-03") or the year ("2026") of the birth.
	Born string
	// Attendant is the role of the attendant, or Unstated. If it is "", all records are selected.
	Attendant string
	// Suspected selects both records of each pair of suspected duplicates or, if these are more
	// than fewRecords, only the marked record of each pair. Incomplete selects records that lack at
	// least one key field (birth.KeyFields). Missing selects records that lack the field it names.
	Suspected, Incomplete bool
	Missing               string
	// Chart is a chart number or the beginning of one. If it isn't "", the list is in the order of
	// chart numbers.
	Chart string
	// Words selects records by the words of the mother's name. Each word is stored as a keyed code
	// (birth.NameSearch). Words holds beginnings of such codes, and a record must have a matching
	// code for every beginning.
	Words [][]byte
	// Ingestion selects the records of which this ingestion has written a version.
	Ingestion int64
	// If Restricted is set, only the records whose IDs are in Only are selected.
	Only       []int64
	Restricted bool

	Order     Order
	Ascending bool // whether the oldest record comes first
}

// Order is the order of the records in a list.
type Order string

// The possible orders of a list. The day of a birth is sealed, so ByBirth orders records only by
// the month of birth. Within a month, it orders them by their creation.
const (
	ByCreation Order = ""
	ByBirth    Order = "birth"
	ByChange   Order = "change"
)

// Unstated is the value of Filter.Attendant that selects records without an attendant's role.
const Unstated = "unstated"

// fewRecords is the maximum number of records that are sorted for a page. A longer list is read in
// the order of an index. Tests set a lower number.
var fewRecords = 5000

// walkSteps is the maximum number of index entries that are read for the list of a web page.
// Without this limit, a filter that selects few records could make the list read the whole index.
// If the limit is reached, the list ends early, and the page says that it is incomplete. Tests set
// a lower number.
var walkSteps = 20_000

// From is a position in a list, which is the position of a record. A page begins after that record
// or, if Back is set, ends before it. The zero From is the beginning of the list. If only Back is
// set, From is the end of the list. A list by chart number is in ascending order.
type From struct {
	ID      int64
	Month   string // the month of birth
	Changed int64  // when the record was changed, in milliseconds since 1970
	Chart   string
	Given   bool // whether the registry assigned the chart number
	Back    bool
}

// Behind returns the position after record r in a list.
func Behind(r Record) From {
	return From{ID: r.ID, Month: r.Facts.BirthMonth, Changed: millis(r.UpdatedAt), Chart: r.Chart, Given: r.Given}
}

// List returns up to limit records after a position. If the filter selects few records, List sorts
// them. Otherwise it reads an index in the order of the list, and checks the other conditions for
// each record. It reads as many records as necessary.
func (v *View) List(p PracticeID, f Filter, from From, limit int) ([]Record, error) {
	found, _, err := v.walk(p, f, from, limit, -1)
	return found, err
}

// ListWithin is like List, but for a web page: it reads at most walkSteps records. If it stops
// before the page is full, it also returns the last record that it read, and the next call can
// continue after that record. Otherwise this record is nil.
func (v *View) ListWithin(p PracticeID, f Filter, from From, limit int) ([]Record, *Record, error) {
	return v.walk(p, f, from, limit, walkSteps)
}

func (v *View) walk(p PracticeID, f Filter, from From, limit, steps int) ([]Record, *Record, error) {
	f, err := v.narrowed(p, f)
	if err != nil {
		return nil, nil, err
	}
	if f.sorted() {
		found, err := v.listedFew(p, f, from, limit)
		return found, nil, err
	}
	lead := f.lead(from)
	if lead.where != inMonth || len(f.Born) > len("2006") {
		return v.listed(p, f, lead, from, limit, steps)
	}
	// A year is read as twelve months, each in order. If reading a month stops early, the list ends
	// with the last record that was read, because later records of that month are missing.
	if steps > 0 {
		steps = (steps + 11) / 12
	}
	var all []Record
	var stopped *Record
	order := func(a, b Record) int { return f.compare(Behind(a), Behind(b), from.Back) }
	for month := 1; month <= 12; month++ {
		lead.args = []any{fmt.Sprintf("%s-%02d", f.Born, month)}
		found, at, err := v.listed(p, f, lead, from, limit, steps)
		if err != nil {
			return nil, nil, err
		}
		if at != nil && (stopped == nil || order(*at, *stopped) < 0) {
			stopped = at
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, order)
	if stopped != nil {
		all = slices.DeleteFunc(all, func(r Record) bool { return order(r, *stopped) > 0 })
	}
	if len(all) >= limit {
		return all[:limit], nil, nil
	}
	return all, stopped, nil
}

// named returns the SQL condition that a record has all words of the filter. It is used for words
// that are too common to be looked up beforehand.
func (f Filter) named() (where string, args []any) {
	for _, beginning := range f.Words {
		of := rangeOf(beginning)
		where += fmt.Sprintf(namedSo, "r.id", "r.practice")
		args = append(args, of.low, of.high)
	}
	return where, args
}

// listed returns up to limit records, in the order of an index. It reads at most steps records of
// the index, or any number of them if steps is -1. If it reads that many without finding limit
// records, it also returns the last record that it read. Otherwise this record is nil.
func (v *View) listed(p PracticeID, f Filter, lead leader, from From, limit, steps int) ([]Record, *Record, error) {
	behind, order, args := f.place(lead, from)
	named, words := f.named()
	walked := strings.Join([]string{`
		from records r indexed by `, lead.index, `
		where r.practice = ? `, lead.where, behind, `
		order by `, order}, "")
	args = slices.Concat([]any{p}, lead.args, args)
	// The inner query reads only the index. The records are then read in the order of the index.
	query := strings.Join([]string{
		"select", recordColumns, " from (select r.id as at", walked, " limit ?) cross join records r on r.id = at where true", onTheWay, named, " limit ?",
	}, "")
	found, err := v.records(query, slices.Concat(args, []any{steps}, f.onTheWay(), words, []any{limit})...)
	if err != nil || steps < 0 || len(found) == limit {
		return found, nil, err
	}
	last, err := v.records("select"+recordColumns+walked+" limit 1 offset ?", slices.Concat(args, []any{steps - 1})...)
	if err != nil || len(last) == 0 {
		return found, nil, err
	}
	return found, &last[0], nil
}

// Count returns the number of records that a filter selects.
func (v *View) Count(p PracticeID, f Filter) (int, error) {
	n, _, err := v.count(p, f, -1, -1)
	return n, err
}

// CountWithin returns the number of records that a filter selects, for a web page. most is the
// number at which it stops counting. It also stops after it has read walkSteps records. more
// reports whether there may be more records.
func (v *View) CountWithin(p PracticeID, f Filter, most int) (n int, more bool, err error) {
	return v.count(p, f, most, walkSteps)
}

func (v *View) count(p PracticeID, f Filter, most, steps int) (n int, more bool, err error) {
	if f, err = v.narrowed(p, f); err != nil {
		return 0, false, err
	}
	if f.sorted() {
		found, err := v.few(p, f)
		if n = len(found); most > 0 {
			n = min(n, most)
		}
		return n, n == most, err
	}
	lead := f.unordered()
	named, words := f.named()
	walked := " from records r indexed by " + lead.index + " where r.practice = ? " + lead.where
	args := append([]any{p}, lead.args...)
	query := strings.Join([]string{
		"select count(*) from (select 1 from (select r.id as at", walked, " limit ?) cross join records r on r.id = at where true", onTheWay, named, " limit ?)",
	}, "")
	err = v.one(query, slices.Concat(args, []any{steps}, f.onTheWay(), words, []any{most}), &n)
	if err != nil || n == most || steps < 0 {
		return n, n == most, err
	}
	err = v.one("select exists (select 1"+walked+" limit 1 offset ?)", append(args, steps), &more)
	return n, more, err
}

// unordered returns the index to read if the order of the records doesn't matter, as in a count.
func (f Filter) unordered() leader {
	if f.Chart != "" {
		return f.lead(From{})
	}
	lead := f.narrowest()
	if lead.index == bornIndex && len(f.Born) <= len("2006") {
		return Filter{Order: ByBirth, Born: f.Born}.lead(From{})
	}
	return lead
}

// charts returns the arguments for chartsBehind: the lower and the upper limit of the chart numbers
// on a page, the chart number in from, and whether the registry assigned that number. The page
// includes the lower limit but not the upper limit. The upper limit ends with the highest Unicode
// character, so that it sorts after every number that begins with f.Chart, or with a NUL, so that
// it sorts directly after from.Chart.
func (f Filter) charts(from From) []any {
	low, high := f.Chart, f.Chart+"\U0010FFFF"
	switch {
	case from.Chart == "":
	case from.Back:
		high = min(high, from.Chart+"\x00")
	default:
		low = max(low, from.Chart)
	}
	return []any{low, high, from.Chart, from.Given}
}

// chartsBehind returns the SQL condition for a page in the order of chart numbers. The record after
// which the page begins is left out. If back is set, it is the record before which the page ends.
// If two records have the same chart number, the one to which the registry assigned the number
// comes second. A page that begins after that record leaves out both.
func chartsBehind(back bool) string {
	seen := "<="
	if back {
		seen = ">="
	}
	return "and r.chart >= ? and r.chart < ? and not (r.chart = ? and r.given " + seen + " ?)"
}

// place returns the SQL that determines where a page begins and how it is ordered. behind is a
// condition with the arguments args, which leaves out the records before the page. order is the
// order by clause. For a page that is read backward, both are reversed.
func (f Filter) place(lead leader, from From) (behind, order string, args []any) {
	if lead.byChart {
		if from.Back {
			return "", "r.chart desc, r.given desc", nil
		}
		return "", "r.chart, r.given", nil
	}
	way, sign := " desc", "<"
	if f.Ascending != from.Back {
		way, sign = "", ">"
	}
	switch f.Order {
	case ByBirth:
		// SQLite doesn't use an index for a row value that contains an expression, so the condition
		// compares the columns separately.
		behind = fmt.Sprintf(" and coalesce(r.birth_month, '') %s= ? and (coalesce(r.birth_month, '') %s ? or r.id %s ?)", sign, sign, sign)
		order = "coalesce(r.birth_month, '')" + way + ", r.id" + way
		args = []any{from.Month, from.Month, from.ID}
	case ByChange:
		behind, order = " and (r.updated_at, r.id) "+sign+" (?, ?)", "r.updated_at"+way+", r.id"+way
		args = []any{from.Changed, from.ID}
	default:
		behind, order = " and r.id "+sign+" ?", "r.id"+way
		args = []any{from.ID}
	}
	if from.ID == 0 {
		return "", order, nil
	}
	return behind, order, args
}
