// Package audit keeps the audit trail: who did what to which object, when and from where (spec,
// "Audit trail").
//
// The transaction of an action also writes the action's entry, so neither can exist without the
// other. Entries hold names, IDs and counts; never a patient's value and never a chart number.
// Every entry carries a keyed hash over itself and the entry before it (chain.go), so Verify finds
// a change that was made without the key. No entry is ever removed. The entries of a forgotten
// practice become empty (erased.go).
//
// A practice that moves here from another installation brings its former entries along. They aren't
// part of this chain, and are deleted with the practice.
package audit

import (
	"context"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// Trail is the audit trail of an installation, all practices together.
type Trail struct {
	db       *store.DB
	key      []byte
	verified walk // the last verification by State
}

// New returns the trail of a database. Its key is derived from the vault's root secret.
func New(db *store.DB, vault *seal.Vault) *Trail {
	return &Trail{db: db, key: vault.Key("trail")}
}

// Actor is the person, key or operator that an entry names.
type Actor struct {
	Practice store.PracticeID // 0 for an action on the whole installation
	User     int64            // 0 for an actor without an account
	Name     string
	Address  string // the network address of the request
}

// Add appends an entry in the transaction of the action that it records. action is a noun and a
// verb, such as "record.amend". object names what the action was about.
func (t *Trail) Add(tx *store.Tx, actor Actor, action, object string) error {
	return tx.AddAudit(store.Audit{
		Practice: actor.Practice, User: actor.User, Actor: actor.Name,
		Action: action, Object: object, Address: actor.Address,
	}, t.codes)
}

// Entries returns up to limit entries of a practice that are older than the entry with the ID
// before, newest first. If back is set, it returns those that are newer than that entry, oldest
// first. If before is 0, Entries starts at the newest entry or, if back is set, at the oldest.
func (t *Trail) Entries(ctx context.Context, p store.PracticeID, f store.AuditFilter, before int64, back bool, limit int) ([]store.Audit, error) {
	return store.Read(ctx, t.db, func(v *store.View) ([]store.Audit, error) { return v.Audits(p, f, before, back, limit) })
}
