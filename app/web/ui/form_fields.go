package ui

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/form"
	"birthregistry/app/mapping/uscore"
	"birthregistry/app/records"
	"birthregistry/views"
)

// fieldMaker makes the fields of the form from the typed values, their errors and their sources.
type fieldMaker struct {
	typed  url.Values
	errors map[string]string // keyed by field name
	doubts map[string]string
	draft  birth.Draft  // the draft as parsed, with the sources of its values
	base   *birth.Draft // the values that filled the form, or nil
	filled url.Values   // base as form values
	// origins is set for a form filled in from a chart. By field name, it holds where each value
	// was found in the chart, and which other values may fit.
	origins map[string]uscore.Origin
	read    map[string]string // how each text was understood, by field name
	// offered lists the providers that the form offers. chosen returns the provider that belongs to
	// the value of an option.
	offered []records.KnownProvider
	chosen  func(choice string) (birth.Provider, bool)
	tips    map[string][]tip
	// unfolded is the ID of the group of fields that the user asked to show in full.
	unfolded string
	// removing is the ID of the newborn that a button asked to remove.
	removing string
}

func newFieldMaker(f *birthForm) *fieldMaker {
	m := &fieldMaker{
		typed: f.typed, errors: map[string]string{}, doubts: map[string]string{}, draft: f.form.Draft, base: f.base,
		read: f.understood(), unfolded: f.unfolded, removing: f.removing, offered: f.directory.offered(), chosen: f.chosen,
	}
	for _, found := range f.found {
		name := found.Path().String()
		if into := m.doubts; !found.Blocks && into[name] == "" {
			into[name] = sentence(found.Text)
		}
		if found.Blocks && m.errors[name] == "" {
			m.errors[name] = sentence(found.Text)
			if !strings.HasPrefix(m.read[name], "= ") { // this note says how to type the value, as the error does
				delete(m.read, name)
			}
		}
	}
	if f.base != nil {
		m.filled = form.Values(*f.base)
	}
	if f.pulled != nil {
		m.origins, m.tips = map[string]uscore.Origin{}, map[string][]tip{}
		for _, o := range f.pulled.filled().Origins {
			m.origins[o.At.String()] = o
		}
		for n, h := range f.pulled.filled().Hints {
			m.tips[h.At.String()] = append(m.tips[h.At.String()], tip{h, fmt.Sprintf("take.%d", n)})
		}
	}
	return m
}

// field returns the form's field with this name. It has the value, the error, the warning and the
// chart's hints for the field.
func (m *fieldMaker) field(name, label string, kind views.FieldKind) views.FormField {
	return views.FormField{
		Input: views.Input{
			Name: name, Label: label, Hint: formHints[name], Value: m.typed.Get(name), Width: "m",
		},
		Error: m.errors[name], Kind: kind, Time: m.typed.Get(name + ".time"), Chosen: m.typed.Get(name) == "yes", Warning: m.doubts[name],
		Tips: m.tipsOf(name),
	}
}

// spine returns the form's field for a field of the spine, which lists all fields of a record. n is
// the index of the newborn whom the field is about, or -1 if the field is about the mother or the
// care.
func (m *fieldMaker) spine(f *birth.Field, n int) views.FormField {
	name := f.Name
	if n >= 0 {
		name = birth.Of(birth.ChildList, n, f.Name).String()
	}
	out := m.field(name, f.Label, views.Box)
	out.Hint, out.Unit = formHints[f.Name], f.UnitLabel()
	if label := formLabels[f.Name]; label != "" {
		out.Label = label
	}
	out.Reads, out.Understood = isRead(f), m.read[name]
	switch f.Kind {
	case birth.Int, birth.Decimal:
		out.Width, out.InputMode = "s", keyboard(f)
	case birth.Date:
		out.Width, out.Unit = "s", "m/d/yyyy"
	case birth.DateTime:
		out.Kind, out.Hint = views.DateAndTime, momentHint
		if f.Name == "birth_datetime" && out.Value == "" {
			out.Kind, out.Hint = views.Clock, formHints[f.Name]
		}
	case birth.Bool:
		out.Kind, out.Choices = views.One, m.choices(name, yesOrNo, true)
	case birth.Codes:
		out.Kind, out.Choices = views.Many, m.choices(name, f.Options, false)
	case birth.Code:
		out.Kind, out.Choices = views.Pick, m.choices(name, f.Options, true)
		if len(f.Options) <= 3 {
			out.Kind = views.One
		}
	}
	if f.Name == "gestational_age_weeks" {
		out.Unit = ""
		out.Tips = append(out.Tips, m.tipsOf(birth.Of(birth.ChildList, n, gestationDays).String())...)
	}
	m.provenance(&out, f, n)
	return out
}

// keyboard returns the keyboard that a phone should show for a number field, or "" for the usual
// keyboard. The keyboard must have every character that the field accepts. 39+4 needs the plus of
// the telephone keyboard, and 7 lb 9 oz needs letters.
func keyboard(f *birth.Field) string {
	switch f.Unit {
	case "wk":
		return "tel"
	case "g", "[lb_av]", "[in_i]", "cm", "h":
		return ""
	}
	return "numeric"
}

const momentHint = "Date, and time if known."

var yesOrNo = []birth.Option{{Code: "yes", Label: "Yes"}, {Code: "no", Label: "No"}}

