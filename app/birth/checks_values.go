package birth

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// Fault says what to do about a value that the field can't hold, such as "enter a whole number". It
// returns "" if the field can hold the value. A value that Mask would drop or cut has a fault,
// unless the value is empty.
func (f *Field) Fault(v Value) string {
	switch f.Kind {
	case Text:
		if f.meansUnknown(Tidy(v.Text)) {
			return "leave it blank when it is not known"
		}
		return TextFault(v.Text)
	case Codes:
		return f.setFault(v.Set)
	}
	if _, ok := f.Accept(v); ok {
		return ""
	}
	return f.Wanted()
}

// Wanted says how to enter a value that the field accepts, such as "choose yes or no".
func (f *Field) Wanted() string {
	switch f.Kind {
	case Int:
		return "enter a whole number" + f.rangeWords()
	case Decimal:
		return "enter a number" + f.rangeWords()
	case Date:
		return "enter a date, such as 3/2/2026 or 2026-03-02"
	case DateTime:
		return "enter a date and a time, such as 3/2/2026 and 4:18 pm"
	case Bool:
		return "choose yes or no"
	case Code:
		return "choose one of the listed options"
	case Codes:
		return "choose one or more of the listed options"
	default:
		return "enter a text"
	}
}

// rangeWords returns the limits of the field's values in words, such as " from 1 to 12", or "" if
// the field has no limits.
func (f *Field) rangeWords() string {
	if f.Min == 0 && f.Max == 0 {
		return ""
	}
	return strings.TrimRight(fmt.Sprintf(" from %s to %s %s", number(f.Min), number(f.Max), f.UnitLabel()), " ")
}

func number(n float64) string { return humanize.Commaf(n) }

// TextFault returns what to do about a text that is too long to be kept, or "". How many characters can
// be kept depends on the text, because letters with accents take more room.
func TextFault(text string) string {
	if len(text) > maxText {
		text = strings.Join(strings.Fields(text), " ")
	}
	if len(text) > maxText {
		return fmt.Sprintf("shorten the text to %d characters", fitting(text, maxText))
	}
	return ""
}

// ChartFault returns what to do about a chart number that is too long to be kept, or "".
func ChartFault(chart string) string {
	if len(chart) > MaxIdentifier {
		return fmt.Sprintf("shorten it to %d characters", fitting(chart, MaxIdentifier))
	}
	return ""
}

// fitting returns how many characters of a text fit into n bytes.
func fitting(text string, n int) int { return utf8.RuneCountInString(cut(text, n)) }

// setFault says what to do if a choice isn't listed, or if "none" or "unknown" is combined with
// another choice. It returns "" if the choices are acceptable.
func (f *Field) setFault(set []string) string {
	for _, code := range set {
		if !f.HasOption(code) {
			return f.Wanted()
		}
	}
	for _, code := range []string{"none", "unknown"} {
		if len(set) > 1 && slices.Contains(set, code) {
			return "choose “" + f.LabelOf(code) + "” alone, or the options that apply"
		}
	}
	return ""
}

// limit is the range in which values of a field are likely. A value outside the range is possible
// but unlikely.
type limit struct {
	field    string
	min, max float64
	rule     string
	text     string
}

var limits = []limit{
	{"birth_weight_g", 500, 6000, "weight", "The birth weight is below 500 or above 6,000 g. Check it"},
	{"newborn_length_cm", 25, 65, "length", "The length is below 25 or above 65 cm. Check it"},
	{"head_circumference_cm", 18, 45, "head", "The head circumference is below 18 or above 45 cm. Check it"},
	{"gestational_age_weeks", 20, 44, "gestation", "The gestational age is below 20 or above 44 weeks. Check it"},
	{"blood_loss_ml", 0, 5000, "blood-loss", "The blood loss is above 5,000 mL. Check it"},
	{"prepregnancy_weight_lb", 80, 500, "mother-weight", "The mother's weight is below 80 or above 500 lb. Check it and its unit"},
	{"delivery_weight_lb", 80, 500, "mother-weight", "The mother's weight is below 80 or above 500 lb. Check it and its unit"},
	{"mother_height_in", 48, 84, "height", "The mother's height is below 48 or above 84 in. Check it"},
}

// improbable warns of values that are outside their likely range (limits).
func (c *checking) improbable(values Values, at func(field string) Path) {
	for _, l := range limits {
		v, stated := values.Get(l.field)
		if stated && Must(l.field).Fault(v) == "" && (v.Number < l.min || v.Number > l.max) {
			c.warn(l.rule, l.text, at(l.field))
		}
	}
}
