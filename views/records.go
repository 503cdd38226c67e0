package views

// RecordList is the list of a practice's records.
type RecordList struct {
	Rows []RecordRow
	// Query is the filter as it stands behind the address, with its question
	// mark; "" without one. Active says that it leaves something out.
	Query  string
	Active bool
	// Search is the chart number that is looked for; it never stands in an
	// address.
	Search  string
	Filters RecordFilters
	// Newer and Older are the addresses of the pages beside this one.
	Newer, Older           string
	MayCreate, MayExport   bool
	MayImport, NoneOnFile  bool
	Mistakes               []Mistake
	NewerLabel, OlderLabel string
}

// RecordFilters are the boxes of the filter as they are set.
type RecordFilters struct {
	State, Source, Month, Attendant []Choice
	Year                            Input
	Suspected, Incomplete           bool
}

// RecordRow is a record in the list.
type RecordRow struct {
	ID, Chart, Born, Initials string
	Attendant, Method         string
	Source                    string
	Version, Newborns         int
	Gone                      bool // does not count any more
	Tags                      []TagText
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

// RecordPage is a record, or one of its versions.
type RecordPage struct {
	ID, Name string
	Tags     []TagText
	// Notices say what to know before reading: that it is voided, merged, an
	// earlier version.
	Notices  []Notice
	Sections []Section
	// Origins says that the page shows when each value was set.
	Origins bool
	// Version is the version shown when it is an earlier one, else 0.
	Version                       int
	MayAmend, MayVoid, MayRestore bool
	MayAudit                      bool
	// Replaced is what a push has put in the place of what a person said; nil when
	// it has not, or nobody is asked.
	Replaced *ReplacedRecord
}

// WithoutOrigins leaves out when each value was set.
func (r RecordPage) WithoutOrigins() {
	for _, s := range r.Sections {
		for i := range s.Facts {
			s.Facts[i].SetIn = ""
		}
	}
}

// Notice is a sentence with what to do next.
type Notice struct {
	Text  string
	Links []Link
}

// Link leads somewhere.
type Link struct{ Href, Text string }

// Section is a part of a record's page.
type Section struct {
	Title string
	Facts []Fact
	Empty string // said when there are no facts
}

// Fact is a value with where it came from. SetIn says who set it, where the
// page shows that. Link makes the value lead somewhere.
type Fact struct {
	Label, Value, Source, SetIn, Link string
}

// RecordHistory lists the versions of a record.
type RecordHistory struct {
	ID, Name string
	Events   []RecordEvent
	Older    string // the address of the versions before these
	// Before and After are the versions to compare.
	Before, After []Choice
}

// RecordEvent is one version.
type RecordEvent struct {
	Version                     int
	What, Who, Source, At, Sent string
	Note                        string
	Ingestion, IngestionText    string // the address of what brought it
	Current                     bool
}

// RecordComparison is what differs between two versions.
type RecordComparison struct {
	ID, Name      string
	Before, After RecordEvent
	Rows          []RecordDifference
	Same          int
}

// RecordDifference is one field that differs.
type RecordDifference struct {
	Field, Before, After      string
	SourceBefore, SourceAfter string
}

// RecordDecision is the page on which a record is voided or restored.
type RecordDecision struct {
	ID, Name    string
	Action      string // void or restore
	BaseVersion int
	Reason      Input
	Mistakes    []Mistake
}

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
