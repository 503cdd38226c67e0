package store

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// Filter selects records of a list; its zero value selects all.
type Filter struct {
	State  birth.State
	Source birth.Source // of the present content
	// Born is the month ("2026-03") or the year ("2026") of the birth.
	Born string
	// Attendant is the attendant's role, or Unstated.
	Attendant string
	// Suspected keeps suspected duplicates, Incomplete records in which a key
	// field is not stated.
	Suspected, Incomplete bool
	// Chart is a chart number or the beginning of one. The list is then in the
	// order of chart numbers.
	Chart string
}

// Unstated is the attendant's role of records that state none.
const Unstated = "unstated"

// From is where a page of a list begins: after a record, toward older ones, or
// toward newer ones with Back. Its zero value is the newest record; with Back
// alone, the oldest. In the order of chart numbers, "older" means "higher".
type From struct {
	ID    int64
	Chart string
	Given bool // whether the registry assigned that number
	Back  bool
}

// Behind returns the position after a record.
func Behind(r Record) From { return From{ID: r.ID, Chart: r.Chart, Given: r.Given} }

// List returns up to limit records after a position, in the order in which the
// query meets them. No query walks past more records than the smallest matching
// index holds: it walks along that index and checks the other conditions on the
// way.
func (v *View) List(p PracticeID, f Filter, from From, limit int) ([]Record, error) {
	lead := f.lead(from)
	if lead.index != monthIndex || len(f.Born) > len("2006") {
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
	slices.SortFunc(all, func(a, b Record) int {
		if from.Back {
			a, b = b, a
		}
		return int(b.ID - a.ID)
	})
	return all[:min(len(all), limit)], nil
}

// leader is the index that a list scans, and the condition on it. SQLite uses a
// partial index only if the query repeats the index's condition literally.
type leader struct {
	index, where string
	args         []any
	byChart      bool
}

const monthIndex = "records_month"

// lead returns the index that holds the fewest of the records asked for.
func (f Filter) lead(from From) leader {
	switch {
	case f.Chart != "":
		return leader{index: "records_chart", where: chartsBehind(from.Back), args: f.charts(from), byChart: true}
	case f.Suspected:
		return leader{index: "records_suspected", where: "and r.suspected_duplicate = 1"}
	case f.State != "" && f.State != birth.Active:
		return leader{index: "records_state", where: "and r.state <> 'active' and r.state = ?", args: []any{f.State}}
	case f.Born != "":
		return leader{index: monthIndex, where: "and r.birth_month = ?", args: []any{f.Born}}
	case f.Source != "" && f.Source != birth.FHIRPush:
		return leader{index: "records_source", where: "and r.source = ?", args: []any{f.Source}}
	case f.Attendant == Unstated:
		return leader{index: "records_attendant", where: "and r.attendant is null"}
	case f.Attendant != "":
		return leader{index: "records_attendant", where: "and r.attendant = ?", args: []any{f.Attendant}}
	case f.Incomplete:
		return leader{index: "records_missing", where: "and r.missing > 0"}
	case f.Source != "":
		return leader{index: "records_source", where: "and r.source = ?", args: []any{f.Source}}
	}
	return leader{index: "records_practice"}
}

// onTheWay is the same condition for every list, so that there are few statements.
const onTheWay = `
			and (? = '' or r.state = ?)
			and (? = '' or r.source = ?)
			and (? = '' or substr(r.birth_month, 1, length(?)) = ?)
			and (? = '' or coalesce(r.attendant, '` + Unstated + `') = ?)
			and (? = 0 or r.suspected_duplicate = 1)
			and (? = 0 or r.missing > 0)`

func (f Filter) onTheWay() []any {
	return []any{
		f.State, f.State, f.Source, f.Source, f.Born, f.Born, f.Born, f.Attendant, f.Attendant, f.Suspected, f.Incomplete,
	}
}

// listed walks along one index.
func (v *View) listed(p PracticeID, f Filter, lead leader, from From, limit int) ([]Record, error) {
	behind, order, args := place(lead, from)
	query := strings.Join([]string{
		"select", recordColumns, `
		from records r indexed by `, lead.index, `
		where r.practice = ? `, lead.where, behind, onTheWay, `
		order by `, order, `
		limit ?`,
	}, "")
	args = slices.Concat([]any{p}, lead.args, args, f.onTheWay(), []any{limit})
	return v.records(query, args...)
}

// Count counts the records that a filter selects, along the index of its list.
func (v *View) Count(p PracticeID, f Filter) (n int, err error) {
	lead := f.lead(From{})
	if lead.index != monthIndex || len(f.Born) > len("2006") {
		return v.counted(p, f, lead)
	}
	for month := 1; month <= 12; month++ {
		lead.args = []any{fmt.Sprintf("%s-%02d", f.Born, month)}
		some, err := v.counted(p, f, lead)
		if err != nil {
			return 0, err
		}
		n += some
	}
	return n, nil
}

func (v *View) counted(p PracticeID, f Filter, lead leader) (n int, err error) {
	query := strings.Join([]string{
		"select count(*) from records r indexed by ", lead.index, " where r.practice = ? ", lead.where, onTheWay,
	}, "")
	err = v.one(query, slices.Concat([]any{p}, lead.args, f.onTheWay()), &n)
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

// chartsBehind excludes the previous page's last record and, of two records with
// the same number, the one before it: the assigned number comes second.
func chartsBehind(back bool) string {
	seen := "<="
	if back {
		seen = ">="
	}
	return "and r.chart >= ? and r.chart < ? and not (r.chart = ? and r.given " + seen + " ?)"
}

// place returns where a page begins and which way it goes.
func place(lead leader, from From) (behind, order string, args []any) {
	switch {
	case lead.byChart && from.Back:
		return "", "r.chart desc, r.given desc", nil
	case lead.byChart:
		return "", "r.chart, r.given", nil
	case from.Back:
		return " and r.id > ?", "r.id", []any{from.ID}
	}
	return " and r.id < ?", "r.id desc", []any{beforeID(from.ID)}
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

// Survivor finds the record that one was merged into; ErrNotFound when it was
// not merged.
func (v *View) Survivor(p PracticeID, record int64) (Record, error) {
	return first(v.records(`
		select`+recordColumns+`
		from records merged
		cross join records r on r.id = merged.merged_into and r.practice = merged.practice
		where merged.id = ? and merged.practice = ?`, record, p))
}
