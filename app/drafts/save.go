package drafts

import (
	"bytes"
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Save stores what a page holds as a draft and returns it. seen is the revision that the
// page has read, 0 for a form that was empty; a page has seen what it has sent itself. A
// draft that holds the same already is left as it is. It returns auth.ErrForbidden, store.ErrNotFound for another user's draft,
// ErrTooLarge, ErrTooMany, ErrGone, or ErrStale with the draft as it is stored.
func (s *Service) Save(ctx context.Context, who auth.User, token string, seen int, c Content) (Draft, error) {
	if err := who.Must(auth.RecordCreate); err != nil {
		return Draft{}, err
	}
	if _, err := uuid.Parse(token); err != nil {
		return Draft{}, store.ErrNotFound
	}
	if len(c.Typed.Encode()) > MaxTyped {
		return Draft{}, ErrTooLarge
	}
	doc, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		return Draft{}, errors.New("drafts: a draft cannot be written")
	}
	stored, err := s.Stored(ctx, who, token)
	switch {
	case errors.Is(err, store.ErrNotFound):
		if seen > 0 {
			return Draft{}, ErrGone
		}
		return s.add(ctx, who, token, doc)
	case err != nil:
		return Draft{}, err
	}
	switch own := c.Page != "" && c.Page == stored.Page; {
	case own && c.Step < stored.Step: // overtaken by what the page has sent since
		return stored, nil
	case sameContent(stored.Content, c):
		return stored, nil
	case stored.Revision != seen && (!own || c.Step == stored.Step):
		return stored, ErrStale
	}
	return s.set(ctx, who, stored, doc)
}

// sameContent reports whether two pages hold the same.
func sameContent(a, b Content) bool {
	a.Page, a.Step = b.Page, b.Step
	one, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		return false
	}
	two, err := json.Marshal(b, json.Deterministic(true))
	return err == nil && bytes.Equal(one, two)
}

// add stores a draft that isn't stored yet.
func (s *Service) add(ctx context.Context, who auth.User, token string, doc []byte) (Draft, error) {
	if err := s.vault.Ready(); err != nil {
		return Draft{}, err
	}
	sealed, err := s.vault.Seal(place(who.Practice.ID, token, who.ID), doc)
	if err != nil {
		return Draft{}, err
	}
	p := who.Practice.ID
	err = s.db.Update(func(tx *store.Tx) error {
		_, err := tx.RecordByUUID(p, RecordID(p, who.ID, token))
		if err == nil {
			return ErrGone
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		all, own, err := tx.CountDrafts(p, who.ID)
		if err != nil {
			return err
		}
		if all >= mostOfPractice || own >= mostOfAuthor {
			return ErrTooMany
		}
		return tx.AddDraft(p, store.Draft{Token: token, Author: who.ID, Sealed: sealed})
	})
	if errors.Is(err, store.ErrConflict) { // sent twice at once
		stored, err := s.Stored(ctx, who, token)
		if err == nil {
			err = ErrStale
		}
		return stored, err
	}
	if err != nil {
		return Draft{}, err
	}
	return s.Stored(ctx, who, token)
}

// set replaces what a stored draft holds.
func (s *Service) set(ctx context.Context, who auth.User, stored Draft, doc []byte) (Draft, error) {
	if err := s.vault.Ready(); err != nil {
		return Draft{}, err
	}
	sealed, err := s.vault.Seal(place(who.Practice.ID, stored.Token, stored.Author), doc)
	if err != nil {
		return Draft{}, err
	}
	err = s.db.Update(func(tx *store.Tx) error {
		return tx.SetDraft(who.Practice.ID, stored.Token, stored.Revision, sealed)
	})
	now, found := s.Stored(ctx, who, stored.Token)
	switch {
	case errors.Is(err, store.ErrNotFound) && errors.Is(found, store.ErrNotFound):
		return Draft{}, ErrGone
	case errors.Is(err, store.ErrNotFound) && found == nil:
		return now, ErrStale
	case err != nil:
		return Draft{}, err
	}
	return now, found
}
