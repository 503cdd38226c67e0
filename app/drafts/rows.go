package drafts

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Room returns how many drafts a user may still begin.
func (s *Service) Room(ctx context.Context, who auth.User) (n int, err error) {
	if !who.May(auth.RecordCreate) || who.ID == 0 { // a draft has an author
		return 0, nil
	}
	err = s.db.View(ctx, func(v *store.View) error {
		all, own, err := v.CountDrafts(who.Practice.ID, who.ID)
		n = max(0, min(mostOfPractice-all, mostOfAuthor-own))
		return err
	})
	return n, err
}

// Prepare seals new drafts of a user, for AddAll. It returns auth.ErrForbidden or
// ErrTooLarge.
func (s *Service) Prepare(who auth.User, contents []Content) ([]store.Draft, error) {
	if err := who.Must(auth.RecordCreate); err != nil {
		return nil, err
	}
	all := make([]store.Draft, len(contents))
	for i, c := range contents {
		if len(c.Typed.Encode()) > MaxTyped {
			return nil, ErrTooLarge
		}
		doc, err := json.Marshal(c, json.Deterministic(true))
		if err != nil {
			return nil, errors.New("drafts: a draft cannot be written")
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

// AddAll stores the drafts that Prepare has sealed: all of them or, with ErrTooMany, none.
func (s *Service) AddAll(tx *store.Tx, who auth.User, prepared []store.Draft) error {
	all, own, err := tx.CountDrafts(who.Practice.ID, who.ID)
	if err != nil {
		return err
	}
	if all+len(prepared) > mostOfPractice || own+len(prepared) > mostOfAuthor {
		return ErrTooMany
	}
	for _, d := range prepared {
		if err := tx.AddDraft(who.Practice.ID, d); err != nil {
			return err
		}
	}
	return nil
}
