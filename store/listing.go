package store

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// Filter selects records of a list, and orders them; its zero value selects all, the
// newest first.
type Filter struct {
	State  birth.State
	Source birth.Source // of the present content
	// Born is the month ("2026-03") or the year ("2026") of the birth.
	Born string
	// Attendant is the attendant's role, or Unstated.
	Attendant string
	// Suspected keeps suspected duplicates, Incomplete records in which a key
	// field is not stated, Missing those in which a certain one is not
	// (birth.KeyFields).
	Suspected, Incomplete bool
	Missing               string
	// Chart is a chart number or the beginning of one. With it, the list is in the
	// order of chart numbers.
	Chart string
	// Words are beginnings of words of the mother's name (birth.NameSearch). A
	// selected record matches all of them.
	Words [][]byte
	// Ingestion selects the records of which it wrote a version.
	Ingestion int64
	// Only selects these records, if Restricted is set.
	Only       []int64
	Restricted bool

	Order     Order
	Ascending bool // the oldest first
}

// Order is what a list is sorted by.
type Order string

// The orders. The day of a birth is sealed, so the births of one month are in the
// order in which their records were created.
const (
	ByCreation Order = ""
	ByBirth    Order = "birth"
	ByChange   Order = "change"
)

// Unstated is the attendant's role of records that state none.
const Unstated = "unstated"

// fewRecords is how many records are sorted for a page. A list of more is read along
// the index of its order. Tests lower it.
var fewRecords = 5000

// From is where a page of a list begins: after a record, in the order of the list, or
// before it with Back. Its zero value is the beginning; with Back alone, the end. In the
// order of chart numbers, "older" means "higher".
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
// conditions on the way.
func (v *View) List(p PracticeID, f Filter, from From, limit int) ([]Record, error) {
	f, err := v.narrowed(p, f)
	if err != nil {
		return nil, err
	}
	if f.sorted() {
		return v.listedFew(p, f, from, limit)
	}
	lead := f.lead(from)
	if lead.where != inMonth || len(f.Born) > len("2006") {
		return v.listed(p, f, lead, from, limit)
	}
	// A year is its twelve months, each in order.
	var all []Record
	for month := 1; month <= 12; month++ {
		lead.args = []any{fmt.Sprintf("%s-%02d", f.Born, month)}
		found, err := v.listed(p, f, lead, from, limit)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b Record) int { return f.compare(Behind(a), Behind(b), from.Back) })
	return all[:min(len(all), limit)], nil
}

// leader is the index that a list scans, and the condition on it. SQLite uses a
// partial index only if the query repeats the index's condition literally.
type leader struct {
	index, where string
	args         []any
	byChart      bool
}

const (
	bornIndex = "records_born"
	allIndex  = "records_practice"
	inMonth   = "and coalesce(r.birth_month, '') = ?"
)

// lead returns the index to walk along: in the order of creation, the index that
// holds the fewest of the selected records; in any other order, the index of that
// order.
func (f Filter) lead(from From) leader {
	switch {
	case f.Chart != "":
		return leader{index: "records_chart", where: chartsBehind(from.Back), args: f.charts(from), byChart: true}
	case f.Order == ByChange && f.Born != "":
		return leader{index: "records_born_changed", where: inMonth, args: []any{f.Born}}
	case f.Order == ByChange:
		return leader{index: "records_changed"}
	case f.Order == ByBirth && f.Born != "":
		return leader{index: bornIndex, where: "and coalesce(r.birth_month, '') >= ? and coalesce(r.birth_month, '') <= ?", args: []any{f.Born, f.Born + "-99"}}
	case f.Order == ByBirth:
		return leader{index: bornIndex}
	}
	return f.narrowest()
}

// narrowest returns the index that holds the fewest of the records asked for.
func (f Filter) narrowest() leader {
	switch {
	case f.Suspected:
		return leader{index: "records_suspected", where: "and r.suspected_duplicate = 1"}
	case f.State != "" && f.State != birth.Active:
		return leader{index: "records_state", where: "and r.state <> 'active' and r.state = ?", args: []any{f.State}}
	case f.Born != "":
		return leader{index: bornIndex, where: inMonth, args: []any{f.Born}}
	case f.Source != "" && f.Source != birth.FHIRPush:
		return leader{index: "records_source", where: "and r.source = ?", args: []any{f.Source}}
	case f.Attendant == Unstated:
		return leader{index: "records_attendant", where: "and r.attendant is null"}
	case f.Attendant != "":
		return leader{index: "records_attendant", where: "and r.attendant = ?", args: []any{f.Attendant}}
	case f.Incomplete || f.Missing != "":
		return leader{index: "records_missing", where: "and r.missing > 0"}
	case f.Source != "":
		return leader{index: "records_source", where: "and r.source = ?", args: []any{f.Source}}
	}
	return leader{index: allIndex}
}

