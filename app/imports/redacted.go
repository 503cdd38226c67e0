package imports

import (
	"slices"

	"birthregistry/app/auth"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

// taken is the outcome that is shown for a row without errors to users who may not know what is on
// file.
const taken = "taken"

// seen returns an import as the user may see it. If the user may not read records, the preview
// doesn't show which births are on file, would amend a record, or resemble another birth.
func (s *Service) seen(who auth.User, row store.Import) (Import, error) {
	i, err := s.opened(who.Practice.ID, row)
	if err == nil && !who.May(auth.RecordRead) {
		i.About.Preview = i.About.Preview.redacted()
	}
	return i, err
}

// withoutRecords returns a copy of the cells without the IDs of records.
func withoutRecords(all []sheet.Cell) []sheet.Cell {
	all = slices.Clone(all)
	for n := range all {
		all[n].Record = ""
	}
	return all
}

// redacted returns a preview or a result without anything that reveals which births are on file.
func (p Preview) redacted() Preview {
	p.Taken = p.New + p.Amends + p.Revives + p.Unchanged
	p.New, p.Amends, p.Revives, p.Unchanged, p.Suspected = 0, 0, 0, 0, 0
	p.Cells, p.Notes = withoutRecords(p.Cells), withoutRecords(p.Notes)
	p.Values = slices.Clone(p.Values)
	for n := range p.Values {
		p.Values[n].Records = nil
	}
	p.Changed = nil
	p.First = slices.Clone(p.First)
	for n, r := range p.First {
		if r.Outcome != "error" {
			r.Outcome = taken
		}
		p.First[n] = RowOutcome{Row: r.Row, Rows: r.Rows, Outcome: r.Outcome, Chart: r.Chart, Born: r.Born}
	}
	return p
}
