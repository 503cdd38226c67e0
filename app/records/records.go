// Package records reads records for people: a record with the source of every value, its
// versions and their differences, lists, exports and statistics.
//
// Show hides the sealed values of a record unless the caller reveals them. It shows no record whose
// signature is invalid. Package changes writes the records; this package only defines the places to
// which their sealed values are bound (sealed.go).
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

// ErrNotFound means that the practice has no such record or version.
var ErrNotFound = errors.New("records: the practice has no such record or version")

// Record is the canonical record in the form that other programs read. Fields are named as in
// the spine, the list of all fields (birth.Spine), and are absent if not stated.
type Record struct {
	ID          string      `json:"id"`
	ChartNumber string      `json:"chart_number,omitzero"`
	Given       bool        `json:"chart_number_given,omitzero"` // set if the registry assigned the chart number
	State       birth.State `json:"state"`
	Version     int         `json:"version"`
	Change      string      `json:"change"`
	IGVersion   string      `json:"ig_version,omitzero"`
	// Reading is how the Bundle with this content was interpreted.
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

	// Event describes what made this version. CustomFields lists the custom fields that have a
	// value, in the practice's order, for pages.
	Event        Event         `json:"-"`
	CustomFields []CustomField `json:"-"`
	// ConsentSet and ProvidersSet are the versions that set the present consent and
	// providers, once Trace has run.
	ConsentSet   *Event `json:"-"`
	ProvidersSet *Event `json:"-"`

	head    store.Record
	content int // the version that holds the content shown
}

// Head returns the record's row in the database. It describes the present version, even if an
// earlier one is shown.
func (r Record) Head() store.Record { return r.head }

// CustomValue is a record's value of one of the practice's custom fields.
type CustomValue struct {
	Value  string `json:"value,omitzero"`
	Sealed bool   `json:"sealed,omitzero"` // set if the value isn't revealed to this reader
}

// CustomField is one of the practice's custom fields with the record's value. Text
// is empty when the value isn't revealed.
type CustomField struct {
	Field birth.CustomField
	Text  string
	// SetIn is the version that set the value, once Trace has run.
	SetIn *Event
}

// Values holds the values stated about one subject, in the order of the spine.
type Values []Value

// Get returns the value of the named field and whether it was stated.
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
	Hidden bool // set if the value is sealed and not revealed
	// SetIn is the version that set the present value, once Trace has run.
	SetIn *Event

	of int // the child's position, ofMother or ofCare
}

const (
	ofMother = -2
	ofCare   = -1
)

// values returns the values of the mother, the care and the newborns.
func (r *Record) values() (all []*Value) {
	for _, list := range append([]Values{r.Mother, r.Care}, r.Children...) {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	return all
}

// stated returns the values of the newborns and of the care in the types of package birth, for
// birth.Missing.
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
	// ID is the provider's ID after all merges.
	ID          int64      `json:"-"`
	Name        string     `json:"name"`
	Credentials string     `json:"credentials"`
	Role        birth.Role `json:"role"`
	Attending   bool       `json:"attending"`
}

// Attendant returns the provider who attended the birth, or the zero value if none is named.
func (r *Record) Attendant() Provider {
	for _, p := range r.Providers {
		if p.Attending {
			return p
		}
	}
	return Provider{}
}

// Transfer is a transfer of care; its time and reason are patient data.
type Transfer struct {
	birth.Transfer
	Sealed bool `json:"sealed,omitzero"`
}
