package imports

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/fhir"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

// problemCell returns a cell whose text says why a row can't be imported. If the problem's own text
// is about Bundles, problemCell uses a text about spreadsheets instead.
func problemCell(row int, problem *fhir.Problem) sheet.Cell {
	text := problem.Text + " " + problem.Hint
	switch problem {
	case fhir.WouldDuplicate:
		text = "With this row the record would look like another one on file (same mother, same date and time of birth). " +
			"Check the chart number."
	case fhir.Erased:
		text = "The practice has erased the birth with this chart number. Take the row out. If the birth is to be recorded again, an admin " +
			"must allow it first."
	case fhir.NotProcessed:
		text = "The row could not be processed. Import it again by itself; if that fails, tell the operator."
	}
	cell := sheet.Cell{Row: row, Text: text}
	if problem == sheet.AnotherMother || problem == sheet.AnotherBirth {
		cell.Column = "chart_number" // so that the user can type another chart number in the preview
	}
	return cell
}

// result returns what a completed import has done. If the import ended early, it counts the births
// that weren't reached as errors.
func (s *Service) result(ctx context.Context, p store.PracticeID, row store.Import, about About) (*Preview, error) {
	out, err := s.importOutcome(ctx, p, row.PublicID)
	if err != nil {
		return nil, err
	}
	done := &Preview{Rows: row.Rows, Errors: row.Total - len(out.Accepted)}
	done.Drafts = min(len(about.Drafts), done.Errors)
	done.Errors -= done.Drafts
	for _, a := range out.Accepted {
		done.count(outcomeOf(a))
	}
	for _, r := range out.Rejected[:min(len(out.Rejected), rowsListed)] {
		if row := rowOf(r.Reference); row > 0 {
			outcome := "error"
			if slices.Contains(about.Drafts, row) {
				outcome = "draft"
			}
			done.First = append(done.First, RowOutcome{Row: row, Outcome: outcome})
		}
	}
	slices.SortFunc(done.First, func(a, b RowOutcome) int { return cmp.Compare(a.Row, b.Row) })
	done.First = done.First[:min(len(done.First), rowsListed)]
	return done, nil
}

func outcomeOf(a ingest.Accepted) RowOutcome {
	row := RowOutcome{Row: rowOf(a.Reference), Outcome: "new", Version: a.Version, Record: a.Submission, Suspected: a.Suspected}
	switch {
	case a.Unchanged:
		row.Outcome = "unchanged"
	case a.Revived:
		row.Outcome = "revives"
	case a.Amended:
		row.Outcome = "amends"
	}
	return row
}

// rowOf returns the row number in a reference of a receipt. It returns 0 if the reference is to the
// whole file.
func rowOf(reference string) (row int) {
	_, _ = fmt.Sscanf(reference, "Row %d", &row) // stays 0 for the whole file
	return row
}

func (s *Service) importOutcome(ctx context.Context, p store.PracticeID, publicID string) (out ingest.Outcome, err error) {
	r, err := s.queue.FileReceipt(ctx, p, publicID)
	if err != nil || r.Status != store.Completed {
		return out, err
	}
	return r.ParseOutcome()
}

// ErrorFile writes a spreadsheet with the rows that were not imported. Before the import, it writes
// the rows that can't be imported. Each row is the same as in the file, with one more column at the
// end that says what to correct. ErrorFile returns ErrFileGone if the file has been deleted.
func (s *Service) ErrorFile(ctx context.Context, who auth.User, publicID string, to io.Writer) error {
	if err := who.Must(auth.ImportRun); err != nil {
		return err
	}
	i, err := s.Import(ctx, who, publicID)
	if err != nil {
		return err
	}
	if !i.Kept {
		return ErrFileGone
	}
	w := &errorFile{out: sheet.NewWriter(to)}
	if i.Status == store.Completed {
		return s.writeRejected(ctx, who.Practice.ID, i, w)
	}
	if err := s.auth.NoteAlone(who, "import.preview", publicID); err != nil { // recorded because this compares the file with the records again
		return err
	}
	f := s.newPreviewer(who.Practice.ID, i.About, who)
	return f.read(ctx, i.row, i.About, func(v rowResult) error {
		if len(v.wrong) == 0 {
			return nil
		}
		return w.write(f.header, v.course.Rows, v.wrong)
	})
}

// writeRejected writes the rows that the receipt doesn't list as accepted. It leaves out rows that
// were kept as drafts.
func (s *Service) writeRejected(ctx context.Context, p store.PracticeID, i Import, w *errorFile) error {
	out, err := s.importOutcome(ctx, p, i.ID)
	if err != nil {
		return err
	}
	accepted, rejected := map[int]bool{}, map[int]ingest.Rejected{}
	for _, a := range out.Accepted {
		accepted[rowOf(a.Reference)] = true
	}
	for _, r := range out.Rejected {
		rejected[rowOf(r.Reference)] = r
	}
	format, err := s.format(ctx, p, i.About)
	if err != nil {
		return err
	}
	var header sheet.Header
	return format.Read(s.partsOf(ctx, p, i.row), func(h sheet.Header) error {
		header = h
		return nil
	}, func(c *sheet.Course) error {
		row := c.Rows[0].Number
		why, listed := rejected[row]
		wrong := c.Wrong
		switch {
		case accepted[row], slices.Contains(i.About.Drafts, row):
			return nil
		case len(wrong) == 0 && listed:
			wrong = cellsOf(row, why)
		case len(wrong) == 0:
			wrong = []sheet.Cell{problemCell(row, fhir.NotProcessed)}
		}
		return w.write(header, c.Rows, wrong)
	})
}

// problemNamed returns the problem with this name in a receipt. It returns fhir.NotProcessed if it
// doesn't know the name.
func problemNamed(name string) *fhir.Problem {
	for _, problem := range []*fhir.Problem{fhir.WouldDuplicate, fhir.Stale, fhir.Erased, sheet.FewerNewborns, sheet.UnclearNewborns, sheet.AnotherMother, sheet.AnotherBirth, sheet.UnreadableRow, changes.NotFree, changes.ChangedSince, changes.TwoRecords} {
		if problem.Name == name {
			return problem
		}
	}
	return fhir.NotProcessed
}

// errorFile writes rows, each followed by its errors.
type errorFile struct {
	out   *sheet.Writer
	begun bool
	width int
}

func (w *errorFile) write(header sheet.Header, rows []sheet.Row, wrong []sheet.Cell) error {
	if !w.begun {
		w.begun, w.width = true, len(header.Cells)
		if w.width > 0 && strings.EqualFold(strings.TrimSpace(header.Cells[w.width-1]), "error") {
			w.width-- // the upload is itself an error file, whose last column is replaced
		}
		if err := w.out.Row(append(header.Cells[:w.width:w.width], "error")...); err != nil {
			return err
		}
	}
	for _, row := range rows {
		var texts []string
		for _, cell := range wrong {
			if cell.Row != row.Number {
				continue
			}
			text := cell.Text
			if cell.Column != "" {
				text = cell.Column + ": " + text
			}
			texts = append(texts, text)
		}
		if len(texts) == 0 {
			texts = []string{"Another row of this birth has an error."}
		}
		if err := w.out.Row(append(row.Text(w.width), strings.Join(texts, " "))...); err != nil {
			return err
		}
	}
	return nil
}
