package views

import "strconv"

// Duplicates is the review of possible duplicates.
type Duplicates struct {
	Waiting []PairRow
	Next    string // the address of the pairs behind these
	// Again is how many records were sent again after they had been merged away;
	// OnlyAgain says that the decisions listed are those.
	Again     string
	OnlyAgain bool
	Decided   []Decided
	Earlier   string // the address of the decisions before these
	MayDecide bool
}

// PairRow is two records that wait for a review.
type PairRow struct {
	Href         string
	Older, Newer PairedRecord
	State        string // why a pair that was merged waits again
}

// PairedRecord is one of them in the list.
type PairedRecord struct {
	Href, Name, Born, Initials, Source, At string
}

// Decided is a decision in the list.
type Decided struct {
	ID            int64
	What, Who, At string
	Stays, Goes   Link
	Undone        string // by whom and when, "" when it stands
	Again         bool
	Lost          bool   // the record that stays counts no longer
	Chained       bool   // since it was merged on
	Compare       string // the address of what has been sent since
	MayUndo       bool
}

// LostText says why neither of two that were merged counts.
func (d Decided) LostText() string {
	if d.Chained {
		return upperFirst(d.Stays.Text) + " was merged on"
	}
	return "Neither counts: " + d.Stays.Text + " is voided"
}

// PairPage is two records side by side.
type PairPage struct {
	Path         string // of the pair
	Left, Right  PairRecord
	Differ, Same []PairPart
	MayDecide    bool
	Waits        bool
	Counts       string // a warning when the newborns are not the same number
	State        string // why the pair does not wait
	Merge        *ReopenedMerge
}

// ReopenedMerge is a merge whose record that stays counts no longer.
type ReopenedMerge struct {
	ID         int64
	Text, Goes string
	Restore    *Link
}

// PairRecord is one of the two records.
type PairRecord struct {
	ID, Name, Chart string
	Tags            []TagText
	Source, Created string
	Newborns        int
	Version         int
	Events          []RecordEvent
	More            bool
}

// Title is how the record is called at the beginning of a line.
func (r PairRecord) Title() string { return upperFirst(r.Name) }

// Called is the record without the word before its chart number.
func (r PairRecord) Called() string {
	if r.Chart != "" {
		return r.Chart
	}
	return "the one without a chart number"
}

// PairPart is one part of a record, with the value of each of the two.
type PairPart struct {
	Key, Label          string
	Left, Right         string
	LeftFrom, RightFrom string
	Taken               bool // from the right one, which goes
}

// MergePage is where a merge is put together. The left record stays.
type MergePage struct {
	PairPage
	Reason   Input
	Mistakes []Mistake
	Pushed   bool // the record that stays is fed by pushes
}

// VoidOnePage asks why one of two is voided. The left record stays.
type VoidOnePage struct {
	Path        string
	Left, Right PairRecord
	Reason      Input
	Mistakes    []Mistake
}

// UndoPage asks before a decision is taken back.
type UndoPage struct {
	Decided
	Does []string // what undoing it does
}

func partID(key, side string) string { return "part." + key + "." + side }

func upperFirst(text string) string {
	if text == "" {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

func versionWord(n int) string { return "Version " + strconv.Itoa(n) }
