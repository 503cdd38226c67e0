package sheet

import (
	"fmt"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// A chart number may stand for another birth than the one on file: it was mistyped, a column slipped
// by a row, the numbers begin again each year, or a mother has the same number in her next pregnancy.
// So a row amends a record only if what both state about the mother and the birth agrees. One
// difference, such as a corrected name, is accepted if the rest shows that the birth is the same.

// The reasons to reject a row because the record with the row's chart number is about another
// mother or another birth.
var (
	AnotherMother = &fhir.Problem{
		Name: "another-mother", Code: "conflict",
		Text: "The record on file with this chart number seems to be another mother's.",
		Hint: "Correct the chart number. If it is the same mother, open the record and correct her name or her date of birth there.",
	}
	AnotherBirth = &fhir.Problem{
		Name: "another-birth", Code: "conflict",
		Text: "The record on file with this chart number seems to be another birth, because the dates or times differ.",
		Hint: "Give each birth a chart number of its own, such as the number with the year. If it is the same birth, open the record and correct its date or time there.",
	}
)

// likeness is the result of comparing what a row and a record state about the same thing.
type likeness int

const (
	silent likeness = iota // one of them doesn't state it
	same
	near // it differs a little: a misspelled name, another time or a date of the same week
	far  // it has something in common: a part of a name, or a date of the same pregnancy
	apart
)

// another returns the reason why the record on file can't be the one that the course is about, or
// nil.
func (c *Course) another(onFile birth.Draft) *fhir.Problem {
	name := nameLikeness(c.stated.Mother, onFile.Mother)
	mother := dateLikeness(c.stated.Mother.Text("mother_birth_date"), onFile.Mother.Text("mother_birth_date"))
	date := c.birthLikeness(onFile)
	switch {
	case date == apart:
		return AnotherBirth
	case name == apart && (mother != same || date != same),
		name == far && mother != same,
		name == near && mother != same && (mother != silent || date != same),
		mother == apart && (name != same || date != same):
		return AnotherMother
	case date == near && mother != same && name != same, date == far && mother != same:
		return AnotherBirth
	}
	return nil
}

// noteSibling adds a note if the course seems to be about another newborn of the course before it.
// They are two births unless their rows have the same chart number.
func (c *Course) noteSibling(before *Course) {
	if before == nil || nameLikeness(c.stated.Mother, before.stated.Mother) != same ||
		dateLikeness(c.stated.Mother.Text("mother_birth_date"), before.stated.Mother.Text("mother_birth_date")) == apart {
		return
	}
	const oneDay = 24 * time.Hour
	if gap := closest(daysOfBirth(c.stated.Children), daysOfBirth(before.stated.Children)); gap < 0 || gap > oneDay {
		return
	}
	c.Notes = append(c.Notes, Cell{Row: c.Rows[0].Number, Column: chartColumn, Text: fmt.Sprintf(
		"Row %d has the same mother and date. If they are twins, give both rows the same chart number.",
		before.Rows[0].Number)})
}

// nameLikeness compares the names of the mother. A single word, such as a family name alone, is too
// little to be the same.
func nameLikeness(a, b birth.Values) likeness {
	const family, given = "mother_family_name", "mother_given_names"
	switch birth.CompareNames(
		birth.PersonName{Family: a.Text(family), Given: a.Text(given)},
		birth.PersonName{Family: b.Text(family), Given: b.Text(given)},
	) {
	case birth.NamesEqual:
		return same
	case birth.NamesClose:
		return near
	case birth.NamesSimilar:
		return far
	case birth.NamesDiffer:
		return apart
	}
	return silent
}

// dateLikeness compares two full dates. Nothing follows from a partial date.
func dateLikeness(a, b string) likeness {
	switch {
	case len(a) != len(time.DateOnly) || len(b) != len(time.DateOnly):
		return silent
	case a == b:
		return same
	}
	return apart
}

// oneWeek is how far off a date of birth may be if only the mother's name shows that the birth is the
// same.
const oneWeek = 7 * 24 * time.Hour

// birthLikeness compares when the newborns were born. If the course doesn't state it, it compares
// when they were expected.
func (c *Course) birthLikeness(onFile birth.Draft) likeness {
	now, before := daysOfBirth(c.stated.Children), daysOfBirth(onFile.Children)
	expected := len(now) == 0
	if expected {
		now = daysExpected(c.stated.Mother)
	}
	gap := closest(now, before)
	switch {
	case gap < 0, expected && gap < birth.BetweenBirths:
		return silent
	case gap == 0 && !otherTimes(c.stated.Children, onFile.Children):
		return same
	case gap <= oneWeek:
		return near
	case gap < birth.BetweenBirths:
		return far
	}
	return apart
}

// otherTimes reports whether both lists of newborns state times of birth, and all of them are more
// than an hour apart.
func otherTimes(some, others []birth.Values) bool {
	compared := false
	for _, a := range some {
		for _, b := range others {
			gap, ok := birth.BetweenTimes(a.Text("birth_datetime"), b.Text("birth_datetime"))
			if ok && gap <= time.Hour {
				return false
			}
			compared = compared || ok
		}
	}
	return compared
}

// daysOfBirth returns the days on which newborns were born, as far as they are known. The date and
// the time of birth may state two days if the time is in another time zone.
func daysOfBirth(children []birth.Values) []time.Time {
	var texts []string
	for _, child := range children {
		texts = append(texts, child.Text("birth_date"), child.Text("birth_datetime"))
	}
	return fullDays(texts...)
}

// daysExpected returns the due dates that follow from what is stated about a pregnancy.
func daysExpected(mother birth.Values) []time.Time {
	days := fullDays(mother.Text("estimated_due_date"))
	for _, period := range fullDays(mother.Text("last_menstrual_period")) {
		days = append(days, period.AddDate(0, 0, 280))
	}
	return days
}

// fullDays returns the days of those dates and times that state one.
func fullDays(texts ...string) (days []time.Time) {
	for _, text := range texts {
		if day, ok := birth.DayOf(text); ok {
			days = append(days, day)
		}
	}
	return days
}

// closest returns the shortest time between a day of one list and a day of the other. It is
// negative if one list is empty.
func closest(some, others []time.Time) time.Duration {
	gap := time.Duration(-1)
	for _, a := range some {
		for _, b := range others {
			if between := a.Sub(b).Abs(); gap < 0 || between < gap {
				gap = between
			}
		}
	}
	return gap
}
