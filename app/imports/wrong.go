package imports

import (
	"birthregistry/app/mapping/sheet"
)

// WrongValue is a text that can't be imported, together with the rows that have it in one column.
type WrongValue struct {
	Column string `json:"column,omitzero"`
	// At is the position of the column in the file. The first column is 1. At is 0 if the error
	// doesn't belong to a column.
	At    int    `json:"at,omitzero"`
	Value string `json:"value,omitzero"` // "" once the file is deleted
	Text  string `json:"text"`
	// Unread is set if the text can't be read in any row of the column. Otherwise, the text
	// contradicts other values of its row or of the file.
	Unread bool  `json:"unread,omitzero"`
	Count  int   `json:"count"`
	Rows   []int `json:"rows"` // the first rows with the text
	// Records lists the IDs of the existing records that these rows amend. For the row of a new
	// birth, the ID is "".
	Records []string `json:"records,omitzero"`
}

// The limits for the wrong values that a preview lists. They limit the number of values, the number
// of rows for each value, and the length of a value's text in characters.
const (
	wrongListed  = 50
	wrongRows    = 5
	wrongMaxText = 100
	// cutMark is added to the end of a text that was cut.
	cutMark = "…"
)

// countValue counts a wrong cell of a course of care under its column and text.
func (p *Preview) countValue(c sheet.Cell, course *sheet.Course) {
	now := WrongValue{Column: c.Column, At: c.At, Value: c.Value, Text: c.Text, Unread: c.Value != ""}
	if now.Value == "" && c.At > 0 {
		now.Value = course.TextAt(c.Row, c.At)
	}
	if runes := []rune(now.Value); len(runes) > wrongMaxText {
		now.Value = string(runes[:wrongMaxText]) + cutMark
	}
	for i := range p.Values {
		if w := &p.Values[i]; w.same(now) {
			if w.Count++; len(w.Rows) < wrongRows {
				w.Rows, w.Records = append(w.Rows, c.Row), append(w.Records, c.Record)
			}
			return
		}
	}
	if len(p.Values) < wrongListed {
		now.Count, now.Rows, now.Records = 1, []int{c.Row}, []string{c.Record}
		p.Values = append(p.Values, now)
	}
}

func (w WrongValue) same(as WrongValue) bool {
	return w.Column == as.Column && w.At == as.At && w.Value == as.Value && w.Text == as.Text && w.Unread == as.Unread
}
