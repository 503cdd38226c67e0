// Package auth decides who may do what (spec, "Authentication").
//
// Machines have API keys with scopes. Users have accounts with a role in each of their
// practices; permissions.go has the one table of roles. Package web asks this package before it
// answers a request, and every write asks again in its own transaction. So the revocation of a
// key, the end of a session or a change of role takes effect with the next request. Actions of
// users are added to the audit trail (package audit) in the action's transaction.
//
// The database holds no key, password, link or session token, only hashes of them.
// A key or link is therefore shown once.
package auth

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"birthregistry/app/audit"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Service decides who may do what.
type Service struct {
	Trail *audit.Trail

	db              *store.DB
	vault           *seal.Vault
	deviceCookieKey []byte
	// party creates and checks the challenges for passkeys. It is nil if passkeys can't work at the
	// installation's address.
	party *relyingParty

	limits signInLimits

	mu      sync.Mutex
	lastUse map[int64]time.Time // when the use of each API key was last noted

	callers sync.Map // maps the hash of each API key that was found valid to its Caller

	refusals      refusals
	endedSessions endedSessions
	anonymous     atomic.Int64 // sessions without a user that were stored since the start
}

// New returns the service of a database.
func New(db *store.DB, vault *seal.Vault) *Service {
	return &Service{
		Trail: audit.New(db, vault),
		db:    db, vault: vault, deviceCookieKey: vault.Key("browsers"),
		limits: newSignInLimits(), lastUse: map[int64]time.Time{},
	}
}

// Note adds a user's action to the audit trail. tx is the transaction in which the action is
// carried out.
func (s *Service) Note(tx *store.Tx, who User, action, object string) error {
	return s.Trail.Add(tx, audit.Actor{
		Practice: who.Practice.ID, User: who.ID, Name: who.Label(), Address: who.Address,
	}, action, object)
}

// NoteAlone adds an action that changes nothing else, such as reading a record, to the audit
// trail.
func (s *Service) NoteAlone(who User, action, object string) error {
	return s.Act(who, func(tx *store.Tx) error { return s.Note(tx, who, action, object) })
}

// AuditEntries is like audit.Trail.Entries, for the user's practice. It returns ErrForbidden unless
// the user may see the audit trail.
func (s *Service) AuditEntries(ctx context.Context, who User, f store.AuditFilter, before int64, back bool, limit int) ([]store.Audit, error) {
	if err := who.Must(AuditView); err != nil {
		return nil, err
	}
	return s.Trail.Entries(ctx, who.Practice.ID, f, before, back, limit)
}

// RecordTrail returns up to limit entries of the audit trail about one record, newest first. If
// before is the ID of an entry, RecordTrail returns only older entries. If before is 0, it starts
// at the newest. A practice uses the entries to answer a client who asks who has seen their data.
// RecordTrail returns ErrForbidden unless the user has the permission RecordAccount.
func (s *Service) RecordTrail(ctx context.Context, who User, record string, before int64, limit int) ([]store.Audit, error) {
	if err := who.Must(RecordAccount); err != nil {
		return nil, err
	}
	return s.Trail.Entries(ctx, who.Practice.ID, store.AuditFilter{Object: record}, before, false, limit)
}

// Downloads is like RecordTrail, but returns the entries about downloads of files that contain
// births. It leaves out downloads before the time since.
func (s *Service) Downloads(ctx context.Context, who User, since time.Time, before int64, limit int) ([]store.Audit, error) {
	if err := who.Must(RecordAccount); err != nil {
		return nil, err
	}
	return store.Read(ctx, s.db, func(v *store.View) ([]store.Audit, error) {
		return v.Downloads(who.Practice.ID, since, before, limit)
	})
}

// ErrBadLabel is the error of CheckLabel.
var ErrBadLabel = errors.New("auth: the label must have 1 to 60 printable characters")

// CheckLabel returns ErrBadLabel unless a label has 1 to 60 characters, all of them printable. API
// keys and custom fields have such labels.
func CheckLabel(label string) error {
	if label == "" || utf8.RuneCountInString(label) > 60 || strings.ContainsFunc(label, unprintable) {
		return ErrBadLabel
	}
	return nil
}

// unprintable reports whether a character could mislead a reader or control a terminal.
func unprintable(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
