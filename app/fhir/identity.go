package fhir

import (
	"hash/maphash"

	"github.com/go-json-experiment/json/jsontext"
)

// Identity stands for a person's identifier and shows only whether two identifiers are the same.
// The identifier itself, which may be a social security number, never leaves the decoder.
type Identity struct {
	// Stated is set if there is an identifier, even one without a value.
	Stated bool
	digest uint64 // 0 if the identifier has no value
}

// seed is the key with which this process computes digests. The digests are never stored.
var seed = maphash.MakeSeed()

// IdentityOf returns the Identity of an identifier. Equal values in two different systems give
// different identities.
func IdentityOf(system, value string) Identity {
	if value == "" {
		return Identity{Stated: true}
	}
	return Identity{true, max(1, maphash.String(seed, system+"\x00"+value))}
}

// Known reports whether the identifier has a value, so that it can be compared with others.
func (i Identity) Known() bool { return i.digest != 0 }

// UnmarshalJSON reads an identifier. If the JSON isn't an object, the result is Stated but not
// Known. If the JSON is null, i doesn't change.
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

// UnmarshalJSON reads a list of identifiers, or a single identifier. Any other JSON value counts as
// an empty list.
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
