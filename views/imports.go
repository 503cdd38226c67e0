package views

import (
	"cmp"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"
)

// ImportPage is the page on which a user chooses a file to import. It also lists earlier imports.
type ImportPage struct {
	// May is set if the user may upload a spreadsheet.
	May     bool
	MaxMiB  int
	MaxRows string
	List    []ImportLine
	// MayForget is set if the user may see and delete what the registry remembers about earlier
	// files.
	MayForget bool
}

// file returns the control with which the user chooses a file.
func (p ImportPage) file() Input {
	return Input{
		Name: "file", Label: "Spreadsheet, saved as CSV",
		Hint: fmt.Sprintf("Up to %s rows and %d MiB, as saved by Excel, Numbers, Google Sheets or LibreOffice.", p.MaxRows, p.MaxMiB),
	}
}

// ImportLine is an import in the list of imports.
type ImportLine struct {
	ID, Name, By string
	At           time.Time
	Rows         int
	State        TagText
	Undo         bool // the person may undo it
}

// ImportDetail is one import: its preview, its progress or its result.
type ImportDetail struct {
	ImportLine
	// May is set if the user may confirm the import, and Links is set if the user may open the
	// records. If neither is set, the page shows only the counts.
	May, Links bool

	// Matched lists each column with the field that it contains, if a user matched the columns.
	// Remembered is set if a user did so for an earlier file. Rematch is set if the match can be
	// changed. Skipped lists the numbers of rows that aren't births.
	Matched             []Fact
	Remembered, Rematch bool
	Skipped             []int

	Encoding, Delimiter string
	Known               int
	Ignored             []string

	Confirmed, Done, Failed, Kept bool
	Waiting                       bool // set until its columns and values are matched
	// Undoing is set while the import is being undone. Items and Total then show the progress.
	Undoing         bool
	Undo            ImportUndo
	Items, Total    int
	Counts          []ImportCount
	Errors, Changes int // births with errors; births to import
	Suspected       int
	Columns         []ImportCount
	Cells           []ImportCell
	MoreCells       int
	// Wrong holds the cells that can't be imported, grouped by column and text. MoreWrong is set if
	// there are more of them than Wrong lists. Fixes lists the texts that people typed to replace
	// such cells.
	Wrong     []ImportWrong
	MoreWrong bool
	Fixes     ImportFixes
	// Drafts is the number of births with errors that can be stored as drafts. Room is the number
	// of drafts that the user can still start. DraftError says why the births couldn't be stored as
	// drafts.
	Drafts, Room int
	DraftError   string
	Unlikely     int // births with an improbable value
	Notes        []ImportCell
	MoreNotes    bool
	// First lists the first rows of the file, and Changed the first rows that amend or restore a
	// record. Does says in words what importing the file does to the records.
	First, Changed []ImportRow
	MoreRows       bool
	MoreChanged    bool
	Does           string
	// LeaveOut is the checkbox that leaves out the births with errors.
	LeaveOut Input
}

// ImportUndo describes what undoing an import would do, or what it has done.
type ImportUndo struct {
	May   bool      // the person may undo it
	Until time.Time // the time until which the import can be undone
	Late  bool      // it can no longer be undone
	By    string
	Ended time.Time // zero until it has ended
	// Voided counts the births that are voided, Restored counts the births that return to their
	// state before the import, and Kept counts the births that don't change. Records lists some of
	// the births that don't change.
	Voided, Restored, Kept int
	Records                []ImportKept
}

// ImportKept is a record that the undo of an import leaves unchanged.
type ImportKept struct {
	Record, Chart, Why string
	Changed            time.Time
}

// ImportCount is a number and the noun for what it counts.
type ImportCount struct {
	N    int
	Text string
}

// ImportCell is a cell that is wrong or doubtful. Text states what to do about it.
type ImportCell struct {
	Row          int
	Column, Text string
	Record       string // the ID of the record that the row amends, or ""
}

// ImportRow is the result of one row, or of several, of a file.
type ImportRow struct {
	Row, Rows int
	State     TagText
	Suspected bool
	// Chart and Born are the chart number and the date of birth that a preview shows.
	Chart, Born string
	Changes     string // the fields that change in the record on file
	Record      string // the record's ID, or "" if there is none or the person may not open it
}

// rows returns the number of the row that holds a birth. If several rows hold the birth, it returns
// the first and the last number.
func (r ImportRow) rows() string {
	if r.Rows > 1 {
		return fmt.Sprintf("%d–%d", r.Row, r.Row+r.Rows-1)
	}
	return fmt.Sprint(r.Row)
}

// Percent returns how many percent of an import have been processed.
func (d ImportDetail) Percent() int { return 100 * d.Items / max(d.Total, 1) }

// Progress returns the progress of an import in words.
func (d ImportDetail) Progress() string {
	switch {
	case d.Undoing && d.Items == 0:
		return "Waiting to be undone"
	case d.Items == 0:
		return "Waiting to be processed"
	}
	return fmt.Sprintf("%s of %s done", Number(d.Items), Count(d.Total, "birth", "births"))
}

// listsChanges reports whether the page lists the changed records apart from the rows. A short list of
// rows shows them well enough.
func (d ImportDetail) listsChanges() bool {
	const short = 10
	return len(d.Changed) > 0 && (d.MoreRows || len(d.First) > short) && len(d.Changed) < len(d.First)
}

func (d ImportDetail) changedTitle() string {
	if d.Done {
		return "Records that the import changed"
	}
	return "Records on file that change"
}

// keeps reports whether the births with errors can be kept as drafts.
func (d ImportDetail) keeps() bool { return d.Drafts > 0 && d.Drafts <= d.Room }

// noDrafts returns a sentence which states that n births with errors can't be stored as drafts. If
// the user may know which records are on file, the sentence also states why.
func (d ImportDetail) noDrafts(n int) string {
	text := Count(n, "birth", "births") + " with errors cannot be kept as " + english.PluralWord(n, "a draft", "drafts")
	if d.Links {
		return text + ": the chart number is on file, or the birth does not fit into the form."
	}
	return text + "."
}

// keepLabel returns the text of the button that imports the births without errors, and stores the
// other births as drafts.
func (d ImportDetail) keepLabel() string {
	keep := fmt.Sprintf("eep %s with errors as %s", Count(d.Drafts, "birth", "births"), english.PluralWord(d.Drafts, "a draft", "drafts"))
	if d.Changes == 0 {
		return "K" + keep
	}
	return fmt.Sprintf("Import %s, k%s", Count(d.Changes, "birth", "births"), keep)
}

func (d ImportDetail) progressLabel() string {
	if d.Undoing {
		return "Births taken back"
	}
	return "Births imported"
}

func (d ImportDetail) address(more string) string { return "/registry/imports/" + d.ID + more }

// Name returns the record's chart number, by which users know the record.
func (r ImportKept) Name() string { return cmp.Or(r.Chart, "without a chart number") }
