package intake

import (
	"slices"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// ImpossibleRow is why a row is rejected that can be read but says what cannot
// be, such as a birth to come: a file has to pass the checks of the form.
var ImpossibleRow = &fhir.Problem{
	Name: "impossible-row", Code: "invariant",
	Text: "The row says what cannot be, or leaves out what a birth must say.",
	Hint: "The error file says what to correct.",
}

// lookOver holds a draft from a file against the checks of the form. What was
// found of the record before is not this file's doing. A warning stops nothing:
// it is told in the preview.
func (sub *submission) lookOver(d birth.Draft, before []birth.Finding) {
	sub.looked, sub.wrong, sub.notes = true, nil, nil
	for _, f := range birth.Check(d, time.Now()) {
		known := slices.ContainsFunc(before, func(b birth.Finding) bool { return b.ID() == f.ID() })
		if known || f.Place().List == birth.PersonList { // no column names those present
			continue
		}
		cell := mapping.CSVCell{Row: sub.csv.Rows[0].Number, Column: f.Place().Field, Text: f.Text + "."}
		if f.Blocks {
			sub.wrong = append(sub.wrong, cell)
		} else {
			sub.notes = append(sub.notes, cell)
		}
	}
	if len(sub.wrong) > 0 {
		sub.problem = ImpossibleRow
	}
}

// impossible is the receipt's outcome of a row that was looked over: an issue
// for each cell.
func (sub *submission) impossible() fhir.OperationOutcome {
	out := sub.problem.Outcome()
	issue := out.Issue[0]
	out.Issue = nil
	for _, cell := range sub.wrong {
		issue.Diagnostics, issue.Expression = cell.Text, []string{sub.rejected, cell.Column}
		out.Issue = append(out.Issue, issue)
	}
	return out
}

// cellsOf reads the cells back that a receipt names.
func cellsOf(row int, r Rejected) (cells []mapping.CSVCell) {
	for _, issue := range r.Outcome.Issue {
		if len(issue.Expression) == 2 {
			cells = append(cells, mapping.CSVCell{Row: row, Column: issue.Expression[1], Text: issue.Diagnostics})
		}
	}
	if len(cells) == 0 {
		cells = []mapping.CSVCell{problemCell(row, problemNamed(r.Outcome.Issue[0].Details.Coding[0].Code))}
	}
	return cells
}
