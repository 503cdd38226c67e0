package ui

import (
	"fmt"
	"math"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/form"
	"birthregistry/views"
)

// Next to each box that accepts several notations, the form shows how it has understood the text.
// For 7#9, for example, it shows "= 3,430 g (7 lb 9 oz)". If it hasn't understood the text, it
// shows how to type the value. Only package mapping/form interprets the texts. The form's script
// gets the results in the response each time it stores the form.

// understood returns, for each box, a message that says how the form has understood what was typed.
// If the form hasn't understood it, the message says how to type the value. The keys are names of
// boxes. An empty box has no entry.
func (f *birthForm) understood() map[string]string {
	texts := map[string]string{}
	state := func(name, text string) {
		if text != "" {
			texts[name] = "= " + text
		}
	}
	values := func(all birth.Values, at func(field string) birth.Path) {
		for _, s := range all {
			if name := at(s.Field.Name).String(); isRead(s.Field) {
				state(name, f.valueRead(name, s, all))
			}
		}
	}
	d := f.form.Draft
	values(d.Mother, birth.At)
	values(d.Care, birth.At)
	for n, child := range d.Children {
		values(child, func(field string) birth.Path { return birth.Of(birth.ChildList, n, field) })
	}
	for n, t := range d.Transfers {
		state(birth.Of(birth.TransferList, n, "datetime").String(), momentRead(t.DateTime))
	}
	state("consent.date_time", momentRead(d.Consent.DateTime))
	for _, own := range f.fields {
		if date, ok := form.ReadDate(f.typed.Get(own.Name())); ok && own.Kind == birth.CustomDate {
			state(own.Name(), momentRead(date))
		}
	}
	for n := range d.Providers {
		if text := f.nameRead(n); text != "" {
			texts[birth.Of(birth.ProviderList, n, "name").String()] = text
		}
	}
	for name, how := range f.form.HowTo {
		texts[name] = views.UpperFirst(how)
	}
	return texts
}

// isRead reports whether the form states how it has understood the text of a field. It does so for
// dates, times and amounts with a unit, because people type these in several ways.
func isRead(f *birth.Field) bool {
	switch f.Kind {
	case birth.Date, birth.DateTime:
		return true
	case birth.Int, birth.Decimal:
		return f.Unit != "" && f.Unit != "{score}" && f.Unit != "/d"
	}
	return false
}

// valueRead returns a text that says how the form has understood a value. If the value is an
// amount, and the typed text already says the same, valueRead returns "".
func (f *birthForm) valueRead(name string, s birth.Stated, all birth.Values) string {
	switch {
	case s.Field.Name == "gestational_age_weeks":
		return gestationRead(s.Value.Number, all)
	case s.Field.Name == "birth_datetime" && strings.TrimSpace(f.typed.Get(name)) == "":
		return timeRead(s.Value.Text)
	case s.Field.Kind == birth.Date || s.Field.Kind == birth.DateTime:
		return momentRead(s.Value.Text)
	}
	text := amountRead(s.Value.Number, s.Field)
	if typed := strings.TrimSpace(f.typed.Get(name)); text == typed+" "+s.Field.UnitLabel() {
		return ""
	}
	return text
}

func gestationRead(weeks float64, child birth.Values) string {
	text := plural(weeks, "week")
	if days, stated := child.Get(gestationDays); stated {
		text += " " + plural(days.Number, "day")
	}
	return text
}

// amountRead formats an amount in the field's unit. In parentheses, it adds the amount in the unit
// that families or clinicians use.
func amountRead(n float64, f *birth.Field) string {
	text, other := amount(n)+" "+f.UnitLabel(), ""
	in := func(unit string) float64 {
		converted, _ := mapping.Convert(n, f.Unit, unit)
		return converted
	}
	switch f.Unit {
	case "g":
		other = poundsOf(n)
	case "[lb_av]":
		other = amount(in("kg")) + " kg"
	case "[in_i]":
		inches := int(math.Round(n))
		other = fmt.Sprintf("%d ft %d in, %s cm", inches/12, inches%12, amount(in("cm")))
	case "cm":
		other = amount(in("in")) + " in"
	case "h":
		if n >= 48 {
			other = amount(in("d")) + " days"
		}
	}
	if other == "" {
		return text
	}
	return text + " (" + other + ")"
}

// amount formats a number with at most one decimal, such as 3,430 or 66.5.
func amount(n float64) string {
	tenths := math.Round(n * 10)
	text := views.Number(int(tenths / 10))
	if rest := int(math.Mod(tenths, 10)); rest != 0 {
		text += fmt.Sprintf(".%d", rest)
	}
	return text
}

func plural(n float64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%.0f %s", n, what)
}

// readLayouts lists the formats of stored dates and times. Each has the formats in which the page
// shows the date and the time of day.
var readLayouts = []struct{ read, date, clock string }{
	{"2006", "2006", ""},
	{"2006-01", "January 2006", ""},
	{time.DateOnly, "Monday, January 2, 2006", ""},
	{"2006-01-02T15:04:05", "Monday, January 2, 2006", "3:04 PM"},
	{"2006-01-02T15:04:05Z07:00", "Monday, January 2, 2006", "3:04 PM UTC-07:00"},
}

// momentRead formats a date in words, such as "Monday, March 2, 2026, 4:18 PM". It omits the time
// if the text has none. If the text isn't a date, momentRead returns "".
func momentRead(text string) string {
	for _, l := range readLayouts {
		if t, err := time.Parse(l.read, text); err == nil {
			return strings.TrimSuffix(t.Format(l.date)+", "+timeRead(text), ", ")
		}
	}
	return ""
}

// timeRead formats only the time of day, such as "4:18 PM". It returns "" if the text has none.
func timeRead(text string) string {
	for _, l := range readLayouts {
		if t, err := time.Parse(l.read, text); err == nil {
			if t.Second() != 0 {
				l.clock = strings.Replace(l.clock, "3:04", "3:04:05", 1)
			}
			return t.Format(l.clock)
		}
	}
	return ""
}
