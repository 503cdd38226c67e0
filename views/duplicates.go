package views

import (
	"cmp"
	"strconv"
)

// Duplicates is the page on which users review possible duplicates.
type Duplicates struct {
	Waiting []PairRow
	Next    string // the address of the next pairs
	Further bool   // pairs come before these
	// Again says how many merged records were sent again, or is "" if there are none. OnlyAgain is
	// set if the page lists only the decisions about such records.
	Again     string
	OnlyAgain bool
	Decided   []Decided
	Earlier   string // the address of earlier decisions
	MayDecide bool
}

// PairRow is a pair of records that waits for a review, in the list of pairs.
type PairRow struct {
	Href         string
	Older, Newer PairedRecord
	State        string // why a merged pair waits again
}

// PairedRecord is one record of a pair, in the list of pairs.
type PairedRecord struct {
	Name, Born, Initials, Source, At string
}

// Decided is a decision about two records, in the list of decisions.
type Decided struct {
	ID            int64
	What, Who, At string
	Stays, Goes   Link
	Undone        string // by whom and when it was undone, or "" if it is in effect
	Again         bool
	Lost          bool   // set if the record that stays no longer counts
	Chained       bool   // set if it no longer counts because it was merged into another record
	Compare       string // the address that compares the merged record with what was sent later
	MayUndo       bool
}

// LostText returns the reason why the record that stayed after a merge no longer counts.
func (d Decided) LostText() string {
	if d.Chained {
		return UpperFirst(d.Stays.Text) + " was merged into another record"
	}
	return "Neither counts: " + d.Stays.Text + " is voided"
}

// PairPage shows two records side by side.
type PairPage struct {
	Path         string // the path of the pair
	Left, Right  PairRecord
	Differ, Same []PairPart
	MayDecide    bool
	Waits        bool
	Counts       string // a warning if the records have different numbers of newborns
	State        string // why the pair doesn't wait for a review
	Merge        *ReopenedMerge
}

// ReopenedMerge is a merge that waits for a review again, because the record that stayed no longer
// counts.
type ReopenedMerge struct {
	ID         int64
	Text, Goes string
	Restore    *Link
}

// PairRecord is one of the two records on the page of a pair.
type PairRecord struct {
	ID, Name, Chart string
	Mother, Born    string
	Tags            []TagText
	Source, Created string
	Newborns        int
	Version         int
	Events          []RecordEvent
	More            bool
}

// Title returns the record's name, capitalized for the beginning of a line.
func (r PairRecord) Title() string { return UpperFirst(r.Name) }

// born states the time of birth, after the mother's name if the record has one.
func (r PairRecord) born() string {
	switch {
	case r.Born == "":
		return ""
	case r.Mother == "":
		return "Born " + r.Born
	}
	return ", born " + r.Born
}

// Called is the record's chart number, or words for a record without one.
func (r PairRecord) Called() string { return cmp.Or(r.Chart, "the one without a chart number") }

// PairPart is one part of two records, with the values of both.
type PairPart struct {
	Key, Label          string
	Left, Right         string
	LeftFrom, RightFrom string
	Taken               bool // set if the merge takes the part from the right record
}

// MergePage is the page on which a user chooses the values of a merged record. The left record
// stays.
type MergePage struct {
	PairPage
	Reason Input
	Pushed bool // set if pushes update the record that stays
}

// VoidOnePage is the page that asks why one record of a pair should be voided. The left record
// stays.
type VoidOnePage struct {
	PairPage
	Reason Input
}

// UndoPage is the page that asks for confirmation before a decision is undone.
type UndoPage struct {
	Decided
	Does []string // the effects of undoing the decision
}

func partID(key, side string) string { return "part." + key + "." + side }

func versionWord(n int) string { return "Version " + strconv.Itoa(n) }