// anyNewborn is the condition that a class of the outcome (birth.Outcome as text) is not
// stated for one of up to nine newborns. place is that of the first one.
func anyNewborn(place int) string {
	var parts []string
	for n := range 9 {
		parts = append(parts, fmt.Sprintf("substr(r.outcome, %d, 1) = '0'", place+12*n))
	}
	return strings.Join(parts, " or ")
}

// onTheWay is the same condition for every list, so that there are few statements.
var onTheWay = `
			and (? = '' or r.state = ?)
			and (? = '' or r.source = ?)
			and (? = '' or substr(r.birth_month, 1, length(?)) = ?)
			and (? = '' or coalesce(r.attendant, '` + Unstated + `') = ?)
			and (? = 0 or r.suspected_duplicate = 1)
			and (? = 0 or r.missing > 0)
			and case ?
				when '' then 1
				when 'birth_month' then r.birth_month is null
				when 'attendant_type' then r.attendant is null
				when 'delivery_method' then r.method is null or ` + anyNewborn(20) + `
				when 'gestational_age_weeks' then length(r.outcome) < 31 or substr(r.outcome, 21, 1) = '0'
				when 'birth_weight_g' then length(r.outcome) < 31 or ` + anyNewborn(22) + `
			end
			and (? = 0 or r.id in (select value from json_each(?)))`

func (f Filter) onTheWay() []any {
	return []any{
		f.State, f.State, f.Source, f.Source, f.Born, f.Born, f.Born, f.Attendant, f.Attendant, f.Suspected, f.Incomplete || f.Missing != "",
		f.Missing, f.Restricted, list(f.Only),
	}
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

// listed walks along one index.
func (v *View) listed(p PracticeID, f Filter, lead leader, from From, limit int) ([]Record, error) {
	behind, order, args := f.place(lead, from)
	named, words := f.named()
	query := strings.Join([]string{
		"select", recordColumns, `
		from records r indexed by `, lead.index, `
		where r.practice = ? `, lead.where, behind, onTheWay, named, `
		order by `, order, `
		limit ?`,
	}, "")
	args = slices.Concat([]any{p}, lead.args, args, f.onTheWay(), words, []any{limit})
	return v.records(query, args...)
}

// Count counts the records that a filter selects up to most, or all with 0.
func (v *View) Count(p PracticeID, f Filter, most int) (n int, err error) {
	if f, err = v.narrowed(p, f); err != nil {
		return 0, err
	}
	if f.sorted() {
		found, err := v.few(p, f)
		if n = len(found); most > 0 {
			n = min(n, most)
		}
		return n, err
	}
	if most == 0 {
		most = -1
	}
	lead := f.narrowest()
	if f.Chart != "" {
		lead = f.lead(From{})
	}
	if lead.index == bornIndex && len(f.Born) <= len("2006") {
		lead = Filter{Order: ByBirth, Born: f.Born}.lead(From{})
	}
	named, words := f.named()
	query := strings.Join([]string{
		"select count(*) from (select 1 from records r indexed by ", lead.index, " where r.practice = ? ", lead.where, onTheWay, named, " limit ?)",
	}, "")
	err = v.one(query, slices.Concat([]any{p}, lead.args, f.onTheWay(), words, []any{most}), &n)
	return n, err
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

// Content is a record's content, at present or as of a version.
type Content struct {
	Version  int // that contains it
	Clinical []byte
	Patient  []byte // sealed
}

// Contents returns the present contents of records.
func (v *View) Contents(p PracticeID, records []int64) (map[int64]Content, error) {
	found := make(map[int64]Content, len(records))
	err := v.each(`
		select
			r.id,
			c.version,
			c.clinical,
			c.patient
		from json_each(?) wanted
		cross join records r on r.id = wanted.value and r.practice = ?
		cross join versions c on c.record = r.id and c.version = r.content`, func(rows *sql.Rows) error {
		var id int64
		var c Content
		err := rows.Scan(&id, &c.Version, &c.Clinical, &c.Patient)
		found[id] = c
		return err
	}, list(records), p)
	return found, err
}

// RecordsByID finds records by their ids.
func (v *View) RecordsByID(p PracticeID, ids []int64) ([]Record, error) {
	return v.records(`
		select`+recordColumns+`
		from json_each(?) wanted
		cross join records r on r.id = wanted.value and r.practice = ?`, list(ids), p)
}

// Survivor finds the record that one was merged into. It returns ErrNotFound if it was not
// merged.
func (v *View) Survivor(p PracticeID, record int64) (Record, error) {
	return first(v.records(`
		select`+recordColumns+`
		from records merged
		cross join records r on r.id = merged.merged_into and r.practice = merged.practice
		where merged.id = ? and merged.practice = ?`, record, p))
}
