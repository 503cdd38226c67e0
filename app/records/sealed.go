package records

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"birthregistry/app/birth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// PatientPlace returns the place (table and row) of the sealed patient data of a version. The data
// can be opened only with this place.
func PatientPlace(p store.PracticeID, uuid string, version int) seal.Place {
	return versionPlace(p, "versions", uuid, version)
}

// NotePlace returns the place of a version's sealed note, which is the reason for the change. The
// note can be opened only with this place.
func NotePlace(p store.PracticeID, uuid string, version int) seal.Place {
	return versionPlace(p, "versions.note", uuid, version)
}

// CustomPlace returns the place of the sealed custom fields of a version. They can be opened only
// with this place.
func CustomPlace(p store.PracticeID, uuid string, version int) seal.Place {
	return versionPlace(p, "custom_values", uuid, version)
}

func versionPlace(p store.PracticeID, table, uuid string, version int) seal.Place {
	return seal.Place{Practice: int64(p), Table: table, Row: fmt.Sprintf("%s/%d", uuid, version)}
}

// ProviderPlace returns the place of the sealed identifiers of a provider. They can be opened only
// with this place. identity is the hash of the provider's key, by which the provider is looked up.
func ProviderPlace(p store.PracticeID, identity []byte) seal.Place {
	return seal.Place{Practice: int64(p), Table: "providers", Row: hex.EncodeToString(identity)}
}

// OpenContent decrypts one version of a record's content.
func OpenContent(vault *seal.Vault, p store.PracticeID, uuid string, c store.Content) (birth.Course, error) {
	patient, err := vault.Open(PatientPlace(p, uuid, c.Version), c.Patient)
	if err != nil {
		return birth.Course{}, err
	}
	return birth.Restore(c.Clinical, patient)
}

// OpenCustom decrypts the values of a record's custom fields as of a version, and returns them by
// the fields' keys. since is the version that set them, or 0 if no version has.
func OpenCustom(vault *seal.Vault, v *store.View, p store.PracticeID, uuid string, record int64, version int) (stated map[string]string, since int, err error) {
	row, err := v.CustomValuesAt(p, record, version)
	if err != nil || row.Version == 0 {
		return nil, 0, err
	}
	doc, err := vault.Open(CustomPlace(p, uuid, row.Version), row.Sealed)
	if err != nil {
		return nil, 0, err
	}
	if err := json.Unmarshal(doc, &stated); err != nil {
		return nil, 0, errors.New("records: the practice's custom fields are not readable")
	}
	return stated, row.Version, nil
}

// ProviderIdentity holds the identifiers of a provider, which are stored sealed.
type ProviderIdentity struct {
	Key string `json:"key"`
	NPI string `json:"npi"`
}

// SealProvider seals the identifiers of a provider: the key, and the NPI or "". identity is the
// hash of the key, by which the provider is looked up.
func SealProvider(vault *seal.Vault, p store.PracticeID, identity []byte, key, npi string) ([]byte, error) {
	doc, err := json.Marshal(ProviderIdentity{key, npi})
	if err != nil {
		return nil, errors.New("records: a provider cannot be written as JSON")
	}
	return vault.Seal(ProviderPlace(p, identity), doc)
}

// OpenProvider decrypts the identifiers that SealProvider has sealed.
func OpenProvider(vault *seal.Vault, p store.PracticeID, row store.Provider) (key, npi string, err error) {
	doc, err := vault.Open(ProviderPlace(p, row.Identity), row.Sealed)
	if err != nil {
		return "", "", err
	}
	var id ProviderIdentity
	if err := json.Unmarshal(doc, &id); err != nil {
		return "", "", errors.New("records: a provider's identity is not readable")
	}
	return id.Key, id.NPI, nil
}
