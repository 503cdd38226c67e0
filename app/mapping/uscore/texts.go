package uscore

import (
	"cmp"
	"strconv"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// says returns the value of a finding as text, in the chart's own words and unit.
func (f *finding) says() string {
	switch q := f.ValueQuantity; {
	case f.words != "":
		return f.words
	case q != nil && q.Value.Set:
		return strings.TrimSpace(short(q.Comparator, 2) + " " + amountText(q.Value.Float) + " " + unitText(q))
	case f.ValueInteger.Set:
		return amountText(f.ValueInteger.Float)
	case f.ValueCodeableConcept != nil:
		return phraseOf(*f.ValueCodeableConcept)
	case f.ValueDateTime != "":
		return short(birth.When(f.ValueDateTime), 35)
	case f.ValueBoolean != nil:
		return map[bool]string{true: "yes", false: "no"}[*f.ValueBoolean]
	default:
		return short(f.ValueString, 60)
	}
}

// unitText returns a unit in human-readable form. It returns "" for counts and scores, which have
// no unit.
func unitText(q *fhir.Quantity) string {
	text := short(cmp.Or(q.Unit, q.Code), 20)
	if text == "1" || strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		return ""
	}
	return text
}

// phraseOf returns the text of a concept. If there is none, it returns the first display. If there
// is no display either, it returns the first code.
func phraseOf(c fhir.CodeableConcept) string {
	phrase := c.Text
	for _, coding := range c.Coding {
		phrase = cmp.Or(phrase, coding.Display)
	}
	for _, coding := range c.Coding {
		phrase = cmp.Or(phrase, coding.Code)
	}
	return short(phrase, 80)
}

// amountText returns a number as text, with at most three decimals.
func amountText(n float64) string {
	text := strconv.FormatFloat(n, 'f', 3, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// short returns a text from an EHR in the form in which it is shown, without control characters. If
// the text is too long, short cuts it and adds "…". The argument most is the maximum number of
// characters.
func short(text string, most int) string {
	text = birth.Tidy(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// origin describes a finding in the chart, with its value, its date and the given LOINC code
// (uscore-mapping §6).
func (f *finding) origin(code string) string {
	says := f.says()
	if says == "" {
		says = "no value"
	}
	on := dated(f.when)
	if f.ValueDateTime != "" { // the value is a date, too
		on = "recorded " + on
	}
	return says + ", " + on + ", LOINC " + code
}

// dated returns a day in human-readable form. It returns "no date" if the day isn't known.
func dated(m mapping.Moment) string {
	if !m.Known() {
		return "no date"
	}
	return birth.When(m.Date())
}
