// Package audit keeps the audit trail: who did what to which object, when and from where (spec,
// "Audit trail").
//
// An entry is written in the same transaction as the action that it records, so neither can exist
// without the other. Entries hold names, IDs and counts, but never a patient's value or a chart
// number. Every entry has a keyed hash of itself and the entry before it (chain.go), so Verify
// detects a change that was made without the key. No entry is ever removed. When a practice is
// forgotten, its entries become empty (erased.go).
//
// A practice that moves here from another installation keeps its former entries. They aren't part
// of this trail's chain of hashes, and are deleted together with the practice.
package audit

import (
	"context"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// Trail is the audit trail of an installation. It holds the entries of all practices.
type Trail struct {
	db       *store.DB
	key      []byte
	verified walk // the last verification that State has made
}

// New returns the audit trail of a database. The key of its hashes is derived from the vault's root
// secret.
func New(db *store.DB, vault *seal.Vault) *Trail {
	return &Trail{db: db, key: vault.Key("trail")}
}

// Actor identifies who acted, according to an entry: a user, an API key or the operator.
type Actor struct {
	Practice store.PracticeID // 0 for an action on the whole installation
	User     int64            // 0 for an actor without an account
	Name     string
	Address  string // the network address of the request
}

// Add adds an entry, in the transaction of the action that it records. action is a noun and a verb,
// such as "record.amend". object says what the action was about, for example by an ID.
func (t *Trail) Add(tx *store.Tx, actor Actor, action, object string) error {
	return tx.AddAudit(store.Audit{
		Practice: actor.Practice, User: actor.User, Actor: actor.Name,
		Action: action, Object: object, Address: actor.Address,
	}, t.codes)
}

// Entries returns up to limit entries of a practice. before is the ID of an entry. If back is
// false, Entries returns older entries, newest first. If back is set, it returns newer entries,
// oldest first. If before is 0, it starts at the newest entry, or at the oldest if back is set.
func (t *Trail) Entries(ctx context.Context, p store.PracticeID, f store.AuditFilter, before int64, back bool, limit int) ([]store.Audit, error) {
	return store.Read(ctx, t.db, func(v *store.View) ([]store.Audit, error) { return v.Audits(p, f, before, back, limit) })
}
