package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/views"
)

// sectionStarts are the fields of the spine with which a section of the page
// begins. A newborn's fields are on the newborn's own card.
var sectionStarts = map[string]string{
	birth.Spine[0].Name:     "Mother",
	"gravida":               "Pregnancy",
	"planned_birth_setting": "Labor and birth",
}

// sectionOf maps every field that isn't a newborn's to its section.
var sectionOf = func() map[string]string {
	of, section := map[string]string{}, ""
	for _, f := range birth.Spine {
		if next, begins := sectionStarts[f.Name]; begins {
			section = next
		}
		of[f.Name] = section
	}
	return of
}()

// spineOrder maps every field to its place on the spine.
var spineOrder = func() map[string]int {
	of := map[string]int{}
	for i, f := range birth.Spine {
		of[f.Name] = i
	}
	return of
}()

// recordSections returns the mother, the pregnancy, the birth and a card for each
// newborn.
func recordSections(rec records.Record, zone *time.Location) []views.Section {
	sections := []views.Section{
		{Title: "Mother", Empty: nothing}, {Title: "Pregnancy", Empty: nothing}, {Title: "Labor and birth", Empty: nothing},
	}
	of := func(f *birth.Field) *views.Section {
		for i := range sections {
			if sections[i].Title == sectionOf[f.Name] {
				return &sections[i]
			}
		}
		return &sections[0]
	}
	whole := append(slices.Clone(rec.Mother), rec.Care...)
	slices.SortStableFunc(whole, func(a, b records.Value) int { return spineOrder[a.Field.Name] - spineOrder[b.Field.Name] })
	for _, v := range whole {
		section := of(v.Field)
		section.Facts = append(section.Facts, factOf(v, zone))
	}
	for n, child := range rec.Children {
		card := views.Section{Title: "Newborn", Empty: nothing}
		if len(rec.Children) > 1 {
			card.Title = fmt.Sprintf("Newborn %d of %d", n+1, len(rec.Children))
		}
		for _, v := range child {
			if v.Field.Name != "birth_month" { // the date of birth stands next to it
				card.Facts = append(card.Facts, factOf(v, zone))
			}
		}
		sections = append(sections, card)
	}
	return sections
}

const nothing = "Nothing is recorded."

// factOf returns a value with its source.
func factOf(v records.Value, zone *time.Location) views.Fact {
	f := views.Fact{Label: v.Field.Label, Value: v.Text(), Source: v.Value.Source.Label()}
	if v.SetIn != nil {
		f.SetIn = setIn(*v.SetIn, zone)
	}
	return f
}

func setIn(e records.Event, zone *time.Location) string {
	return fmt.Sprintf("set in version %d on %s by %s", e.Version, e.At.In(zone).Format("Jan 2, 2006"), e.Who())
}

// setBy gives a fact without its own source that of the version that set it.
func setBy(f views.Fact, e *records.Event, zone *time.Location) views.Fact {
	if e != nil {
		f.Source, f.SetIn = e.Source.Label(), setIn(*e, zone)
	}
	return f
}

// providersSection lists who took part.
func providersSection(rec records.Record, zone *time.Location) views.Section {
	s := views.Section{Title: "People", Empty: "No provider is named."}
	for _, p := range rec.Providers {
		part := "Present"
		if p.Attending {
			part = "Attending"
		}
		fact := setBy(views.Fact{Label: part, Value: strings.TrimSuffix(p.Text(), ", attending")}, rec.ProvidersSet, zone)
		if fact.Source == birth.EHRPull.Label() {
			fact.Source = attendantSource(rec, p.Attending).Label()
		}
		s.Facts = append(s.Facts, fact)
	}
	return s
}

// attendantSource returns the source of a person on a form filled in by an EHR: a
// chart names only the attendant.
func attendantSource(rec records.Record, attending bool) birth.Source {
	for _, v := range rec.Care {
		if attending && v.Field.Name == "attendant_name" {
			return v.Value.Source
		}
	}
	return birth.Manual
}

func transferSection(rec records.Record) views.Section {
	s := views.Section{Title: "Transfers of care", Empty: "None is recorded."}
	for n, t := range rec.Transfers {
		text := t.Text()
		if text == "" {
			text = "Nothing more is stated"
		}
		s.Facts = append(s.Facts, views.Fact{
			Label: fmt.Sprintf("Transfer %d", n+1), Value: text, Source: t.Source.Label(),
		})
	}
	return s
}

func consentSection(rec records.Record, zone *time.Location) views.Section {
	fact := views.Fact{Label: "Consent", Value: records.ConsentText(rec.Consent)}
	if rec.Consent.Recorded {
		fact = setBy(fact, rec.ConsentSet, zone)
	}
	if fact.Source == birth.EHRPull.Label() { // no chart states it: a person entered it
		fact.Source = birth.Manual.Label()
	}
	return views.Section{Title: "Consent", Facts: []views.Fact{fact}}
}

func customSection(rec records.Record, zone *time.Location) views.Section {
	s := views.Section{Title: "Custom fields"}
	for _, own := range rec.CustomFields {
		text := own.Text
		if own.Field.Kind == birth.CustomDate {
			text = birth.When(text)
		}
		f := setBy(views.Fact{Label: own.Field.Label, Value: text}, own.SetIn, zone)
		if own.SetIn != nil && own.SetIn.Source == birth.EHRPull { // a chart never fills these: they were typed
			f.Source = birth.Manual.Label()
		}
		s.Facts = append(s.Facts, f)
	}
	return s
}

func technicalSection(rec records.Record, zone *time.Location) views.Section {
	s := views.Section{Title: "Technical"}
	add := func(label, value, link string) {
		if value != "" {
			s.Facts = append(s.Facts, views.Fact{Label: label, Value: value, Link: link})
		}
	}
	number := rec.ChartNumber
	if rec.Given {
		number += ", given by the registry"
	}
	add("Chart number", number, "")
	add("Record number", rec.ID, "")
	add("Version", fmt.Sprintf("%d, %s on %s by %s", rec.Version, lowerFirst(rec.Event.What()), views.Moment(rec.Event.At, zone), rec.Event.Who()), "")
	address, text := broughtBy(rec.Event)
	add("Brought by", text, address)
	add("Changed at its source", sourceStamp(rec.SourceStamp, zone), "")
	add("Version of the BFDR guide", rec.IGVersion, "")
	add("Read as", string(rec.Reading), "/docs/bfdr")
	return s
}

// broughtBy returns the address and text for the source of a version, "" for a
// form.
func broughtBy(e records.Event) (address, text string) {
	switch {
	case e.Ingestion == "":
		return "", ""
	case e.Kind == "csv":
		return "/registry/imports/" + e.Ingestion, "the import"
	}
	return "/registry/ingestions/" + e.Ingestion, "the ingestion"
}

func sourceStamp(stamp string, zone *time.Location) string {
	t, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return ""
	}
	return t.In(zone).Format("Jan 2, 2006, 3:04:05 PM MST")
}

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }
