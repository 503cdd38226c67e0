package imports

import (
	"birthregistry/app/birth"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
)

// cells names the cells of a row that the checks found.
func cells(row int, found []birth.CheckFinding) (all []mapping.CSVCell) {
	for _, f := range found {
		all = append(all, mapping.CSVCell{Row: row, Column: f.Path().Field, Text: f.Text + "."})
	}
	return all
}

// cellsOf reads the cells back that a receipt names.
func cellsOf(row int, r ingest.Rejected) (cells []mapping.CSVCell) {
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
