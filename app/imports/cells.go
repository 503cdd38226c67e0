package imports

import (
	"birthregistry/app/changes"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping/sheet"
)

// cells returns the wrong cells that the checks found in a row.
func cells(row int, found []changes.Finding) (all []sheet.Cell) {
	for _, f := range found {
		all = append(all, sheet.Cell{Row: row, Column: f.Column(), Text: f.Sentences()})
	}
	return all
}

// cellsOf returns the wrong cells that a receipt names for a row. If the receipt names no cell,
// cellsOf returns one that states the problem of the whole row.
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
