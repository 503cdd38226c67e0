package seal

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"os"
	"slices"

	"filippo.io/age"
)

// The checksums over rows (store/signed.go) are signed with keys that are derived from the
// installation's secret key. A secret stored in the database wouldn't be safe. Anybody who can
// write to the database file could replace the secret with one of their own, encrypted for the
// recipients, whose public keys are in the file.
//
// A recovery key must be able to verify rows that the installation signed, so the database
// nevertheless holds a sealed copy of the signing key. The copy is used only to restore a backup
// with a recovery key (TrustCopy). The database also records which key is the installation's key,
// so anybody who can write to the database could substitute a key of their own.

// RowRoot is the purpose (see Key) of the key with which the store computes an HMAC for each row.
// The checksums over rows are sums of these HMACs.
const RowRoot = "rows"

const rowKeySecret = "row-key"

var rowKeyPlace = Place{Table: "secrets", Row: rowKeySecret}

// rowKey derives, from an installation's secret key, the key that signs the checksums over rows.
func rowKey(key *age.HybridIdentity) []byte {
	derived, err := hkdf.Key(sha256.New, []byte(key.String()), nil, "birthregistry row sums", sha256.Size)
	if err != nil { // fails only for absurd lengths
		panic("seal: " + err.Error())
	}
	return derived
}

// RowKeys returns the keys for the signatures of the checksums over rows. The first key signs. It
// is derived from the installation's key. The others only verify. They are derived from all keys in
// the key files, which during a rotation include the key that is being replaced, and from the keys
// that MoveTo has replaced.
//
// If the installation's key is missing, RowKeys returns only the database's copy of the signing key
// (after TrustCopy), or derives the first key from any key in the key files. RowKeys reads the key
// file again, because another process may have rotated the keys. A key that the file no longer
// holds must not be valid.
func (v *Vault) RowKeys() ([][]byte, error) {
	box, err := v.store.Box()
	if err != nil {
		return nil, err
	}
	keys, err := readKeys(v.keyFile)
	if err != nil { // the file may be absent for a moment
		keys = slices.Clone(*v.keys.Load())
	}
	keys = append(keys, v.others...)
	own := slices.IndexFunc(keys, func(key *age.HybridIdentity) bool { return publicOf(key) == box })
	if own < 0 && v.trustsCopy {
		copied, err := v.copiedRowKey()
		return [][]byte{copied}, err
	}
	all := [][]byte{rowKey(keys[max(own, 0)])}
	for _, key := range keys {
		all = append(all, rowKey(key))
	}
	return append(all, v.formerRowKeys...), nil
}

// TrustCopy allows the vault to use the database's copy of the signing key if the installation's
// key is missing. It is for restoring a backup with a recovery key.
func (v *Vault) TrustCopy() { v.trustsCopy = true }

// Signs reports whether the key file says that its database must have signatures. A key file from
// before rows were signed doesn't say so.
func (v *Vault) Signs() bool {
	text, err := os.ReadFile(v.keyFile)
	return err == nil && bytes.Contains(text, []byte(signsWords))
}

// copiedRowKey returns the database's copy of the key that signs the checksums over rows.
func (v *Vault) copiedRowKey() ([]byte, error) {
	sealed, err := v.store.Secret(rowKeySecret)
	if err != nil && v.store.Missing(err) { // a database from before the copy existed will be signed now
		return v.Key("rows signed with a recovery key"), nil
	}
	if err != nil {
		return nil, err
	}
	return v.Open(rowKeyPlace, sealed)
}

// CopyRowKey stores, in the database, a sealed copy of the key that signs the checksums over rows.
// Somebody who has only a recovery key can then verify rows.
func (v *Vault) CopyRowKey() error {
	keys, err := v.RowKeys()
	if err != nil {
		return err
	}
	sealed, err := v.store.Secret(rowKeySecret)
	if err == nil {
		if known, err := v.Open(rowKeyPlace, sealed); err == nil && bytes.Equal(known, keys[0]) {
			return nil
		} else if err != nil && !errors.Is(err, ErrSealed) && !errors.Is(err, ErrWrongKey) {
			return err
		}
	} else if !v.store.Missing(err) {
		return err
	}
	if sealed, err = v.SealOne(rowKeyPlace, keys[0]); err != nil {
		return err
	}
	return v.store.SetSecret(rowKeySecret, sealed)
}
