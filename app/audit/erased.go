package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"birthregistry/store"
)

// When a practice is forgotten, its entries in the trail are emptied. An empty entry keeps its
// number and its code, because the code of the next entry depends on it. The object of an empty
// entry is a code that only this installation can make, so nobody else can empty an entry
// unnoticed.

// erasedAction is the action of an entry that was emptied because its practice was forgotten.
const erasedAction = "erased"

// ErasedCode returns the object of an empty entry: a keyed hash over the entry's number, the code
// of the entry before it, and the entry's own code.
func (t *Trail) ErasedCode(id int64, before, mac []byte) string {
	code := hmac.New(sha256.New, t.key)
	code.Write([]byte(erasedAction))
	code.Write(binary.BigEndian.AppendUint64(nil, uint64(id)))
	code.Write(before)
	code.Write(mac)
	return hex.EncodeToString(code.Sum(nil))
}

// stands reports whether an entry is unchanged since it was written, or was emptied by this
// installation. before is the code of the previous entry.
func (t *Trail) stands(before []byte, entry store.Audit) bool {
	if entry.Action != erasedAction {
		return hmac.Equal(entry.MAC, t.entryCode(before, entry))
	}
	empty := entry.At.UnixMilli() == 0 && entry.Practice == 0 && entry.User == 0 && entry.Actor == "" && entry.Address == ""
	return empty && hmac.Equal([]byte(entry.Object), []byte(t.ErasedCode(entry.ID, before, entry.MAC)))
}
