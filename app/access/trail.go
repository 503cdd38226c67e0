package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"birthregistry/store"
)

// Note appends to the audit trail inside the transaction of what is done: who
// did what to which object. No patient value and no chart number goes there.
func (a *Access) Note(tx *store.Tx, who Person, action, object string) error {
	return tx.AddAudit(store.Audit{
		Practice: who.Practice.ID, User: who.User, Actor: who.Label(),
		Action: action, Object: object, Address: who.Address,
	}, a.chain)
}

// NoteAlone appends to the audit trail what changes nothing else, such as that
// a record was read.
func (a *Access) NoteAlone(who Person, action, object string) error {
	return a.db.Update(func(tx *store.Tx) error { return a.Note(tx, who, action, object) })
}

// chain computes the code of a row of the audit trail: a keyed hash over the
// code of the row before it and everything the row says. Whoever can write the
// file but has not the key can neither change a row nor take one out unseen;
// only rows at the end can be cut off, as with every chain.
func (a *Access) chain(before []byte, row store.Audit) []byte {
	mac := hmac.New(sha256.New, a.trailKey)
	part := func(b []byte) {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(b)))
		mac.Write(length[:])
		mac.Write(b)
	}
	number := func(n int64) { part(binary.BigEndian.AppendUint64(nil, uint64(n))) }
	part(before)
	number(row.ID)
	number(row.At.UnixMilli())
	number(int64(row.Practice))
	number(row.User)
	for _, text := range []string{row.Actor, row.Action, row.Object, row.Address} {
		part([]byte(text))
	}
	return mac.Sum(nil)
}
