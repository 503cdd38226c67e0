package birth

import (
	"slices"
	"strconv"
	"strings"
)

// CustomField is a field that a practice adds to its form. Only this practice uses the field: no
// Bundle and no chart ever contains it (spec, "Canonical course-of-care spine").
type CustomField struct {
	ID      int64
	Key     string // never changes; forms and CSV files use x_KEY
	Label   string
	Kind    CustomKind
	Options []string // the choices, if the kind is choice
	Retired bool     // set if the form no longer asks for the field; pages still show existing values
}

// CustomKind is the type of a custom field's value.
type CustomKind string

// The kinds of custom field.
const (
	CustomText   CustomKind = "text"
	CustomNumber CustomKind = "number"
	CustomDate   CustomKind = "date"
	CustomBool   CustomKind = "bool" // yes or no
	CustomChoice CustomKind = "choice"
)

// CustomKinds lists the kinds with their labels.
var CustomKinds = []Option{
	{Code: string(CustomText), Label: "Text"},
	{Code: string(CustomNumber), Label: "Number"},
	{Code: string(CustomDate), Label: "Date"},
	{Code: string(CustomBool), Label: "Yes or no"},
	{Code: string(CustomChoice), Label: "One of several choices"},
}

// Name returns the name that the field has in forms and CSV files.
func (f CustomField) Name() string { return "x_" + f.Key }

// Accept returns the text in the form in which the field stores it: tidied text, a plain number, a
// date as 2006-01-02 (which may be partial), yes or no, or one of the choices. It returns false for
// any other text, and for a text that is longer than can be kept. Empty text means that nothing is
// stated, and stays empty.
func (f CustomField) Accept(text string) (string, bool) {
	if TextFault(text) != "" {
		return "", false
	}
	text = Tidy(text)
	if text == "" {
		return "", true
	}
	switch f.Kind {
	case CustomNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n != n || n > 1e12 || n < -1e12 {
			return "", false
		}
		return strconv.FormatFloat(n, 'f', -1, 64), true
	case CustomDate:
		return ParseDate(text)
	case CustomBool:
		text = strings.ToLower(text)
		return text, text == "yes" || text == "no"
	case CustomChoice:
		return text, slices.Contains(f.Options, text)
	}
	return text, true
}
