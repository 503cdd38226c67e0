package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"birthregistry/store"
)

// Caller is the holder of a valid API key.
type Caller struct {
	Key      int64
	Practice store.PracticeID
	scopes   []string
}

// May reports whether the key has the scope.
func (c Caller) May(scope Scope) bool { return slices.Contains(c.scopes, string(scope)) }

// ErrUnknownKey means that a key is malformed, unknown or revoked.
var ErrUnknownKey = errors.New("auth: unknown key")

// IdentifyCached is like Identify, but answers from memory for a key that was valid when it was
// last looked up. This saves a lookup that would take a tenth of every request's time. The key may
// have been revoked since that lookup, even by another process. Every SQL statement that acts for
// the caller must therefore check the key again, as store.Tx.Accept, store.View.Replay and
// store.View.IngestionForKey do. A refused request reaches no such statement. Before the service
// gives any other reason for a refusal, it must therefore call Identify.
func (s *Service) IdentifyCached(ctx context.Context, key string) (Caller, error) {
	if known, ok := s.callers.Load(string(hash(key))); ok {
		return known.(Caller), nil
	}
	return s.Identify(ctx, key)
}

// Identify looks up an API key in the database and returns its holder. It returns ErrUnknownKey for
// a malformed, unknown or revoked key. It doesn't look up a malformed key.
func (s *Service) Identify(ctx context.Context, key string) (Caller, error) {
	if !IsKey(key) {
		return Caller{}, ErrUnknownKey
	}
	digest := hash(key)
	found, err := store.Lookup(ctx, s.db, func(v *store.View) (store.APIKey, error) { return v.KeyByHash(digest) })
	if errors.Is(err, store.ErrNotFound) {
		s.callers.Delete(string(digest))
		return Caller{}, ErrUnknownKey
	}
	if err != nil {
		return Caller{}, fmt.Errorf("auth: identify: %w", err)
	}
	who := Caller{Key: found.ID, Practice: found.Practice, scopes: found.Scopes}
	s.callers.Store(string(digest), who)
	return who, nil
}

// noteEvery is the precision with which the service stores when a key was last used. More precision
// isn't worth a write for every request.
const noteEvery = time.Minute

// UseDue reports whether the caller should now call NoteUse, which records that a key was used. For
// each key, UseDue returns true at most once a minute.
func (s *Service) UseDue(c Caller) bool {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.lastUse[c.Key]) < noteEvery {
		return false
	}
	s.lastUse[c.Key] = now
	return true
}

// NoteUse records that a key was used.
func (s *Service) NoteUse(c Caller) error {
	now := time.Now()
	return s.db.Update(func(tx *store.Tx) error { return tx.TouchAPIKey(c.Practice, c.Key, now) })
}
