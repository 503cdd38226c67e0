package guide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// problems writes a section for each problem of the catalog, with the problem's name as its anchor.
// If answers is set, it writes the errors with which requests are answered. Otherwise it writes the
// rejections in receipts.
func problems(answers bool) string {
	var b strings.Builder
	for _, p := range fhir.Catalog {
		if p == fhir.Accepted || (p.Status != 0) != answers {
			continue
		}
		fmt.Fprintf(&b, "### %s {#%s}\n\n", p.Name, p.Name)
		if answers {
			fmt.Fprintf(&b, "**%d** · ", p.Status)
		}
		fmt.Fprintf(&b, "`%s`", p.Code)
		if p.Expression != "" {
			fmt.Fprintf(&b, " at `%s`", p.Expression)
		}
		fmt.Fprintf(&b, "\n\n%s\n\n*What to do:* %s\n\n", p.Text, p.Hint)
	}
	return b.String()
}

// outcome returns the OperationOutcome of a problem at a place as indented JSON. Every line but
// the first is indented by indent more spaces.
func outcome(p *fhir.Problem, indent int, at ...string) string {
	doc, err := json.Marshal(p.Outcome(at...), jsontext.WithIndentPrefix(strings.Repeat(" ", indent)), jsontext.WithIndent("  "))
	if err != nil {
		panic(err) // can't happen, because the document is the program's own
	}
	return string(doc)
}

// exceptions writes a table row for each exception class that the receipt of a failed ingestion may
// name.
func exceptions() string {
	return "| `AttemptsExhausted` | the service started processing three times and never finished |\n" +
		"| `BufferUnreadable` | the stored Bundle was damaged |\n" +
		"| `MappingPanic` | the Bundle triggered a defect of the service |\n"
}

// subjects are the headings of the observation codes.
var subjects = []struct {
	about   birth.Subject
	heading string
}{
	{birth.Mother, "About the mother"},
	{birth.Care, "About the pregnancy and the birth"},
	{birth.Child, "About a child"},
}

// observed reports whether Observations state the field.
func observed(f *birth.Field) bool { return !f.Derived && !f.Demographic }

// codes writes the observation codes, a table for each subject.
func codes() string {
	var b strings.Builder
	for _, s := range subjects {
		fmt.Fprintf(&b, "## %s\n\n| Code | Fact | Value | LOINC |\n|---|---|---|---|\n", s.heading)
		for _, f := range birth.Spine {
			if f.About != s.about || !observed(f) {
				continue
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Label, valueOf(f), strings.Join(f.Codes, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// others writes the fields that no Observation states.
func others() string {
	var b strings.Builder
	b.WriteString("| Field | Fact | About | Value |\n|---|---|---|---|\n")
	for _, f := range birth.Spine {
		if !observed(f) {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Label, f.About, valueOf(f))
		}
	}
	return b.String()
}

// kinds has the words for the types of values.
var kinds = map[birth.Kind]string{
	birth.Text: "text", birth.Date: "date", birth.DateTime: "date and time", birth.Int: "whole number", birth.Decimal: "number",
	birth.Bool: "yes or no", birth.Code: "one of", birth.Codes: "any of",
}

// valueOf describes a field's values: type, unit, range, choices.
func valueOf(f *birth.Field) string {
	text := kinds[f.Kind]
	if f.Unit != "" {
		text += ", `" + f.Unit + "`"
	}
	if f.Min != 0 || f.Max != 0 {
		text += ", " + number(f.Min) + " to " + number(f.Max)
	}
	for i, option := range f.Options {
		text += []string{": ", ", "}[min(i, 1)] + "`" + option.Code + "` (" + option.Label + ")"
	}
	return text
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// reasons writes the reasons why something in a Bundle isn't kept.
func reasons() string {
	var b strings.Builder
	for _, r := range mapping.Reasons {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.Reason, r.Text)
	}
	return b.String()
}

// roles writes the table of the roles' permissions.
func roles() string {
	var b strings.Builder
	b.WriteString("| May |")
	for _, r := range auth.Roles {
		b.WriteString(" " + r.Label + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(auth.Roles)) + "\n")
	for _, row := range auth.Permissions {
		b.WriteString("| " + row.About + " |")
		for _, r := range auth.Roles {
			b.WriteString(map[bool]string{false: " no |", true: " **yes** |"}[slices.Contains(row.Roles, r.Role)])
		}
		b.WriteString("\n")
	}
	return b.String()
}
