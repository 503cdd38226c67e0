package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/mapping/form"
	"birthregistry/app/web/pages"
	"birthregistry/views"
)

// sentence adds a period to the text of a finding, unless the text already ends with a period or a
// question mark. Most findings have no period, because some callers continue the text.
func sentence(text string) string {
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// view returns the content of the form's page. The page first lists the problems of the form as a
// whole. Then it lists the problems of the fields, in the order of the fields.
func (f *birthForm) view() views.BirthForm {
	m := newFieldMaker(f)
	page := views.BirthForm{
		Heading: "Record a birth", Action: f.address(), Cancel: "/registry", Fresh: f.fresh, Owner: cmp.Or(f.made, pages.Owner(f.who)),
		Notes: f.notes, Changed: f.otherPage(), Draft: f.draftView(), Discard: draftPath(f.fresh) + "/discard",
	}
	if f.amends() {
		page.Heading, page.Cancel = "Amend record "+f.chart, recordAddress(f.uuid)
		page.Record, page.BaseVersion = f.uuid, f.version
	}
	for _, found := range f.found {
		line := views.Mistake{Name: found.Path().String(), Text: sentence(found.Text)}
		if found.Blocks {
			page.Mistakes = append(page.Mistakes, line)
		} else {
			page.Warnings = append(page.Warnings, views.Warning{
				Mistake: line, ID: f.tick(found), Ticked: f.isTicked(found), Confirm: cmp.Or(confirmations[found.Rule], confirmations[""]),
			})
		}
	}
	if f.checks {
		page.Missing = f.missing()
	}
	if f.gone && len(page.Mistakes) == 0 { // otherwise this is one of the mistakes
		page.Notes = append(page.Notes, chartGone+".")
	}
	page.Kept = f.unknown()
	if len(page.Warnings) == 0 { // otherwise each warning has its own box
		page.Ticked = strings.Join(f.typed["confirm"], " ")
	}
	if f.taken != nil && f.who.May(auth.RecordRead) {
		link := recordLink(f.taken.UUID, f.taken.Chart)
		page.Taken = &link
	}
	page.Sections = m.sections(f)
	page.Chart = f.chartView(page.Sections)
	place := placesOf(page.Sections)
	slices.SortStableFunc(page.Mistakes, func(a, b views.Mistake) int { return place[a.Name] - place[b.Name] })
	slices.SortStableFunc(page.Warnings, func(a, b views.Warning) int { return place[a.Name] - place[b.Name] })
	slices.SortStableFunc(page.Missing, func(a, b views.Mistake) int { return place[a.Name] - place[b.Name] })
	return page
}

// sections returns the sections of the form, in the order in which a midwife recounts a birth.
func (m *fieldMaker) sections(f *birthForm) []views.FormSection {
	mother := m.section(partMother)
	if f.amends() {
		mother.Intro = "Chart number " + f.chart
	} else {
		chart := m.field("chart_number", "Chart number", views.Box)
		mother.Groups[0].Fields = append(mother.Groups[0].Fields, chart)
		mother.Groups[0].Fields[0].Focus = len(f.typed) == 0 // nothing has been typed yet, so typing begins here
	}
	all := []views.FormSection{
		mother, m.section(partPregnancy), m.section(partLabor), m.section(partBirth),
		m.newborns(), m.providers(!f.amends()), m.transfers(), m.after(), m.consent(),
	}
	if own := m.customFields(f.fields); len(own.Groups) > 0 {
		all = append(all, own)
	}
	m.mark(all, f)
	return all
}

func (m *fieldMaker) section(p formPart) views.FormSection {
	return views.FormSection{ID: p.id, Title: p.title, Intro: p.intro, Groups: []views.FormGroup{m.group(p, -1, "")}}
}

// foldAway keeps the page small if there are several newborns. From the newborn's fields that users
// can open, it keeps only those with a value or a message, and adds a button that fetches all of
// them.
func (m *fieldMaker) foldAway(g *views.FormGroup, count int) {
	switch {
	case m.unfolded == g.ID:
		g.Open = true
	case count > 1:
		g.Unfold = unfold + g.ID
		g.More = slices.DeleteFunc(g.More, func(f views.FormField) bool { return !m.holds(f) })
	}
}

// holds reports whether a field has a value or a message.
func (m *fieldMaker) holds(f views.FormField) bool {
	return f.Error != "" || f.Warning != "" || f.Changed || len(f.Tips) > 0 || m.filledIn(f)
}

// group returns the fields of a part of the form. n is the index of the newborn whom the part is
// about, or -1. of is the newborn's name on the page, or "". If a hidden field has a value or a
// message, the page shows all hidden fields of the part.
func (m *fieldMaker) group(p formPart, n int, of string) views.FormGroup {
	g := views.FormGroup{MoreOf: p.title}
	if of != "" {
		g.MoreOf = lowerFirst(of)
	}
	for _, name := range p.first {
		field := m.spine(birth.Must(name), n)
		if n > 0 {
			hintOnce(&field, name)
		}
		if name != gestationDays || field.Error != "" || strings.TrimSpace(field.Value) != "" {
			g.Fields = append(g.Fields, field)
		}
	}
	for _, name := range p.more {
		field := m.spine(birth.Must(name), n)
		g.Open = g.Open || m.holds(field)
		g.More = append(g.More, field)
	}
	return g
}

// hintOnce replaces the hint of a field with a reference to the first newborn's field, which has
// the same hint. A page with twelve newborns therefore doesn't repeat the hint twelve times.
// hintOnce also removes the "m/d/yyyy" after a date.
func hintOnce(field *views.FormField, name string) {
	if field.Hint != "" {
		field.Hint, field.HintAt = "", birth.Of(birth.ChildList, 0, name).String()
	}
	if birth.Must(name).Kind == birth.Date {
		field.Unit = ""
	}
}

// whichNewborn returns the name of the nth newborn, such as "Newborn 1". If there is only one
// newborn, it returns "".
func whichNewborn(n, count int) string {
	if count < 2 {
		return ""
	}
	return fmt.Sprintf("Newborn %d", n+1)
}

func (m *fieldMaker) newborns() views.FormSection {
	count := max(1, form.Count(m.typed, birth.ChildList))
	out := views.FormSection{
		ID: partNewborn.id, Title: "Newborn", Add: "add-child", AddLabel: "Add another newborn",
	}
	for n := range count {
		of := whichNewborn(n, count)
		g := m.group(partNewborn, n, of)
		g.ID, g.Title = fmt.Sprintf("child.%d", n), of
		m.foldAway(&g, count)
		if count > 1 {
			out.Title = "Newborns"
			m.removal(&g, n)
		}
		out.Groups = append(out.Groups, g)
	}
	return out
}

// removal adds the button that removes a newborn. If something was typed for the newborn, the button
// first asks.
func (m *fieldMaker) removal(g *views.FormGroup, n int) {
	g.Remove, g.RemoveLabel = "remove-"+g.ID, fmt.Sprintf("Remove newborn %d", n+1)
	switch {
	case form.IsBlank(m.typed, birth.ChildList, n):
	case m.removing == g.ID:
		g.Removing, g.RemoveLabel = true, g.RemoveLabel+" and everything entered for this newborn"
	default:
		g.Remove = askRemoval + g.ID
	}
}

// providers returns the section that asks who was present. In a new record, the first box is
// for the attendant.
func (m *fieldMaker) providers(fresh bool) views.FormSection {
	typed := form.Count(m.typed, birth.ProviderList)
	count := max(1, typed)
	out := views.FormSection{
		ID: partProviders.id, Title: partProviders.title, Intro: partProviders.intro,
		Add: "add-person", AddLabel: "Add a person",
	}
	for n := range count {
		g := views.FormGroup{ID: fmt.Sprintf("person.%d", n), Fields: m.person(n)}
		if choice, any := m.choose(n, count); any {
			last := len(g.Fields) - 1
			g.More, g.MoreLabel = g.Fields[:last:last], "Someone else"
			g.Fields = []views.FormField{choice, g.Fields[last]}
			g.Open = m.typed.Get(choice.Name) == "" || slices.ContainsFunc(g.More, m.holds)
		}
		if typed == 0 && fresh {
			g.Fields[len(g.Fields)-1].Chosen = true
		}
		if typed > 0 {
			g.Remove, g.RemoveLabel = fmt.Sprintf("remove-person.%d", n), fmt.Sprintf("Remove person %d", n+1)
		}
		if count > 1 {
			g.Title = fmt.Sprintf("Person %d", n+1)
		}
		out.Groups = append(out.Groups, g)
	}
	out.Groups = append(out.Groups, m.group(partProviders, -1, ""))
	return out
}

func (m *fieldMaker) transfers() views.FormSection {
	count := form.Count(m.typed, birth.TransferList)
	out := views.FormSection{
		ID: "transfers", Title: "Transfer of care", Intro: "Only if mother or newborn was transferred.",
		Add: "add-transfer", AddLabel: "Add a transfer",
	}
	for n := range count {
		out.Groups = append(out.Groups, views.FormGroup{
			ID: fmt.Sprintf("transfer.%d", n), Title: fmt.Sprintf("Transfer %d", n+1), Fields: m.transfer(n),
			Remove: fmt.Sprintf("remove-transfer.%d", n), RemoveLabel: fmt.Sprintf("Remove transfer %d", n+1),
		})
	}
	return out
}

// after returns the section with the facts that become known only after the birth, about the mother
// and each newborn.
func (m *fieldMaker) after() views.FormSection {
	out := m.section(partAfter)
	count := max(1, form.Count(m.typed, birth.ChildList))
	for n := range count {
		g := m.group(partAfterChild, n, whichNewborn(n, count))
		g.ID, g.Title = fmt.Sprintf("after.%d", n), whichNewborn(n, count)
		m.foldAway(&g, count)
		out.Groups = append(out.Groups, g)
	}
	return out
}

func (m *fieldMaker) consent() views.FormSection {
	granted := m.field("consent.granted", "Consent granted", views.One)
	granted.Choices = m.choices("consent.granted", yesOrNo, true)
	when := m.field("consent.date_time", "Date of the consent", views.DateAndTime)
	when.Hint, when.Reads, when.Understood = momentHint, true, m.read[when.Name]
	return views.FormSection{ID: "consent", Title: "Consent", Groups: []views.FormGroup{{Fields: []views.FormField{granted, when}}}}
}

// customFields returns the section with the practice's custom fields. It leaves out retired fields.
func (m *fieldMaker) customFields(fields []birth.CustomField) views.FormSection {
	out := views.FormSection{ID: "own", Title: "Custom fields"}
	var g views.FormGroup
	for _, f := range fields {
		if !f.Retired {
			g.Fields = append(g.Fields, m.own(f))
		}
	}
	if len(g.Fields) > 0 {
		out.Groups = []views.FormGroup{g}
	}
	return out
}
