package views

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// ImportWrong is a column of the file, with those of its texts that can't be imported.
type ImportWrong struct {
	// Header and Letter identify the column in the file. Both are "" if the error belongs to no
	// column. Field is the field that the column contains.
	Header, Letter, Field string
	// Hint says how the values must be written. If only some values are possible, Allowed lists
	// them.
	Hint    string
	Allowed []string
	List    string // the ID of the element that lists Allowed
	Values  []ImportValue
}

// ImportValue is a text that can't be imported. It may be in several cells of a column.
type ImportValue struct {
	Value, Text string
	Count       int
	Rows        []int // the first rows that hold the text
	// Records lists the IDs of the records that would be amended by the rows with the text, with ""
	// for a new birth. It is empty if the person may not open records.
	Records []string
	// Input is the box for the text that should replace this one. It has no name if the cells can't
	// be fixed on this page. Which lists the rows with the text, so that the user can choose which
	// rows to fix.
	Input Input
	Which []Choice
}

// ImportFixes lists the texts with which users have replaced wrong cells.
type ImportFixes struct {
	Most int // how many there may be
	List []ImportFix
	// Problem says why the text that was typed last wasn't accepted.
	Problem string
	// Revision is the revision of the preview on the page.
	Revision int
}

// ImportFix is a text in the file, with the text that replaces it.
type ImportFix struct {
	Header, Text, Value, Where string
	Wrong                      bool // set if the replacement (Value) is wrong, too
}

// title returns the name by which users know the column: its header or, without a header, its
// field.
func (w ImportWrong) title() string {
	if w.Header == "" {
		return w.Field
	}
	return w.Header
}

func (w ImportWrong) about() string {
	if w.Header == "" {
		return ""
	}
	return fmt.Sprintf("column %s, read as %s", w.Letter, w.Field)
}

// Where returns the words that say which rows contain the value, such as "in rows 3, 4 and 2 more".
func (v ImportValue) Where() string {
	where := "in " + english.PluralWord(len(v.Rows), "row ", "rows ") + rowList(v.Rows)
	if more := v.Count - len(v.Rows); more > 0 {
		where += " and " + Number(more) + " more"
	}
	return where
}

func rowList(rows []int) string {
	texts := make([]string, len(rows))
	for n, row := range rows {
		texts[n] = strconv.Itoa(row)
	}
	return strings.Join(texts, ", ")
}

// fixable reports whether the preview has a box in which the user can replace a wrong value.
func (d ImportDetail) fixable() bool {
	return slices.ContainsFunc(d.Wrong, ImportWrong.boxes)
}

func (w ImportWrong) boxes() bool {
	return slices.ContainsFunc(w.Values, func(v ImportValue) bool { return v.Input.Name != "" })
}
