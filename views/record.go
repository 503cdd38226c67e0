package views

// RecordPage is a record, or one of its versions.
type RecordPage struct {
	ID string
	// Title is the mother's name, or the record's where hers isn't known.
	Title string
	Tags  []TagText
	// Lead names the record and says once where its values came from; From leads to the
	// submission or file.
	Lead string
	From *Link
	// Summary is the birth in a line of cells. What isn't known has none.
	Summary []RecordCell
	// Missing are the facts that a complete record states. Where the reader may amend
	// it, each leads to its field in the form.
	Missing []Link
	// Notices say what to know before reading: that it is voided, merged, an
	// earlier version.
	Notices  []Notice
	Newborns Newborns
	// Sections are the other facts about the birth; Consent and Technical stand beside
	// them.
	Sections           []Section
	Consent, Technical Section
	History            []RecordEvent // the newest versions, newest first
	Viewers            []Viewer      // for those who may read the audit trail
	// Newer, Older and List are the addresses of the neighbors in the list that the
	// reader came from, and of that list.
	Newer, Older, List string
	// Version is the version shown when it is an earlier one, else 0.
	Version                       int
	MayAmend, MayVoid, MayRestore bool
	MayAudit                      bool
	// Replaced is what a push has put in the place of what a person said; nil when
	// it has not, or nobody is asked.
	Replaced *ReplacedRecord
}

func (r RecordPage) address() string { return "/registry/records/" + r.ID }

// RecordCell is a cell of the summary: More is said below Value, and MoreLink is where
// it leads.
type RecordCell struct{ Label, Value, More, MoreLink string }

// Newborns are the newborns of a birth side by side: each row is a fact, with one value
// for each newborn, empty where it isn't stated.
type Newborns struct {
	Names []string
	Rows  []NewbornRow
}

// NewbornRow is a fact about each newborn.
type NewbornRow struct {
	Label string
	Facts []Fact
}

// Viewer is somebody who opened the record, and when they last did.
type Viewer struct{ Who, At string }

// Notice is a sentence and what to do next.
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

// Fact is a value. More is shown after it in small type, such as a weight in pounds.
// Source and SetIn say where it came from where that differs from what the page says of
// all values. Link makes the value lead somewhere.
type Fact struct {
	Label, Value, More, Source, SetIn, Link string
}
