package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"birthregistry/store"
)

// KeysMax is how many keys in force a practice may have: more than its systems
// need, few enough to look after.
const KeysMax = 20

// ErrTooManyKeys says that a practice has as many keys as it may.
var ErrTooManyKeys = fmt.Errorf("access: the practice has %d keys in force; revoke one first", KeysMax)

// Keys lists the API keys of a practice, revoked ones included.
func (a *Access) Keys(ctx context.Context, p store.PracticeID) (all []store.APIKey, err error) {
	err = a.db.View(ctx, func(v *store.View) (err error) {
		all, err = v.APIKeys(p)
		return err
	})
	return all, err
}

// MintKey makes an API key for the person's practice and returns it, the only
// time it is ever seen. It returns ErrForbidden, ErrBadLabel, ErrNoScope,
// ErrTooManyKeys, and ErrNoBeta unless the practice is enabled for the beta.
func (a *Access) MintKey(who Person, label string, scopes []string) (key string, minted store.APIKey, err error) {
	if err := who.Must(KeyMint); err != nil {
		return "", minted, err
	}
	if label, scopes, err = namedKey(label, scopes); err != nil {
		return "", minted, err
	}
	p := who.Practice.ID
	key = newKey()
	minted = store.APIKey{Practice: p, Label: label, Scopes: scopes, Prefix: key[:prefixSize], MintedBy: who.Label()}
	err = a.db.Update(func(tx *store.Tx) error {
		if err := mayMint(tx, p); err != nil {
			return err
		}
		if minted.ID, err = tx.AddAPIKey(p, minted, hash(key)); err != nil {
			return err
		}
		minted.CreatedAt = tx.Now
		return a.Note(tx, who, "key.mint", label)
	})
	if err != nil {
		return "", store.APIKey{}, err
	}
	return key, minted, nil
}

// namedKey checks what a key is to be called and what it may do.
func namedKey(label string, scopes []string) (string, []string, error) {
	label = strings.TrimSpace(label)
	if !goodLabel(label) {
		return "", nil, ErrBadLabel
	}
	scopes, err := known(scopes)
	return label, scopes, err
}

// mayMint refuses a practice outside the beta, and one key too many. The beta
// is read in the transaction: it may have been withdrawn a moment ago.
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
	if len(slices.DeleteFunc(keys, revoked)) >= KeysMax {
		return ErrTooManyKeys
	}
	return nil
}

// Mint makes an API key on the operator's behalf; by names who asked for it.
// It returns what MintKey does, and store.ErrNotFound without the practice.
func (a *Access) Mint(p store.PracticeID, label string, scopes []string, by string) (key string, minted store.APIKey, err error) {
	if _, _, err := namedKey(label, scopes); err != nil { // before what only a look shows
		return "", minted, err
	}
	var practice store.Practice
	err = a.db.View(context.Background(), func(v *store.View) (err error) {
		practice, err = v.Practice(p)
		return err
	})
	if err != nil {
		return "", minted, err
	}
	who := Operator(practice)
	who.Name = by
	return a.MintKey(who, label, scopes)
}

// RevokeKey revokes a key of the person's practice; the next request with it
// is refused. It returns ErrForbidden, or store.ErrNotFound without a key in
// force that has this id.
func (a *Access) RevokeKey(who Person, id int64) error {
	if err := who.Must(KeyRevoke); err != nil {
		return err
	}
	return a.db.Update(func(tx *store.Tx) error {
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
		return a.Note(tx, who, "key.revoke", keys[at].Label)
	})
}
