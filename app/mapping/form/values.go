package form

import (
	"net/url"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// Values fills in a form from a draft, in the way in which a user would type it. If this draft is
// the basis, Read returns the same draft from the form.
func Values(d birth.Draft) url.Values {
	w := writer{}
	w.set("chart_number", d.Chart)
	if agesByDates(d) {
		d.Mother = slices.Clone(d.Mother)
		d.Mother.Drop("mother_age_years")
	}
	w.values(d.Mother, birth.At)
	w.values(d.Care, birth.At)
	for n, child := range d.Children {
		at := func(field string) birth.Path { return birth.Of(birth.ChildList, n, field) }
		w[at("birth_date").String()] = []string{""} // so that a newborn without values is counted, too
		w.values(child, at)
		w.dateTime(at("birth_datetime"), child.Text("birth_datetime"), child.Text("birth_date"))
	}
	for n, p := range d.Providers {
		at := func(field string) string { return birth.Of(birth.ProviderList, n, field).String() }
		w.set(at("name"), p.Name)
		w.set(at("credentials"), p.Credentials)
		w.set(at("role"), string(p.Role))
		w.flag(at("attending"), p.Attending)
	}
	for n, t := range d.Transfers {
		at := func(field string) birth.Path { return birth.Of(birth.TransferList, n, field) }
		w.set(at("type").String(), t.Type)
		w.set(at("direction").String(), t.Direction)
		w.set(at("urgency").String(), t.Urgency)
		w.set(at("who").String(), t.Who)
		w.dateTime(at("datetime"), t.DateTime, "")
		w.set(at("reason").String(), t.Reason)
		w.set(at("reason_code").String(), t.ReasonCode)
		w.set(at("mode").String(), t.Mode)
	}
	if d.Consent.Recorded {
		w.set("consent.granted", map[bool]string{true: mapping.Yes, false: mapping.No}[d.Consent.Granted])
	}
	w.dateTime(birth.At("consent.date_time"), d.Consent.DateTime, "")
	joinGestations(url.Values(w))
	return url.Values(w)
}

// agesByDates reports whether the mother's age can be computed from the two dates of birth. Nobody
// then needs to type it.
func agesByDates(d birth.Draft) bool {
	d.Mother = slices.Clone(d.Mother)
	d.Mother.Drop("mother_age_years")
	return birth.Mask(d).Draft().Mother.Has("mother_age_years")
}

type writer url.Values

func (w writer) set(name, text string) {
	if text != "" {
		w[name] = []string{text}
	}
}

func (w writer) flag(name string, set bool) {
	if set {
		w[name] = []string{mapping.Yes}
	}
}

func (w writer) values(values birth.Values, at func(field string) birth.Path) {
	for _, s := range values {
		if onForm(s.Field) && s.Field.Name != "birth_datetime" {
			w.value(at(s.Field.Name), s.Field, s.Value)
		}
	}
}

func (w writer) value(p birth.Path, f *birth.Field, v birth.Value) {
	switch f.Kind {
	case birth.DateTime:
		w.dateTime(p, v.Text, "")
	case birth.Codes:
		w[p.String()] = slices.Clone(v.Set)
	default:
		w.set(p.String(), mapping.Typed(f, v))
	}
}

// ValueAt returns a form with a single value, in the way in which a user would type it. The form is
// empty if the path isn't a field of the form.
func ValueAt(p birth.Path, v birth.Value) url.Values {
	w := writer{}
	f := birth.Lookup(p.Field)
	switch {
	case p.List == birth.ProviderList, p.List == birth.TransferList, p == birth.At("chart_number"):
		w.set(p.String(), v.Text)
	case f != nil && onForm(f) && (f.About == birth.Child) == (p.List == birth.ChildList):
		w.value(p, f, v)
	}
	return url.Values(w)
}

// dateTime fills in a box for a date and the box for its time. The argument usual is the date that
// Read uses for a time without a date. If text has a time on this date, the box for the date stays
// empty.
func (w writer) dateTime(p birth.Path, text, usual string) {
	text, _ = birth.ParseDateTime(text)
	date, clock, timed := strings.Cut(text, "T")
	if !timed || date != usual {
		w.set(p.String(), date)
	}
	if !timed {
		return
	}
	clock, offset := clock[:len("15:04:05")], clock[len("15:04:05"):]
	clock = strings.TrimSuffix(clock, ":00")
	if offset == "Z" {
		offset = "+00:00"
	}
	w.set(p.String()+".time", strings.TrimSpace(clock+" "+offset))
}
