package store

import (
	"fmt"
	"strings"

	"birthregistry/app/birth"
)

// leader is the index that a list reads, with the condition on the index. SQLite uses a partial
// index only if the query repeats the index's condition literally.
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

// lead returns the index that a list reads. If the list isn't in the order of creation, this is the
// index for its order. If it is, lead returns the filter's narrowest index.
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

// narrowest returns an index that matches a condition of the filter. If several indexes do, it
// returns the one that usually has the fewest records.
func (f Filter) narrowest() leader {
	switch {
	case f.Suspected: // more than fewRecords are marked
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

// anyNewborn returns the SQL condition that a value isn't stated for at least one newborn. It
// checks the text of the outcome (birth.Outcome) for up to nine newborns. place is the position of
// the value for the first newborn.
func anyNewborn(place int) string {
	var parts []string
	for n := range 9 {
		parts = append(parts, fmt.Sprintf("substr(r.outcome, %d, 1) = '0'", place+12*n))
	}
	return strings.Join(parts, " or ")
}

// onTheWay is the condition that a list or a count checks for each record that it reads. It covers
// all filters, whose values are parameters, so only a few different statements have to be prepared.
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
