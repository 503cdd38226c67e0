// Package sheet reads and writes spreadsheets of births: CSV files with a header row and a row for
// each newborn.
//
// Format.Read yields one Course for each birth. Before that, Sniffer finds out whether a file is
// text and how it is encoded. Format.Rows writes a record in the form in which Format.Read reads
// it. Template and Dictionary describe the columns.
//
// A row is a newborn with its mother and its birth. Consecutive rows with the same chart number are
// one course of care, such as the rows of twins. In all but the first of these rows, the columns of
// the mother and the care may be blank. A value that contradicts the first row is an error. It is
// also an error if a chart number occurs again further down, because its rows would overwrite
// values from the same file. A row without a chart number is a course of care by itself.
//
// A blank cell means that there is no value, and never means "no". A cell that cannot be read is an
// error, and an error in one row rejects the whole course. Unlike the sender of a Bundle, a user
// who has the spreadsheet open can fix the row. No error quotes a cell. If the record already
// exists, a row changes only the values that the row states, and values that follow from them. Only
// one course is in memory at a time, even if the file has MaxRows rows.
package sheet

import (
	"hash/maphash"
	"io"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// Format says how a spreadsheet is read and written: its encoding and its columns.
type Format struct {
	Encoding Encoding
	// Custom lists the practice's custom fields. Their columns have names such as x_KEY.
	Custom []birth.CustomField
	// Layout says how to read the file. If it is nil, the columns must have the registry's names,
	// and the month comes first in a date such as 3/2/2026.
	Layout *Layout
	// Fixes lists what users have typed in place of wrong cells.
	Fixes []Fix
}

// Course is one course of care in a file. Item.Draft is the draft for a new record. Item.Amend
// returns the draft for an existing record. Item.Problem is set if a row is wrong.
type Course struct {
	mapping.Item
	// Rows has the rows of the course with their fixes, numbered as in the spreadsheet.
	Rows []Row
	// Wrong lists the wrong cells.
	Wrong []Cell
	// Notes lists cells that can be read but may be a mistake.
	Notes []Cell
	// Unread holds the texts of the wrong cells of spine fields, by the place of their value. It is
	// nil if no cell is wrong.
	Unread map[birth.Path]string
	// Born is the time or date of birth in the first row, or "" if it couldn't be read.
	Born string

	stated  birth.Draft // the values in the file, without wrong cells
	consent bool        // set if the file has a consent decision
}

// Row is a row of the file, with its fixes.
type Row struct {
	Number int
	Cells  []string
}

// Cell says what is wrong with a cell and what to do. Text never quotes the cell.
type Cell struct {
	Row    int    `json:"row"`
	Column string `json:"column,omitzero"` // "" if the row as a whole is wrong
	Text   string `json:"text"`
	// At is the position of the cell in its row, from 1. It is 0 if the error isn't in a single
	// cell.
	At int `json:"at,omitzero"`
	// Record is the ID of the existing record that the row amends, or "". Only the preview sets it.
	Record string `json:"record,omitzero"`
	// Value is the content of the cell. Only the preview shows it.
	Value string `json:"-"`
}

// UnreadableRow is the problem of a row with wrong cells. It isn't in the error catalog of the push
// endpoints, because it never concerns a Bundle.
var UnreadableRow = &fhir.Problem{
	Name: "unreadable-row", Code: "value",
	Text: "The row has cells that cannot be read.",
	Hint: "The error file names each of them; correct them and import that file.",
}

// Read reads a file. It calls head with the header, and then yield with each course of care, in
// order. Only one course is in memory at a time. Read returns a *Problem if the file as a whole
// can't be read. It also returns any error from head or yield.
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
	r.void = voidsIn(header)
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

// reader reads a file. It collects the rows of one course of care at a time, and calls yield with
// each course.
type reader struct {
	scan     scanner
	columns  []*knownColumn
	layout   *Layout // nil if the file has the registry's names
	void     voids
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

// open begins to read a file. It reads the header and finds out which column is at each position.
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

// follow reads a file up to the header row in the layout, and sets the columns.
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

// add reads a row. It is another newborn in the current course of care, or begins a new course.
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
	r.at = r.newCourse(n)
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

// flush calls yield with the current course of care, if there is one.
func (r *reader) flush() error {
	if r.at == nil {
		return nil
	}
	done := r.at.done()
	done.noteSibling(r.before)
	r.at, r.before = nil, done
	return r.yield(done)
}

// Text returns the first cells of a row, exactly as many as columns. If the row has fewer cells,
// the missing cells are blank.
func (row Row) Text(columns int) []string {
	cells := make([]string, columns)
	copy(cells, row.Cells)
	return cells
}
