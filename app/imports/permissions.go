package imports

import (
	"context"
	"errors"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/store"
)

// permissionsOf returns what both users are allowed to do: the user who uploaded the file, and the
// user who confirms it or looks at its preview.
func (a About) permissionsOf(who auth.User) changes.Permissions {
	return changes.Permissions{Amend: a.Amend && who.May(auth.RecordAmend), Revive: a.Revive && who.May(auth.RecordVoid)}
}

// permissionsAtWrite returns the permissions of a confirmed import. They are limited to what the
// user who confirmed it is allowed to do now. A permission that was withdrawn in the meantime
// doesn't count.
func (s *Service) permissionsAtWrite(p store.PracticeID, i store.Ingestion) (within changes.Permissions, err error) {
	row, err := s.row(context.Background(), p, i.PublicID)
	if err != nil {
		return within, err
	}
	of, err := s.opened(p, row)
	if err != nil {
		return within, err
	}
	who := auth.Operator(store.Practice{ID: p})
	if i.User != 0 {
		who, _, err = s.auth.UserIn(context.Background(), i.User, p)
	}
	if err != nil && !errors.Is(err, auth.ErrNoMembership) { // a user who has left has no permissions
		return within, err
	}
	within = of.About.permissionsOf(who)
	within.Since = row.CreatedAt
	if at := of.About.Previewed; !at.IsZero() {
		within.Since = at
	}
	return within, nil
}
