package intake

import (
	"context"
	"errors"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// NotFree is why a row is left out whose record is on file when the person may
// not change it. It is said of a row that changes nothing as well: else its
// sender could try values until one is right, and so read a record.
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

// permissions are what the rows of a file may do to records on file.
type permissions struct {
	amend, revive bool
	// since is when the file was previewed: what has changed later is not
	// overwritten. It is zero in the preview itself.
	since time.Time
}

// permissionsOf are the permissions of what two have to allow: who uploaded the file and
// saw its preview, and who confirms it or looks again.
func (a About) permissionsOf(who auth.User) permissions {
	return permissions{amend: a.Amend && who.May(auth.RecordAmend), revive: a.Revive && who.May(auth.RecordVoid)}
}

// refuse returns why a record on file stays as it is, nil when it need not.
func (p permissions) refuse(r store.Record) *fhir.Problem {
	if may := r.State == birth.Voided && p.revive || r.State != birth.Voided && p.amend; may {
		return nil
	}
	return NotFree
}

// outdated reports whether a record has changed since the preview.
func (p permissions) outdated(r store.Record) bool {
	return !p.since.IsZero() && r.UpdatedAt.After(p.since)
}

// permissionsAtWrite are the permissions of a confirmed import by what the person who
// confirmed it may do now: what was taken away since is gone. They say nothing
// of a Bundle, which is no person's.
func (s *Service) permissionsAtWrite(p store.PracticeID, i store.Ingestion) (b permissions, err error) {
	if i.Kind != store.CSVKind {
		return b, nil
	}
	var row store.Import
	err = s.db.View(context.Background(), func(v *store.View) (err error) {
		row, err = v.Import(p, i.PublicID)
		return err
	})
	if err != nil {
		return b, err
	}
	of, err := s.opened(p, row)
	if err != nil {
		return b, err
	}
	who := auth.Operator(store.Practice{ID: p})
	if i.User != 0 {
		who, _, err = s.auth.UserIn(context.Background(), i.User, p)
	}
	if err != nil && !errors.Is(err, auth.ErrNoMembership) { // who has left may do nothing
		return b, err
	}
	b = of.About.permissionsOf(who)
	b.since = row.CreatedAt
	return b, nil
}
