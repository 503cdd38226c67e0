package fhir

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Head is what a Bundle says of itself.
type Head struct {
	Type       string
	Identifier Identifier
	Meta       Meta
	Timestamp  string
	// Shape is a *ShapeError when a member has the wrong type. It matters to a
	// single course of care; a batch does not read its head.
	Shape error
}

// Entry is one entry of a Bundle. Resource is valid only during the visit.
type Entry struct {
	Place    Place
	FullURL  string
	Method   string // request.method
	URL      string // request.url
	Kind     string // resource.resourceType, "" when there is no resource
	Resource jsontext.Value
	// Shape is a *ShapeError when a member of the entry has the wrong type.
	Shape error
}

// ReadBundle reads a Bundle that has passed Scan and visits its entries in
// order, one in memory at a time. at is the place of the Bundle in the
// document. It stops at the first error of visit. The head is complete only
// when it returns: members may stand in any order.
func ReadBundle(r io.Reader, at string, visit func(*Entry) error) (Head, error) {
	// The door has checked names and UTF-8; checking again would cost time and
	// prove nothing.
	dec := jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var head Head
	if _, err := dec.ReadToken(); err != nil {
		return head, unreadable(err)
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return head, unreadable(err)
		}
		member := name.String()
		if member == "entry" && dec.PeekKind() == '[' {
			if err := readEntries(dec, at, visit); err != nil {
				return head, err
			}
			continue
		}
		value, err := dec.ReadValue()
		if err != nil {
			return head, unreadable(err)
		}
		head.set(member, value, at)
	}
	return head, nil
}

// ErrUnreadable says that a buffered Bundle is no longer the JSON that passed
// the scan.
var ErrUnreadable = errors.New("fhir: the buffered Bundle is not readable")

// unreadable drops the decoder's own text, which may quote the document.
func unreadable(err error) error {
	if syntactic := (*jsontext.SyntacticError)(nil); errors.As(err, &syntactic) {
		return fmt.Errorf("%w at byte %d", ErrUnreadable, syntactic.ByteOffset)
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, err)
}

func (h *Head) set(member string, value jsontext.Value, at string) {
	var into any
	switch member {
	case "type":
		into = &h.Type
	case "identifier":
		into = &h.Identifier
	case "meta":
		into = &h.Meta
	case "timestamp":
		into = &h.Timestamp
	case "entry": // not a list
		if value.Kind() != 'n' && h.Shape == nil {
			h.Shape = &ShapeError{at + ".entry"}
		}
		return
	default:
		return
	}
	if err := Decode(value, into, literal(at), "."+member); err != nil && h.Shape == nil {
		h.Shape = err
	}
}

// Place is where an entry stands. It is written out only where it is needed.
type Place struct {
	Bundle string // the place of the Bundle
	Index  int
}

func (p Place) String() string { return fmt.Sprintf("%s.entry[%d]", p.Bundle, p.Index) }

// Resource is the place of the entry's resource.
func (p Place) Resource() string { return p.String() + ".resource" }

func readEntries(dec *jsontext.Decoder, at string, visit func(*Entry) error) error {
	if _, err := dec.ReadToken(); err != nil {
		return unreadable(err)
	}
	for i := 0; dec.PeekKind() != ']'; i++ {
		entry := Entry{Place: Place{at, i}}
		if err := entry.read(dec); err != nil {
			return unreadable(err)
		}
		if err := visit(&entry); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (e *Entry) read(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '{' {
		if kind != 'n' {
			e.Shape = &ShapeError{e.Place.String()}
		}
		_, err := dec.ReadValue()
		return err
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		member := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if err := e.set(member, value); err != nil && e.Shape == nil {
			e.Shape = err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (e *Entry) set(member string, value jsontext.Value) error {
	switch member {
	case "fullUrl":
		return Decode(value, &e.FullURL, e.Place, ".fullUrl")
	case "request":
		var request struct {
			Method string `json:"method"`
			URL    string `json:"url"`
		}
		err := Decode(value, &request, e.Place, ".request")
		e.Method, e.URL = request.Method, request.URL
		return err
	case "resource":
		if value.Kind() == 'n' {
			return nil
		}
		// A copy: value is gone as soon as the next member is read.
		e.Resource = append(jsontext.Value(nil), value...)
		return e.readKind()
	}
	return nil
}

// readKind finds the resourceType of the resource.
func (e *Entry) readKind() error {
	const usual = `{"resourceType":"`
	if rest, ok := bytes.CutPrefix(e.Resource, []byte(usual)); ok {
		if end := bytes.IndexAny(rest, `"\`); end >= 0 && rest[end] == '"' {
			e.Kind = string(rest[:end])
			return nil
		}
	}
	var head struct {
		ResourceType string `json:"resourceType"`
	}
	err := e.Decode(&head)
	e.Kind = head.ResourceType
	return err
}

// Decode reads the entry's resource into one of the shapes of this package.
func (e *Entry) Decode(into any) error { return Decode(e.Resource, into, e.Place, ".resource") }

// Weight estimates how many elements a resource would decode into.
func Weight(raw []byte) int { return bytes.Count(raw, []byte("{")) + bytes.Count(raw, []byte("[")) }
