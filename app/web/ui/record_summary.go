package ui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
	"birthregistry/views"
)

// recordTitle returns the mother's name. If it isn't known, recordTitle returns the record's name.
// The title of the browser tab never contains the mother's name.
func recordTitle(rec records.Record) string {
	family, given := textOf(rec.Mother, "mother_family_name"), textOf(rec.Mother, "mother_given_names")
	switch {
	case family != "" && given != "":
		return family + ", " + given
	case family+given != "":
		return family + given
	}
	return views.UpperFirst(recordName(rec.ChartNumber))
}

// summaryOf returns the cells of the summary. There is no cell for a fact that isn't known. If a
// fact is known for only some newborns, its cell says "not known" for the others.
func summaryOf(rec records.Record, around records.Around, who auth.User) (cells []views.RecordCell) {
	add := func(label, value, more string) {
		if value != "" {
			cells = append(cells, views.RecordCell{Label: label, Value: value, More: more})
		}
	}
	add("Newborns", newbornWords(rec), "")
	day, times := bornWords(rec)
	add("Born", day, times)
	add("Gestation", ofNewborns(rec, unbroken(gestation)), "")
	add("Weight", ofNewborns(rec, unbroken(weight)), ofNewborns(rec, unbroken(pounds)))
	method, more, _ := strings.Cut(ofNewborns(rec, func(c records.Values) string { return labelOf(c, "delivery_method") }), ", ")
	if strings.Contains(more, ", ") || strings.Contains(more, "·") { // of several newborns
		method, more = method+", "+more, ""
	}
	add("Birth", method, more)
	place, plan, _ := strings.Cut(labelOf(rec.Care, "birth_setting"), ", ")
	add("Place", place, plan)
	if by := rec.Attendant(); by.ID != 0 {
		cells = append(cells, attendantCell(by, around.Attended, who))
	} else {
		add("Attended by", labelOf(rec.Care, "attendant_type"), "")
	}
	return cells
}

// attendantCell returns the cell with the attendant's name. If the user may view providers, the
// cell also shows how many births the attendant has had, as a link to the attendant's page.
func attendantCell(by records.Provider, births int, who auth.User) views.RecordCell {
	cell := views.RecordCell{Label: "Attended by", Value: providerName(by.Name)}
	if by.Credentials != "" {
		cell.Value += ", " + by.Credentials
	}
	if who.May(auth.ProviderView) && births > 0 {
		cell.More, cell.MoreLink = views.Count(births, "birth", "births"), providerPath(by.ID)
		if births >= store.CountedTo {
			cell.More = views.Number(store.CountedTo) + " or more births"
		}
	}
	return cell
}

// textOf returns the value of a field as it is stored. labelOf returns it in human-readable form,
// or "" if the record states that the value is unknown.
func textOf(values records.Values, field string) string {
	v, _ := values.Get(field)
	return v.Value.Text
}

func labelOf(values records.Values, field string) string {
	code := textOf(values, field)
	if code == "unknown" {
		return ""
	}
	return label(field, code)
}

func numberOf(values records.Values, field string) (float64, bool) {
	v, ok := values.Get(field)
	return v.Value.Number, ok
}

// ofNewborns returns a fact about all newborns in words. of returns the fact about one newborn. If
// the fact is the same for all newborns, ofNewborns states it only once. If it isn't known for any
// newborn, ofNewborns returns "".
func ofNewborns(rec records.Record, of func(records.Values) string) string {
	texts := make([]string, len(rec.Children))
	for n, child := range rec.Children {
		texts[n] = of(child)
	}
	distinct := slices.Compact(slices.Clone(texts))
	if len(distinct) <= 1 {
		return strings.Join(distinct, "")
	}
	for n := range texts {
		if texts[n] == "" {
			texts[n] = "not known"
		}
	}
	return strings.Join(texts, " · ")
}

// many maps the number of newborns to the word for such a birth.
var many = map[int]string{2: "Twins", 3: "Triplets", 4: "Quadruplets"}

// newbornWords describes the newborns of a record in a few words, such as "Twins, girl and boy". It
// states how many there were according to the record, their sexes if all of them are known, and
// whether they were stillborn.
func newbornWords(rec records.Record) string {
	n := len(rec.Children)
	var text string
	stated, ok := numberOf(rec.Care, "plurality")
	switch {
	case ok && int(stated) == n && many[n] != "":
		text = many[n]
	case ok && int(stated) > max(n, 1): // the newborns were sent one by one, or not all of them were sent
		text = fmt.Sprintf("%d of %d", n, int(stated))
	case n > 1:
		text = fmt.Sprintf("%d newborns", n)
	}
	sexes := make([]string, 0, n)
	for _, child := range rec.Children {
		if sex := map[string]string{"female": "girl", "male": "boy"}[textOf(child, "child_sex")]; sex != "" {
			sexes = append(sexes, sex)
		}
	}
	if len(sexes) == n && n > 0 {
		if text != "" {
			text += ", "
		}
		text += strings.Join(sexes[:n-1], ", ")
		if n > 1 {
			text += " and "
		}
		text += sexes[n-1]
	}
	if born := stillborn(rec); born != "" {
		text = strings.TrimPrefix(text+"; "+born, "; ")
	}
	if text == "" {
		return ""
	}
	return views.UpperFirst(text)
}

