package sheet

// Layout says how to read a file: where its header is, what each column contains, and how to read
// cells that could mean several things. Survey proposes a layout, the user confirms or changes it,
// and Read uses it.
type Layout struct {
	Delimiter byte `json:"delimiter"`
	// Row is the row of the header. Groups is set if the row above it has the names of groups of
	// columns, often in merged cells. For example, "Mother" is above "Last" and "First".
	Row    int  `json:"row"`
	Groups bool `json:"groups,omitzero"`
	// Columns has the columns of the file, in order.
	Columns []Column `json:"columns"`
	// Dates is the order of day and month in dates such as 3/2/2026. If it is empty or NoDateOrder,
	// an ambiguous date is an error.
	Dates DateOrder `json:"dates,omitzero"`
	// LastYear is the last year that a two-digit year can mean, such as 2026. If it is 0, nobody
	// has said yet what such years mean. If it is NoShortYears, the user has said that they are
	// errors. In both cases, dates with such years are errors.
	LastYear int `json:"last_year,omitzero"`
}

// NoShortYears is the value of LastYear that makes two-digit years errors.
const NoShortYears = -1

// Column says how one column of a file is read.
type Column struct {
	// Header is the column's name as it is written, after the name of its group.
	Header string `json:"header"`
	// Name is the name of the column's target, which is what the column contains (Format.Targets).
	// It is "" if the column is left out, and Unsaid if the user must choose.
	Name string `json:"name,omitzero"`
	// As says how to read cells that could mean several things (Habits). It may be a unit for
	// numbers without one, the order of names, or the clock.
	As string `json:"as,omitzero"`
	// Values maps texts that aren't values of the field to the codes that the user chose for them.
	// The texts are in the form that the function fold returns. If the code is "", the cell is left
	// out.
	Values map[string]string `json:"values,omitzero"`
}

// Unsaid is used as the name of a column's target if the column may have several targets.
const Unsaid = "?"

// DateOrder is the order of day and month in numeric dates.
type DateOrder string

// The two orders, and NoDateOrder: a person has stated that ambiguous dates are errors.
const (
	MonthFirst  DateOrder = "month"
	DayFirst    DateOrder = "day"
	NoDateOrder DateOrder = "none"
)

// The limits of a layout, and therefore also of what is remembered for later files. Columns after
// the first MaxMatched aren't matched, and neither are texts in a column after the first MaxValues.
// A header is cut after MaxText bytes. Texts longer than MaxText aren't matched.
const (
	MaxMatched = 200
	MaxValues  = 60
	MaxText    = 120
)

// column returns the column at a position. If there is none, it returns a column that is left out.
func (l *Layout) column(i int) Column {
	if l == nil || i >= len(l.Columns) {
		return Column{}
	}
	return l.Columns[i]
}
