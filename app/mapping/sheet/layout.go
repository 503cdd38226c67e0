package sheet

// Layout says how to read one file: where its header is, what each column holds, and how to read
// cells that could mean several things. Survey proposes a layout, a person confirms or changes it,
// and Read follows it.
type Layout struct {
	Delimiter byte `json:"delimiter"`
	// Row is the header's row. Groups is set if the row above it names groups of columns, often in
	// merged cells: "Mother" above "Last" and "First".
	Row    int  `json:"row"`
	Groups bool `json:"groups,omitzero"`
	// Columns are the file's columns by their position.
	Columns []Column `json:"columns"`
	// Dates is the order of day and month in dates such as 3/2/2026. If it is empty or NoDateOrder,
	// an ambiguous date is an error.
	Dates DateOrder `json:"dates,omitzero"`
	// LastYear is the last year that a year of two digits can mean, such as 2026. If LastYear is
	// 0, nobody has stated yet what such years mean. If it is NoShortYears, a person has stated
	// that they are errors. In both cases, dates with such years are errors.
	LastYear int `json:"last_year,omitzero"`
}

// NoShortYears, as LastYear, makes years of two digits errors.
const NoShortYears = -1

// Column is a column of a file and how it is read.
type Column struct {
	// Header is the name as written, preceded by the name of its group.
	Header string `json:"header"`
	// Name is the name of the column's target, which is what the column holds (Format.Targets). It
	// is empty if the column is left out, and Unsaid if a person must choose.
	Name string `json:"name,omitzero"`
	// As states how to read cells that could mean several things (Habits): the unit of bare
	// numbers, the order of names, or the clock.
	As string `json:"as,omitzero"`
	// Values are the codes that a person chose for texts that aren't values of the field. The keys
	// are the texts in the form that the function fold returns. The empty code leaves the cell out.
	Values map[string]string `json:"values,omitzero"`
}

// Unsaid is the name of a column that may have several targets.
const Unsaid = "?"

// DateOrder is the order of day and month in numeric dates.
type DateOrder string

// The two orders, and NoDateOrder: a person has stated that ambiguous dates are errors.
const (
	MonthFirst  DateOrder = "month"
	DayFirst    DateOrder = "day"
	NoDateOrder DateOrder = "none"
)

// The limits of a layout, and therefore of what is remembered for later files. Columns beyond
// MaxMatched, and texts of a column beyond MaxValues, aren't matched. A header is cut off at
// MaxText bytes, and texts that are longer than MaxText aren't matched.
const (
	MaxMatched = 200
	MaxValues  = 60
	MaxText    = 120
)

// column returns the column at a position or, if there is none, one that is left out.
func (l *Layout) column(i int) Column {
	if l == nil || i >= len(l.Columns) {
		return Column{}
	}
	return l.Columns[i]
}
