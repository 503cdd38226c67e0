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

// check runs the checks of the form on a draft from a file. What they found in the
// record before is not this file's doing. A warning stops nothing: the preview
// shows it.
func (sub *submission) check(d birth.Draft, before []birth.Finding) {
	sub.checked, sub.wrong, sub.notes = true, nil, nil
	for _, f := range birth.Check(d, time.Now()) {
		known := slices.ContainsFunc(before, func(b birth.Finding) bool { return b.ID() == f.ID() })
		if known || f.Place().List == birth.PersonList { // no column names those present
			continue
		}
		if f.Blocks {
			sub.wrong = append(sub.wrong, f)
		} else {
			sub.notes = append(sub.notes, f)
		}
	}
	if len(sub.wrong) > 0 {
		sub.problem = ImpossibleRow
	}
}

// impossible is the receipt's outcome of a row that the checks refuse: an issue
// for each cell.
func (sub *submission) impossible() fhir.OperationOutcome {
	out := sub.problem.Outcome()
	issue := out.Issue[0]
	out.Issue = nil
	for _, f := range sub.wrong {
		issue.Diagnostics, issue.Expression = f.Text+".", []string{sub.rejected, f.Place().Field}
		out.Issue = append(out.Issue, issue)
	}
	return out
}

// cells names the cells of a row that the checks found.
func cells(row int, found []birth.Finding) (all []mapping.CSVCell) {
	for _, f := range found {
		all = append(all, mapping.CSVCell{Row: row, Column: f.Place().Field, Text: f.Text + "."})
	}
	return all
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
