package changes

import (
	"birthregistry/app/birth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Derived holds what this installation computes from a record's content with its own keys.
type Derived struct {
	Fingerprints []birth.Fingerprint
	Names        []birth.NameWord
}

// Derive computes the fingerprints of a course of care, and a code for each word of the mother's
// name, by which a search finds the record. Each practice has codes and fingerprints of its own.
func (w *Writer) Derive(p store.PracticeID, c birth.Course) Derived {
	return Derived{c.Fingerprints(w.fingerprintKey, int64(p)), c.NameWords(w.nameKey, int64(p))}
}

// ProviderHashes returns the keyed hashes of a provider's stable identity and NPI, by which the
// provider is found. The NPI's hash is nil if there is no NPI.
func (w *Writer) ProviderHashes(p store.PracticeID, key, number string) (identity, npi []byte) {
	identity = seal.Hash(w.providerKey, int64(p), key)
	if number != "" {
		npi = seal.Hash(w.providerKey, int64(p), "npi "+number)
	}
	return identity, npi
}
