package sheet

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// The limits of a file. A practice with a thousand births a year adds a row every eight hours. A
// file beyond these limits is not a spreadsheet of births.
const (
	// MaxRows is the maximum number of rows in a file, without the header row. Blank rows and rows
	// before the header are counted.
	MaxRows = 100_000
	// maxColumns is the maximum number of columns in a row. The template has about a hundred.
	maxColumns = 1000
	// maxRow is the maximum length of a row, in bytes of UTF-8.
	maxRow = 256 << 10
)

// scanner reads the rows of a CSV file in the form in which spreadsheets write them (RFC 4180, but
// as lenient as Excel). It accepts any line endings, line endings in quoted cells, and literal
// quotes in unquoted cells. It is used because encoding/csv doesn't limit the length of a row,
// doesn't accept bare carriage returns, and can't report where a quote was left open.
type scanner struct {
	text      *bufio.Reader
	delimiter byte

	row  int // the last row read; rows are counted as a spreadsheet counts them
	line int // the line of the file on which that row ends
	cell []byte
	ends []int
	open int // the line on which the current quote was opened
	last byte
}

// next returns the cells of the next row. It returns io.EOF after the last row.
func (s *scanner) next() ([]string, error) {
	s.cell, s.ends = s.cell[:0], s.ends[:0]
	if _, err := s.text.Peek(1); err != nil {
		return nil, err
	}
	s.row++
	s.line++
	for more := true; more; {
		var err error
		if more, err = s.readCell(); err != nil {
			return nil, err
		}
		s.ends = append(s.ends, len(s.cell))
		if len(s.ends) > maxColumns {
			return nil, unreadable(s.row, "It has more than %d columns. Use the template, and delete the columns it does not have.", maxColumns)
		}
	}
	if s.row > MaxRows+1 {
		return nil, unreadable(0, "The file has more than %s rows after the header. Split it into several files. Blank rows count, too: delete those below the last birth.", humanize.Comma(MaxRows))
	}
	return s.cells(), nil
}

// nextFilled returns the cells of the next row that isn't blank. It returns io.EOF after the last
// row.
func (s *scanner) nextFilled() ([]string, error) {
	for {
		cells, err := s.next()
		if err != nil || !emptyRow(cells) {
			return cells, err
		}
	}
}

// filled yields the remaining rows that aren't blank. If there is an error, it yields the error
// last.
func (s *scanner) filled() iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for {
			cells, err := s.nextFilled()
			if errors.Is(err, io.EOF) || !yield(cells, err) || err != nil {
				return
			}
		}
	}
}

func emptyRow(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

// cells returns those cells of the current row that have been read.
func (s *scanner) cells() []string {
	cells, from := make([]string, len(s.ends)), 0
	whole := string(s.cell)
	for i, end := range s.ends {
		cells[i], from = whole[from:end], end
	}
	return cells
}

// readCell reads a cell and reports whether there is another one in the row.
func (s *scanner) readCell() (more bool, err error) {
	quoted := false
	if b, err := s.text.Peek(1); err == nil && b[0] == '"' {
		_, _ = s.text.Discard(1) // can't fail, because the byte was just peeked at
		quoted, s.open = true, s.line
	}
	for {
		b, err := s.text.ReadByte()
		if errors.Is(err, io.EOF) && !quoted {
			return false, nil
		}
		if errors.Is(err, io.EOF) || err == nil && quoted && len(s.cell) >= maxRow {
			return false, unreadable(s.row, "A quotation mark opened on line %d of the file is not closed. "+
				"Close it, or double it when it belongs to the text.", s.open)
		}
		if err != nil {
			return false, err
		}
		switch {
		case b == 0:
			return false, unreadable(s.row, "It holds a NUL character, which no spreadsheet writes. %s", asCSV)
		case quoted && b == '"':
			if next, err := s.text.Peek(1); err == nil && next[0] == '"' {
				_, _ = s.text.Discard(1)
				break
			}
			quoted = false
			continue
		case quoted:
			s.countLine(b)
		case b == s.delimiter:
			return true, nil
		case b == '\n' || b == '\r':
			if next, err := s.text.Peek(1); err == nil && b == '\r' && next[0] == '\n' {
				_, _ = s.text.Discard(1)
			}
			return false, nil
		}
		s.last = b
		s.cell = append(s.cell, b)
		if len(s.cell) > maxRow {
			return false, unreadable(s.row, "It is longer than any row of births. %s", asCSV)
		}
	}
}

// countLine counts line endings inside quotes.
func (s *scanner) countLine(b byte) {
	if b == '\r' || b == '\n' && s.last != '\r' {
		s.line++
	}
}
