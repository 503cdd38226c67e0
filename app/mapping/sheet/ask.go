package sheet

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// Choice is a possible answer to a question.
type Choice struct{ Value, Label string }

// dateChoices are the possible orders of day and month.
var dateChoices = []Choice{
	{string(MonthFirst), "Month first: 3/2/2026 is March 2"},
	{string(DayFirst), "Day first: 3/2/2026 is February 3"},
	{string(NoDateOrder), "Not sure: mark these rows as errors"},
}

// DateChoices returns the answers to the question about the order of day and month, or none if no
// date is ambiguous or the dates prove the order. A date that exists in only one order, such as
// 13/04/2026, proves the order of its column. A person must choose if a column with ambiguous dates
// has no such proof, or if two columns prove different orders. likely is the order that the file's
// dates prove, or empty.
func (c Format) DateChoices(s *Survey, l *Layout) (choices []Choice, likely DateOrder) {
	either, silent := false, false
	for i, t := range c.matched(l) {
		if f := &s.Facts[i]; t != nil && t.dated() {
			either = either || f.EitherDay > 0
			silent = silent || f.EitherDay > 0 && f.MonthFirst+f.DayFirst == 0
		}
	}
	switch month, day := c.datesProve(s, l); {
	case month && !day:
		likely = MonthFirst
	case day && !month:
		likely = DayFirst
	}
	if either && (silent || likely == "") {
		choices = dateChoices
	}
	return choices, likely
}

// MixedDates reports whether some dates exist only with the month first, and others only with the day
// first.
func (c Format) MixedDates(s *Survey, l *Layout) bool {
	month, day := c.datesProve(s, l)
	return month && day
}

// datesProve reports whether a matched column has dates that exist only with the month
// first, and whether one has dates that exist only with the day first.
func (c Format) datesProve(s *Survey, l *Layout) (month, day bool) {
	for i, t := range c.matched(l) {
		if t != nil && t.dated() {
			month, day = month || s.Facts[i].MonthFirst > 0, day || s.Facts[i].DayFirst > 0
		}
	}
	return month, day
}

// Contradicts reports whether a file has dates that don't exist in this order of day and month. If
// the order was chosen for another file, it then can't be used for this one.
func (c Format) Contradicts(s *Survey, l *Layout, order DateOrder) bool {
	month, day := c.datesProve(s, l)
	return order == MonthFirst && day || order == DayFirst && month
}

// ShortYears reports whether any matched column has dates with a two-digit year.
func (c Format) ShortYears(s *Survey, l *Layout) bool {
	for i, t := range c.matched(l) {
		if t != nil && t.dated() && s.Facts[i].ShortYears > 0 {
			return true
		}
	}
	return false
}

// matched returns the target of each column, which is what the column contains. The target is nil
// if the column is left out.
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

// Habits returns the ways to read the cells of column i (habits) if the column contains the target.
// It returns none if the cells can have only one meaning. It returns one if the file proves it, and
// several if the user must choose.
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
		return []Choice{{dotDays, "39.2 means 39 weeks and 2 days"}, {dotDecimal, "39.2 means 39 and two-tenths weeks"}}
	}
	if c.field != nil && c.field.Kind == birth.DateTime && f.HalfTimed > 0 && f.AnyTimed > 0 {
		return eitherClocks
	}
	if c.field != nil && (c.field.Kind == birth.Int || c.field.Kind == birth.Decimal) && c.field.Unit != "" {
		return f.units(c, header)
	}
	return nil
}

// eitherClocks has the ways to read a time without AM or PM.
var eitherClocks = []Choice{
	{clock24, "Times without AM or PM are on a 24-hour clock"}, {noClock, "It is not known whether they are AM or PM; leave them out"},
}

// clocks returns the ways to read the times in a column that have no AM or PM.
func (f *Facts) clocks() []Choice {
	switch {
	case f.AnyClock == 0 && f.Clock24 == 0:
		return nil
	case f.Clock24 > 0 && f.Half == 0, f.AnyClock == 0:
		return eitherClocks[:1]
	}
	return eitherClocks
}

// Doubt returns the first cell of a column with a time that may be on a 12-hour or a 24-hour clock,
// if the user must choose between the two (Habits). The result other is a cell that is certainly on
// the 12-hour clock, if there is one.
func (c Format) Doubt(s *Survey, i int, target string) (doubtful, other Seen) {
	ways := c.Habits(s, i, target)
	if len(ways) < 2 || ways[0] != eitherClocks[0] {
		return Seen{}, Seen{}
	}
	return s.Facts[i].AnyAt, s.Facts[i].HalfAt
}

// unitWords maps words for units in a header to the units.
var unitWords = map[string]string{
	"g": "g", "gm": "g", "gms": "g", "gr": "g", "gram": "g", "grams": "g", "kg": "kg", "kgs": "kg", "kilos": "kg", "kilograms": "kg",
	"lb": "lb", "lbs": "lb", "pound": "lb", "pounds": "lb", "oz": "oz", "ounces": "oz",
	"in": "in", "inch": "in", "inches": "in", "cm": "cm", "cms": "cm", "ml": "mL", "mls": "mL", "cc": "mL", "l": "L", "liters": "L",
}

