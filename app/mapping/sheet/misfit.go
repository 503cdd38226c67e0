package sheet

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// Misfit is a column that is left out because its cells contradict its header.
type Misfit struct {
	// Label is the label of what the header stands for.
	Label string
	// Serial is set if the header stands for a date, and the cells contain the numbers that a
	// spreadsheet stores for dates.
	Serial bool
	// Offered is set if the user may still choose what the header stands for, because enough cells
	// can be read in this way.
	Offered bool
}

// Misfits returns the columns that a layout leaves out because their cells contradict their
// headers. The key is the position of the column, from 0.
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

// contradicted returns what a header stands for if the cells of its column contradict it. It
// returns nil if the cells fit the header, or if the header isn't known. If the header can stand
// for several columns, contradicted returns the last one, such as a date rather than a date with a
// time.
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

// Repeat is a column that is left out because its header stands for something that another column
// already contains.
type Repeat struct {
	Label  string // the label of what both headers stand for
	Column int    // the position of the other column
	// Newborn is set if the headers are about a newborn. The column may then be about another one.
	Newborn bool
}

// Repeats returns the columns that a layout leaves out because another column already contains what
// their headers stand for, such as "Sex B" next to "Sex A". The key is the position of the column,
// from 0.
func (c Format) Repeats(s *Survey, l *Layout) map[int]Repeat {
	g, all := c.guesser(), map[int]Repeat{}
	holds := map[string]int{}
	for i, column := range l.Columns {
		holds[column.Name] = i
	}
	for i, column := range l.Columns[:min(len(l.Columns), len(s.Facts))] {
		if column.Name != "" || s.Facts[i].Filled == 0 {
			continue
		}
		for _, t := range g.sayings(column.Header) {
			if other, held := holds[t.name]; held && s.Facts[i].fits(t) {
				all[i] = Repeat{t.label, other, t.subject() == birth.Child}
				break
			}
		}
	}
	return all
}

// sayings returns what a header may say about any newborn, even if it names the second or third one.
func (g *guesser) sayings(header string) []*knownColumn {
	if found, _ := g.candidates(header); len(found) > 0 {
		return found
	}
	words := slices.DeleteFunc(tokens(header), func(w string) bool { return slices.Contains(siblingWords, w) })
	return slices.DeleteFunc(g.loose(strings.Join(words, " ")), func(t *knownColumn) bool { return t.subject() != birth.Child })
}

// siblingWords are the words that tell the newborns of one birth apart.
var siblingWords = strings.Fields("b c 2 3 ii iii second third 2nd 3rd twin twins triplet")

// BirthCounts returns the columns whose headers name a number of births. The key is the position of
// the column, from 0. Many practices include the present birth in this number, but the field with
// that name doesn't.
func (c Format) BirthCounts(l *Layout) map[int]bool {
	g, all := c.guesser(), map[int]bool{}
	for i, column := range l.Columns {
		found := g.loose(column.Header)
		if len(found) > 0 && found[0].name == parity && plain(column.Header) != plain(found[0].label) {
			all[i] = true
		}
	}
	return all
}

// parity is the number of births before this one.
const parity = "parity"

// The numbers that spreadsheets store for days from 1927 to 2064.
const (
	serialFirst = 10_000
	serialEnd   = 60_000
)
