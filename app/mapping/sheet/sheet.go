// Package sheet reads and writes spreadsheets of births: CSV files with a header row and
// a row for each newborn.
//
// Format.Read yields one Course for each birth. Sniffer finds out whether a file is text
// and how it is encoded, before the reader runs. Format.Rows writes a record as the
// reader reads it, and Template and Dictionary describe the columns.
//
// A row is a newborn with its mother and its birth. Consecutive rows with the same chart number
// are one course of care, such as the rows of twins. The later rows may leave the columns of
// the mother and the care blank; a value that contradicts the first row is an error. A chart
// number that occurs again further down is an error, too, because its rows would overwrite
// values from the same file. A row without a chart number is a course of its own.
//
// A blank cell states nothing, and never means "no". A cell that cannot be read is an error,
// and an error in one row rejects the whole course: unlike the sender of a Bundle, a person who
// has the spreadsheet open can fix the row. No error repeats the content of a cell. In a record
// on file, a row changes the values that it states, and what follows from them. The reader holds
// one course at a time, whatever the size of the file, which may have MaxRows rows.
package sheet

import (
	"hash/maphash"
	"io"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// Format is the form of a spreadsheet: its encoding and its columns.
type Format struct {
	Encoding Encoding
	// Custom lists the practice's custom fields, which are the columns x_KEY.
	Custom []birth.CustomField
	// Layout states how to read the file. Without a layout, the columns must have the
	// registry's names, and in a date such as 3/2/2026 the month comes first.
	Layout *Layout
	// Fixes lists what a person has typed in place of wrong cells.
	Fixes []Fix
}

// Course is one course of care of a file. Item.Draft is the draft of a new record, and
// Item.Amend returns the draft for a record on file. Item.Problem is set if a row is wrong.
type Course struct {
	mapping.Item
	// Rows are its rows, numbered as in the spreadsheet, with the fixes.
	Rows []Row
	// Wrong lists the cells that are wrong.
	Wrong []Cell
	// Notes lists cells that can be read but may be a mistake.
	Notes []Cell
	// Unread holds the texts of the wrong cells of spine fields, by the place of their value. It is
	// nil if no cell is wrong.
	Unread map[birth.Path]string
	// Born is the time or date of birth of the first row as it was read, or empty.
	Born string

	stated  birth.Draft // the values that the file states, without those of wrong cells
	consent bool        // set if the file states a consent decision
}

// Row is a row as written in the file, with the fixes.
type Row struct {
	Number int
	Cells  []string
}

// Cell states what is wrong with a cell and what to do. Text never has the cell's content.
type Cell struct {
	Row    int    `json:"row"`
	Column string `json:"column,omitzero"` // "" if the row as a whole is wrong
	Text   string `json:"text"`
	// At is the position of the cell in its row, from 1, or 0 if no single cell is wrong.
	At int `json:"at,omitzero"`
	// Record is the ID of the record on file that the row amends, or empty. Only the preview
	// sets it.
	Record string `json:"record,omitzero"`
	// Value is the cell's content, which only the preview shows.
	Value string `json:"-"`
}

// UnreadableRow is the reason to reject a row with wrong cells. It isn't in the catalog of the
// push endpoints, because it never applies to a Bundle.
var UnreadableRow = &fhir.Problem{
	Name: "unreadable-row", Code: "value",
	Text: "The row has cells that cannot be read.",
	Hint: "The error file names each of them; correct them and import that file.",
}

// Read reads a file. It calls head with the header, then yield with each course of care in
// order, and holds one course at a time. It returns a *Problem if the file as a whole can't be
// read, and any error that head or yield returns.
func (c Format) Read(from io.Reader, head func(Header) error, yield func(*Course) error) error {
	r := &reader{layout: c.Layout, calendar: calendar{order: MonthFirst}, yield: yield, fixes: newFixer(c.Fixes), seen: map[uint64]int{}, seed: maphash.MakeSeed()}
	if c.Layout != nil {
		r.calendar = calendar{c.Layout.Dates, max(c.Layout.LastYear, 0)}
		if r.calendar.order == NoDateOrder {
			r.calendar.order = ""
		}
	}
	header, err := r.open(c, from)
	if err != nil {
		return err
	}
	if err := head(header); err != nil {
		return err
	}
	for cells, err := range r.scan.filled() {
		if err != nil {
			return err
		}
		if c.Layout != nil && notBirth(header.Cells, cells) {
			continue
		}
		if err := r.add(Row{r.scan.row, cells}); err != nil {
			return err
		}
	}
	if r.rows == 0 {
		return noRows
	}
	return r.flush()
}

// reader reads a file. It collects the rows of one course at a time and passes each course to yield.
type reader struct {
	scan     scanner
	columns  []*knownColumn
	layout   *Layout // nil if the file has the registry's names
	calendar calendar
	fixes    fixer
	yield    func(*Course) error

	rows int
	at   *courseRows
	// before is the last course that was yielded.
	before *Course
	seen   map[uint64]int // the first row of each chart number, by its hash
	seed   maphash.Seed
}

// open begins to read a file: it reads the header and finds the column at each position.
func (r *reader) open(c Format, from io.Reader) (header Header, err error) {
	r.scan.text = c.Encoding.decode(from)
	r.scan.delimiter = separator(r.scan.text)
	if c.Layout != nil {
		r.scan.delimiter = c.Layout.Delimiter
		return r.follow(c)
	}
	names := c.index()
	if r.scan.delimiter == 0 {
		r.scan.delimiter = delimiterOf(r.scan.text, names)
	}
	header, r.columns, err = r.scan.readHeader(names)
	return header, err
}

// follow reads up to the header row that the layout names, and sets the columns.
func (r *reader) follow(c Format) (h Header, err error) {
	for r.scan.row < c.Layout.Row {
		if h.Cells, err = r.scan.next(); err != nil {
			return h, unreadable(0, "The file ends before its header. Upload it again.")
		}
	}
	h.Delimiter, h.Cells = r.scan.delimiter, trimmed(h.Cells)
	targets := map[string]*knownColumn{}
	all := c.targets()
	for i := range all {
		targets[all[i].name] = &all[i]
	}
	r.columns = make([]*knownColumn, len(h.Cells))
	for i := range h.Cells {
		if r.columns[i] = targets[c.Layout.column(i).Name]; r.columns[i] == nil {
			h.Ignored = append(h.Ignored, i+1)
			continue
		}
		h.Known = append(h.Known, r.columns[i].name)
	}
	return h, nil
}

// add reads a row, which is another newborn of the current course or begins a new course.
func (r *reader) add(row Row) error {
	r.rows++
	r.fixes.fix(row)
	n := r.read(row)
	if c := r.at; c != nil && n.chart != "" && n.chart == c.chart && len(c.rows) <= mapping.MaxSiblings {
		c.join(n)
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	r.at = newCourse(n)
	if n.chart == "" {
		return nil
	}
	key := maphash.String(r.seed, n.chart)
	if before, again := r.seen[key]; again {
		r.at.wrong(n, chartColumn, "This chart number is also in row %d. Put all newborns of one birth into rows that follow each other, and give each birth a chart number of its own.", before)
		return nil
	}
	r.seen[key] = row.Number
	return nil
}

// flush yields the current course, if there is one.
func (r *reader) flush() error {
	if r.at == nil {
		return nil
	}
	done := r.at.done()
	done.noteSibling(r.before)
	r.at, r.before = nil, done
	return r.yield(done)
}

// Text returns the row's first cells. It returns exactly the given number of cells, and blank ones
// in place of missing cells.
func (row Row) Text(columns int) []string {
	cells := make([]string, columns)
	copy(cells, row.Cells)
	return cells
}
