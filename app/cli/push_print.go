package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"birthregistry/app/fhir"
	"birthregistry/app/ingest"
	"birthregistry/store"
)

// sumUp prints the results as JSON, or the totals.
func sumUp(cmd *cobra.Command, done []pushed) error {
	if asJSON(cmd) {
		return printJSON(cmd, done)
	}
	var accepted, rejected, failed int
	for _, p := range done {
		accepted, rejected = accepted+len(p.outcome.Accepted), rejected+len(p.outcome.Rejected)
		if p.Error != "" || p.Receipt.Status == store.Failed {
			failed++
		}
	}
	return output(cmd, "%s: %d accepted, %d rejected, %s failed\n",
		english.Plural(len(done), "file", ""), accepted, rejected, english.Plural(failed, "push", ""))
}

// printPushed prints a line for a file, and its accepted and rejected entries below it.
func printPushed(w io.Writer, p pushed) error {
	state := "ok"
	if bad := p.bad(); bad != "" {
		state = printable(bad)
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", printable(p.File), state)
	for _, a := range p.outcome.Accepted {
		if err == nil {
			_, err = fmt.Fprintf(w, "  + %s  %s%s\n", printable(a.Reference), printable(a.Submission), flags(a))
		}
	}
	for _, r := range p.outcome.Rejected {
		for _, issue := range r.Outcome.Issue {
			if err == nil {
				err = printIssue(w, r.Reference, issue)
			}
		}
	}
	return err
}

// printIssue prints why an entry was rejected, where, and what to do.
func printIssue(w io.Writer, reference string, issue fhir.Issue) error {
	text := issue.Diagnostics
	if len(issue.Expression) > 0 {
		text += " At " + strings.Join(issue.Expression, ", ")
	}
	hint := ""
	if issue.Details != nil && issue.Details.Text != "" {
		hint = "      " + printable(issue.Details.Text) + "\n"
	}
	_, err := fmt.Fprintf(w, "  - %s  %s: %s\n%s", printable(reference), printable(codeOf(issue)), printable(text), hint)
	return err
}

// codeOf returns the stable code of an issue, the same as in lint and the guide. An older service
// may send no such code. Then codeOf returns FHIR's code.
func codeOf(issue fhir.Issue) string {
	if issue.Details != nil && len(issue.Details.Coding) > 0 {
		return issue.Details.Coding[0].Code
	}
	return issue.Code
}

func flags(a ingest.Accepted) string {
	text := ""
	if a.Amended {
		text += fmt.Sprintf("  amended, version %d", a.Version)
	}
	if a.Retracted {
		text += fmt.Sprintf("  retracted, version %d", a.Version)
	}
	if a.Suspected {
		text += "  suspected duplicate"
	}
	return text
}
