// Package records reads records for people: a record with the source of every value,
// its versions and their differences, lists, exports, statistics.
//
// It opens only what the reader may see, and only within one practice. It does not
// show a record whose signature does not hold. This package never writes; sealed.go
// says where the sealed parts belong that package changes writes.
package records

import (
	"errors"

	"birthregistry/app/birth"
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
	ID          string      `json:"id"`
	ChartNumber string      `json:"chart_number,omitzero"`
	Given       bool        `json:"chart_number_given,omitzero"` // by the registry
	State       birth.State `json:"state"`
	Version     int         `json:"version"`
	Change      string      `json:"change"`
	IGVersion   string      `json:"ig_version,omitzero"`
	// Reading is how the Bundle was read that stated the content.
	Reading     birth.Reading          `json:"reading,omitzero"`
	SourceStamp string                 `json:"source_stamp,omitzero"`
	Suspected   bool                   `json:"suspected_duplicate,omitzero"`
	Mother      Values                 `json:"mother"`
	Care        Values                 `json:"care"`
	Children    []Values               `json:"children"`
	Providers   []Provider             `json:"providers"`
	Transfers   []Transfer             `json:"transfers"`
	Consent     birth.Consent          `json:"consent"`
	Custom      map[string]CustomValue `json:"custom"`

	// Event is who or what brought this version, Own the practice's custom fields
	// in its order; pages show them.
	Event        Event         `json:"-"`
	CustomFields []CustomField `json:"-"`
	// ConsentSet and PeopleSet are the versions since which the consent and the
	// providers stand as they do, once Trace has looked.
	ConsentSet   *Event `json:"-"`
	ProvidersSet *Event `json:"-"`

	head    store.Record
	content int // the version that holds what is shown
}

// Head returns where the record stands now.
func (r Record) Head() store.Record { return r.head }

// CustomValue is what a record says in one of the practice's custom fields.
type CustomValue struct {
	Value  string `json:"value,omitzero"`
	Sealed bool   `json:"sealed,omitzero"` // not revealed to this reader
}

// CustomField is one of the practice's custom fields with what the record says in it. Text
// is empty when that is not revealed.
type CustomField struct {
	Field birth.CustomField
	Text  string
	// SetIn is the version since which it stands so, once Trace has looked.
	SetIn *Event
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
