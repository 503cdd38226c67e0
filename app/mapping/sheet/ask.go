package sheet

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// Choice is one of the answers to a question.
type Choice struct{ Value, Label string }

// dateChoices are the answers to whether the day or the month comes first.
var dateChoices = []Choice{{string(MonthFirst), "The month first: 3/2/2026 is March 2"}, {string(DayFirst), "The day first: 3/2/2026 is February 3"}}

// DateChoices returns the answers to which of day and month comes first, none when the
// dates prove it. A column proves its own order by a date that exists in one order only,
// such as 13/04/2026; as long as one column with dates that may be either doesn't, or two
// prove different orders, a person must say. likely is the order of the columns that prove
// one, empty without such.
func (c Format) DateChoices(s *Survey, l *Layout) (choices []Choice, likely DateOrder) {
	month, day := 0, 0
	silent, either := false, false
	for i, t := range c.matched(l) {
		if t == nil || !t.dated() {
			continue
		}
		f := &s.Facts[i]
		month, day = month+f.MonthFirst, day+f.DayFirst
		either = either || f.EitherDay > 0
		silent = silent || f.EitherDay > 0 && f.MonthFirst+f.DayFirst == 0
	}
	switch {
	case month > 0 && day == 0:
		likely = MonthFirst
	case day > 0 && month == 0:
		likely = DayFirst
	}
	if either && (silent || likely == "") {
		choices = dateChoices
	}
	return choices, likely
}

// ShortYears reports whether a matched column has dates with a year of two digits.
func (c Format) ShortYears(s *Survey, l *Layout) bool {
	for i, t := range c.matched(l) {
		if t != nil && t.dated() && s.Facts[i].ShortYears > 0 {
			return true
		}
	}
	return false
}

// matched returns the target of each column, nil for those left out.
func (c Format) matched(l *Layout) []*knownColumn {
	byName := map[string]*knownColumn{}
	all := c.targets()
	for i := range all {
		byName[all[i].name] = &all[i]
	}
	matched := make([]*knownColumn, len(l.Columns))
	for i := range l.Columns {
		matched[i] = byName[l.Columns[i].Name]
	}
	return matched
}

// Habits returns the ways in which the cells of a column can be meant when it holds a
// target: none when that is certain, one when the file proves it, several when a person
// must say.
func (c Format) Habits(s *Survey, i int, target string) []Choice {
	if i >= len(s.Facts) {
		return nil
	}
	all := c.targets()
	at := slices.IndexFunc(all, func(t knownColumn) bool { return t.name == target })
	if at < 0 {
		return nil
	}
	return all[at].habits(s.Layout.Columns[i].Header, &s.Facts[i])
}

func (c *knownColumn) habits(header string, f *Facts) []Choice {
	switch c.name {
	case motherName, childName:
		if f.Commas == f.Filled {
			return nil
		}
		return []Choice{{givenFirst, "Names without a comma: given name first"}, {familyFirst, "Names without a comma: family name first"}}
	case birthTime:
		return f.clocks()
	case gestation:
		switch {
		case f.Broken == 0:
			return nil
		case f.NoDays > 0:
			return []Choice{{dotDecimal, "39.5 means 39 and a half weeks"}}
		}
		return []Choice{{dotDays, "39.2 means 39 weeks and 2 days"}, {dotDecimal, "39.2 means a decimal fraction of weeks"}}
	}
	if c.field != nil && (c.field.Kind == birth.Int || c.field.Kind == birth.Decimal) && c.field.Unit != "" {
		return f.units(c, header)
	}
	return nil
}

// clocks returns the clocks that the times of a column may show.
func (f *Facts) clocks() []Choice {
	on24 := Choice{clock24, "Times without AM or PM are on a 24-hour clock"}
	switch {
	case f.AnyClock == 0 && f.Clock24 == 0:
		return nil
	case f.Clock24 > 0 && f.Half == 0:
		return []Choice{on24}
	}
	return []Choice{on24, {noClock, "It is not known whether they are AM or PM; leave them out"}}
}

// unitWords are the units of a header, by the word.
var unitWords = map[string]string{
	"g": "g", "gm": "g", "gms": "g", "gr": "g", "gram": "g", "grams": "g", "kg": "kg", "kgs": "kg", "kilos": "kg", "kilograms": "kg",
	"lb": "lb", "lbs": "lb", "pound": "lb", "pounds": "lb", "oz": "oz", "ounces": "oz",
	"in": "in", "inch": "in", "inches": "in", "cm": "cm", "cms": "cm", "ml": "mL", "mls": "mL", "cc": "mL", "l": "L", "liters": "L",
}

// unitsOf lists the units in which people write each dimension.
var unitsOf = map[string][]Choice{
	"g":       {{"g", "grams"}, {"kg", "kilograms"}, {"lb", "pounds"}, {"oz", "ounces"}},
	"[lb_av]": {{"lb", "pounds"}, {"kg", "kilograms"}},
	"cm":      {{"cm", "centimeters"}, {"in", "inches"}},
	"[in_i]":  {{"in", "inches"}, {"cm", "centimeters"}},
	"mL":      {{"mL", "milliliters"}, {"L", "liters"}},
}

