package ui

import (
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/form"
	"birthregistry/app/mapping/uscore"
	"birthregistry/app/smart"
	"birthregistry/app/web/pages"
	"birthregistry/views"
)

// chartWords maps the role of a chart's patient to texts. whose describes whose chart has filled in
// the form. other is a link with which the user chooses this role instead of the current one.
var chartWords = map[uscore.Role]struct{ whose, other string }{
	uscore.Mother:  {"The mother’s", "the mother’s chart"},
	uscore.Newborn: {"The newborn’s", "the newborn’s chart"},
}

// chartView describes the chart that has filled in the form: whose chart it is, in which EHR, when
// it was read, until when it is kept, and the values for which the form has no field.
func (f *birthForm) chartView(sections []views.FormSection) *views.FormChart {
	if f.pulled == nil {
		return nil
	}
	r, zone := f.pulled.Reading, f.who.Practice.Location()
	filled := f.pulled.filled()
	out := &views.FormChart{
		Handle: f.pulled.handle, As: string(f.pulled.as), EHR: f.pulled.EHR,
		Name: r.Patient.Name, Born: birth.When(r.Patient.BirthDate), Number: r.Patient.Number, Deceased: r.Patient.Deceased,
		Read: views.Moment(f.pulled.ReadAt, zone), Until: f.chartUntil(zone), Draft: f.revision > 0,
		Whose: chartWords[f.pulled.as].whose, Notices: filled.Notices, Unread: f.pulled.Unread, Conduct: f.pulled.Conduct,
	}
	if f.pulled.as == r.Role {
		out.Why = r.Why
	}
	for _, role := range []uscore.Role{uscore.Mother, uscore.Newborn} {
		if _, known := r.As[role]; known && role != f.pulled.as {
			href := pages.PrefillPath + "?as=" + string(role) + "&chart=" + smart.Number(f.pulled.handle)
			if f.pulled.handle == "" { // the form's draft keeps the chart
				href = draftPath(f.fresh) + "?as=" + string(role)
			}
			out.Others = append(out.Others, views.Link{Href: href, Text: chartWords[role].other})
		}
	}
	shown := placesOf(sections)
	for _, hint := range filled.Hints {
		if name := hint.At.String(); shown[name] == 0 {
			out.Unused = append(out.Unused, f.labelOf(name)+": "+hint.Text)
		}
	}
	out.Unused = append(out.Unused, filled.Unused...)
	return out
}

// chartUntil returns the time at which the chart is deleted if nobody continues the form. If the
// form is a draft, the draft keeps a copy of the chart.
func (f *birthForm) chartUntil(zone *time.Location) string {
	if f.revision > 0 {
		return views.Moment(f.stored.EndsAt(), zone)
	}
	return views.Moment(f.pulled.Expires, zone)
}

// placesOf returns the position of each field on the page. The first position is 1. The keys are
// names of fields.
func placesOf(sections []views.FormSection) map[string]int {
	place := map[string]int{}
	for _, s := range sections {
		for _, g := range s.Groups {
			for _, field := range slices.Concat(g.Fields, g.More) {
				place[field.Name] = len(place) + 1
				if weeks, is := strings.CutSuffix(field.Name, "gestational_age_weeks"); is {
					place[weeks+gestationDays] = place[field.Name] // weeks and days share one box
				}
			}
		}
	}
	return place
}

// tip is a hint from the chart, with the value of its button.
type tip struct {
	uscore.Hint
	button string
}

// tipsOf returns the chart's hints for a field. A hint has a button only if the form doesn't
// contain the hint's value yet.
func (m *fieldMaker) tipsOf(name string) (all []views.ChartHint) {
	for _, t := range m.tips[name] {
		out := views.ChartHint{Text: t.Text}
		if t.Value != nil && !m.says(t.Hint) {
			filled := form.ValueAt(t.At, *t.Value)
			if field := birth.Lookup(t.At.Field); field != nil {
				out.Value = displayed(field, filled[name], filled.Get(name+".time"))
			} else {
				out.Value = filled.Get(name)
			}
		}
		if out.Value != "" {
			out.Take = t.button
		}
		all = append(all, out)
	}
	return all
}

// says reports whether the form already contains the value of a hint.
func (m *fieldMaker) says(h uscore.Hint) bool {
	for name, texts := range form.ValueAt(h.At, *h.Value) {
		for _, text := range texts {
			if !slices.Contains(m.typed[name], text) {
				return false
			}
		}
	}
	return true
}

// member adds the source of a provider's name to the name's field. If the EHR had a name for this
// provider, member also offers the EHR's name, so that the user can restore it.
func (m *fieldMaker) member(out *views.FormField, now, filled birth.Source) {
	out.Source = sourceTag(now)
	if was := m.filled.Get(out.Name); filled == birth.EHRPull && was != "" && (now == birth.EHRPull || was != out.Value) {
		m.offer(out, was)
	}
}

// offer adds the EHR's value to a field, with a text that states where in the chart the value was
// found (Origin). If the user types something else, the page still shows both. The page shows the
// value in front of Origin, so offer cuts the value off an Origin that begins with it. A value in
// another unit stays in Origin.
func (m *fieldMaker) offer(out *views.FormField, value string) {
	ehr := sourceTag(birth.EHRPull)
	texts := slices.DeleteFunc(slices.Concat(m.filled[out.Name], m.filled[out.Name+".time"]), func(text string) bool { return text == "" })
	out.Offer, out.Use, out.Changed = value, "use."+out.Name, out.Source != ehr
	out.FromEHR = strings.Join(slices.Sorted(slices.Values(texts)), " ")
	out.Source = ehr
	out.Origin, out.Others = m.origins[out.Name].Text, m.origins[out.Name].Others
	date, _ := form.ReadDate(m.filled.Get(out.Name))
	for _, again := range []string{value, birth.When(date)} {
		out.Origin = strings.TrimPrefix(out.Origin, again+", ")
	}
}
