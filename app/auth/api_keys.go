package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"birthregistry/store"
)

// Scope is what an API key may be used for.
type Scope string

// The scopes are IngestWrite, which allows pushing Bundles, and IngestRead, which allows reading
// their receipts.
const (
	IngestWrite Scope = "ingest:write"
	IngestRead  Scope = "ingest:read"
)

// Scopes lists all scopes.
var Scopes = []Scope{IngestWrite, IngestRead}

// MaxKeys is the maximum number of valid keys in a practice. That is more than a practice needs,
// but few enough to review.
const MaxKeys = 20

// These are errors of MintKey.
var (
	ErrNoBeta      = errors.New("auth: the practice is not enabled for the partner-EHR beta; enable it with: birthregistry practice set ID --ehr-beta=true")
	ErrNoScope     = errors.New("auth: the scopes must be ingest:write, ingest:read or both")
	ErrTooManyKeys = fmt.Errorf("auth: the practice has %d valid keys; revoke one first", MaxKeys)
)

// Keys lists the API keys of a practice, revoked ones included.
func (s *Service) Keys(ctx context.Context, p store.PracticeID) ([]store.APIKey, error) {
	return store.Read(ctx, s.db, func(v *store.View) ([]store.APIKey, error) { return v.APIKeys(p) })
}

// MintKey makes an API key for the user's practice and returns the key, which cannot be shown
// again. It returns ErrBadLabel, ErrNoScope or both, joined. Its other errors are ErrForbidden,
// ErrTooManyKeys and, if the practice isn't enabled for the partner-EHR beta, ErrNoBeta.
func (s *Service) MintKey(who User, label string, scopes []string) (key string, minted store.APIKey, err error) {
	if err := who.Must(KeyMint); err != nil {
		return "", minted, err
	}
	if label, scopes, err = checkKey(label, scopes); err != nil {
		return "", minted, err
	}
	p := who.Practice.ID
	key = newKey()
	minted = store.APIKey{Practice: p, Label: label, Scopes: scopes, Prefix: key[:prefixSize], MintedBy: who.Label()}
	err = s.Act(who, func(tx *store.Tx) error {
		if err := mayMint(tx, p); err != nil {
			return err
		}
		if minted.ID, err = tx.AddAPIKey(p, minted, hash(key)); err != nil {
			return err
		}
		minted.CreatedAt = tx.Now
		return s.Note(tx, who, "key.mint", label)
	})
	if err != nil {
		return "", store.APIKey{}, err
	}
	return key, minted, nil
}

// checkKey normalizes the label and the scopes of a new key, and returns everything that is wrong
// with them, joined.
func checkKey(label string, scopes []string) (string, []string, error) {
	label = strings.TrimSpace(label)
	scopes, err := checkScopes(scopes)
	return label, scopes, errors.Join(CheckLabel(label), err)
}

// mayMint returns ErrNoBeta or ErrTooManyKeys if the practice may not get a new key. It reads the
// practice from the database again, because the operator may have ended the practice's beta in the
// meantime.
func mayMint(tx *store.Tx, p store.PracticeID) error {
	practice, err := tx.Practice(p)
	if err != nil {
		return err
	}
	if !practice.EHRBeta {
		return ErrNoBeta
	}
	keys, err := tx.APIKeys(p)
	if err != nil {
		return err
	}
	revoked := func(k store.APIKey) bool { return k.RevokedAt != nil }
	if len(slices.DeleteFunc(keys, revoked)) >= MaxKeys {
		return ErrTooManyKeys
	}
	return nil
}

// Mint makes an API key on behalf of the operator. The parameter by names the person who asked for
// it. Mint returns the same errors as MintKey, and store.ErrNotFound if there is no such practice.
func (s *Service) Mint(p store.PracticeID, label string, scopes []string, by string) (key string, minted store.APIKey, err error) {
	if _, _, err := checkKey(label, scopes); err != nil { // before the checks that need the database
		return "", minted, err
	}
	practice, err := store.Read(context.Background(), s.db, func(v *store.View) (store.Practice, error) { return v.Practice(p) })
	if err != nil {
		return "", minted, err
	}
	who := Operator(practice)
	who.Name = by
	return s.MintKey(who, label, scopes)
}

// RevokeKey revokes an API key of the user's practice. The next request with the key is refused.
// RevokeKey returns ErrForbidden unless the user may revoke keys, and store.ErrNotFound if no valid
// key has this ID.
func (s *Service) RevokeKey(who User, id int64) error {
	return s.ActIf(who, KeyRevoke, func(tx *store.Tx) error {
		keys, err := tx.APIKeys(who.Practice.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(keys, func(k store.APIKey) bool { return k.ID == id })
		if at < 0 {
			return store.ErrNotFound
		}
		if err := tx.RevokeAPIKey(who.Practice.ID, id); err != nil {
			return err
		}
		return s.Note(tx, who, "key.revoke", keys[at].Label)
	})
}

// checkScopes returns each given scope once, in the order of Scopes. It returns ErrNoScope if no
// scope is given, or if a scope is unknown.
func checkScopes(scopes []string) ([]string, error) {
	for _, scope := range scopes {
		if !slices.Contains(Scopes, Scope(scope)) {
			return nil, ErrNoScope
		}
	}
	var kept []string
	for _, scope := range Scopes {
		if slices.Contains(scopes, string(scope)) {
			kept = append(kept, string(scope))
		}
	}
	if len(kept) == 0 {
		return nil, ErrNoScope
	}
	return kept, nil
}
