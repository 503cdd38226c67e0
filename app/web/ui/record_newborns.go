package ui

import (
	"fmt"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/views"
)

// nthWords are the words for a newborn's number, as in "the second newborn".
var nthWords = []string{"first", "second", "third", "fourth", "fifth", "sixth"}

// newbornName returns a name for one of several newborns, such as "second newborn". n is the
// newborn's index, and of is the number of newborns. Two newborns aren't called twins, because two
// newborns in one record need not be twins.
func newbornName(n, of int) string {
	if of <= len(nthWords) {
		return nthWords[n] + " newborn"
	}
	return fmt.Sprintf("newborn %d of %d", n+1, of)
}

// theNewborn returns the name of one of several newborns as it reads within a sentence, such as
// "the second newborn". n is the newborn's index, and of is the number of newborns.
func theNewborn(n, of int) string {
	if of > len(nthWords) {
		return newbornName(n, of)
	}
	return "the " + newbornName(n, of)
}

// shownWith maps a field to another field, whose row shows both of them. If the record doesn't
// state the other field, the first field gets a separate row.
var shownWith = map[string]string{
	"birth_month": "birth_date", "gestational_age_days": "gestational_age_weeks",
}

// newbornsOf returns a table of the newborns, side by side. It has a row for each fact that is
// known for at least one of them.
func newbornsOf(rec records.Record, from origins) views.Newborns {
	out := views.Newborns{Names: make([]string, len(rec.Children))}
	rows := map[string]*views.NewbornRow{}
	for n, child := range rec.Children {
		out.Names[n] = "Newborn"
		if len(rec.Children) > 1 {
			out.Names[n] = views.UpperFirst(newbornName(n, len(rec.Children)))
		}
		for _, v := range child {
			name := v.Field.Name
			if with := shownWith[name]; with != "" && stated(child, with) || name == "birth_date" && stated(child, "birth_datetime") {
				continue
			}
			fact := from.mark(newbornFact(child, v), originOf(v))
			row := rows[fact.Label]
			if row == nil {
				row = &views.NewbornRow{Label: fact.Label, Facts: make([]views.Fact, len(rec.Children))}
				rows[fact.Label] = row
			}
			row.Facts[n] = fact
		}
	}
	for i := range birth.Spine {
		label := newbornLabel(birth.Spine[i])
		if row := rows[label]; row != nil && birth.Spine[i].About == birth.Child {
			out.Rows = append(out.Rows, *row)
			delete(rows, label)
		}
	}
	return out
}

func stated(values records.Values, field string) bool {
	_, ok := values.Get(field)
	return ok
}

// newbornLabel returns the label of a row. The rows of the time and the date of birth have the same
// label.
func newbornLabel(f *birth.Field) string {
	switch f.Name {
	case "birth_datetime", "birth_date":
		return "Born"
	case "gestational_age_weeks":
		return "Gestational age"
	}
	return f.Label
}

func newbornFact(child records.Values, v records.Value) views.Fact {
	fact := views.Fact{Label: newbornLabel(v.Field), Value: v.Text()}
	switch v.Field.Name {
	case "gestational_age_weeks":
		fact.Value = gestation(child)
	case "birth_weight_g":
		fact.Value, fact.More = weight(child), "("+pounds(child)+")"
	}
	return fact
}
