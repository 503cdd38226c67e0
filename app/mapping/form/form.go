// Package form reads the form "Record a birth" as a user typed it, and fills in the form from a
// draft.
//
// Read makes a draft from a form that was sent. Values fills in a form from a draft, and Read
// returns the same draft from that form. ReadCustom and CustomValues do the same for the practice's
// custom fields. Until a birth is saved, everything on the form remains text. Tidy, Add, Remove and
// Merge change this text.
//
// Nothing is rejected here. If a text cannot be read, the field has a problem. birth.Check finds
// all other problems. A value that the user left unchanged keeps its source, and any other value is
// manual. The source, version, practice and number of a record are never read from a form. The
// package has no clock and no I/O.
//
// The names of a form's fields are paths in the spine (decision 41):
//
//	gravida                         a field of the mother or the care
//	child.0.birth_weight_g          a field of the first newborn
//	labor_onset_datetime            the date of a date and time …
//	labor_onset_datetime.time       … and its time of day
//	person.0.provider               one of the practice's providers, by choice …
//	person.0.name                   … or a typed name; also credentials, role, attending
//	transfer.0.type                 also direction, urgency, who, datetime, reason, reason_code, mode
//	consent.granted                 also consent.date_time
//	chart_number
//	x_KEY                           a custom field of the practice
//
// A field with several choices repeats its name. Any other name is ignored.
package form

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// Reading is what was read from a form: a draft, and the problems of texts that could not be read.
type Reading struct {
	Draft birth.Draft
	// Problems lists the problems that birth.Check can't find in the draft. These are texts that
	// could not be read, for which the draft has no value. They are also entries that contradict
	// each other, and lists that are too long.
	Problems []birth.CheckFinding
	// HowTo says how to type a text that couldn't be read. Its keys are the names of the boxes.
	HowTo map[string]string
}

// Found returns everything to report about the form before it is saved. Texts that could not be
// read come first, followed by the findings of the checks. Found reports each mistake only once.
func (f Reading) Found(checked []birth.CheckFinding) []birth.CheckFinding {
	return birth.Distinct(slices.Concat(f.Problems, checked))
}

// Read reads a form. The argument basis is the draft with which the form was filled in before the
// user saw it. It comes from an existing record or from a chart. It is nil if the form was empty.
//
// A value that the user left unchanged has the source that it has in basis. Any other value has the
// source birth.Manual. If a text cannot be read, the field has a problem, but nothing is rejected.
func Read(typed url.Values, basis *birth.Draft) Reading { return ReadWith(typed, basis, nil) }

// ReadWith is like Read, for a form on which the user can choose people from the practice's
// providers (person.0.provider). The function chosen returns the provider for such a choice.
func ReadWith(typed url.Values, basis *birth.Draft, chosen func(choice string) (birth.Provider, bool)) Reading {
	typed = Tidy(typed)
	r := &reader{typed: typed, chosen: chosen}
	d := &r.form.Draft
	d.Chart = r.chart()
	d.Mother = r.values(birth.Mother, birth.At)
	d.Care = r.values(birth.Care, birth.At)
	for n := range r.count(birth.ChildList, basis) {
		d.Children = append(d.Children, r.child(n))
	}
	for n := range r.count(birth.ProviderList, basis) {
		d.Providers = append(d.Providers, r.person(n))
	}
	for n := range r.count(birth.TransferList, basis) {
		d.Transfers = append(d.Transfers, r.transfer(n))
	}
	d.Consent.Granted = r.text("consent.granted") == mapping.Yes
	d.Consent.Recorded = r.text("consent.granted") != ""
	d.Consent.DateTime = r.dateTime(birth.At("consent.date_time"), "Date of the consent", "")
	if plurality := birth.Must("plurality"); !d.Care.Has(plurality.Name) && r.text(plurality.Name) == "" && counts(d, basis) {
		d.Care.Set(plurality, birth.Value{Number: float64(len(d.Children))})
	}
	r.ages()
	stamped(d, basis)
	return r.form
}

// ages warns if the typed age of the mother isn't the one that the dates imply, which would silently
// replace it.
func (r *reader) ages() {
	typed, stated := r.form.Draft.Mother.Get("mother_age_years")
	if !stated {
		return
	}
	if kept, _ := birth.Mask(r.form.Draft).Draft().Mother.Get("mother_age_years"); kept.Number != typed.Number && kept.Number != 0 {
		r.form.Problems = append(r.form.Problems, birth.CheckFinding{
			Rule: "ages", About: []birth.Path{birth.At("mother_age_years"), birth.At("mother_birth_date")},
			Text: "The mother's age contradicts her date of birth. Check both; the record keeps the age at the birth that the date gives",
		})
	}
}

// counts reports whether an empty plurality is filled with the number of newborns on the form, as
// the hint of the field says. It is false if the form shows a record on file that has one newborn
// and no plurality, unless a newborn was added. It is also false if there is no newborn. A form
// that was filled from a chart doesn't show a record on file.
func counts(d, basis *birth.Draft) bool {
	n := len(d.Children)
	if n == 0 || basis == nil || basis.Care.Has("plurality") || n != len(basis.Children) || n > 1 {
		return n > 0
	}
	return !slices.ContainsFunc(basis.Children[0], func(s birth.Stated) bool { return s.Value.Source != birth.EHRPull })
}

