package fhir

import (
	"hash/maphash"

	"github.com/go-json-experiment/json/jsontext"
)

// Identity is an identifier of a person in a form that shows only whether two identifiers are the
// same. The identifier itself, which may be a social security number, never leaves the decoder.
type Identity struct {
	// Stated is set if there is an identifier, whatever it holds.
	Stated bool
	digest uint64 // 0 if the identifier has no value
}

// seed is the key of this process's digests, which are never stored.
var seed = maphash.MakeSeed()

// IdentityOf returns the Identity of an identifier. The same value in two systems identifies two
// people.
func IdentityOf(system, value string) Identity {
	if value == "" {
		return Identity{Stated: true}
	}
	return Identity{true, max(1, maphash.String(seed, system+"\x00"+value))}
}

// Known reports whether the identifier has a value, by which it can be found elsewhere.
func (i Identity) Known() bool { return i.digest != 0 }

// UnmarshalJSON reads an identifier. If it has the wrong JSON type, it is Stated but not Known.
func (i *Identity) UnmarshalJSON(raw []byte) error {
	w := walker{doc: raw}
	if w.peek() == 'n' {
		return nil
	}
	*i = Identity{Stated: true}
	if w.peek() == '{' {
		*i = w.identity()
	}
	return nil
}

func (w *walker) identity() Identity {
	var system, value string
	w.step('{')
	for first := true; w.another(&first, '}'); {
		into := new(string)
		switch string(w.name()) {
		case "system":
			into = &system
		case "value":
			into = &value
		}
		if raw := w.value(); jsontext.Value(raw).Kind() == '"' {
			*into = w.text(raw)
		}
	}
	return IdentityOf(system, value)
}

// Identities are the identifiers of a person.
type Identities []Identity

// UnmarshalJSON reads a list of identifiers, or a single one. Anything else counts as none.
func (all *Identities) UnmarshalJSON(raw []byte) error {
	w := walker{doc: raw}
	switch w.peek() {
	case '{':
		*all = Identities{w.identity()}
	case '[':
		w.step('[')
		for first := true; w.another(&first, ']'); {
			if w.peek() == '{' {
				*all = append(*all, w.identity())
			} else {
				w.value()
			}
		}
	}
	return nil
}
