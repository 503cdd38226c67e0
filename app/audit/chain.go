package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"birthregistry/store"
)

// codes returns the keyed hash of a new entry, and the new keyed hash of the head, which is the row
// that names the trail's last entry. last is the last entry that was found. If the head names a
// different entry, the end of the trail was cut off. The hash of the new entry then doesn't
// continue the chain, so every later verification detects the gap.
func (t *Trail) codes(head store.TrailHead, last, entry store.Audit) (mac, headMAC []byte) {
	before := last.MAC
	if !t.endsWith(head, last.ID, last.MAC) {
		before = []byte("the end was cut off")
	}
	mac = t.entryCode(before, entry)
	return mac, t.headCode(entry.ID, mac)
}

// endsWith reports whether the head names the entry with the ID last and the hash mac as the
// trail's last entry. For an empty trail, last is 0.
func (t *Trail) endsWith(head store.TrailHead, last int64, mac []byte) bool {
	if head.Last == 0 && last == 0 {
		return len(head.MAC) == 0
	}
	return head.Last == last && hmac.Equal(head.MAC, t.headCode(last, mac))
}

// headCode returns the keyed hash of the head, which is the row that names the trail's last entry.
// last and mac are the ID and the hash of that entry.
func (t *Trail) headCode(last int64, mac []byte) []byte {
	code := hmac.New(sha256.New, t.key)
	code.Write([]byte("head"))
	code.Write(binary.BigEndian.AppendUint64(nil, uint64(last)))
	code.Write(mac)
	return code.Sum(nil)
}

// entryCode returns the keyed hash of an entry, over the hash of the previous entry and every field
// of this one. A program that can write the file but doesn't have the key can neither change nor
// remove an entry undetected. If entries are cut off at the end, the head, which names the last
// entry, reveals that. Only one change can't be detected: replacing the whole trail and its head
// with an earlier copy.
func (t *Trail) entryCode(before []byte, entry store.Audit) []byte {
	mac := hmac.New(sha256.New, t.key)
	part := func(b []byte) {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(b)))
		mac.Write(length[:])
		mac.Write(b)
	}
	number := func(n int64) { part(binary.BigEndian.AppendUint64(nil, uint64(n))) }
	part(before)
	number(entry.ID)
	number(entry.At.UnixMilli())
	number(int64(entry.Practice))
	number(entry.User)
	for _, text := range []string{entry.Actor, entry.Action, entry.Object, entry.Address} {
		part([]byte(text))
	}
	return mac.Sum(nil)
}
