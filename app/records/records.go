// Package records reads records for people: a record with the source of every value, its versions
// and their differences, lists, exports and statistics.
//
// Show hides the sealed values of a record unless the caller asks to reveal them. It returns an
// error for a record whose signature is invalid. Package changes writes records. Package records
// only defines the places to which their sealed values are bound (sealed.go).
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

// New returns a Records that reads from a database.
func New(db *store.DB, vault *seal.Vault) *Records { return &Records{db, vault} }

// ErrNotFound means that the practice has no such record or version.
var ErrNotFound = errors.New("records: the practice has no such record or version")

// Record is a record in the form that other programs read. Its fields have the names that they have
// in birth.Spine, and are absent if they weren't stated.
type Record struct {
	ID          string      `json:"id"`
	ChartNumber string      `json:"chart_number,omitzero"`
	Given       bool        `json:"chart_number_given,omitzero"` // whether the registry assigned the chart number
	State       birth.State `json:"state"`
	Version     int         `json:"version"`
	Change      string      `json:"change"`
	IGVersion   string      `json:"ig_version,omitzero"`
	// Reading says how the Bundle with this content was interpreted.
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

	// Event describes what created this version. CustomFields lists the custom fields that have a
	// value, in the practice's order, for pages.
	Event        Event         `json:"-"`
	CustomFields []CustomField `json:"-"`
	// ConsentSet and ProvidersSet are the versions that set the present consent and the present
	// providers. Trace sets them.
	ConsentSet   *Event `json:"-"`
	ProvidersSet *Event `json:"-"`

	head    store.Record
	content int // the number of the version that set this content
}

// Head returns the record's row in the database. The row describes the record's present version,
// even if r is an earlier one.
func (r Record) Head() store.Record { return r.head }

// CustomValue is the value that a record has in one of the practice's custom fields.
type CustomValue struct {
	Value  string `json:"value,omitzero"`
	Sealed bool   `json:"sealed,omitzero"` // whether the value is hidden from this reader
}

// CustomField is one of the practice's custom fields, with the value that the record has. Text is
// "" if the value isn't revealed.
type CustomField struct {
	Field birth.CustomField
	Text  string
	// SetIn is the version that set the value. Trace sets it.
	SetIn *Event
}

// Values holds the values that are stated about one subject, in the order of birth.Spine.
type Values []Value

// Get returns the value of the field with the given name, and whether it was stated.
func (v Values) Get(name string) (Value, bool) {
	for _, value := range v {
		if value.Field.Name == name {
			return value, true
		}
	}
	return Value{}, false
}

// Value is one stated fact with its source.
type Value struct {
	Field  *birth.Field
	Value  birth.Value
	Hidden bool // whether the value is sealed and isn't revealed
	// SetIn is the version that set the present value. Trace sets it.
	SetIn *Event

	of int // the newborn's index, or ofMother or ofCare
}

const (
	ofMother = -2
	ofCare   = -1
)

// values returns pointers to all values of the mother, the care and the newborns.
func (r *Record) values() (all []*Value) {
	for _, list := range append([]Values{r.Mother, r.Care}, r.Children...) {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	return all
}

// stated returns the values of the newborns and the care in the form that birth.Missing needs.
func (r *Record) stated() (children []birth.Values, care birth.Values) {
	for _, value := range r.Care {
		care.Set(value.Field, value.Value)
	}
	children = make([]birth.Values, len(r.Children))
	for n, child := range r.Children {
		for _, value := range child {
			children[n].Set(value.Field, value.Value)
		}
	}
	return children, care
}

// Provider is a person who took part in the birth.
type Provider struct {
	// ID is the provider's ID in the database. If the provider was merged into another one, it is
	// the ID of the other one.
	ID          int64      `json:"-"`
	Name        string     `json:"name"`
	Credentials string     `json:"credentials"`
	Role        birth.Role `json:"role"`
	Attending   bool       `json:"attending"`
}

// Attendant returns the provider who attended the birth, or the zero Provider if none is named.
func (r *Record) Attendant() Provider {
	for _, p := range r.Providers {
		if p.Attending {
			return p
		}
	}
	return Provider{}
}

// Transfer is a transfer of care. Its time and reason are patient data, which are left out if
// Sealed is set.
type Transfer struct {
	birth.Transfer
	Sealed bool `json:"sealed,omitzero"`
}
