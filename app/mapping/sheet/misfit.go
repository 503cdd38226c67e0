package sheet

// Misfit is a column that is left out because its cells contradict its header.
type Misfit struct {
	// Label is what the header says.
	Label string
	// Serial is set if the header names a date, and the cells hold the numbers that a spreadsheet
	// stores for dates.
	Serial bool
	// Offered is set if a person may still choose for the column what the header says, because
	// enough of its cells can be read in that way.
	Offered bool
}

// Misfits returns the columns that a layout leaves out because their cells contradict their
// headers, by position.
func (c Format) Misfits(s *Survey, l *Layout) map[int]Misfit {
	g, all := c.guesser(), map[int]Misfit{}
	for i := range l.Columns[:min(len(l.Columns), len(s.Facts))] {
		f := &s.Facts[i]
		if l.Columns[i].Name != "" || f.Filled == 0 {
			continue
		}
		if says := g.contradicted(l.Columns[i].Header, f); says != nil {
			all[i] = Misfit{
				Label:   says.label,
				Serial:  says.dated() && f.mostly(f.Bare) && f.Least >= serialFirst && f.Most < serialEnd,
				Offered: s.Offered(c, i)[says.name],
			}
		}
	}
	return all
}

// contradicted returns the meaning of a header that the cells of its column contradict. It returns
// nil if the cells fit one of the header's meanings, or if the header has none. If the header has
// several meanings, it returns the last, such as a date rather than a date with a time.
func (g *guesser) contradicted(header string, f *Facts) *knownColumn {
	found, _ := g.candidates(header)
	for _, t := range found {
		if f.fits(t) {
			return nil
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[len(found)-1]
}

// The numbers that spreadsheets store for days from 1927 to 2064.
const (
	serialFirst = 10_000
	serialEnd   = 60_000
)
