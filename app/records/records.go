// Package records reads records back: it opens what is sealed, as far as the
// reader may see it, and shows a record with the provenance of every value.
// It never writes.
package records

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"

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
	ID          string          `json:"id"`
	ChartNumber string          `json:"chart_number,omitzero"`
	State       birth.State     `json:"state"`
	Version     int             `json:"version"`
	Change      string          `json:"change"`
	IGVersion   string          `json:"ig_version,omitzero"`
	SourceStamp string          `json:"source_stamp,omitzero"`
	Suspected   bool            `json:"suspected_duplicate,omitzero"`
	Mother      Values          `json:"mother"`
	Care        Values          `json:"care"`
	Children    []Values        `json:"children"`
	Providers   []Provider      `json:"providers"`
	Transfers   []Transfer      `json:"transfers"`
	Consent     birth.Consent   `json:"consent"`
	Custom      map[string]Said `json:"custom"`

	// Event is who or what brought this version, Own the practice's own fields
	// in its order; pages show them.
	Event Event `json:"-"`
	Own   []Own `json:"-"`

	head    store.Record
	content int // the version that holds what is shown
}

// Head returns where the record stands now.
func (r Record) Head() store.Record { return r.head }

// Said is what a record says in one of the practice's own fields.
type Said struct {
	Value  string `json:"value,omitzero"`
	Sealed bool   `json:"sealed,omitzero"` // not revealed to this reader
}

// Own is one of the practice's own fields with what the record says in it. Text
// is empty when that is not revealed.
type Own struct {
	Field birth.CustomField
	Text  string
}

// Values is what is stated about one subject, in the order of the spine.
type Values []Value

// Value is one stated fact with where it came from.
type Value struct {
	Field  *birth.Field
	Value  birth.Value
	Hidden bool // sealed, and not revealed to this reader
	// SetIn is the version since which the value stands as it does, once Trace
	// has looked.
	SetIn *Event

	of int // the child's place, or one of the two below
}

const (
	ofMother = -2
	ofCare   = -1
)

// values returns all values of the record.
func (r *Record) values() (all []*Value) {
	for _, list := range append([]Values{r.Mother, r.Care}, r.Children...) {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	return all
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
	var out Record
	err = r.db.View(func(v *store.View) error {
		out, err = r.show(v, p, head, version, reveal)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = ErrNotFound
	}
	return out, err
}

func (r *Records) show(v *store.View, p store.PracticeID, head store.Record, version int, reveal bool) (Record, error) {
	at, err := v.VersionOf(p, head.ID, version)
	if err != nil {
		return Record{}, err
	}
	providers, err := v.ProvidersOf(p, head.ID, at.Content)
	if err != nil {
		return Record{}, err
	}
	d, err := r.open(p, head.UUID, store.Content{Version: at.Content, Clinical: at.Clinical, Patient: at.Patient})
	if err != nil {
		return Record{}, err
	}
	out := build(head, at, d, providers, reveal)
	if out.Event, err = r.event(v, p, head, version); err != nil {
		return Record{}, err
	}
	if !reveal {
		out.Event.Note = ""
	}
	return out, r.addOwn(v, p, &out, reveal)
}

// addOwn adds what the record says in the practice's own fields.
func (r *Records) addOwn(v *store.View, p store.PracticeID, out *Record, reveal bool) error {
	said, err := r.custom(v, p, out.head, out.Version)
	if err != nil || len(said) == 0 {
		return err
	}
	fields, err := v.CustomFields(p)
	if err != nil {
		return err
	}
	for _, f := range fields {
		text := said[f.Key]
		if text == "" {
			continue
		}
		if !reveal {
			out.Own, out.Custom[f.Key] = append(out.Own, Own{Field: f}), Said{Sealed: true}
			continue
		}
		out.Own, out.Custom[f.Key] = append(out.Own, Own{f, text}), Said{Value: text}
	}
	return nil
}

// custom opens what a record said in the practice's own fields as of a version.
func (r *Records) custom(v *store.View, p store.PracticeID, head store.Record, version int) (said map[string]string, err error) {
	row, err := v.CustomAt(p, head.ID, version)
	if err != nil || row.Version == 0 {
		return nil, err
	}
	doc, err := r.vault.Open(intake.CustomPlace(p, head.UUID, row.Version), row.Sealed)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(doc, &said); err != nil {
		return nil, errors.New("records: the practice's own fields are not readable")
	}
	return said, nil
}

func build(head store.Record, at store.StoredVersion, d birth.Draft, providers []store.AttributedProvider, reveal bool) Record {
	out := Record{
		ID: head.UUID, ChartNumber: head.Chart, State: stateAt(head, at), Version: at.Version, Change: at.Change,
		IGVersion: at.IGVersion, Suspected: head.Suspected,
		Mother: valuesOf(d.Mother, ofMother, reveal), Care: valuesOf(d.Care, ofCare, reveal),
		Children: []Values{}, Providers: []Provider{}, Transfers: []Transfer{},
		Consent: d.Consent, Custom: map[string]Said{},
		head: head, content: at.Content,
	}
	if !at.Stamp.IsZero() {
		out.SourceStamp = at.Stamp.Format(time.RFC3339Nano)
	}
	for i, child := range d.Children {
		out.Children = append(out.Children, valuesOf(child, i, reveal))
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

func valuesOf(values birth.Values, of int, reveal bool) Values {
	out := make(Values, 0, len(values))
	for _, s := range values {
		out = append(out, Value{Field: s.Field, Value: s.Value, Hidden: s.Field.Sealed && !reveal, of: of})
	}
	return out
}
