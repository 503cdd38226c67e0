package form

import (
	"maps"
	"net/url"
	"strings"

	"birthregistry/app/birth"
)

// ReadCustom reads the values of the practice's custom fields from a form. It returns them by the
// fields' keys, or nil if there are none. It also returns a problem for each text that its field
// doesn't accept.
//
// The argument onFile has the record's present values. If the form has no box for a value, such as
// the value of a retired field, the value is kept.
func ReadCustom(typed url.Values, fields []birth.CustomField, onFile map[string]string) (map[string]string, []birth.CheckFinding) {
	custom := maps.Clone(onFile)
	if custom == nil {
		custom = map[string]string{}
	}
	var problems []birth.CheckFinding
	for _, f := range fields {
		if f.Retired {
			continue
		}
		text := strings.TrimSpace(birth.Plain(typed.Get(f.Name())))
		if date, ok := ReadDate(text); ok && f.Kind == birth.CustomDate {
			text = date
		}
		kept, ok := f.Accept(text)
		if !ok {
			problems = append(problems, birth.CheckFinding{
				Rule: "unread", About: []birth.Path{birth.At(f.Name())}, Blocks: true, Text: f.Label + ": " + wanted(f, text),
			})
		}
		if _, before := custom[f.Key]; kept != "" || before {
			custom[f.Key] = kept
		}
	}
	if len(custom) == 0 {
		custom = nil
	}
	return custom, problems
}

func wanted(f birth.CustomField, text string) string {
	switch f.Kind {
	case birth.CustomNumber:
		return "enter a number, with a point before decimals, such as 37.5"
	case birth.CustomDate:
		return birth.Must("birth_date").Wanted()
	case birth.CustomText:
		return birth.TextFault(text)
	default:
		return "choose one of the listed options"
	}
}

// CustomValues adds the values of the practice's custom fields to a form. The map custom has the
// values by the fields' keys. Retired fields are left out.
func CustomValues(into url.Values, fields []birth.CustomField, custom map[string]string) {
	for _, f := range fields {
		if text := custom[f.Key]; text != "" && !f.Retired {
			into.Set(f.Name(), text)
		}
	}
}
