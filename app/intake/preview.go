package intake

import (
	"context"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

// Preview is what a file would do, or has done. All but Rows and Wrong count
// courses of care: twins are two rows and one course.
type Preview struct {
	Rows      int `json:"rows"`
	New       int `json:"new"`
	Amends    int `json:"amends"`
	Revives   int `json:"revives"` // voided records that it brings back
	Unchanged int `json:"unchanged"`
	Taken     int `json:"taken,omitzero"` // the four above for who reads no records (redacted_preview.go)
	Errors    int `json:"errors"`
	Suspected int `json:"suspected_duplicates"` // of those above

	// Wrong counts the cells that are wrong, Columns by column; Cells are the
	// first of them.
	Wrong   int               `json:"wrong_cells"`
	Columns []ColumnCount     `json:"by_column"`
	Cells   []mapping.CSVCell `json:"cells"`
	// Unlikely counts the births of which something is possible but improbable;
	// they are imported all the same. Notes are the first of what is.
	Unlikely int               `json:"improbable"`
	Notes    []mapping.CSVCell `json:"notes"`
	// First is what becomes of the first rows.
	First []RowOutcome `json:"first_rows"`
}

// Items is how many courses of care there are.
func (p Preview) Items() int { return p.New + p.Amends + p.Revives + p.Unchanged + p.Taken + p.Errors }

// ColumnCount is how many cells of a column are wrong; "" is the row itself.
type ColumnCount struct {
	Column string `json:"column"`
	Count  int    `json:"count"`
}

// RowOutcome is what becomes of the course of care that begins in a row.
type RowOutcome struct {
	Row       int    `json:"row"`
	Rows      int    `json:"rows"`
	Outcome   string `json:"outcome"` // new, amends, revives, unchanged, taken, error
	Version   int    `json:"version,omitzero"`
	Record    string `json:"record,omitzero"` // its id, when it is on file
	Suspected bool   `json:"suspected_duplicate,omitzero"`
	// Chart and Born are what a preview has read, so that a person can compare
	// them with the file; a result has neither.
	Chart string `json:"chart_number,omitzero"`
	Born  string `json:"born,omitzero"`
}

// How much of a preview is listed; all of it is counted, and in the error file.
const (
	cellsListed = 1000
	rowsListed  = 50
	notesListed = 100
)

// previewer decides every course of a file as the import will, by the same
// look-ups and the same birth.Decide, and writes nothing. What earlier rows
// would put on file is kept beside what stands there.
type previewer struct {
	*Service
	practice store.PracticeID
	within   permissions
	header   mapping.CSVHeader
	found    Preview

	lastID int64 // of the records that are not on file: negative
	// live has the records that would be active, by fingerprint: those on file when a row
	// first looked them up, changed as the rows since then would change them.
	live map[birth.Fingerprint]crowd
}

// rowResult is what becomes of one course.
type rowResult struct {
	course *mapping.CSVCourse
	RowOutcome
	wrong, notes []mapping.CSVCell
}

// read reads a file in chunks and tells what becomes of every course, in order.
func (f *previewer) read(ctx context.Context, i store.Import, about About, tell func(rowResult) error) error {
	door, err := f.doorOf(ctx, f.practice, about)
	if err != nil {
		return err
	}
	f.live = map[birth.Fingerprint]crowd{}
	var chunk []*mapping.CSVCourse
	flush := func() error {
		results, err := f.decide(ctx, chunk)
		chunk = chunk[:0]
		for _, v := range results {
			if err == nil {
				err = tell(v)
			}
		}
		return err
	}
	err = door.Read(f.partsOf(ctx, f.practice, i), func(h mapping.CSVHeader) error {
		f.header = h
		return nil
	}, func(c *mapping.CSVCourse) error {
		if chunk = append(chunk, c); len(chunk) == chunkItems {
			return flush()
		}
		return nil
	})
	if err == nil && len(chunk) > 0 {
		err = flush()
	}
	return err
}

// decide decides a chunk on a snapshot, when it is its turn.
func (f *previewer) decide(ctx context.Context, chunk []*mapping.CSVCourse) ([]rowResult, error) {
	done, err := f.takeSlot(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	subs := make([]submission, len(chunk))
	for n, c := range chunk {
		subs[n] = f.prepare(f.practice, birth.CSV, c.Item, n)
	}
	results := make([]rowResult, len(chunk))
	err = f.db.View(ctx, func(v *store.View) error {
		if err := f.rebase(v, f.practice, subs, f.within); err != nil {
			return err
		}
		b := &board{view: v, practice: f.practice, live: f.live}
		if err := b.look(subs); err != nil {
			return err
		}
		for n := range subs {
			results[n] = f.one(b, chunk[n], &subs[n])
		}
		return nil
	})
	return results, err
}

// one decides one course and enters what it would do.
func (f *previewer) one(b *board, c *mapping.CSVCourse, sub *submission) rowResult {
	v := rowResult{course: c, RowOutcome: RowOutcome{Row: c.Rows[0].Number, Rows: len(c.Rows), Outcome: "error", Chart: c.Chart, Born: c.Born}}
	if sub.problem != nil {
		if v.wrong = append(c.Wrong, cells(v.Row, sub.wrong)...); len(v.wrong) == 0 {
			v.wrong = []mapping.CSVCell{problemCell(v.Row, sub.problem)}
		}
		return v
	}
	e := b.find(sub)
	v.Record = e.UUID
	if sub.unchanged {
		v.Outcome = "unchanged"
		return v
	}
	d := birth.Decide(e.current(), birth.Submission{Chart: sub.chart, Person: true}, b.match(e, sub))
	switch d.Action {
	case birth.Create:
		v.Outcome = "new"
		f.lastID--
		e.ID = f.lastID
		if sub.chart != "" {
			b.byChart[sub.chart] = e
		}
	case birth.Amend:
		v.Outcome, v.Version = "amends", d.Version
	case birth.Revive:
		v.Outcome, v.Version = "revives", d.Version
	default:
		v.wrong = []mapping.CSVCell{problemCell(v.Row, problems[d.Reason])}
		return v
	}
	v.Suspected, v.notes = d.Suspected, cells(v.Row, sub.notes)
	b.setPrints(e, sub.prints, d.State)
	return v
}

// tell counts a result.
func (f *previewer) tell(v rowResult) error {
	p := &f.found
	p.Rows += v.Rows
	switch v.Outcome {
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
	if v.Suspected {
		p.Suspected++
	}
	for _, cell := range v.wrong {
		p.count(cell.Column)
		if len(p.Cells) < cellsListed {
			p.Cells = append(p.Cells, cell)
		}
	}
	if len(v.notes) > 0 {
		p.Unlikely++
		p.Notes = append(p.Notes, v.notes[:min(len(v.notes), notesListed-min(len(p.Notes), notesListed))]...)
	}
	if len(p.First) < rowsListed {
		p.First = append(p.First, v.RowOutcome)
	}
	return nil
}

func (p *Preview) count(column string) {
	p.Wrong++
	for n := range p.Columns {
		if p.Columns[n].Column == column {
			p.Columns[n].Count++
			return
		}
	}
	p.Columns = append(p.Columns, ColumnCount{column, 1})
}
