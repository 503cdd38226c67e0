package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"birthregistry/app/lint"
	"birthregistry/app/mapping"
)

// pageWidth is the width of a report that a person reads, in characters.
const pageWidth = 80

// page collects the lines of a report that a person reads.
type page struct{ strings.Builder }

func (p *page) line(indent int, text string) {
	p.WriteString(strings.TrimRight(strings.Repeat(" ", indent)+printable(text), " ") + "\n")
}

// wrapped writes a text in lines that are at most pageWidth characters long.
func (p *page) wrapped(indent int, text string) { p.hanging(indent, "", text) }

// hanging writes a text in lines that are at most pageWidth characters long. The first line begins
// with begin. The other lines are indented by the width of begin.
func (p *page) hanging(indent int, begin, text string) {
	width := utf8.RuneCountInString(begin)
	for n, line := range broken(text, pageWidth-indent-width) {
		if n == 0 {
			p.line(indent, begin+line)
		} else {
			p.line(indent+width, line)
		}
	}
}

// printLint prints a report in human-readable form: each file with its courses of care, and then
// the totals.
func printLint(w io.Writer, r lintReport) error {
	for _, l := range r.Files {
		var p page
		p.file(l, r.Revealed)
		if _, err := io.WriteString(w, p.String()); err != nil {
			return err
		}
	}
	s := r.Summary
	_, err := fmt.Fprintf(w, "%s read as %s: %d accepted, %d rejected, %s refused, %d not readable\n",
		english.Plural(s.Files, "file", ""), r.Reading, s.Accepted, s.Rejected, english.Plural(s.Refused, "file", ""), s.Unread)
	return err
}

func (p *page) file(l linted, revealed bool) {
	switch {
	case l.Bundle == nil:
		p.line(0, l.File+": "+l.Error)
	case l.Status == lint.Failed:
		p.line(0, l.File+": failed")
		p.wrapped(2, "The program failed on this Bundle, and so would the server. Please report it.")
	case l.Status == lint.Refused:
		p.line(0, l.File+fmt.Sprintf(": refused, HTTP %d", l.HTTP))
		for _, issue := range l.Problem.Issue {
			p.wrapped(2, issue.Diagnostics)
			p.wrapped(2, issue.Details.Text)
		}
	default:
		p.line(0, fmt.Sprintf("%s: %d accepted, %d rejected", l.File, l.Accepted, l.Rejected))
		for i, c := range l.Courses {
			p.course(c, l.Bundle, i, revealed)
		}
		if len(l.Outside) > 0 {
			p.line(0, "")
			p.line(2, "Outside the courses of care")
			p.dropped(l.Outside, "Bundle.")
		}
	}
	p.line(0, "")
}

// actions maps each action of a course of care on a record to words.
var actions = map[string]string{
	"create": "a new record", "amend": "amends the record", "revive": "brings the voided record back",
	"void": "voids the record", "no-op": "the record is voided already",
}

func (p *page) course(c lint.Course, b *lint.Bundle, index int, revealed bool) {
	p.line(0, "")
	p.line(2, c.Reference+": "+c.Result+", "+cmp.Or(actions[c.Action], c.Problem)+suspicion(b, c.Reference))
	if rejected := rejectionOf(b, index); rejected != nil {
		for _, issue := range rejected.Outcome.Issue {
			p.wrapped(4, issue.Diagnostics+" "+issue.Details.Text)
			p.line(4, "At "+strings.Join(issue.Expression, ", "))
		}
	}
	base := baseOf(c)
	if len(c.Kept) > 0 {
		p.line(0, "")
		p.line(2, fmt.Sprintf("%s (%d)", keptHeads[c.Result], len(c.Kept)))
		p.kept(c.Kept, base, revealed)
	}
	if len(c.Dropped) > 0 {
		p.line(0, "")
		p.line(2, fmt.Sprintf("Dropped (%d)", len(c.Dropped)))
		p.dropped(c.Dropped, base)
	}
}

