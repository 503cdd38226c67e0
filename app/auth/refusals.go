package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"birthregistry/store"
)

// refusable lists the HTTP statuses of the refused requests that a practice sees, because its own
// systems caused them. It doesn't include 404, because a wrong path is answered before the key is
// read. It doesn't include 5xx, because a practice can't fix the service.
var refusable = []int{
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge,
	http.StatusUnsupportedMediaType, http.StatusTooManyRequests,
}

// refusalsApart is the minimum time between two stored refusals with the same practice and code.
// Because of it, a client that keeps repeating a request doesn't cause a write each time.
const refusalsApart = time.Second

// refusals remembers when the last refusal with each error code was stored for each practice.
type refusals struct {
	mu    sync.Mutex
	noted map[refusalOf]time.Time
}

type refusalOf struct {
	practice store.PracticeID
	code     string
}

// due reports whether the refusal should be stored now. If so, due remembers the time.
func (r *refusals) due(of refusalOf) bool {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, seen := r.noted[of]; seen && now.Sub(last) < refusalsApart {
		return false
	}
	if r.noted == nil {
		r.noted = map[refusalOf]time.Time{}
	}
	r.noted[of] = now
	return true
}

// NoteRefusal stores a refused request that was made with an API key, so that the users of the
// key's practice see it. It doesn't store the request's body. For each practice and code, it stores
// at most one refusal a second. It ignores requests without a key, and requests whose status isn't
// in the list refusable.
func (s *Service) NoteRefusal(c Caller, r store.Refusal) error {
	if c.Key == 0 || !slices.Contains(refusable, r.Status) || !s.refusals.due(refusalOf{c.Practice, r.Code}) {
		return nil
	}
	r.APIKey = c.Key
	if err := s.db.Update(func(tx *store.Tx) error { return tx.AddRefusal(c.Practice, r) }); err != nil {
		return fmt.Errorf("auth: note a refusal: %w", err)
	}
	return nil
}

// Revoked returns the Caller of a revoked API key, without scopes. The service uses it to show the
// practice that a system still uses the revoked key. For any other key, Revoked returns
// ErrUnknownKey.
func (s *Service) Revoked(ctx context.Context, key string) (Caller, error) {
	if !IsKey(key) {
		return Caller{}, ErrUnknownKey
	}
	k, err := store.Read(ctx, s.db, func(v *store.View) (store.APIKey, error) { return v.RevokedKeyByHash(hash(key)) })
	if errors.Is(err, store.ErrNotFound) {
		return Caller{}, ErrUnknownKey
	}
	if err != nil {
		return Caller{}, fmt.Errorf("auth: revoked: %w", err)
	}
	return Caller{Key: k.ID, Practice: k.Practice}, nil
}

// Refusals lists up to limit of the stored refused requests of a practice's keys, newest first. If
// before isn't 0, it is the ID of a refusal, and Refusals lists only older ones.
func (s *Service) Refusals(ctx context.Context, p store.PracticeID, before int64, limit int) ([]store.Refusal, error) {
	return store.Read(ctx, s.db, func(v *store.View) ([]store.Refusal, error) {
		return v.Refusals(p, time.Now().Add(-store.RefusalsKeptFor), before, limit)
	})
}