type reader struct {
	typed  url.Values
	chosen func(choice string) (birth.Provider, bool)
	form   Reading
}

func (r *reader) text(name string) string { return strings.TrimSpace(birth.Plain(r.typed.Get(name))) }

// chart reads the chart number. If the text isn't a single readable line, there is a problem.
// Without its control characters, it might be another chart number.
func (r *reader) chart() string {
	chart, ok := birth.Chart(r.typed.Get("chart_number"))
	if !ok || strings.ContainsRune(chart, unicode.ReplacementChar) {
		r.problem(birth.At("chart_number"), "Chart number", "write it on one line; it has characters that cannot be read")
		return ""
	}
	if fault := birth.ChartFault(chart); fault != "" {
		r.problem(birth.At("chart_number"), "Chart number", fault)
		return ""
	}
	return chart
}

func (r *reader) problem(p birth.Path, label, text string) {
	if r.form.HowTo == nil {
		r.form.HowTo = map[string]string{}
	}
	r.form.HowTo[p.String()] = text
	if p.List == birth.ChildList && Count(r.typed, p.List) > 1 {
		label = fmt.Sprintf("Newborn %d: %s", p.Index+1, label)
	}
	r.form.Problems = append(r.form.Problems, birth.CheckFinding{
		Rule: "unread", About: []birth.Path{p}, Blocks: true, Text: label + ": " + text,
	})
}

// onForm reports whether the form has a box for a field. There are no boxes for derived fields,
// except for the mother's age, which can't always be computed from dates. There are no boxes for
// the attendant's name and credentials, because they are typed among the people present.
func onForm(f *birth.Field) bool {
	switch f.Name {
	case "mother_age_years":
		return true
	case "attendant_name", "attendant_credentials":
		return false
	}
	return !f.Derived
}

// Fields returns the fields of the spine for which the form has a box.
func Fields() []*birth.Field {
	return slices.DeleteFunc(slices.Clone(birth.Spine), func(f *birth.Field) bool { return !onForm(f) })
}

// values reads the fields about one subject from the form. It is called with a function that
// returns the path of a field.
func (r *reader) values(about birth.Subject, at func(field string) birth.Path) (values birth.Values) {
	for _, f := range birth.Spine {
		if f.About != about || !onForm(f) || f.Name == "birth_datetime" {
			continue
		}
		if f.Kind == birth.DateTime {
			if text := r.dateTime(at(f.Name), f.Label, ""); text != "" {
				values.Set(f, birth.Value{Text: text})
			}
			continue
		}
		value, stated, ok := ReadText(f, r.typed[at(f.Name).String()])
		label := f.Label
		if f.Name == gestationWeeks {
			label = "Gestational age" // the box is for weeks and days
			ok = ok && (!stated || f.Fault(value) == "")
		}
		if !ok {
			r.problem(at(f.Name), label, howToType(f, r.text(at(f.Name).String())))
		}
		if stated && ok {
			values.Set(f, value)
		}
	}
	return values
}

// child reads a newborn. A time of birth that was typed without a date is on the date of birth.
func (r *reader) child(n int) birth.Values {
	at := func(field string) birth.Path { return birth.Of(birth.ChildList, n, field) }
	time := birth.Must("birth_datetime")
	r.gestation(at(gestationWeeks), at(gestationDays))
	values := r.values(birth.Child, at)
	day := values.Text("birth_date")
	if day == "" && r.text(at("birth_date").String()) != "" && r.text(at(time.Name).String()) == "" {
		return values // the typed date can't be read, which is reported first
	}
	if text := r.dateTime(at(time.Name), "Time of birth", day); text != "" {
		values.Set(time, birth.Value{Text: text})
	}
	return values
}

// dateTime reads a box for a date and the box for its time. It returns "" if both are empty. If
// they can't be read, it adds a problem and returns "". If only a time was typed, its date is the
// argument usual.
func (r *reader) dateTime(p birth.Path, label, usual string) string {
	date, clock := r.text(p.String()), r.text(p.String()+".time")
	if date == "" && clock == "" {
		return ""
	}
	if at, ok := birth.ParseDateTime(date); ok && clock == "" {
		return at // a date and time pasted into the date box
	}
	day, ok := ReadDate(date)
	if date == "" {
		day, ok = usual, usual != ""
	}
	switch {
	case !ok && date == "":
		r.problem(p, label, "enter the date, too")
	case !ok:
		r.problem(p, label, howToTypeDate(date))
	case clock == "":
		return day
	default:
		if len(day) < len("2006-01-02") {
			r.problem(p, label, "enter the whole date with the time, such as 3/2/2026")
			break
		}
		if at, ok := birth.ParseDateTime(day + "T" + mapping.ReadTime(clock)); ok && len(at) > len(day) {
			return at
		}
		r.problem(p, label, howToTypeTime(clock))
	}
	return ""
}

func (r *reader) transfer(n int) birth.Transfer {
	at := func(field string) birth.Path { return birth.Of(birth.TransferList, n, field) }
	text := func(field string) string { return r.text(at(field).String()) }
	return birth.Transfer{
		Type: text("type"), Direction: text("direction"), Urgency: text("urgency"), Who: text("who"),
		DateTime: r.dateTime(at("datetime"), "Time of the transfer", ""), Reason: text("reason"),
		ReasonCode: text("reason_code"), Mode: text("mode"),
	}
}