// keptHeads maps the result of a course of care to the heading above its kept facts. If a course is
// rejected only because of earlier records, the report lists the facts that would be kept.
var keptHeads = map[string]string{"accepted": "Kept", "rejected": "Would be kept"}

// baseOf returns the prefix that the paths of all elements of a course of care share. The report
// leaves this prefix out. In a batch, the prefix is longer, because the course is a Bundle within
// the Bundle.
func baseOf(c lint.Course) string {
	inner := c.Reference + ".resource."
	within := func(e lint.Element) bool { return strings.HasPrefix(e.At, inner+"entry[") }
	if slices.ContainsFunc(c.Kept, func(k lint.Kept) bool { return slices.ContainsFunc(k.From, within) }) ||
		slices.ContainsFunc(c.Dropped, func(d lint.Dropped) bool { return within(d.Element) }) {
		return inner
	}
	return "Bundle."
}

// rejectionOf returns the receipt's entry for a rejected course of care. It returns nil if the
// course was accepted. index is the index of the course in b.Courses.
func rejectionOf(b *lint.Bundle, index int) *lint.Rejected {
	before := 0
	for _, c := range b.Courses[:index] {
		if c.Result == "rejected" {
			before++
		}
	}
	if b.Courses[index].Result != "rejected" {
		return nil
	}
	return &b.Outcome.Rejected[before]
}

func suspicion(b *lint.Bundle, reference string) string {
	if slices.ContainsFunc(b.Outcome.Accepted, func(a lint.Accepted) bool { return a.Reference == reference && a.Suspected }) {
		return ", suspected duplicate"
	}
	return ""
}

// shortPlace returns the part of an element's path within its course of care. For
// Bundle.entry[7].resource, it is entry[7].
func shortPlace(at, base string) string {
	at = strings.TrimPrefix(at, base)
	at = strings.TrimSuffix(at, ".resource")
	if i := strings.LastIndex(at, ".resource."); i >= 0 {
		at = at[:i] + at[i+len(".resource"):]
	}
	return at
}

// dropped writes the dropped elements, grouped by the reason why they were dropped. The reasons are
// in the order of mapping.Reasons. Elements with the same name share a row.
func (p *page) dropped(all []lint.Dropped, base string) {
	for _, r := range mapping.Reasons {
		var names []string
		places := map[string][]string{}
		for _, d := range all {
			if d.Why != r.Reason {
				continue
			}
			name, place := groupOf(d.Element, base)
			if places[name] == nil {
				names = append(names, name)
			}
			places[name] = append(places[name], place)
		}
		if len(names) == 0 {
			continue
		}
		p.line(4, string(r.Reason))
		p.wrapped(6, r.Text)
		widest := 0
		for _, name := range names {
			widest = max(widest, utf8.RuneCountInString(name))
		}
		for _, name := range names {
			p.hanging(8, name+strings.Repeat(" ", widest-utf8.RuneCountInString(name)+2), strings.Join(places[name], " "))
		}
	}
}

// groupOf returns an element's name, which it shares with similar elements, and its place. For
// example, an element has the name "Observation 11341-5" and the place "entry[45]", or the name
// "Patient.telecom" and the place "entry[1]".
func groupOf(e lint.Element, base string) (name, place string) {
	place = shortPlace(e.At, base)
	name = strings.TrimSpace(e.Resource + " " + e.Code)
	if i := strings.Index(place, "]."); i >= 0 && e.Resource != "" && !strings.HasSuffix(e.At, ".resource") {
		i = strings.LastIndex(place, "].") + 1
		name, place = e.Resource+place[i:], place[:i]
		if e.Extension != "" {
			name = e.Resource + " " + e.Extension
		}
	} else if e.Resource == "" {
		name, place = place, "of the Bundle"
	}
	return name, place
}
