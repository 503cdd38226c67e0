package views

// RecordList is the list of a practice's records.
type RecordList struct {
	Rows []RecordRow
	// Query is the filter as it stands behind the address, with its question
	// mark; "" without one. Active says that it leaves something out.
	Query  string
	Active bool
	// Search is the name, the date or the chart number that is looked for; it never
	// stands in an address.
	Search  string
	Filters RecordFilters
	// Total says how many records there are, Shown which.
	Total, Shown          string
	Columns               []RecordColumn
	ColumnChoices         []Choice
	Pages                 Pager
	MayCreate, MayExport  bool
	MayImport, NoneOnFile bool
	Mistakes              []Mistake
}

// RecordColumn is the head of a column. Href sorts by it, "" where nothing does.
type RecordColumn struct {
	Label, Href string
	Sorted      string // ascending, descending or ""
	Number      bool
}

// ListedCell is what a record has in a column.
type ListedCell struct {
	Label, Text, Quiet string
	Number             bool
}

// Pager links to the neighboring pages of a list; an address is "" when there is none.
type Pager struct {
	Before, After           string
	BeforeLabel, AfterLabel string
}

// address is the address of a record in the list. It includes the list's filter, and
// whether the records were found by a search, so that the record's page can lead back to
// the list.
func (l RecordList) address(r RecordRow) string {
	found := ""
	if l.Search != "" {
		found = "?found=search"
		if l.Query != "" {
			found = "&found=search"
		}
	}
	return "/registry/records/" + r.ID + l.Query + found
}

// RecordFilters are the boxes of the filter as they are set.
type RecordFilters struct {
	State, Source, Month, Attendant []Choice
	Missing, Sort                   []Choice
	Hidden                          []Choice // by their labels
	Year                            Input
	Suspected, Incomplete           bool
}

// RecordRow is a record in the list.
type RecordRow struct {
	ID, Chart string
	Cells     []ListedCell
	Gone      bool // does not count any more
	Tags      []TagText
}

// Name is what the link to the record reads.
func (r RecordRow) Name() string {
	if r.Chart != "" {
		return r.Chart
	}
	return "no chart number"
}

// TagText is a state in words.
type TagText struct{ Kind, Text string }

// RecordExport is the page on which an export is confirmed.
type RecordExport struct {
	Count int
	What  string // the filter in words
	Query string
}

// AuditPage is the audit trail of a practice.
type AuditPage struct {
	Rows         []AuditRow
	Areas        []Choice
	Record       Input
	Newer, Older string
	Query        string
	Mistakes     []Mistake
	Sound        bool
	State        string // of the chain, in a sentence
}

// AuditRow is one entry.
type AuditRow struct {
	ID                         int64
	At, Who, What, About, From string
	Link                       string
}
