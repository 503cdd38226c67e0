// Package access decides who may do what, and records who did it (spec,
// "Authentication").
//
// Machines have API keys with scopes; people have accounts with a role in each
// practice (permissions.go has the one table of roles). Package web asks this
// package before it answers a request, and every write asks again in its own
// transaction: a revoked key, an ended session or a changed role counts from the
// next request on. The audit trail records the act in that same transaction.
//
// The database holds no key, password, link or session token: only hashes, which
// cannot be turned back. A key or link is therefore shown once.
package access

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
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
	markKey  []byte // of the marks that browsers keep

	doors doors // of people's sign-in

	mu   sync.Mutex
	used map[int64]time.Time // when a key's use was last noted

	callers sync.Map // of keys that were once found in force: hash as a string -> Caller

	verified trailWalk
	refusals refusals
	ended    ended
	// strangers is how many sessions of nobody were stored since the start.
	strangers atomic.Int64
}

// New makes an Access.
func New(db *store.DB, vault *seal.Vault) *Access {
	return &Access{
		db: db, vault: vault, trailKey: vault.Key("trail"), markKey: vault.Key("browsers"),
		doors: newDoors(), used: map[int64]time.Time{},
	}
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