// units returns the units that the bare numbers of a column may have: the one that its
// header names, else those in which every number is possible.
func (f *Facts) units(c *knownColumn, header string) []Choice {
	possible := unitsOf[c.field.Unit]
	if possible == nil || plain(header) == plain(c.name) {
		return nil // weeks, scores, counts: a number can mean only one thing
	}
	var named []string
	for _, word := range strings.FieldsFunc(strings.ToLower(split(header)), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if unit := unitWords[word]; unit != "" && !slices.Contains(named, unit) && !(word == "in" && !strings.Contains(header, "(")) {
			named = append(named, unit)
		}
	}
	switch {
	case slices.Contains(named, "lb") && slices.Contains(named, "oz"):
		return []Choice{{poundsOunces, "pounds and ounces"}}
	case len(named) == 1:
		if at := slices.IndexFunc(possible, func(u Choice) bool { return u.Value == named[0] }); at >= 0 {
			return possible[at : at+1]
		}
	case f.Bare == 0 && f.Pairs == 0:
		return nil
	}
	var fit []Choice
	for _, u := range possible {
		least, ok := mapping.Convert(f.Least, u.Value, c.field.Unit)
		most, _ := mapping.Convert(f.Most, u.Value, c.field.Unit)
		if ok && f.Bare > 0 && c.field.InRange(least) && c.field.InRange(most) && (u.Value != "g" || f.Broken == 0) {
			fit = append(fit, u)
		}
	}
	if f.Pairs > 0 && c.field.Unit == "g" {
		fit = append(fit, Choice{poundsOunces, "pounds and ounces"})
	}
	if len(fit) == 0 {
		return possible
	}
	return fit
}

// habit sets the habit of a column if the file proves it.
func (s *Survey) habit(g *guesser, i int) {
	column := &s.Layout.Columns[i]
	if t := g.byName[column.Name]; t != nil {
		if ways := t.habits(column.Header, &s.Facts[i]); len(ways) == 1 {
			column.As = ways[0].Value
		}
	}
}

// Questions are what still has to be said of a layout before the file can be read.
type Questions struct {
	Unsaid  []int // the positions of the columns that may mean several targets
	Columns []int // the positions of the columns whose habit is not known
	Twice   []int // the positions of columns whose target an earlier column has
	Dates   bool  // the order of day and month
	Years   bool  // what years of two digits mean
}

// None reports whether nothing is left to say.
func (q Questions) None() bool {
	return len(q.Unsaid)+len(q.Columns)+len(q.Twice) == 0 && !q.Dates && !q.Years
}

// Questions returns what still has to be said of a layout.
func (c Format) Questions(s *Survey, l *Layout) (q Questions) {
	taken := map[string]bool{}
	for i, column := range l.Columns {
		switch {
		case column.Name == Unsaid:
			q.Unsaid = append(q.Unsaid, i)
		case column.Name != "" && taken[column.Name]:
			q.Twice = append(q.Twice, i)
		}
		taken[column.Name] = true
		ways := c.Habits(s, i, column.Name)
		if len(ways) > 0 && !slices.ContainsFunc(ways, func(w Choice) bool { return w.Value == column.As }) {
			q.Columns = append(q.Columns, i)
		}
	}
	choices, _ := c.DateChoices(s, l)
	q.Dates = l.Dates == "" && len(choices) > 0
	q.Years = l.LastYear == 0 && c.ShortYears(s, l)
	return q
}

// HasOurNames reports whether a file needs no matching: its columns have our names, the few
// others look like nothing that is read, and nothing is left to say.
func (c Format) HasOurNames(s *Survey) bool {
	others := 0
	for i, column := range s.Layout.Columns {
		switch {
		case slices.Contains(s.Sure, i) || s.Facts[i].Filled == 0:
		case column.Name != "":
			return false
		default:
			others++
		}
	}
	return len(s.Sure) > others && c.Questions(s, &s.Layout).None()
}

// KeepSure leaves out of a layout all columns but those with our names.
func (s *Survey) KeepSure(l *Layout) {
	for i := range l.Columns {
		if !slices.Contains(s.Sure, i) {
			l.Columns[i].Name = ""
		}
	}
}

// Fits reports whether the contents of the columns can be what a layout that was made for
// another file says, and every target is known.
func (c Format) Fits(s *Survey, l *Layout) bool {
	for i, t := range c.matched(l) {
		switch {
		case t == nil && l.Columns[i].Name != "": // a custom field of former times
			return false
		case t != nil && s.Facts[i].Filled > 0 && t.dated() && 2*s.Facts[i].Dates < s.Facts[i].Filled:
			return false
		}
	}
	return true
}

// Offered reports whether a column may hold a target by its contents: what a person
// chooses from leaves out the dates for a column of numbers.
func (s *Survey) Offered(c Format, i int) (names map[string]bool) {
	f := &s.Facts[i]
	names = map[string]bool{}
	all := c.targets()
	for n := range all {
		t := &all[n]
		number := t.field != nil && (t.field.Kind == birth.Int || t.field.Kind == birth.Decimal)
		names[t.name] = f.Filled == 0 || t.dated() && 4*f.Dates >= f.Filled ||
			number && 4*(f.numbers()+f.Pairs+f.Weeks) >= f.Filled && !f.mostly(f.Dates) ||
			!t.dated() && !number && !f.mostly(f.Dates)
	}
	return names
}
