package drafts

import (
	"context"

	"github.com/google/uuid"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Room returns how many more drafts a user may begin.
func (s *Service) Room(ctx context.Context, who auth.User) (n int, err error) {
	if !who.May(auth.RecordCreate) || who.ID == 0 { // a draft needs an author with an account
		return 0, nil
	}
	return store.Read(ctx, s.db, func(v *store.View) (int, error) { return room(v, who) })
}

// room returns how many more drafts the limits of the practice and the author allow.
func room(v *store.View, who auth.User) (int, error) {
	all, own, err := v.CountDrafts(who.Practice.ID, who.ID)
	return max(0, min(mostOfPractice-all, mostOfAuthor-own)), err
}

// Prepare seals new drafts, so that AddAll can store them. It returns auth.ErrForbidden or
// ErrTooLarge.
func (s *Service) Prepare(who auth.User, contents []Content) ([]store.Draft, error) {
	if err := who.Must(auth.RecordCreate); err != nil {
		return nil, err
	}
	all := make([]store.Draft, len(contents))
	for i, c := range contents {
		doc, err := written(c)
		if err != nil {
			return nil, err
		}
		token, err := uuid.NewRandom()
		if err != nil {
			return nil, err
		}
		all[i] = store.Draft{Token: token.String(), Author: who.ID}
		if all[i].Sealed, err = s.seal(who.Practice.ID, all[i].Token, who.ID, doc); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// AddAll stores the drafts that Prepare has sealed. If the limits don't allow all of them, it
// stores none and returns ErrTooMany.
func (s *Service) AddAll(tx *store.Tx, who auth.User, prepared []store.Draft) error {
	switch left, err := room(&tx.View, who); {
	case err != nil:
		return err
	case len(prepared) > left:
		return ErrTooMany
	}
	for _, d := range prepared {
		if err := tx.AddDraft(who.Practice.ID, d); err != nil {
			return err
		}
	}
	return nil
}
