package changes

import (
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// NotFree is the reason for leaving out a row if its record is on file and the person may not
// change the record. A row that would change nothing is left out with this reason, too; otherwise
// the person could find out the record's values by trying.
var NotFree = &fhir.Problem{
	Name: "chart-number-not-free", Code: "conflict",
	Text: "This chart number is already in use;", Hint: "a provider has to import this row.",
}

// ChangedSince is the reason for leaving out a row whose record has changed since the file was last
// previewed.
var ChangedSince = &fhir.Problem{
	Name: "changed-since-preview", Code: "conflict",
	Text: "The record has changed since the preview;", Hint: "check the file again.",
}

// TwoRecords rejects a row if two records have its chart number: the registry assigned the number
// to one of them, and the other was sent or typed with it.
var TwoRecords = &fhir.Problem{
	Name: "two-records", Code: "conflict",
	Text: "Two records have this chart number; the registry assigned it to one of them;", Hint: "open the one you mean and amend it.",
}

// Permissions states what partial changes, such as rows of a file, may do to records on file.
type Permissions struct {
	Amend, Revive bool
	// Since is when the latest preview of the file was begun. Records that have changed since then
	// aren't overwritten. Since is zero during a preview.
	Since time.Time
}

// refuse returns the reason why a record on file must stay unchanged, or nil if it may change.
// Changing a voided record needs Revive, and changing any other record needs Amend.
func (p Permissions) refuse(r store.Record) *fhir.Problem {
	if may := r.State == birth.Voided && p.Revive || r.State != birth.Voided && p.Amend; may {
		return nil
	}
	return NotFree
}

// outdated reports whether a record has changed since the preview of the file. It returns false
// during a preview.
func (p Permissions) outdated(r store.Record) bool {
	return !p.Since.IsZero() && r.UpdatedAt.After(p.Since)
}
