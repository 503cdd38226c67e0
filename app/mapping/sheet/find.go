package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// searched is how many rows at the beginning of a file are searched for the header.
const searched = 20

// numbered is a row of a file with its row number.
type numbered struct {
	number int
	cells  []string
}

// find returns a layout that has the file's delimiter, the row of the header and the names of the
// columns. It chooses the row and the delimiter with the best score. If the argument delimiter
// isn't 0, it uses this delimiter. Titles and a row with names of groups may come before the
// header.
func (g *guesser) find(text *bufio.Reader, delimiter byte) (*Layout, error) {
	peek, _ := text.Peek(peekSize)
	candidates := []byte(delimiters)
	if delimiter != 0 {
		candidates = []byte{delimiter}
	}
	var best *Layout
	score, width := -1, 0
	var broken error
	for _, d := range candidates {
		rows, err := beginning(peek, d)
		if broken == nil {
			broken = err
		}
		found, n := g.header(rows)
		if found == nil {
			continue
		}
		if w := len(found.Columns); n > score || n == score && w > width {
			found.Delimiter = d
			best, score, width = found, n, w
		}
	}
	switch {
	case score > 0:
		return best, nil
	case broken != nil && !errors.Is(broken, io.EOF):
		return nil, broken
	case best == nil:
		return nil, emptyFile
	}
	return nil, unreadable(best.Row, noKnownColumn+" Then you can match the others.")
}

// noKnownColumn is the problem if a file has no known header.
const noKnownColumn = "No column has a name that is known here. Name one of them as the template does, such as chart_number."

// beginning returns the first rows that aren't blank, at most as many as the constant searched. If
// a row can't be read, it returns the rows before it and the error. The last row can't be read if
// peek ends inside a quoted cell.
func beginning(peek []byte, delimiter byte) (rows []numbered, err error) {
	s := scanner{text: bufio.NewReader(bytes.NewReader(peek)), delimiter: delimiter}
	for len(rows) < searched {
		cells, err := s.nextFilled()
		if err != nil {
			return rows, err
		}
		rows = append(rows, numbered{s.row, trimmed(cells)})
	}
	return rows, nil
}

// header returns a layout with the best header among the rows, and the score of this header.
func (g *guesser) header(rows []numbered) (best *Layout, score int) {
	score = -1
	for i, row := range rows {
		names := shortened(row.cells)
		if n := g.score(names); n > score {
			best, score = &Layout{Row: row.number, Columns: columnsOf(names)}, n
		}
		if i == 0 || rows[i-1].number != row.number-1 || filledCells(rows[i-1].cells) < 2 {
			continue
		}
		names = grouped(rows[i-1].cells, row.cells)
		if n := g.score(names); n > score {
			best, score = &Layout{Row: row.number, Groups: true, Columns: columnsOf(names)}, n
		}
	}
	return best, score
}

// score returns how likely it is that names are the cells of a header. A name that can stand for
// only one column of the registry gets two points. A name that can stand for several columns gets
// one point. A name gets none if its best column is also the best column of an earlier name.
func (g *guesser) score(names []string) (n int) {
	seen := map[*knownColumn]bool{}
	for _, name := range names {
		found, _ := g.candidates(name)
		if len(found) == 0 || seen[found[0]] {
			continue
		}
		seen[found[0]] = true
		if n++; len(found) == 1 {
			n++
		}
	}
	return n
}

func filledCells(cells []string) (n int) {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

func shortened(cells []string) []string {
	names := make([]string, len(cells))
	for i, cell := range cells {
		names[i] = cut(strings.Join(strings.Fields(cell), " "), MaxText)
	}
	return names
}

// grouped returns the names of the columns, each after the name of its group. If the cell with a
// group's name is merged over several columns, the name is in the first of them.
func grouped(above, cells []string) []string {
	names := make([]string, max(len(above), len(cells)))
	group := ""
	for i := range names {
		upper, lower := "", ""
		if i < len(above) {
			upper = strings.TrimSpace(above[i])
		}
		if i < len(cells) {
			lower = strings.TrimSpace(cells[i])
		}
		if upper != "" {
			group = upper
		}
		switch {
		case lower == "":
			names[i] = upper
		case group == "":
			names[i] = lower
		default:
			names[i] = group + groupMark + lower
		}
	}
	return shortened(names)
}

// groupMark comes between the name of a group and the name of a column.
const groupMark = " › "

func columnsOf(names []string) []Column {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i] = Column{Header: name}
	}
	return columns
}
