package views

import "cmp"

// RecordList is the list of a practice's records.
type RecordList struct {
	Rows []RecordRow
	// Query is the part of the address from the question mark, or "". It states the filter, and
	// whether the list shows the results of a search. Active is set if the filter leaves records
	// out.
	Query  string
	Active bool
	// From links back to the figure or report from which the user came here. It is empty if there
	// is none.
	From NavItem
	// Search is the name, date or chart number that the user searched for. It is never part of an
	// address.
	Search  string
	Filters RecordFilters
	// Total says how many records there are, and Sorted says in which order they are listed. Shown
	// says which of them are on this page.
	Total, Sorted, Shown string
	// Stopped says how far the search has come, if it stopped before the end and can be continued.
	// Otherwise it is "".
	Stopped              string
	First                string // the address of the first page if this page has no record, else ""
	Columns              []RecordColumn
	ColumnChoices        []Choice
	Pages                Pager
	MayCreate, MayExport bool
	MayImport            bool
	NoneOnFile           bool // the practice has no record at all
	// Erased is set if there are erased births and the user may allow such births to be recorded
	// again.
	Erased bool
}

// filterOpen reports whether the page shows the filter's controls opened. It opens them if the
// filter leaves out every birth, because the user must then change the filter. Otherwise they are
// closed, so that the births come first.
func (l RecordList) filterOpen() bool { return l.Active && len(l.Rows) == 0 }

// sorted returns the end of a sentence about the list, which states how the list is sorted.
func (l RecordList) sorted() string {
	if l.Sorted == "" {
		return ""
	}
	return ", sorted by " + l.Sorted
}

// RecordColumn is the heading of a column. Href is the address of the list sorted by this column,
// or "" if the list can't be sorted by it.
type RecordColumn struct {
	Label, Href string
	Sorted      string // ascending, descending or ""
	Number      bool
}

// ListedCell is what the list shows about a record in one column.
type ListedCell struct {
	Label, Text, Quiet string
	Number             bool
}

// Pager links to the previous and the next page of a list. Each address is "" if there is no such
// page.
type Pager struct {
	Before, After           string
	BeforeLabel, AfterLabel string
}

// address is the address of a record in the list. It includes the list's filter, so that the
// record's page can lead back to the list.
func (l RecordList) address(r RecordRow) string { return "/registry/records/" + r.ID + l.Query }

// RecordFilters holds the controls that filter the list of records, with their current settings.
type RecordFilters struct {
	State, Source, Month, Attendant []Choice
	Missing, Sort                   []Choice
	Hidden                          []Choice // filters without a box: the query's parameter (Label) and value
	Year                            Input
	Suspected, Incomplete           bool
}

// RecordRow is a record in the list of records.
type RecordRow struct {
	ID, Chart string
	Cells     []ListedCell
	Gone      bool // set if the record no longer counts
	Tags      []TagText
}

// Name returns the text of the link to the record.
func (r RecordRow) Name() string { return cmp.Or(r.Chart, "no chart number") }

// TagText is a state in words.
type TagText struct{ Kind, Text string }

// RecordExport is the page on which a user confirms an export.
type RecordExport struct {
	Count int
	What  string // the filter in words
	Query string
}

// AuditPage shows the audit trail of a practice.
type AuditPage struct {
	Rows         []AuditRow
	Areas        []Choice
	Record       Input
	Newer, Older string
	Query        string
	Sound        bool
	State        string // the state of the chain, in a sentence
}

// AuditRow is one entry of the audit trail.
type AuditRow struct {
	ID                         int64
	At, Who, What, About, From string
	Kind                       string // the kind of thing whose ID is in About; "" if About isn't an ID
	Link                       string // the address of the page of what About names, or ""
}
