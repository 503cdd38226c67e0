package sheet

import (
	"io"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// Survey holds what a file shows by itself, before the user says how to read it.
type Survey struct {
	// Layout is the proposed layout. It has the target that was guessed for each column. It also
	// says how to read the cells, if the cells prove this.
	Layout Layout `json:"layout"`
	// Facts has what is known about the cells of each column.
	Facts []Facts `json:"facts"`
	// Sure lists the positions of the columns that have the registry's names. The first column is
	// 0.
	Sure []int `json:"sure,omitzero"`
	// Rows counts the rows that are read as births. Skipped lists the numbers of the first rows
	// that aren't, such as totals and notes.
	Rows    int   `json:"rows"`
	Skipped []int `json:"skipped,omitzero"`
}

// skippedListed is the maximum number of skipped rows that a survey lists.
const skippedListed = 20

// Survey reads a file once and proposes how to read it. It returns a *Problem if the file as a
// whole can't be read, or if it has no rows with births.
func (c Format) Survey(from io.Reader) (*Survey, error) {
	r := &reader{}
	r.scan.text = c.Encoding.decode(from)
	g := c.guesser()
	layout, err := g.find(r.scan.text, separator(r.scan.text))
	if err != nil {
		return nil, err
	}
	s := &Survey{Layout: *layout, Facts: make([]Facts, min(len(layout.Columns), MaxMatched))}
	c.Layout = layout
	r.scan.delimiter = layout.Delimiter
	header, err := r.follow(c)
	if err != nil {
		return nil, err
	}
	for cells, err := range r.scan.filled() {
		if err != nil {
			return nil, err
		}
		if notBirth(header.Cells, cells) {
			if len(s.Skipped) < skippedListed {
				s.Skipped = append(s.Skipped, r.scan.row)
			}
			continue
		}
		s.Rows++
		for i, cell := range cells[:min(len(cells), len(s.Facts))] {
			if text := TextOf(cell); text != "" {
				s.Facts[i].see(r.scan.row, text)
			}
		}
	}
	if s.Rows == 0 {
		return nil, noRows
	}
	g.propose(s)
	if choices, proven := c.DateChoices(s, &s.Layout); len(choices) == 0 {
		s.Layout.Dates = proven
	}
	return s, nil
}

// propose completes the layout. It guesses each column's target from the header and the cells, and
// says how to read the cells if the file proves it. If two columns may have the same target, the
// more certain one gets it.
func (g *guesser) propose(s *Survey) {
	s.Layout.Columns = s.Layout.Columns[:len(s.Facts)]
	taken := map[string]bool{}
	latest := 0
	for i := range s.Facts {
		latest = max(latest, s.Facts[i].LastYear)
	}
	for _, pass := range []int{exactPass, onePass, anyPass} {
		for i := range s.Layout.Columns {
			column, facts := &s.Layout.Columns[i], &s.Facts[i]
			found, exact := g.fitting(column.Header, facts)
			if column.Name != "" || len(found) == 0 || facts.Filled == 0 && !exact {
				continue
			}
			if exact && pass == exactPass && !taken[found[0].name] {
				column.Name, taken[found[0].name] = found[0].name, true
				s.Sure = append(s.Sure, i)
			}
			if pass == exactPass || pass == onePass && len(found) > 1 {
				continue
			}
			name, unsure := facts.choose(found, taken, latest)
			if unsure {
				name = Unsaid
			}
			if name != "" {
				column.Name, taken[name] = name, name != Unsaid
			}
			if name == "birth_date" && plain(column.Header) == plain(g.byName[name].label) && taken["mother_birth_date"] {
				s.Sure = append(s.Sure, i) // the file has both labels, so each names its person
			}
		}
	}
	for i := range s.Layout.Columns {
		column := &s.Layout.Columns[i]
		lone := column.Name == weightPounds && !taken[weightOunces] || column.Name == weightOunces && !taken[weightPounds] && s.Facts[i].Most >= ouncesInPound
		if lone && !taken["birth_weight_g"] {
			column.Name = "birth_weight_g" // the whole weight, in pounds or in ounces
		}
		s.habit(g, i)
	}
}

// ouncesInPound is how many ounces make a pound. If all numbers in a column of ounces are smaller,
// the column may contain only the second part of weights such as 7 lb 9 oz.
const ouncesInPound = 16

// fitting returns the possible targets for a header. If the header is one of the registry's labels
// but the cells contradict it, fitting looks for other targets with the words of the header. If the
// cells fit one of these targets, it returns these targets instead.
func (g *guesser) fitting(header string, f *Facts) (found []*knownColumn, exact bool) {
	found, exact = g.candidates(header)
	if !exact || f.Filled == 0 || f.fits(found[0]) || strings.EqualFold(strings.TrimSpace(header), found[0].name) {
		return found, exact
	}
	if loose := g.loose(header); slices.ContainsFunc(loose, f.fits) {
		return loose, false
	}
	return found, true
}

// The passes of propose. The first is for columns with the registry's names, the second for columns
// with only one possible target, and the third for all other columns.
const (
	exactPass = iota
	onePass
	anyPass
)

// choose returns the first target in found that no other column has and that suits the cells of the
// column, or "" if there is none. unsure is set if the cells don't show whose dates of birth these
// are, whether the names include a family name, or whether a number of births includes this one.
func (f *Facts) choose(found []*knownColumn, taken map[string]bool, latest int) (name string, unsure bool) {
	var left []*knownColumn
	for _, t := range found {
		if !taken[t.name] && f.fits(t) {
			left = append(left, t)
		}
	}
	if len(left) == 0 {
		return "", false
	}
	if len(left) > 1 && f.Dates > 0 {
		return f.whoseDate(left, latest)
	}
	if left[0].name == "child_given_names" && len(found) > 1 && f.mostly(f.Two) { // given names, or a family name with them
		return "", true
	}
	if left[0].name == parity { // with this birth, or without it
		return "", true
	}
	return left[0].name, false
}

// whoseDate returns the target of a column with dates of birth, which is the mother's or the
// newborn's. Mothers are born years before their children, and in many different years. The dates
// can therefore prove that they are the mothers'. Nothing can prove that they are the newborns'.
// The result unsure is set if they may be the mothers' but the dates don't prove it.
func (f *Facts) whoseDate(left []*knownColumn, latest int) (name string, unsure bool) {
	const youngest = 8
	mothers := left[0].name == "mother_birth_date" // the mother's comes first in the template
	switch {
	case !mothers:
		return left[0].name, false
	case f.FirstYear > 0 && (f.LastYear <= latest-youngest || f.LastYear-f.FirstYear >= 2*youngest):
		return left[0].name, false
	}
	return "", true
}

// fits reports whether the cells of a column can contain a target.
func (f *Facts) fits(t *knownColumn) bool {
	switch {
	case t.who() && f.answers():
		return false
	case t.name == "gestational_age_days":
		return f.mostly(f.Bare) && f.Most <= 6
	case t.name == "birth_datetime":
		return f.mostly(f.Dates) && f.Timed > 0
	case t.dated():
		return f.mostly(f.Dates) && (f.Timed == 0 || t.field == nil || t.name != "birth_date" && t.name != "mother_birth_date")
	case t.name == birthTime:
		return f.mostly(f.times())
	case t.name == apgarScores:
		return f.mostly(f.Pairs)
	case t.name == gestation:
		return f.mostly(f.Weeks+f.Bare+f.Amounts) && (f.Bare == 0 || f.Least <= birth.Must("gestational_age_weeks").Max)
	case t.name == "gestational_age_weeks":
		return f.mostly(f.Bare) && f.Broken == 0
	case t.name == attendant:
		return f.Titles > 0
	case t.name == "attendant_name":
		return f.Titles == 0 && !f.mostly(f.numbers())
	case t.name == motherName, t.name == childName:
		return 2*f.Commas > f.Filled || f.mostly(f.Commas+f.Two)
	case t.name == "child_given_names":
		return 2*f.Commas <= f.Filled && !f.mostly(f.Dates+f.numbers())
	case t.name == "child_sex":
		return f.sexes()
	case t.name == chartColumn || t.name == weightPounds || t.name == weightOunces || t.name == "mother_postal_code":
		return !f.mostly(f.Dates)
	case t.field != nil && t.field.Unit != "" || t.name == "gravida" || t.name == parity || t.name == "prenatal_visit_count":
		return f.mostly(f.numbers() + f.Pairs + f.Dates/4)
	}
	return !f.mostly(f.Dates) && !(f.mostly(f.Bare) && t.field != nil && len(t.field.Options) > 0)
}

// answers reports whether the samples are answers to a question, such as "First baby?". They then
// aren't names.
func (f *Facts) answers() bool {
	return len(f.Samples) > 0 && f.only("y", "n", "yes", "no", "x", "true", "false", "t", "u", "unknown", "n/a", "na", "none", "-")
}

// sexes reports whether the samples are the sexes of newborns.
func (f *Facts) sexes() bool {
	return f.only("f", "m", "female", "male", "girl", "boy", "g", "b", "u", "unknown", "fem", "masc")
}

// only reports whether all samples are among these words, which are in lower case.
func (f *Facts) only(words ...string) bool {
	return !slices.ContainsFunc(f.Samples, func(s string) bool { return !slices.Contains(words, strings.ToLower(s)) })
}
