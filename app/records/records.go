// Package records reads records back: it opens what is sealed, as far as the
// reader may see it, and shows a record with the provenance of every value.
// It never writes.
package records

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/birth"
	"birthregistry/app/intake"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Records reads the records of one database.
type Records struct {
	db    *store.DB
	vault *seal.Vault
}

// New makes a Records.
func New(db *store.DB, vault *seal.Vault) *Records { return &Records{db, vault} }

// ErrNotFound says that the practice has no such record or version.
var ErrNotFound = errors.New("records: the practice has no such record or version")

// Record is the canonical record, as other programs read it. Fields are named
// as in the spine and absent when not stated.
type Record struct {
	ID          string            `json:"id"`
	ChartNumber string            `json:"chart_number,omitzero"`
	State       birth.State       `json:"state"`
	Version     int               `json:"version"`
	Change      string            `json:"change"`
	IGVersion   string            `json:"ig_version,omitzero"`
	SourceStamp string            `json:"source_stamp,omitzero"`
	Suspected   bool              `json:"suspected_duplicate,omitzero"`
	Mother      Values            `json:"mother"`
	Care        Values            `json:"care"`
	Children    []Values          `json:"children"`
	Providers   []Provider        `json:"providers"`
	Transfers   []Transfer        `json:"transfers"`
	Consent     birth.Consent     `json:"consent"`
	Custom      map[string]string `json:"custom"`
}

// Values is what is stated about one subject, in the order of the spine.
type Values []Value

// Value is one stated fact with where it came from.
type Value struct {
	Field  *birth.Field
	Value  birth.Value
	Hidden bool // sealed, and not revealed to this reader
}

// Provider is somebody who took part in the birth.
type Provider struct {
	Name        string     `json:"name"`
	Credentials string     `json:"credentials"`
	Role        birth.Role `json:"role"`
	Attending   bool       `json:"attending"`
}

// Transfer is a transfer of care; its time and reason are patient data.
type Transfer struct {
	birth.Transfer
	Sealed bool `json:"sealed,omitzero"`
}

// MarshalJSONTo writes {FIELD: {"value", "unit", "source"}}, or
// {"sealed": true, "source"} for what is not revealed.
func (v Values) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, value := range v {
		if err := enc.WriteToken(jsontext.String(value.Field.Name)); err != nil {
			return err
		}
		shown := struct {
			Value  jsontext.Value `json:"value,omitzero"`
			Sealed bool           `json:"sealed,omitzero"`
			Unit   string         `json:"unit,omitzero"`
			Source birth.Source   `json:"source"`
		}{Source: value.Value.Source}
		if value.Hidden {
			shown.Sealed = true
		} else {
			shown.Value, shown.Unit = value.Value.JSON(value.Field.Kind), value.Field.Unit
		}
		if err := json.MarshalEncode(enc, shown); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// Find returns the record with this submission id or chart number.
func (r *Records) Find(p store.PracticeID, idOrChart string) (found store.Record, err error) {
	err = r.db.View(func(v *store.View) (err error) {
		found, err = v.RecordByUUID(p, idOrChart)
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		byChart, err := v.RecordsByChart(p, []string{birth.Chart(idOrChart)})
		if err != nil {
			return err
		}
		if len(byChart) == 0 {
			return ErrNotFound
		}
		found = byChart[0]
		return nil
	})
	return found, err
}

// Show returns a record as of a version (0 for the present one). reveal shows
// patient data.
func (r *Records) Show(p store.PracticeID, idOrChart string, version int, reveal bool) (Record, error) {
	head, err := r.Find(p, idOrChart)
	if err != nil {
		return Record{}, err
	}
	if version == 0 {
		version = head.Version
	}
	var at store.StoredVersion
	var providers []store.AttributedProvider
	err = r.db.View(func(v *store.View) (err error) {
		if at, err = v.VersionOf(p, head.ID, version); err != nil {
			return err
		}
		providers, err = v.ProvidersOf(p, head.ID, at.Content)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Record{}, ErrNotFound
	}
	if err != nil {
		return Record{}, err
	}
	patient, err := r.vault.Open(intake.PatientPlace(p, head.UUID, at.Content), at.Patient)
	if err != nil {
		return Record{}, err
	}
	course, err := birth.Restore(at.Clinical, patient)
	if err != nil {
		return Record{}, err
	}
	return build(head, at, course.Draft(), providers, reveal), nil
}

func build(head store.Record, at store.StoredVersion, d birth.Draft, providers []store.AttributedProvider, reveal bool) Record {
	out := Record{
		ID: head.UUID, ChartNumber: head.Chart, State: stateAt(head, at), Version: at.Version, Change: at.Change,
		IGVersion: at.IGVersion, Suspected: head.Suspected,
		Mother: valuesOf(d.Mother, reveal), Care: valuesOf(d.Care, reveal),
		Children: []Values{}, Providers: []Provider{}, Transfers: []Transfer{},
		Consent: d.Consent, Custom: map[string]string{},
	}
	if !at.Stamp.IsZero() {
		out.SourceStamp = at.Stamp.Format(time.RFC3339Nano)
	}
	for _, child := range d.Children {
		out.Children = append(out.Children, valuesOf(child, reveal))
	}
	for _, named := range providers {
		out.Providers = append(out.Providers, Provider{named.Name, named.Credentials, named.Role, named.Attending})
	}
	for _, t := range d.Transfers {
		shown := Transfer{Transfer: t}
		if !reveal {
			shown.DateTime, shown.Reason, shown.Sealed = "", "", t.DateTime != "" || t.Reason != ""
		}
		out.Transfers = append(out.Transfers, shown)
	}
	return out
}

// stateAt is the record's present state, or what an earlier version left it in.
func stateAt(head store.Record, at store.StoredVersion) birth.State {
	switch {
	case at.Version == head.Version:
		return head.State
	case at.Change == "void":
		return birth.Voided
	}
	return birth.Active
}

func valuesOf(values birth.Values, reveal bool) Values {
	out := make(Values, 0, len(values))
	for _, s := range values {
		out = append(out, Value{s.Field, s.Value, s.Field.Sealed && !reveal})
	}
	return out
}