// unitsOf lists the units that people use for the values of a field. The key is the unit of the
// field.
var unitsOf = map[string][]Choice{
	"g":       {{"g", "grams"}, {"kg", "kilograms"}, {"lb", "pounds"}, {"oz", "ounces"}},
	"[lb_av]": {{"lb", "pounds"}, {"kg", "kilograms"}},
	"cm":      {{"cm", "centimeters"}, {"in", "inches"}},
	"[in_i]":  {{"in", "inches"}, {"cm", "centimeters"}},
	"mL":      {{"mL", "milliliters"}, {"L", "liters"}},
}

// units returns the ways to read a column's numbers without a unit. They may be amounts in a unit
// (unitsMeant), or may have a point between pounds and ounces.
func (f *Facts) units(c *knownColumn, header string) []Choice {
	all := f.unitsMeant(c, header)
	at := slices.IndexFunc(all, func(u Choice) bool { return u.Value == "lb" })
	if at < 0 || c.field.Unit != "g" || f.Broken == 0 || f.NoOunces > 0 {
		return all
	}
	return slices.Concat(all[:at], []Choice{{"lb", "pounds; 7.5 is 7 lb 8 oz"}, {dotOunces, "pounds and ounces; 7.5 is 7 lb 5 oz"}}, all[at+1:])
}

// unitsMeant returns the units that a column's numbers without a unit may have. If the header names
// one unit of the field's dimension, it returns only this unit. If the header names pounds and
// ounces, it returns both as one choice. Otherwise, it returns the units in which the column's
// numbers are plausible. If there are none, it returns all units of the dimension.
//
// It returns nil if the numbers can have only one meaning, or if the column has no numbers without
// a unit.
func (f *Facts) unitsMeant(c *knownColumn, header string) []Choice {
	possible := unitsOf[c.field.Unit]
	if possible == nil || plain(header) == plain(c.name) {
		return nil // a number of weeks, a score or a count has only one meaning
	}
	var named []string
	for _, word := range strings.FieldsFunc(strings.ToLower(split(splitCapitals(header))), func(r rune) bool { return r < 'a' || r > 'z' }) {
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
	fit, doubt := f.fitting(c.field, possible)
	if len(fit) == 1 {
		fit = doubt
	}
	if f.Pairs > 0 && c.field.Unit == "g" {
		fit = append(fit, Choice{poundsOunces, "pounds and ounces"})
	}
	if len(fit) == 0 {
		return possible
	}
	return fit
}

// fitting returns the units in which all numbers of a column are plausible (fit). It also returns
// the units in which at least the smallest or the largest number is plausible (doubt), because a
// single odd number proves nothing about the unit.
func (f *Facts) fitting(field *birth.Field, possible []Choice) (fit, doubt []Choice) {
	for _, u := range possible {
		least, ok := mapping.Convert(f.Least, u.Value, field.Unit)
		most, _ := mapping.Convert(f.Most, u.Value, field.Unit)
		if !ok || f.Bare == 0 || u.Value == "g" && f.Broken > 0 {
			continue
		}
		low, high := field.InRange(least), field.InRange(most)
		if low && high {
			fit = append(fit, u)
		}
		if low || high {
			doubt = append(doubt, u)
		}
	}
	return fit, doubt
}

// habit sets how to read a column's cells (Column.As) if there is only one way.
func (s *Survey) habit(g *guesser, i int) {
	column := &s.Layout.Columns[i]
	if t := g.byName[column.Name]; t != nil {
		if ways := t.habits(column.Header, &s.Facts[i]); len(ways) == 1 {
			column.As = ways[0].Value
		}
	}
}

// Questions holds the questions about a layout that the user must answer before the file can be
// read.
type Questions struct {
	Unsaid  []int // the positions of the columns that may have several targets
	Columns []int // the positions of the columns for which it is not known how to read the cells (Habits)
	Twice   []int // the positions of the columns with the same target as an earlier column
	Dates   bool  // the order of day and month is not known
	Years   bool  // the meaning of two-digit years is not known
}

// None reports whether no question is left.
func (q Questions) None() bool {
	return len(q.Unsaid)+len(q.Columns)+len(q.Twice) == 0 && !q.Dates && !q.Years
}

// Questions returns the questions that are still open about a layout.
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

// HasOurNames reports whether the user need not match the columns of a file. Most columns must have
// the registry's names. The other columns must not look like anything that the program reads, and
// there must be no open question.
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

// KeepSure makes a layout leave out all columns except the ones with the registry's names.
func (s *Survey) KeepSure(l *Layout) {
	for i := range l.Columns {
		if !slices.Contains(s.Sure, i) {
			l.Columns[i].Name = ""
		}
	}
}

// Fits reports whether a layout that was made for another file suits this one. Every target in the
// layout must still exist. In each column of dates, at least half of the filled cells must be
// dates.
func (c Format) Fits(s *Survey, l *Layout) bool {
	for i, t := range c.matched(l) {
		switch {
		case t == nil && l.Columns[i].Name != "": // a custom field that no longer exists
			return false
		case t != nil && s.Facts[i].Filled > 0 && t.dated() && 2*s.Facts[i].Dates < s.Facts[i].Filled:
			return false
		}
	}
	return true
}

// Offered returns the targets that the user may choose for a column. It leaves out targets that
// don't go with the column's cells, such as a date for a column of numbers.
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
