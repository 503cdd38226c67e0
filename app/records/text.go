package records

import (
	"strings"

	"github.com/dustin/go-humanize"

	"birthregistry/app/birth"
)

// Text returns the value in human-readable form, or "(sealed)" if the value isn't revealed.
func (v Value) Text() string {
	if v.Hidden {
		return "(sealed)"
	}
	return Text(v.Field, v.Value)
}

// Text returns the value of a field in human-readable form, such as "3,430 g".
func Text(f *birth.Field, v birth.Value) string {
	switch f.Kind {
	case birth.Bool:
		if v.Flag {
			return "Yes"
		}
		return "No"
	case birth.Int, birth.Decimal:
		return strings.TrimSpace(humanize.Commaf(v.Number) + " " + f.UnitLabel())
	case birth.Codes:
		labels := make([]string, len(v.Set))
		for i, code := range v.Set {
			labels[i] = f.LabelOf(code)
		}
		return strings.Join(labels, ", ")
	case birth.Code:
		return f.LabelOf(v.Text)
	case birth.Date, birth.DateTime:
		return birth.When(v.Text)
	default:
		return v.Text
	}
}

// Text returns the transfer of care in human-readable form.
func (t Transfer) Text() string {
	var parts []string
	for _, part := range []string{
		word(t.Type), strings.TrimSuffix("of the "+t.Who, "of the "), word(t.Direction), word(t.Urgency), birth.When(t.DateTime),
		strings.ToLower(birth.LabelIn(birth.TransferModes, t.Mode)), strings.ToLower(birth.LabelIn(birth.TransferReasons, t.ReasonCode)), t.Reason,
	} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	text := strings.Join(parts, ", ")
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// word returns a code of a transfer in words: "not urgent" for non_urgent, "to us" for in, "from
// us" for out. It returns any other code unchanged.
func word(code string) string {
	switch code {
	case "non_urgent":
		return "not urgent"
	case "in":
		return "to us"
	case "out":
		return "from us"
	}
	return code
}

// Text returns the provider in human-readable form: name, credentials, role, and whether the
// provider attended the birth.
func (p Provider) Text() string {
	if p == (Provider{}) {
		return ""
	}
	parts := []string{p.Name}
	if p.Name == "" {
		parts[0] = "Name not stated"
	}
	if p.Credentials != "" {
		parts = append(parts, p.Credentials)
	}
	parts = append(parts, strings.ToLower(birth.Must("attendant_type").LabelOf(string(p.Role))))
	if p.Attending {
		parts = append(parts, "attending")
	}
	return strings.Join(parts, ", ")
}
