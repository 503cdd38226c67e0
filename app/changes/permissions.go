package changes

import (
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// NotFree rejects a row if its record is on file and the user may not change that record. It
// rejects the row even if the row would change nothing. Otherwise the user could find out the
// record's values by guessing.
var NotFree = &fhir.Problem{
	Name: "chart-number-not-free", Code: "conflict",
	Text: "This chart number is already in use;", Hint: "a provider has to import this row.",
}

// ChangedSince rejects a row if its record has changed since the last preview of the file.
var ChangedSince = &fhir.Problem{
	Name: "changed-since-preview", Code: "conflict",
	Text: "The record has changed since the preview;", Hint: "check the file again.",
}

// TwoRecords rejects a row if two records have its chart number. The registry assigned the number
// to one of them, and the other was sent or typed with the same number.
var TwoRecords = &fhir.Problem{
	Name: "two-records", Code: "conflict",
	Text: "Two records have this chart number; the registry assigned it to one of them;", Hint: "open the one you mean and amend it.",
}

// Permissions says what partial changes, such as rows of a file, may do to records on file.
type Permissions struct {
	Amend, Revive bool
	// Since is when the latest preview of the file began. Records that have changed since then
	// aren't overwritten. Since is zero during a preview.
	Since time.Time
}

// refuse returns the reason why a record on file must not be changed, or nil if it may be changed.
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
