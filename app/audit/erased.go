package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"birthregistry/store"
)

// When a practice is forgotten, its entries in the trail are emptied. An empty entry keeps its
// number and its hash, because the hash of the next entry depends on it. The object of an empty
// entry is a keyed hash that only this installation can make, so nobody else can empty an entry
// undetected.

// erasedAction is the action of an entry that was emptied because its practice was forgotten.
const erasedAction = "erased"

// ErasedCode returns the object of an empty entry. It is a keyed hash of the entry's number, the
// hash of the previous entry (before), and the hash that the entry had before it was emptied (mac).
func (t *Trail) ErasedCode(id int64, before, mac []byte) string {
	code := hmac.New(sha256.New, t.key)
	code.Write([]byte(erasedAction))
	code.Write(binary.BigEndian.AppendUint64(nil, uint64(id)))
	code.Write(before)
	code.Write(mac)
	return hex.EncodeToString(code.Sum(nil))
}

// stands reports whether an entry is unchanged since it was written, or was emptied by this
// installation. before is the hash of the previous entry.
func (t *Trail) stands(before []byte, entry store.Audit) bool {
	if entry.Action != erasedAction {
		return hmac.Equal(entry.MAC, t.entryCode(before, entry))
	}
	empty := entry.At.UnixMilli() == 0 && entry.Practice == 0 && entry.User == 0 && entry.Actor == "" && entry.Address == ""
	return empty && hmac.Equal([]byte(entry.Object), []byte(t.ErasedCode(entry.ID, before, entry.MAC)))
}
