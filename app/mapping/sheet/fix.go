package sheet

import "slices"

// Fix is a text that a user has typed in place of a wrong cell. Read reads it instead of the cell.
// The file itself isn't changed.
type Fix struct {
	Column int `json:"column"` // the cell's position in its row, from 1
	// Row is the row of the cell to fix. If it is 0, the fix is for each cell of the column that
	// contains Text.
	Row   int    `json:"row,omitzero"`
	Text  string `json:"text"` // the cell's text as TextOf returns it
	Value string `json:"value"`
}

// fixer replaces cells for which there is a fix. A fix for one row is used rather than a fix for a
// text.
type fixer struct {
	columns []int // the columns with a fix, from 1
	values  map[Fix]string
}

func newFixer(all []Fix) (f fixer) {
	f.values = map[Fix]string{}
	for _, one := range all {
		if !slices.Contains(f.columns, one.Column) {
			f.columns = append(f.columns, one.Column)
		}
		key := Fix{Column: one.Column, Row: one.Row}
		if one.Row == 0 {
			key.Text = one.Text
		}
		f.values[key] = one.Value
	}
	return f
}

// fix replaces the cells of a row for which there is a fix.
func (f fixer) fix(row Row) {
	for _, column := range f.columns {
		if column > len(row.Cells) {
			continue
		}
		cell := &row.Cells[column-1]
		value, fixed := f.values[Fix{Column: column, Row: row.Number}]
		if !fixed {
			value, fixed = f.values[Fix{Column: column, Text: TextOf(*cell)}]
		}
		if fixed {
			*cell = value
		}
	}
}

// At returns the position of the column that contains a target. The first column is 1. If there is
// no such column, At returns the first column that contains the target together with others, or
// contains part of it (holders). It returns 0 if there is none.
func (h Header) At(target string) int {
	known := slices.Index(h.Known, target)
	if known < 0 {
		known = slices.IndexFunc(h.Known, func(name string) bool { return slices.Contains(holders[target], name) })
	}
	if known < 0 || target == "" {
		return 0
	}
	at := known + 1
	for _, ignored := range h.Ignored {
		if ignored <= at {
			at++
		}
	}
	return at
}

// TextAt returns the text of a cell in the course of care. The argument row is the number of the
// row in the file, and at is the position of the cell, from 1. TextAt returns "" if there is no
// such cell.
func (c *Course) TextAt(row, at int) string {
	for _, r := range c.Rows {
		if r.Number == row && at > 0 && at <= len(r.Cells) {
			return TextOf(r.Cells[at-1])
		}
	}
	return ""
}
