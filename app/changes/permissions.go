package changes

import (
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// NotFree is why a row is left out whose record is on file when the person may
// not change it. A row that changes nothing is left out as well: else
// its sender could try values until one is right, and so read a record.
var NotFree = &fhir.Problem{
	Name: "chart-number-not-free", Code: "conflict",
	Text: "This chart number is not free;", Hint: "a provider has to import this row.",
}

// ChangedSince is why a row is left out that was previewed against another
// version than the one on file.
var ChangedSince = &fhir.Problem{
	Name: "changed-since-preview", Code: "conflict",
	Text: "The record has changed since the preview;", Hint: "check the file again.",
}

// TwoRecords rejects a row whose chart number two records have: the registry gave it to
// one, and the other was sent or typed with it.
var TwoRecords = &fhir.Problem{
	Name: "two-records", Code: "conflict",
	Text: "Two records have this chart number, one of them from the registry;", Hint: "open the one you mean and amend it.",
}

// Permissions are what partial changes, the rows of a file, may do to records on file.
type Permissions struct {
	Amend, Revive bool
	// Since is when the file was previewed: what has changed later is not
	// overwritten. It is zero in the preview itself.
	Since time.Time
}

// refuse returns why a record on file stays as it is, nil when it need not.
func (p Permissions) refuse(r store.Record) *fhir.Problem {
	if may := r.State == birth.Voided && p.Revive || r.State != birth.Voided && p.Amend; may {
		return nil
	}
	return NotFree
}

// outdated reports whether a record has changed since the preview.
func (p Permissions) outdated(r store.Record) bool {
	return !p.Since.IsZero() && r.UpdatedAt.After(p.Since)
}
