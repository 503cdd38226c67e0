package views

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
)

// ImportPage is the page on which a file is chosen, with those before it.
type ImportPage struct {
	// May says that the person may upload.
	May     bool
	Problem string // with the file that was sent
	MaxMiB  int
	MaxRows string
	List    []ImportLine
}

// ImportLine is an import in the list.
type ImportLine struct {
	ID, Name, By string
	At           time.Time
	Rows         int
	State        State
	Undo         bool // the person may undo it
}

// State is a state in words, with the kind of its tag.
type State struct{ Kind, Text string }

// ImportDetail is one import: its preview, its progress or its result.
type ImportDetail struct {
	ImportLine
	// May says that the person may confirm it, Links that they may open the
	// records; who may do neither sees the counts alone.
	May, Links bool

	// Matched is how the columns are read where a person has said so, Remembered that it
	// was said of an earlier file, and Rematch that it can be changed. Skipped are the rows
	// that are no births.
	Matched             []ImportMatched
	Remembered, Rematch bool
	Skipped             []int

	Encoding, Delimiter string
	Known               int
	Ignored             []string

	Confirmed, Done, Failed, Kept bool
	Waiting                       bool // for its columns to be matched
	// Undoing says that it is being undone; Items then counts how far.
	Undoing         bool
	Undo            ImportUndo
	Items, Total    int
	Counts          []ImportCount
	Errors, Changes int // rows with errors; those that would change something
	Suspected       int
	Columns         []ImportCount
	Cells           []ImportCell
	MoreCells       int
	// Values groups the wrong cells by what they say; MoreValues says that there are others.
	Values     []ImportValue
	MoreValues bool
	// Drafts counts the births with errors that can be kept as drafts, Room how many
	// drafts the person may still begin, and DraftError why they could not be kept.
	Drafts, Room int
	DraftError   string
	Unlikely     int // births of which something is improbable
	Notes        []ImportCell
	First        []ImportRow
	MoreRows     bool
	// LeaveOut is the tick that was missing, with its error.
	LeaveOut Input
}

// ImportUndo is what the undo of an import would do, or has done.
type ImportUndo struct {
	May   bool      // the person may undo it
	Until time.Time // it can be undone
	Late  bool      // it could be undone until then
	By    string
	Ended time.Time // zero before its end
	// Voided, Restored and Kept count the births that are voided, that get back what they
	// were before the import, and that stay as they are. Records are some of the last.
	Voided, Restored, Kept int
	Records                []ImportKept
}

// ImportKept is a record that an undo leaves as it is.
type ImportKept struct {
	Record, Chart, Why string
	Changed            time.Time
}

// ImportCount is a number and the noun for what it counts.
type ImportCount struct {
	N    int
	Text string
}

// ImportValue is a text that cannot be read, in one or more cells of a column.
type ImportValue struct {
	Column, Value, Text string
	Allowed             []string // the values that the column takes
	Count               int
	Rows                []int // the first of them
}

// Where names the rows.
func (v ImportValue) Where() string {
	var rows []string
	for _, row := range v.Rows {
		rows = append(rows, fmt.Sprint(row))
	}
	if more := v.Count - len(rows); more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(rows, ", "), more)
	}
	return strings.Join(rows, ", ")
}

// ImportCell is a cell that is wrong, and how to write it.
type ImportCell struct {
	Row          int
	Column, Text string
}

// ImportRow is what becomes of a row.
type ImportRow struct {
	Row, Rows int
	State     State
	Suspected bool
	// Chart and Born are what was read in a preview.
	Chart, Born string
	Record      string // its id, "" when the person may not open it or there is none
}

// rows names the rows of a course.
func (r ImportRow) rows() string {
	if r.Rows > 1 {
		return fmt.Sprintf("%d–%d", r.Row, r.Row+r.Rows-1)
	}
	return fmt.Sprint(r.Row)
}

// Percent is how far an import is.
func (d ImportDetail) Percent() int { return 100 * d.Items / max(d.Total, 1) }

// Progress is how far an import is, in words.
func (d ImportDetail) Progress() string {
	switch {
	case d.Undoing && d.Items == 0:
		return "Waiting to be undone"
	case d.Items == 0:
		return "Waiting to be processed"
	}
	return fmt.Sprintf("%d of %s done", d.Items, english.Plural(d.Total, "birth", "births"))
}

// keepLabel says what importing with drafts does.
func (d ImportDetail) keepLabel() string {
	keep := fmt.Sprintf("eep %s with errors as %s", english.Plural(d.Drafts, "birth", "births"), english.PluralWord(d.Drafts, "a draft", "drafts"))
	if d.Changes == 0 {
		return "K" + keep
	}
	return fmt.Sprintf("Import %s, k%s", english.Plural(d.Changes, "birth", "births"), keep)
}

func (d ImportDetail) progressLabel() string {
	if d.Undoing {
		return "Births taken back"
	}
	return "Births imported"
}

func (d ImportDetail) address(more string) string { return "/registry/imports/" + d.ID + more }

// Name is the chart number, by which a person knows the record.
func (r ImportKept) Name() string { return cmp.Or(r.Chart, "without a chart number") }
