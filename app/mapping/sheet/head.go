package sheet

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"birthregistry/app/birth"
)

// Header holds the content of a file's header row.
type Header struct {
	// Cells has the names as they are written. Known has the names of the columns that are read.
	// Ignored has the positions of the columns that aren't read, from 1.
	Cells   []string
	Known   []string
	Ignored []int
	// Delimiter is the character between the cells.
	Delimiter byte
}

// Columns that are not fields of the spine.
const (
	chartColumn       = "chart_number"
	consentColumn     = "consent_granted"
	consentTimeColumn = "consent_date_time"
)

// knownColumn is a column that the reader knows. It says how the cells of the column are read.
type knownColumn struct {
	name  string
	label string
	field *birth.Field // the field of the spine or of a transfer, or nil
	// transfer returns a pointer to the column's field in a transfer. It is nil if the column isn't
	// about a transfer.
	transfer func(*birth.Transfer) *string
	custom   *birth.CustomField // the practice's custom field, or nil
	// read reads a cell that contains several fields or part of a field. It returns what is wrong
	// with the cell, or "". The field about is the subject of the values.
	read  func(r *reader, n *newborn, text, as string) string
	about birth.Subject
}

// columns returns the columns that a file may have, in the order of the template. The columns that
// later editions of the spine have added come after those of the first edition. The columns for a
// transfer come last.
func (c Format) columns() []knownColumn {
	all := []knownColumn{{name: chartColumn, label: "Chart number"}}
	all = append(all, spineColumns(0)...)
	all = append(all, knownColumn{name: consentColumn, label: "Consent granted"},
		knownColumn{name: consentTimeColumn, label: "Consent given at"})
	for i := range c.Custom {
		if f := &c.Custom[i]; !f.Retired {
			all = append(all, knownColumn{name: f.Name(), label: f.Label, custom: f})
		}
	}
	for edition := 1; edition < birth.Editions; edition++ {
		all = append(all, spineColumns(edition)...)
	}
	for _, m := range birth.TransferMembers {
		all = append(all, knownColumn{name: m.Name, label: m.Label, field: m.Field, transfer: m.Of})
	}
	return all
}

// spineColumns returns the columns for one edition of the spine.
func spineColumns(edition int) (all []knownColumn) {
	for _, f := range birth.Spine {
		if f.Edition == edition && (!f.Derived || f.Name == "attendant_type") {
			all = append(all, knownColumn{name: f.Name, label: f.Label, field: f})
		}
	}
	return all
}

// index maps each text that may name a column in a header to the column. These texts are the name,
// the label, and the label with its unit. If several columns have the same text, a name is
// preferred to a label, and an earlier column to a later one.
func (c Format) index() map[string]*knownColumn {
	all := c.columns()
	names := map[string]*knownColumn{}
	for i := range all {
		names[plain(all[i].name)] = &all[i]
	}
	for i := range all {
		label := all[i].label
		ways := []string{label}
		if f := all[i].field; f != nil && f.UnitLabel() != "" {
			ways = append(ways, fmt.Sprintf("%s (%s)", label, f.UnitLabel()))
		}
		for _, way := range ways {
			if key := plain(way); key != "" && names[key] == nil {
				names[key] = &all[i]
			}
		}
	}
	return names
}

// plain returns only the letters and digits of a name, in lower case.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// delimiters has the characters that may separate cells.
const delimiters = ",;\t|"

// delimiterOf returns the delimiter with which the header row has the most known columns. If
// several delimiters give the same number, it returns the one that gives the most columns in all.
func delimiterOf(text *bufio.Reader, names map[string]*knownColumn) byte {
	peek, _ := text.Peek(peekSize)
	var best byte = ','
	most, widest := -1, 0
	for _, d := range []byte(delimiters) {
		s := scanner{text: bufio.NewReader(bytes.NewReader(peek)), delimiter: d}
		cells, err := s.nextFilled()
		if err != nil { // readHeader reports the error; this counts the cells before it
			cells = s.cells()
		}
		known := 0
		for _, cell := range cells {
			if names[plain(cell)] != nil {
				known++
			}
		}
		if known > most || known == most && len(cells) > widest {
			best, most, widest = d, known, len(cells)
		}
	}
	return best
}

// readHeader reads the header row. It returns the header, and the column at each position. The
// column is nil if it is ignored. readHeader fails if the file is empty, if the row can't be read,
// if a column occurs twice, or if no column is known.
func (s *scanner) readHeader(names map[string]*knownColumn) (Header, []*knownColumn, error) {
	cells, err := s.nextFilled()
	if err == io.EOF { //nolint:errorlint // the io.Reader contract: EOF comes unwrapped
		return Header{}, nil, emptyFile
	}
	if err != nil {
		return Header{}, nil, err
	}
	cells = trimmed(cells)
	h := Header{Cells: cells, Delimiter: s.delimiter}
	read := make([]*knownColumn, len(cells))
	at := map[*knownColumn]int{}
	for i, cell := range cells {
		column := names[plain(cell)]
		switch {
		case column == nil:
			h.Ignored = append(h.Ignored, i+1)
			continue
		case at[column] > 0:
			return h, nil, unreadable(s.row, "Columns %s and %s both have the header of %s. Delete or rename one of them.",
				Position(at[column]), Position(i+1), column.name)
		}
		at[column], read[i] = i+1, column
		h.Known = append(h.Known, column.name)
	}
	if len(h.Known) == 0 {
		return h, nil, unreadable(s.row, noKnownColumn)
	}
	return h, read, nil
}

// trimmed returns a row without the blank cells at its end.
func trimmed(cells []string) []string {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// Position returns the letters that spreadsheets use for a column. For example, 1 is A and 28 is
// AB.
func Position(n int) string {
	name := ""
	for ; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}
