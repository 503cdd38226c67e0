package views

// RecordPage is a record, or one of its versions.
type RecordPage struct {
	ID string
	// Title is the mother's name. If it isn't known, Title is the name of the record.
	Title string
	Tags  []TagText
	// Lead names the record and says where most of its values came from. From links to that
	// submission or file, and is nil if there is none.
	Lead string
	From *Link
	// Summary describes the birth in a row of cells. Facts that aren't known have no cell.
	Summary []RecordCell
	// Missing lists the facts that a complete record would have and this record lacks. If the
	// reader may amend the record, each entry links to its field in the form.
	Missing []Link
	// Notices lists what users should know before they read the record, for example that it is
	// voided or merged, or that this is an earlier version.
	Notices  []Notice
	Newborns Newborns
	// Sections has the other facts about the birth. Consent and Technical are separate sections,
	// which are shown next to Sections.
	Sections           []Section
	Consent, Technical Section
	History            []RecordEvent // the newest versions, newest first
	Viewers            []Viewer      // only for users who may read the audit trail
	// Newer and Older are the addresses of the neighboring records in the list from which the
	// reader came. List is the address of that list.
	Newer, Older, List            string
	Place                         string // in that list, such as "4 of 148"; "" if it isn't known
	MayAmend, MayVoid, MayRestore bool
	MayAudit, MayErase            bool
	MayAccount                    bool
	// Replaced describes a push that replaced values that a person had entered. It is nil if there
	// was none, or if the user isn't asked to review it.
	Replaced *ReplacedRecord
}

func (r RecordPage) address() string { return "/registry/records/" + r.ID }

// RecordCell is a cell in the summary of a record. The page shows More below Value, as a link to
// MoreLink.
type RecordCell struct{ Label, Value, More, MoreLink string }

// Newborns holds the facts about the newborns of a birth, side by side. Each row is a fact, with
// one value for each newborn. A value that isn't recorded is empty.
type Newborns struct {
	Names []string
	Rows  []NewbornRow
}

// NewbornRow is a fact, with its value for each newborn.
type NewbornRow struct {
	Label string
	Facts []Fact
}

// Viewer is a person who has opened the record. At is the time of the last visit.
type Viewer struct{ Who, At string }

// Notice is a sentence, with links that lead to what the reader can do next.
type Notice struct {
	Text  string
	Links []Link
}

// Link is a link with its text.
type Link struct{ Href, Text string }

// Section is a part of a record's page.
type Section struct {
	Title string
	Facts []Fact
	Empty string // shown if there are no facts
}

// Fact is a fact on a page, with its value. The page shows More in small type after the value, such
// as a weight in pounds. Source and SetIn state where the value came from, if that differs from
// what the page states about most values. If Link isn't "", the value is a link to this address.
type Fact struct {
	Label, Value, More, Source, SetIn, Link string
}
