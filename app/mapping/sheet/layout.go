package sheet

// Layout says how to read one file: where its header is, which field each column holds, and
// what its author's habits are. Survey proposes a layout, a person confirms or changes it, and
// Read follows it.
type Layout struct {
	Delimiter byte `json:"delimiter"`
	// Row is the header's row. Groups is set when the row above it names groups of
	// columns, as merged cells do: "Mother" above "Last" and "First".
	Row    int  `json:"row"`
	Groups bool `json:"groups,omitzero"`
	// Columns are the file's columns by their position.
	Columns []Column `json:"columns"`
	// Dates is the order of day and month in dates such as 3/2/2026. While it is empty, an
	// ambiguous date is an error.
	Dates DateOrder `json:"dates,omitzero"`
	// LastYear is the last year that a year of two digits can mean, such as 2026. Dates with
	// such years are errors if it is 0, because nobody has said what they mean yet, or
	// NoShortYears, because a person has said that they mean nothing.
	LastYear int `json:"last_year,omitzero"`
}

// NoShortYears says that years of two digits are errors.
const NoShortYears = -1

// Column is a column of a file and how it is read.
type Column struct {
	// Header is the name as written, after that of its group.
	Header string `json:"header"`
	// Name is the target's name (Format.Targets). It is empty if the column is left out, and
	// Unsaid if a person must choose.
	Name string `json:"name,omitzero"`
	// As is the habit by which to read cells that could mean several things (Habits): the unit
	// of bare numbers, the order of names, or the clock.
	As string `json:"as,omitzero"`
	// Values are the codes that a person chose for texts that aren't values of the field, by
	// the folded text. The empty code leaves the cell out.
	Values map[string]string `json:"values,omitzero"`
}

// Unsaid is the name of a column that may have several targets.
const Unsaid = "?"

// DateOrder is the order of day and month in numeric dates.
type DateOrder string

// The two orders.
const (
	MonthFirst DateOrder = "month"
	DayFirst   DateOrder = "day"
)

// The bounds of a layout, and so of what is remembered of one: beyond MaxMatched columns
// and MaxValues texts of a column, nothing is matched. A header is cut off at
// MaxText bytes, and a longer text is not matched.
const (
	MaxMatched = 200
	MaxValues  = 60
	MaxText    = 120
)

// column returns the column at a position. A position without one is left out.
func (l *Layout) column(i int) Column {
	if l == nil || i >= len(l.Columns) {
		return Column{}
	}
	return l.Columns[i]
}
