package imports

import (
	"context"
	"slices"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

// Preview is what importing a file would do, or what it has done. Rows counts rows. Wrong and
// Columns count cells. The other numbers count courses of care. Twins, for example, are two rows
// and one course of care.
type Preview struct {
	Rows      int `json:"rows"`
	New       int `json:"new"`
	Amends    int `json:"amends"`
	Revives   int `json:"revives"` // voided records that the import restores
	Unchanged int `json:"unchanged"`
	Taken     int `json:"taken,omitzero"` // the sum of the four above, for users who may not read records (redacted.go)
	Errors    int `json:"errors"`
	Suspected int `json:"suspected_duplicates"` // suspected duplicates among the births above

	// Wrong is the number of wrong cells, and Columns has their number for each column. Cells lists
	// the first wrong cells.
	Wrong   int           `json:"wrong_cells"`
	Columns []ColumnCount `json:"by_column"`
	Cells   []sheet.Cell  `json:"cells"`
	// Values holds the wrong cells, grouped by column and text (wrong.go). It lists only the first
	// groups.
	Values []WrongValue `json:"wrong_values,omitzero"`
	// Drafts counts births with errors. In a preview, these are the births that can be kept as
	// drafts (rows.go). In a result, they are the births that were kept.
	Drafts int `json:"drafts,omitzero"`
	// Unlikely counts births that have an unlikely value. They are imported nevertheless. Notes
	// lists the first cells with such values.
	Unlikely int          `json:"improbable"`
	Notes    []sheet.Cell `json:"notes"`
	// First holds the outcomes of the first rows, and Changed those of the first rows that amend or
	// restore a record on file, wherever they are in the file.
	First   []RowOutcome `json:"first_rows"`
	Changed []RowOutcome `json:"changed_records,omitzero"`
}

// Items returns the number of courses of care. In a result, it doesn't count courses that were kept
// as drafts.
func (p Preview) Items() int { return p.New + p.Amends + p.Revives + p.Unchanged + p.Taken + p.Errors }

// WithoutTexts returns the preview without the cells' texts, the chart numbers and the dates.
func (p Preview) WithoutTexts() Preview {
	p.Values = slices.Clone(p.Values)
	for n := range p.Values {
		p.Values[n].Value = ""
	}
	p.First, p.Changed = withoutChart(p.First), withoutChart(p.Changed)
	return p
}

// withoutChart returns outcomes without chart numbers and dates.
func withoutChart(all []RowOutcome) []RowOutcome {
	all = slices.Clone(all)
	for n := range all {
		all[n].Chart, all[n].Born = "", ""
	}
	return all
}

// ColumnCount is the number of wrong cells in a column. The column "" stands for rows that are
// wrong as a whole.
type ColumnCount struct {
	Column string `json:"column"`
	Count  int    `json:"count"`
}

// RowOutcome is the outcome of a course of care. Row is its first row in the file, and Rows is how
// many rows it has.
type RowOutcome struct {
	Row       int    `json:"row"`
	Rows      int    `json:"rows"`
	Outcome   string `json:"outcome"` // new, amends, revives, unchanged, taken, error or, in a result, draft
	Version   int    `json:"version,omitzero"`
	Record    string `json:"record,omitzero"` // the ID of the existing record, if there is one
	Suspected bool   `json:"suspected_duplicate,omitzero"`
	// Chart and Born help users compare a preview with their file. They are empty in a result.
	Chart string `json:"chart_number,omitzero"`
	Born  string `json:"born,omitzero"`
	// Fields holds the labels of the fields that change in the record on file. It is empty in a result.
	Fields []string `json:"changed_fields,omitzero"`
}

// The maximum numbers of wrong cells, of rows, and of cells with unlikely values that a preview
// lists. The preview counts all of them, and the error file lists all rows with errors.
const (
	cellsListed = 1000
	rowsListed  = 50
	notesListed = 100
)

// previewer decides what the import would do with every course of care in a file. It writes
// nothing.
type previewer struct {
	*Service
	practice store.PracticeID
	preview  *changes.Preview
	header   sheet.Header
	found    Preview
	doubted  map[string]bool // by key or name, the attendants about whom there is a note already
}

func (s *Service) newPreviewer(p store.PracticeID, file About, who auth.User) *previewer {
	return &previewer{Service: s, practice: p, preview: s.changes.NewPreview(p, file.permissionsOf(who)), doubted: map[string]bool{}}
}

// rowResult is the outcome of one course of care in a file.
type rowResult struct {
	course *sheet.Course
	RowOutcome
	wrong, notes []sheet.Cell
	// onFile is set if the birth has errors and there is already a record with its chart number.
	onFile bool
}

// chunkCourses is how many courses of care are previewed in one read transaction.
const chunkCourses = 250

// read reads a file in chunks, and calls yield with the outcome of every course of care, in order.
func (f *previewer) read(ctx context.Context, i store.Import, about About, yield func(rowResult) error) error {
	format, err := f.format(ctx, f.practice, about)
	if err != nil {
		return err
	}
	var chunk []*sheet.Course
	flush := func() error {
		results, err := f.decide(ctx, chunk)
		chunk = chunk[:0]
		for _, r := range results {
			if err == nil {
				err = yield(r)
			}
		}
		return err
	}
	err = format.Read(f.partsOf(ctx, f.practice, i), func(h sheet.Header) error {
		f.header = h
		return nil
	}, func(c *sheet.Course) error {
		if chunk = append(chunk, c); len(chunk) == chunkCourses {
			return flush()
		}
		return nil
	})
	if err == nil && len(chunk) > 0 {
		err = flush()
	}
	return err
}

// decide returns the outcomes of a chunk of courses. It first waits until the chunk may be
// processed (ingest.Service.TakeSlot).
func (f *previewer) decide(ctx context.Context, chunk []*sheet.Course) ([]rowResult, error) {
	done, err := f.queue.TakeSlot(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	items := make([]changes.Change, len(chunk))
	for n, c := range chunk {
		items[n] = f.changes.Prepare(f.practice, birth.CSV, c.Item, n)
	}
	decided, err := f.preview.Decide(ctx, items)
	if err != nil {
		return nil, err
	}
	results := make([]rowResult, len(chunk))
	for n, r := range decided {
		results[n] = resultOf(chunk[n], r)
		f.doubt(&results[n], r.Doubtful)
		f.doubtNames(&results[n])
		results[n].locate(f.header)
	}
	return results, f.findOnFile(ctx, results)
}

// findOnFile finds the births with errors whose chart number is on file. It adds the ID of the
// existing record to these births and to their cells, so that a user can open and amend the record.
func (f *previewer) findOnFile(ctx context.Context, results []rowResult) (err error) {
	var charts []string
	for _, r := range results {
		if len(r.wrong) > 0 && r.course.Chart != "" {
			charts = append(charts, r.course.Chart)
		}
	}
	var records []store.Record
	if len(charts) > 0 {
		records, err = store.Read(ctx, f.db, func(v *store.View) ([]store.Record, error) { return v.RecordsByChart(f.practice, charts) })
	}
	known := map[string]string{}
	for _, r := range records {
		known[r.Chart] = r.UUID
	}
	for n := range results {
		if uuid := known[results[n].course.Chart]; uuid != "" {
			results[n].onFile, results[n].Record = true, uuid
		}
		for _, found := range [][]sheet.Cell{results[n].wrong, results[n].notes} {
			for i := range found {
				found[i].Record = results[n].Record
			}
		}
	}
	return err
}

// resultOf turns the result of a change into the outcome of its course of care.
func resultOf(c *sheet.Course, r changes.Result) rowResult {
	row := c.Rows[0].Number
	out := rowResult{course: c, RowOutcome: RowOutcome{
		Row: row, Rows: len(c.Rows), Outcome: "error", Record: r.UUID, Chart: c.Chart, Born: c.Born,
	}}
	if !r.Unchanged && r.Problem == nil {
		out.Fields = r.Differences()
	}
	switch {
	case r.Problem != nil:
		if out.wrong = append(c.Wrong, cells(row, r.Change.Wrong)...); len(out.wrong) == 0 {
			out.wrong = []sheet.Cell{problemCell(row, r.Problem)}
		}
		return out
	case r.Unchanged:
		out.Outcome = "unchanged"
		return out
	case r.Action == birth.Create:
		out.Outcome = "new"
	case r.Action == birth.Amend:
		out.Outcome = "amends"
	case r.Action == birth.Revive:
		out.Outcome = "revives"
	}
	out.Version, out.Suspected, out.notes = r.Version, r.Suspected, append(c.Notes, cells(row, r.Change.Notes)...)
	return out
}

// locate adds the columns' positions to the wrong cells and to the notes. If a birth has several
// rows, the checks don't know which row is wrong. The cells that they found then get no position.
func (v *rowResult) locate(header sheet.Header) {
	for n := range v.wrong {
		c := &v.wrong[n]
		if n < len(v.course.Wrong) || len(v.course.Rows) == 1 {
			c.At = header.At(c.Column)
		}
	}
	for n := range v.notes {
		v.notes[n].At = header.At(v.notes[n].Column)
	}
}

// count adds a result to the preview. It counts the result's rows, outcome, wrong cells and notes.
func (f *previewer) count(v rowResult) error {
	p := &f.found
	p.Rows += v.Rows
	p.count(v.RowOutcome)
	if v.draftable() {
		p.Drafts++
	}
	p.countCells(v)
	if len(v.notes) > 0 {
		p.Unlikely++
		p.Notes = append(p.Notes, v.notes[:min(len(v.notes), notesListed-min(len(p.Notes), notesListed))]...)
	}
	return nil
}

// countCells adds the wrong cells of a result to the preview.
func (p *Preview) countCells(v rowResult) {
	for _, cell := range v.wrong {
		p.countWrong(cell.Column)
		p.countValue(cell, v.course)
		if len(p.Cells) < cellsListed {
			p.Cells = append(p.Cells, cell)
		}
	}
}

// count adds the outcome of a birth to the numbers. It also lists the outcome in First and Changed if
// there is space left.
func (p *Preview) count(o RowOutcome) {
	switch o.Outcome {
	case "new":
		p.New++
	case "amends":
		p.Amends++
	case "revives":
		p.Revives++
	case "unchanged":
		p.Unchanged++
	default:
		p.Errors++
	}
	if o.Suspected {
		p.Suspected++
	}
	if len(p.First) < rowsListed {
		p.First = append(p.First, o)
	}
	if changed := o.Outcome == "amends" || o.Outcome == "revives"; changed && len(p.Changed) < rowsListed {
		p.Changed = append(p.Changed, o)
	}
}

func (p *Preview) countWrong(column string) {
	p.Wrong++
	for n := range p.Columns {
		if p.Columns[n].Column == column {
			p.Columns[n].Count++
			return
		}
	}
	p.Columns = append(p.Columns, ColumnCount{column, 1})
}