// stillborn returns a text that says how many newborns were stillborn according to the record. It
// returns "" if there were none.
func stillborn(rec records.Record) string {
	dead := 0
	for _, child := range rec.Children {
		if v, ok := child.Get("live_birth"); ok && !v.Value.Flag {
			dead++
		}
	}
	switch {
	case dead == 0:
		return ""
	case len(rec.Children) == 1:
		return "stillborn"
	}
	return fmt.Sprintf("%d stillborn", dead)
}

// bornWords returns the day of birth and the times of birth. If a newborn's time of birth isn't
// known, or the newborns weren't born on the same day, it returns the date and time of every
// newborn as day, and "" as times.
func bornWords(rec records.Record) (day, times string) {
	var clocks []string
	for _, child := range rec.Children {
		date, clock := bornOn(child), ""
		if i := strings.LastIndex(date, ", "); i >= 0 && strings.Contains(date[i:], ":") {
			date, clock = date[:i], date[i+2:]
		}
		if clock == "" || day != "" && date != day {
			return ofNewborns(rec, bornOn), ""
		}
		day, clocks = date, append(clocks, clock)
	}
	return day, strings.Join(slices.Compact(clocks), " and ")
}

// bornOn returns the time at which a newborn was born, in the local time of the place. If only the
// date is known, it returns the date.
func bornOn(child records.Values) string {
	at := textOf(child, "birth_datetime")
	if at == "" {
		at = textOf(child, "birth_date")
	}
	return listedTime(at)
}

// gestation returns a gestational age, such as "39w 2d", or "39 weeks" if the days aren't known. If
// the age isn't known, gestation returns "".
func gestation(child records.Values) string {
	weeks, ok := numberOf(child, "gestational_age_weeks")
	if !ok {
		return ""
	}
	if days, ok := numberOf(child, "gestational_age_days"); ok {
		return fmt.Sprintf("%.0fw %.0fd", weeks, days)
	}
	return fmt.Sprintf("%.0f weeks", weeks)
}

func weight(child records.Values) string {
	grams, ok := numberOf(child, "birth_weight_g")
	if !ok {
		return ""
	}
	return views.Number(int(grams)) + " g"
}

// unbroken returns a function that returns the text of the function of, but with no-break spaces. A
// number and its unit then stay on one line.
func unbroken(of func(records.Values) string) func(records.Values) string {
	return func(child records.Values) string { return strings.ReplaceAll(of(child), " ", "\u00a0") }
}

// pounds returns a birth weight in pounds and ounces, such as "7 lb 9 oz", or "" if it isn't known.
func pounds(child records.Values) string {
	grams, ok := numberOf(child, "birth_weight_g")
	if !ok {
		return ""
	}
	return poundsOf(grams)
}

func poundsOf(grams float64) string {
	ounces := int(math.Round(grams / 28.349523125))
	return fmt.Sprintf("%d lb %d oz", ounces/16, ounces%16)
}

// missingLinks lists the facts that a complete record would have and this one lacks. If amend is
// true, each fact is a link to its field in the form.
func missingLinks(rec records.Record, missing []birth.Path, amend bool) (links []views.Link) {
	for _, path := range missing {
		l := views.Link{Text: missingLabel(path, len(rec.Children))}
		if amend {
			l.Href = recordAddress(rec.ID) + "/amend#" + formField(path)
		}
		links = append(links, l)
	}
	return links
}

// missingLabels name facts as the form does, where the spine's label differs.
var missingLabels = map[string]string{
	"birth_month": "Date of birth, at least the month", "gestational_age_weeks": formLabels["gestational_age_weeks"],
}

// missingLabel names a missing fact, and the newborn if there are several.
func missingLabel(path birth.Path, newborns int) string {
	text := cmp.Or(missingLabels[path.Field], birth.Must(path.Field).Label)
	if path.List == birth.ChildList && newborns > 1 {
		text += " of " + theNewborn(path.Index, newborns)
	}
	return text
}

// formField returns the name of the form field in which users enter a fact. Two facts have no
// field: users enter the attendant as a provider, and the month is part of the date.
func formField(path birth.Path) string {
	switch path.Field {
	case "attendant_type":
		return birth.Of(birth.ProviderList, 0, "name").String()
	case "birth_month":
		path.Field = "birth_date"
	}
	return path.String()
}
