package sheet

// Layout says how one file is read: where its header stands, which field each of its
// columns is, and what its author's habits are. Survey proposes a layout, a person
// confirms or changes it, and Read follows it.
type Layout struct {
	Delimiter byte `json:"delimiter"`
	// Row is the header's row. Groups is set when the row above it names groups of
	// columns, as merged cells do: "Mother" above "Last" and "First".
	Row    int  `json:"row"`
	Groups bool `json:"groups,omitzero"`
	// Columns are the file's columns by their position.
	Columns []Column `json:"columns"`
	// Dates is the order of day and month in dates such as 3/2/2026. While it is not
	// known, a date that may be either of two days is an error.
	Dates DateOrder `json:"dates,omitzero"`
	// LastYear is the last year that a year of two digits can mean, such as 2026. As long
	// as it is not known, 0, and if a person has said so, NoShortYears, dates with such years
	// are errors.
	LastYear int `json:"last_year,omitzero"`
}

// NoShortYears says that years of two digits are errors.
const NoShortYears = -1

// Column is a column of a file and how it is read.
type Column struct {
	// Header is the name as written, behind that of its group.
	Header string `json:"header"`
	// Name is the target's name (Format.Targets), empty when the column is left out, and
	// Unsaid when a person must say.
	Name string `json:"name,omitzero"`
	// As is the habit by which cells are read that could mean several things (Habits): the
	// unit of bare numbers, the order of names, the clock.
	As string `json:"as,omitzero"`
	// Values are the codes that a person chose for texts that are no values of the field,
	// by the folded text. The empty code leaves the cell out.
	Values map[string]string `json:"values,omitzero"`
}

// Unsaid is the name of a column that may mean several targets.
const Unsaid = "?"

// DateOrder is the order of day and month in numeric dates.
type DateOrder string

// The two orders.
const (
	MonthFirst DateOrder = "month"
	DayFirst   DateOrder = "day"
)

// The bounds of a layout, and so of what is remembered of one: beyond MaxMatched columns
// and MaxValues texts of a column, nothing is matched. A text and a header are cut off at
// MaxText bytes.
const (
	MaxMatched = 200
	MaxValues  = 60
	MaxText    = 120
)

// column returns the column at a position; none is left out.
func (l *Layout) column(i int) Column {
	if l == nil || i >= len(l.Columns) {
		return Column{}
	}
	return l.Columns[i]
}
