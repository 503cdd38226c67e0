package changes

import (
	"birthregistry/app/birth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Derived holds keyed hashes that this installation computes from the content of a record.
type Derived struct {
	Fingerprints []birth.Fingerprint
	Names        []birth.NameWord
}

// Derive computes the fingerprints of a course of care, and a code for each word of the mother's
// name. The search finds records by these codes. Each practice has different codes and
// fingerprints.
func (w *Writer) Derive(p store.PracticeID, c birth.Course) Derived {
	return Derived{c.Fingerprints(w.fingerprintKey, int64(p)), c.NameWords(w.nameKey, int64(p))}
}

// ProviderHashes returns keyed hashes of a provider's key (birth.Provider.Key) and NPI. Providers
// are looked up by these hashes. npi is nil if number is "".
func (w *Writer) ProviderHashes(p store.PracticeID, key, number string) (identity, npi []byte) {
	identity = seal.Hash(w.providerKey, int64(p), key)
	if number != "" {
		npi = seal.Hash(w.providerKey, int64(p), "npi "+number)
	}
	return identity, npi
}
