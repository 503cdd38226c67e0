// Package access knows who may do what, and who did: for machines the API keys
// of a practice and their scopes, for people their roles (spec,
// "Authentication"), for everybody the audit trail.
//
// It never keeps a key: only its SHA-256 is stored, so that a key is shown
// once and cannot be recovered. Keys are looked up on every request, so that a
// revocation holds from the next one on, whoever made it.
package access

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// Scope is what an API key may be used for.
type Scope string

// The scopes.
const (
	IngestWrite Scope = "ingest:write"
	IngestRead  Scope = "ingest:read"
)

// Scopes lists all scopes.
var Scopes = []Scope{IngestWrite, IngestRead}

// What minting can be refused for.
var (
	ErrNoBeta   = errors.New("access: the practice is not enabled for the partner-EHR beta; enable it with: practice set ID --ehr-beta=true")
	ErrNoScope  = errors.New("access: name at least one scope: ingest:write, ingest:read")
	ErrBadLabel = errors.New("access: the label must have 1 to 60 printable characters")
)

// Access answers who may do what.
type Access struct {
	db       *store.DB
	vault    *seal.Vault
	trailKey []byte

	doors doors // of people's sign-in

	mu   sync.Mutex
	used map[int64]time.Time // when a key's use was last noted

	verified trailWalk
	refusals refusals
	ended    ended
}

// New makes an Access.
func New(db *store.DB, vault *seal.Vault) *Access {
	return &Access{
		db: db, vault: vault, trailKey: vault.Key("trail"),
		doors: newDoors(), used: map[int64]time.Time{},
	}
}

// Caller is who holds a valid API key.
type Caller struct {
	Key      int64
	Practice store.PracticeID
	scopes   []string
}

// May reports whether the key has the scope.
func (c Caller) May(scope Scope) bool { return slices.Contains(c.scopes, string(scope)) }

// ErrUnknownKey says that a key is malformed, unknown or revoked.
var ErrUnknownKey = errors.New("access: unknown key")

// Identify finds the caller of a key. It returns ErrUnknownKey for a key that
// is malformed (without asking the database), unknown or revoked.
func (a *Access) Identify(key string) (Caller, error) {
	if !wellFormed(key) {
		return Caller{}, ErrUnknownKey
	}
	var found store.APIKey
	err := a.db.Look(func(v *store.View) (err error) {
		found, err = v.KeyByHash(hash(key))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Caller{}, ErrUnknownKey
	}
	if err != nil {
		return Caller{}, fmt.Errorf("access: identify: %w", err)
	}
	return Caller{Key: found.ID, Practice: found.Practice, scopes: found.Scopes}, nil
}

// noteEvery is how coarsely last_used_at is kept: a write per request would
// buy nothing.
const noteEvery = time.Minute

// DueNote reports whether the use of a key should be noted now, at most once a
// minute a key.
func (a *Access) DueNote(c Caller) bool {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Sub(a.used[c.Key]) < noteEvery {
		return false
	}
	a.used[c.Key] = now
	return true
}

// NoteUse records that a key was used.
func (a *Access) NoteUse(c Caller) error {
	now := time.Now()
	return a.db.Update(func(tx *store.Tx) error { return tx.TouchAPIKey(c.Practice, c.Key, now) })
}

// unprintable finds what would play tricks on a terminal that lists it.
func unprintable(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }

// known checks scopes and returns each once, in the order of the list.
func known(scopes []string) ([]string, error) {
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
