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

// Save stores what a page holds as a draft, and returns the draft. seen is the revision that the
// page has read, or 0 if the page started with an empty form. Changes that the page itself has sent
// count as read. If the stored draft already has this content, nothing is written. Save returns
// auth.ErrForbidden, ErrTooLarge, ErrTooMany or ErrGone. It returns store.ErrNotFound for a draft
// that the user may not see, a malformed token or a missing record. If another page has changed the
// draft, Save returns the stored draft, and ErrStale.
func (s *Service) Save(ctx context.Context, who auth.User, token string, seen int, c Content) (Draft, error) {
	if err := who.Must(auth.RecordCreate); err != nil {
		return Draft{}, err
	}
	if c.Record != "" {
		if err := who.Must(auth.RecordAmend); err != nil {
			return Draft{}, err
		}
	}
	if _, err := uuid.Parse(token); err != nil {
		return Draft{}, store.ErrNotFound
	}
	doc, err := written(c)
	if err != nil {
		return Draft{}, err
	}
	for { // repeated until no other request interferes
		stored, err := s.Stored(ctx, who, token)
		fresh := errors.Is(err, store.ErrNotFound)
		switch own := !fresh && c.Page != "" && c.Page == stored.Page; {
		case fresh && seen > 0:
			return Draft{}, ErrGone
		case fresh:
			err = s.add(who, token, c.Record, doc)
		case err != nil:
			return Draft{}, err
		case own && c.Step < stored.Step: // the page has already sent a newer request
			return stored, nil
		case sameContent(stored.Content, c):
			return stored, nil
		case stored.Revision != seen && (!own || c.Step == stored.Step):
			return stored, ErrStale
		default:
			err = s.set(who, stored, doc)
		}
		if err == nil {
			return s.Stored(ctx, who, token)
		}
		if !errors.Is(err, errMeanwhile) {
			return Draft{}, err
		}
	}
}

// written returns the content of a draft as JSON, which is then sealed. It returns ErrTooLarge if
// there is too much text.
func written(c Content) ([]byte, error) {
	if len(c.Typed.Encode()) > MaxTyped {
		return nil, ErrTooLarge
	}
	doc, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		return nil, errors.New("drafts: a draft cannot be written")
	}
	return doc, nil
}

// errMeanwhile means that another request has changed the draft after this one read it.
var errMeanwhile = errors.New("drafts: changed meanwhile")

// sameContent reports whether two contents are the same, regardless of which page sent them (Page)
// and in which request (Step).
func sameContent(a, b Content) bool {
	a.Page, a.Step = b.Page, b.Step
	one, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		return false
	}
	two, err := json.Marshal(b, json.Deterministic(true))
	return err == nil && bytes.Equal(one, two)
}

// add stores a new draft. If the draft amends a record, the record must be on file.
func (s *Service) add(who auth.User, token, record string, doc []byte) error {
	p := who.Practice.ID
	sealed, err := s.seal(p, token, who.ID, doc)
	if err != nil {
		return err
	}
	err = s.auth.Act(who, func(tx *store.Tx) error {
		_, err := tx.RecordByUUID(p, RecordID(p, who.ID, token))
		if err == nil {
			return ErrGone
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if record != "" {
			if _, err := tx.RecordByUUID(p, record); err != nil {
				return err
			}
		}
		return s.AddAll(tx, who, []store.Draft{{Token: token, Author: who.ID, Sealed: sealed}})
	})
	if errors.Is(err, store.ErrConflict) {
		// If the token belongs to a draft that this user may not see, the draft doesn't exist for
		// this user.
		if _, hidden := s.Stored(context.Background(), who, token); errors.Is(hidden, store.ErrNotFound) {
			return store.ErrNotFound
		}
		return errMeanwhile
	}
	return err
}

// set replaces the content of a stored draft. It returns errMeanwhile if the draft has changed
// since it was read.
func (s *Service) set(who auth.User, stored Draft, doc []byte) error {
	sealed, err := s.seal(who.Practice.ID, stored.Token, stored.Author, doc)
	if err != nil {
		return err
	}
	err = s.auth.Act(who, func(tx *store.Tx) error {
		return tx.SetDraft(who.Practice.ID, stored.Token, stored.Revision, sealed)
	})
	return store.Translate(err, store.ErrNotFound, errMeanwhile)
}

func (s *Service) seal(p store.PracticeID, token string, author int64, doc []byte) ([]byte, error) {
	return s.vault.SealOne(Place(p, token, author), doc)
}