// choices returns the options as choices, with the chosen ones marked. If silence is set, "Not
// stated" is also a choice.
func (m *fieldMaker) choices(name string, options []birth.Option, silence bool) (choices []views.Choice) {
	typed := m.typed[name]
	if silence {
		none := !slices.ContainsFunc(options, func(o birth.Option) bool { return slices.Contains(typed, o.Code) })
		choices = append(choices, views.Choice{Value: "", Label: "Not stated", Chosen: none})
	}
	for _, o := range options {
		choices = append(choices, views.Choice{Value: o.Code, Label: o.Label, Chosen: slices.Contains(typed, o.Code)})
	}
	return choices
}

// sourceTag returns a tag with the source of a value. It returns "" for a value that a user has
// typed.
func sourceTag(s birth.Source) string {
	if s == birth.Manual {
		return ""
	}
	return s.Label()
}

// provenance adds the source of a field's value to the field. If the value came from an EHR,
// provenance also calls offer, which adds the value in the chart.
func (m *fieldMaker) provenance(out *views.FormField, f *birth.Field, n int) {
	of := func(d *birth.Draft) birth.Values {
		switch {
		case f.About == birth.Mother:
			return d.Mother
		case f.About == birth.Care:
			return d.Care
		case n >= 0 && n < len(d.Children):
			return d.Children[n]
		}
		return nil
	}
	if now, stated := of(&m.draft).Get(f.Name); stated {
		out.Source = sourceTag(now.Source)
	}
	if m.base != nil {
		if ehr, stated := of(m.base).Get(f.Name); stated && ehr.Source == birth.EHRPull {
			m.offer(out, displayed(f, m.filled[out.Name], m.filled.Get(out.Name+".time")))
		}
	}
}

// displayed returns a field's values in human-readable form. clock is the time of day that belongs
// to a date, or "".
func displayed(f *birth.Field, texts []string, clock string) string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i] = f.LabelOf(text)
	}
	text := strings.TrimSpace(strings.Join(texts, ", ") + " " + clock)
	if n, err := strconv.ParseFloat(text, 64); err == nil && (f.Kind == birth.Int || f.Kind == birth.Decimal) {
		text = strings.TrimSpace(humanize.Commaf(n) + " " + f.UnitLabel())
	}
	return text
}

func (m *fieldMaker) own(f birth.CustomField) views.FormField {
	out := m.field(f.Name(), f.Label, views.Box)
	switch f.Kind {
	case birth.CustomNumber:
		out.Width, out.InputMode = "s", "decimal"
	case birth.CustomDate:
		out.Width, out.Unit = "s", "m/d/yyyy"
		out.Reads, out.Understood = true, m.read[out.Name]
	case birth.CustomBool:
		out.Kind, out.Choices = views.One, m.choices(f.Name(), yesOrNo, true)
	case birth.CustomChoice:
		var options []birth.Option
		for _, o := range f.Options {
			options = append(options, birth.Option{Code: o, Label: o})
		}
		out.Kind, out.Choices = views.Pick, m.choices(f.Name(), options, true)
	}
	return out
}

func (m *fieldMaker) person(n int) []views.FormField {
	at := func(field string) string { return birth.Of(birth.ProviderList, n, field).String() }
	role := m.field(at("role"), "Role", views.Pick)
	role.Hint, role.Choices = formHints["person.role"], m.choices(at("role"), birth.Must("attendant_type").Options, true)
	fields := []views.FormField{
		m.field(at("name"), "Name", views.Box), m.field(at("credentials"), "Credentials", views.Box), role,
		m.field(at("attending"), "Attended the birth", views.Yes),
	}
	fields[0].Reads, fields[0].Understood = true, m.read[fields[0].Name]
	var now, filled birth.Source
	if n < len(m.draft.Providers) {
		now = m.draft.Providers[n].Source
	}
	if m.base != nil && n < len(m.base.Providers) {
		filled = m.base.Providers[n].Source
	}
	m.member(&fields[0], now, filled)
	return fields
}

// transferWords maps the codes of a transfer to the words that pages show.
var transferWords = map[string]string{
	"antepartum": "Before labor", "intrapartum": "In labor", "postpartum": "After the birth", "neonatal": "Of the newborn",
	"in": "To us", "out": "From us", "urgent": "Urgent", "non_urgent": "Not urgent", "mother": "The mother", "child": "The newborn",
}

func (m *fieldMaker) transfer(n int) []views.FormField {
	at := func(field string) string { return birth.Of(birth.TransferList, n, field).String() }
	choose := func(field, label string, kind views.FieldKind, options []birth.Option) views.FormField {
		out := m.field(at(field), label, kind)
		out.Choices = m.choices(at(field), options, true)
		return out
	}
	pick := func(field, label string, kind views.FieldKind, codes []string) views.FormField {
		var options []birth.Option
		for _, code := range codes {
			options = append(options, birth.Option{Code: code, Label: transferWords[code]})
		}
		return choose(field, label, kind, options)
	}
	fields := []views.FormField{
		pick("type", "When", views.Pick, birth.TransferTypes),
		pick("who", "Who was transferred", views.One, birth.TransferSubjects),
		pick("direction", "Direction", views.One, birth.TransferDirections),
		pick("urgency", "Urgency", views.One, birth.TransferUrgencies),
		m.field(at("datetime"), "Date and time", views.DateAndTime),
		choose("mode", "How", views.Pick, birth.TransferModes),
		choose("reason_code", "Main reason", views.Pick, birth.TransferReasons),
		m.field(at("reason"), "More about the reason", views.Box),
	}
	fields[4].Hint, fields[4].Reads, fields[4].Understood = momentHint, true, m.read[fields[4].Name]
	return fields
}
