package changes

import (
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// ImpossibleRow rejects a row that can be read but is impossible. For example, its values
// contradict each other, or the birth is in the future. Rows have to pass the same checks as the
// form.
var ImpossibleRow = &fhir.Problem{
	Name: "impossible-row", Code: "invariant",
	Text: "The row contradicts itself, or leaves out what a birth must have.",
	Hint: "The error file says what to correct.",
}

// Finding is a problem that the form's checks found in a row of a spreadsheet.
type Finding struct {
	birth.CheckFinding
	// OnFile lists the values in CheckFinding.About that come from the record on file, because the
	// row doesn't state them.
	OnFile []birth.Path
}

// Column returns the name of the column to correct. It is the column of the first value in About
// that the row states. If the row states none of the values, it is the column of the first value.
func (f Finding) Column() string {
	for _, at := range f.About {
		if !slices.Contains(f.OnFile, at) {
			return at.Column()
		}
	}
	return f.Path().Column()
}

// Sentences says what is wrong and what to do. It also lists the values that come from the record
// on file, because the row doesn't state them.
func (f Finding) Sentences() string {
	var labels []string
	for _, at := range f.OnFile {
		labels = append(labels, birth.Must(at.Field).Label)
	}
	text := f.Text
	if f.Rule == "no-birth-date" {
		text = "Enter the date of birth" // a row has no button that removes its newborn
	}
	if len(labels) == 0 {
		return text + "."
	}
	return text + ". On file, not in this row: " + strings.Join(labels, "; ") + "."
}

// check runs the form's checks on a draft from a file. on is the record on file that the row
// amends, or nil. Problems that this record already has are ignored. An error rejects the row
// (ImpossibleRow). A warning is only shown in the preview.
func (c *Change) check(d birth.Draft, on *birth.Draft) {
	c.checked, c.Wrong, c.Notes = true, nil, nil
	now := time.Now()
	var before []birth.CheckFinding
	if on != nil {
		before = birth.Check(*on, now)
	}
	found := slices.DeleteFunc(birth.Check(d, now), func(f birth.CheckFinding) bool {
		known := slices.ContainsFunc(before, func(b birth.CheckFinding) bool { return b.ID() == f.ID() })
		return known || f.Path().List == birth.ProviderList // a file has no columns for the providers
	})
	for _, f := range birth.Distinct(found) {
		found := Finding{CheckFinding: f}
		for _, at := range f.About {
			if on != nil && !c.partial.states(at) && on.Has(at) {
				found.OnFile = append(found.OnFile, at)
			}
		}
		if f.Blocks {
			c.Wrong = append(c.Wrong, found)
		} else {
			c.Notes = append(c.Notes, found)
		}
	}
	if len(c.Wrong) > 0 {
		c.Problem = ImpossibleRow
	}
}

// impossible returns what the receipt says about a row that the checks reject: an OperationOutcome
// with one issue for each error, which names the column to correct.
func (c *Change) impossible() fhir.OperationOutcome {
	out := c.Problem.Outcome()
	issue := out.Issue[0]
	out.Issue = nil
	for _, f := range c.Wrong {
		issue.Diagnostics, issue.Expression = f.Sentences(), []string{c.Rejected, f.Column()}
		out.Issue = append(out.Issue, issue)
	}
	return out
}
