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
	}, a.append)
}

// NoteAlone appends to the audit trail what changes nothing else, such as that
// a record was read.
func (a *Access) NoteAlone(who Person, action, object string) error {
	return a.db.Update(func(tx *store.Tx) error { return a.Note(tx, who, action, object) })
}

// append computes the codes of a new row and of the head it becomes. Where the
// end is not what the head says, the row does not join on to it either: the
// verification finds it ever after.
func (a *Access) append(head store.TrailHead, last, row store.Audit) (mac, headMAC []byte) {
	before := last.MAC
	if !a.ends(head, last.ID, last.MAC) {
		before = []byte("the end was cut off")
	}
	mac = a.chain(before, row)
	return mac, a.headCode(row.ID, mac)
}

// ends reports whether the head says that the trail ends with a row, or with
// none.
func (a *Access) ends(head store.TrailHead, last int64, mac []byte) bool {
	if head.Last == 0 && last == 0 {
		return len(head.MAC) == 0
	}
	return head.Last == last && hmac.Equal(head.MAC, a.headCode(last, mac))
}

// headCode is the code of the head when the trail ends with a row.
func (a *Access) headCode(last int64, mac []byte) []byte {
	code := hmac.New(sha256.New, a.trailKey)
	code.Write([]byte("head"))
	code.Write(binary.BigEndian.AppendUint64(nil, uint64(last)))
	code.Write(mac)
	return code.Sum(nil)
}

// chain computes the code of a row of the audit trail: a keyed hash over the
// code of the row before it and everything the row says. Whoever can write the
// file but has not the key can neither change a row nor take one out unseen.
// What the end was is told by the head. Only the whole trail can be put back to
// an earlier copy of itself with its head.
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
