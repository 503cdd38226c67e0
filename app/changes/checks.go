package changes

import (
	"slices"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// ImpossibleRow rejects a row that can be read but contradicts itself or
// reality, such as a birth in the future. Files have to pass the same checks as
// the form.
var ImpossibleRow = &fhir.Problem{
	Name: "impossible-row", Code: "invariant",
	Text: "The row says what cannot be, or leaves out what a birth must say.",
	Hint: "The error file says what to correct.",
}

// check runs the form's checks on a draft from a file. It ignores findings that the record on
// file had already. A warning doesn't stop the row; the preview shows it.
func (c *Change) check(d birth.Draft, before []birth.CheckFinding) {
	c.checked, c.Wrong, c.Notes = true, nil, nil
	for _, f := range birth.Check(d, time.Now()) {
		known := slices.ContainsFunc(before, func(b birth.CheckFinding) bool { return b.ID() == f.ID() })
		if known || f.Path().List == birth.ProviderList { // the people present have no columns
			continue
		}
		if f.Blocks {
			c.Wrong = append(c.Wrong, f)
		} else {
			c.Notes = append(c.Notes, f)
		}
	}
	if len(c.Wrong) > 0 {
		c.Problem = ImpossibleRow
	}
}

// impossible returns the receipt's outcome for a row that the checks refuse, with an issue for
// each cell.
func (c *Change) impossible() fhir.OperationOutcome {
	out := c.Problem.Outcome()
	issue := out.Issue[0]
	out.Issue = nil
	for _, f := range c.Wrong {
		issue.Diagnostics, issue.Expression = f.Text+".", []string{c.Rejected, f.Path().Column()}
		out.Issue = append(out.Issue, issue)
	}
	return out
}
