package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"birthregistry/store"
)

// codes returns two codes for the transaction that adds an entry: the entry's own, and that of the
// head. The head is the row that names the trail's last entry. If the head names another entry than
// last, the end of the trail was cut off. The new entry's code then doesn't continue the chain, so
// every later verification finds the gap.
func (t *Trail) codes(head store.TrailHead, last, entry store.Audit) (mac, headMAC []byte) {
	before := last.MAC
	if !t.endsWith(head, last.ID, last.MAC) {
		before = []byte("the end was cut off")
	}
	mac = t.entryCode(before, entry)
	return mac, t.headCode(entry.ID, mac)
}

// endsWith reports whether the head names the entry with the ID last and the code mac as the last
// one. In an empty trail, last is 0.
func (t *Trail) endsWith(head store.TrailHead, last int64, mac []byte) bool {
	if head.Last == 0 && last == 0 {
		return len(head.MAC) == 0
	}
	return head.Last == last && hmac.Equal(head.MAC, t.headCode(last, mac))
}

// headCode returns the code of the head, which is the row that names the trail's last entry. last
// and mac are the ID and the code of that entry.
func (t *Trail) headCode(last int64, mac []byte) []byte {
	code := hmac.New(sha256.New, t.key)
	code.Write([]byte("head"))
	code.Write(binary.BigEndian.AppendUint64(nil, uint64(last)))
	code.Write(mac)
	return code.Sum(nil)
}

// entryCode returns the code of an entry: a keyed hash over the code of the previous entry and
// every field of this one. A program that can write the file but does not have the key can neither
// change an entry nor remove one unnoticed. If entries are cut off at the end, the head, which
// names the last entry, reveals the cut. Only one change stays undetected: an earlier copy that
// replaces the whole trail together with its head.
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
