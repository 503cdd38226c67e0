package imports

import (
	"birthregistry/app/changes"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping/sheet"
)

// cells returns the cells of a row in which the checks found something wrong.
func cells(row int, found []changes.Finding) (all []sheet.Cell) {
	for _, f := range found {
		all = append(all, sheet.Cell{Row: row, Column: f.Column(), Text: f.Sentences()})
	}
	return all
}

// cellsOf returns the wrong cells that a receipt lists for a row. If it lists none, cellsOf returns
// one cell without a column, which describes the problem of the whole row.
func cellsOf(row int, r ingest.Rejected) (cells []sheet.Cell) {
	for _, issue := range r.Outcome.Issue {
		if len(issue.Expression) == 2 {
			cells = append(cells, sheet.Cell{Row: row, Column: issue.Expression[1], Text: issue.Diagnostics})
		}
	}
	if len(cells) == 0 {
		cells = []sheet.Cell{problemCell(row, problemNamed(r.Outcome.Issue[0].Details.Coding[0].Code))}
	}
	return cells
}
