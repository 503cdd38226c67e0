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

// problems returns sections about problems in the catalog, one for each problem. If answers is set,
// these are the errors with which the API answers requests. Otherwise, they are the rejections in
// receipts. The anchor of a section is the problem's name.
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

// outcome returns the OperationOutcome of a problem as indented JSON. at lists the places that the
// problem concerns. Every line except the first is indented by an additional indent spaces.
func outcome(p *fhir.Problem, indent int, at ...string) string {
	doc, err := json.Marshal(p.Outcome(at...), jsontext.WithIndentPrefix(strings.Repeat(" ", indent)), jsontext.WithIndent("  "))
	if err != nil {
		panic(err) // can't happen, because the document is the program's own
	}
	return string(doc)
}

// exceptions returns table rows with the exception classes that the receipt of a failed ingestion
// may state.
func exceptions() string {
	return "| `AttemptsExhausted` | the service started processing three times and never finished |\n" +
		"| `BufferUnreadable` | the stored Bundle was damaged |\n" +
		"| `MappingPanic` | the Bundle triggered a defect of the service |\n"
}

// subjects lists the subjects of observation codes, with the headings above their codes.
var subjects = []struct {
	about   birth.Subject
	heading string
}{
	{birth.Mother, "About the mother"},
	{birth.Care, "About the pregnancy and the birth"},
	{birth.Child, "About a child"},
}

// observed reports whether the field is sent as an Observation.
func observed(f *birth.Field) bool { return !f.Derived && !f.Demographic }

// codes returns the observation codes, in one table for each subject.
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

// others returns a table of the fields that aren't sent as Observations.
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

// kinds maps the types of values to words.
var kinds = map[birth.Kind]string{
	birth.Text: "text", birth.Date: "date", birth.DateTime: "date and time", birth.Int: "whole number", birth.Decimal: "number",
	birth.Bool: "yes or no", birth.Code: "one of", birth.Codes: "any of",
}

// valueOf describes the values of a field in Markdown: their type, unit, range and choices.
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

// reasons returns table rows with the reasons why something in a Bundle isn't kept.
func reasons() string {
	var b strings.Builder
	for _, r := range mapping.Reasons {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.Reason, r.Text)
	}
	return b.String()
}

// roles returns the table of the roles' permissions.
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
