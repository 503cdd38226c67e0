package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/views"
)

// sectionStarts maps a field of the spine to the title of the section that begins with the field.
// The fields of newborns have a separate table (newbornsOf).
var sectionStarts = map[string]string{
	birth.Spine[0].Name:     "Mother",
	"gravida":               "Pregnancy",
	"planned_birth_setting": "Labor and birth",
	"mother_six_weeks":      afterTheBirth,
}

// afterTheBirth is the title of a section that the page omits if it is empty.
const afterTheBirth = "After the birth"

// sectionOf maps every field to the title of its section. It isn't used for the fields of newborns.
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

// spineOrder maps every field to its position in the spine.
var spineOrder = func() map[string]int {
	of := map[string]int{}
	for i, f := range birth.Spine {
		of[f.Name] = i
	}
	return of
}()

// recordSections returns the sections with the facts about the mother, the pregnancy, the birth and
// the weeks after the birth. The attendant is in the section of the providers instead.
func recordSections(rec records.Record, from origins) []views.Section {
	sections := []views.Section{
		{Title: "Pregnancy", Empty: nothing},
		{Title: "Labor and birth", Empty: nothing},
		{Title: afterTheBirth},
		{Title: "Mother", Empty: nothing},
	}
	whole := append(slices.Clone(rec.Mother), rec.Care...)
	slices.SortStableFunc(whole, func(a, b records.Value) int { return spineOrder[a.Field.Name] - spineOrder[b.Field.Name] })
	named := rec.Attendant().ID != 0
	for _, v := range whole {
		fact := from.mark(views.Fact{Label: v.Field.Label, Value: v.Text()}, originOf(v))
		if named && ofAttendant[v.Field.Name] || inTitle[v.Field.Name] && fact.Source+fact.SetIn == "" {
			continue
		}
		for i := range sections {
			if sections[i].Title == sectionOf[v.Field.Name] {
				sections[i].Facts = append(sections[i].Facts, fact)
			}
		}
	}
	return slices.DeleteFunc(sections, func(s views.Section) bool { return s.Title == afterTheBirth && len(s.Facts) == 0 })
}

// These are fields that the sections omit, because the page shows them elsewhere. The fields in
// ofAttendant are shown with the providers, and the fields in inTitle are in the heading.
var (
	ofAttendant = map[string]bool{"attendant_type": true, "attendant_name": true, "attendant_credentials": true}
	inTitle     = map[string]bool{"mother_family_name": true, "mother_given_names": true}
)

const nothing = "Nothing is recorded."

// providersSection lists the providers who were present at the birth. If linked is true, each name
// is a link to the provider's page.
func providersSection(rec records.Record, from origins, linked bool) views.Section {
	s := views.Section{Title: "Providers", Empty: "No provider is recorded."}
	for _, p := range rec.Providers {
		fact := views.Fact{Label: "Present", Value: strings.TrimSuffix(p.Text(), ", attending")}
		if p.Attending {
			fact.Label = "Attending"
		}
		if linked {
			fact.Link = providerPath(p.ID)
		}
		s.Facts = append(s.Facts, from.mark(fact, providerOrigin(rec, p.Attending)))
	}
	return s
}

func transferSection(rec records.Record, from origins) views.Section {
	s := views.Section{Title: "Transfers of care", Empty: "None recorded."}
	for n, t := range rec.Transfers {
		text := t.Text()
		if text == "" {
			text = "No details are recorded"
		}
		fact := views.Fact{Label: fmt.Sprintf("Transfer %d", n+1), Value: text}
		s.Facts = append(s.Facts, from.mark(fact, origin{source: t.Source}))
	}
	return s
}

func consentSection(rec records.Record, from origins) views.Section {
	fact := views.Fact{Label: "Consent", Value: records.ConsentText(rec.Consent)}
	if rec.Consent.Recorded {
		fact = from.mark(fact, typedOrigin(rec.ConsentSet))
	}
	return views.Section{Title: "Consent", Facts: []views.Fact{fact}}
}

func customSection(rec records.Record, from origins) views.Section {
	s := views.Section{Title: "Custom fields", Empty: "None filled in."}
	for _, own := range rec.CustomFields {
		text := own.Text
		if own.Field.Kind == birth.CustomDate {
			text = birth.When(text)
		}
		s.Facts = append(s.Facts, from.mark(views.Fact{Label: own.Field.Label, Value: text}, typedOrigin(own.SetIn)))
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
	if rec.Given {
		add("Chart number", rec.ChartNumber+", assigned by the registry", "")
	}
	add("Record number", rec.ID, "")
	add("Last changed at the source", sourceStamp(rec.SourceStamp, zone), "")
	add("Version of the BFDR guide", rec.IGVersion, "")
	add("Read as", string(rec.Reading), "/docs/bfdr")
	return s
}

// broughtBy returns the address and the text of a link to the ingestion or import that made a
// version. If the version was made with the form, both are "".
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

// lowerFirst returns a label in the form that it has within a sentence, with its first letter in
// lower case. It leaves Apgar and abbreviations unchanged.
func lowerFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	if size == 0 || unicode.IsUpper(second) || strings.HasPrefix(text, "Apgar") {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}
