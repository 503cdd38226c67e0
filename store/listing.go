package store

import (
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// Filter selects records of a list, and orders them. Its zero value selects all, newest first.
type Filter struct {
	State  birth.State
	Source birth.Source // of the present content
	// Born is the month ("2026-03") or the year ("2026") of the birth.
	Born string
	// Attendant is the attendant's role, or Unstated.
	Attendant string
	// Suspected selects suspected duplicates, Incomplete selects records that lack a key
	// field, and Missing selects those that lack this one (birth.KeyFields).
	Suspected, Incomplete bool
	Missing               string
	// Chart is a chart number or the beginning of one. With it, the list is in the
	// order of chart numbers.
	Chart string
	// Words are beginnings of words of the mother's name (birth.NameSearch). A
	// selected record matches all of them.
	Words [][]byte
	// Ingestion selects the records of which this ingestion wrote a version.
	Ingestion int64
	// If Restricted is set, Only lists the records to select.
	Only       []int64
	Restricted bool

	Order     Order
	Ascending bool // the oldest first
}

// Order is the order of a list.
type Order string

// The orders. The day of a birth is sealed, so the births of one month are in the
// order in which their records were created.
const (
	ByCreation Order = ""
	ByBirth    Order = "birth"
	ByChange   Order = "change"
)

// Unstated stands for records that state no attendant's role.
const Unstated = "unstated"

// fewRecords is how many records are sorted for a page. A longer list is read along the index
// of its order. Tests lower this number.
var fewRecords = 5000

// walkSteps is how many records a page's list passes along its index, at most, before it
// stops and says so: few of them may be what a filter asks for. Tests lower it.
var walkSteps = 20_000

// From is the position at which a page of a list begins: after a record, in the order of the
// list, or before it with Back. Its zero value is the beginning; with only Back set, it is the
// end. In the order of chart numbers, "older" means "higher".
type From struct {
	ID      int64
	Month   string // of birth
	Changed int64  // in milliseconds
	Chart   string
	Given   bool // whether the registry assigned that number
	Back    bool
}

// Behind returns the position after a record.
func Behind(r Record) From {
	return From{ID: r.ID, Month: r.Facts.BirthMonth, Changed: millis(r.UpdatedAt), Chart: r.Chart, Given: r.Given}
}

// List returns up to limit records after a position. If the filter leaves few
// records, List sorts them. Otherwise it walks along one index and checks the other
// conditions on the way, however far that is.
func (v *View) List(p PracticeID, f Filter, from From, limit int) ([]Record, error) {
	found, _, err := v.walk(p, f, from, limit, -1)
	return found, err
}

// ListWithin is List for a page: it stops after walkSteps records. Then it returns the
// record at which it stopped, behind which the walk goes on; otherwise nil.
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
	// A year is its twelve months, each in order. Nothing is known behind the place at which
	// the first of them stopped.
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

// named returns the condition that a record has all words. Words that are too common
// to be looked up beforehand are checked this way.
func (f Filter) named() (where string, args []any) {
	for _, beginning := range f.Words {
		of := rangeOf(beginning)
		where += fmt.Sprintf(namedSo, "r.id", "r.practice")
		args = append(args, of.low, of.high)
	}
	return where, args
}

// listed walks along one index, over so many records at most, or over all with -1. It
// returns the record at which it stopped, or nil.
func (v *View) listed(p PracticeID, f Filter, lead leader, from From, limit, steps int) ([]Record, *Record, error) {
	behind, order, args := f.place(lead, from)
	named, words := f.named()
	walked := strings.Join([]string{`
		from records r indexed by `, lead.index, `
		where r.practice = ? `, lead.where, behind, `
		order by `, order}, "")
	args = slices.Concat([]any{p}, lead.args, args)
	// The walk is over the index alone, and its order is that of the records found.
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

// Count counts the records that a filter selects.
func (v *View) Count(p PracticeID, f Filter) (int, error) {
	n, _, err := v.count(p, f, -1, -1)
	return n, err
}

// CountWithin counts the records that a filter selects up to most, for a page. It stops after
// walkSteps records and reports whether there may be more.
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

// unordered returns the index that holds the fewest of the selected records, for a count.
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

// charts returns the lowest chart number of a page, the one it ends before, and the
// number of the previous page's last record. Nothing sorts after the last character
// there is, and nothing between a text and the same text with a NUL.
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

// chartsBehind excludes the previous page's last record. Of two records with the
// same chart number it also excludes the one that comes before it: the assigned
// number comes second.
func chartsBehind(back bool) string {
	seen := "<="
	if back {
		seen = ">="
	}
	return "and r.chart >= ? and r.chart < ? and not (r.chart = ? and r.given " + seen + " ?)"
}

// place returns where a page begins and which way it goes.
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
		// Row values of an expression don't use an index.
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
