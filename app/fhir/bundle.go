package fhir

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
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
	Index    int
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
func ReadBundle(r io.Reader, at string, visit func(Entry) error) (Head, error) {
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
	if err := Decode(value, into, at+"."+member); err != nil && h.Shape == nil {
		h.Shape = err
	}
}

func readEntries(dec *jsontext.Decoder, at string, visit func(Entry) error) error {
	if _, err := dec.ReadToken(); err != nil {
		return unreadable(err)
	}
	for i := 0; dec.PeekKind() != ']'; i++ {
		entry, err := readEntry(dec, fmt.Sprintf("%s.entry[%d]", at, i))
		if err != nil {
			return unreadable(err)
		}
		entry.Index = i
		if err := visit(entry); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func readEntry(dec *jsontext.Decoder, at string) (Entry, error) {
	var e Entry
	raw, err := dec.ReadValue()
	if err != nil {
		return e, err
	}
	switch raw.Kind() {
	case 'n':
		return e, nil
	case '{':
	default:
		e.Shape = &ShapeError{at}
		return e, nil
	}
	members := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, _ = members.ReadToken() // cannot fail: raw is a complete object
	for members.PeekKind() == '"' {
		name, _ := members.ReadToken()
		member := name.String()
		value, _ := members.ReadValue()
		e.set(member, value, at)
	}
	return e, nil
}

func (e *Entry) set(member string, value jsontext.Value, at string) {
	var err error
	switch member {
	case "fullUrl":
		err = Decode(value, &e.FullURL, at+".fullUrl")
	case "request":
		var request struct {
			Method string `json:"method"`
			URL    string `json:"url"`
		}
		err = Decode(value, &request, at+".request")
		e.Method, e.URL = request.Method, request.URL
	case "resource":
		if value.Kind() == 'n' {
			return
		}
		// A copy: value is gone as soon as the next member is read.
		e.Resource = append(jsontext.Value(nil), value...)
		e.Kind, err = kindOf(e.Resource, at+".resource")
	}
	if err != nil && e.Shape == nil {
		e.Shape = err
	}
}

// kindOf returns the resourceType of a resource.
func kindOf(resource jsontext.Value, at string) (string, error) {
	const usual = `{"resourceType":"`
	if rest, ok := bytes.CutPrefix(resource, []byte(usual)); ok {
		if end := bytes.IndexAny(rest, `"\`); end >= 0 && rest[end] == '"' {
			return string(rest[:end]), nil
		}
	}
	var head struct {
		ResourceType string `json:"resourceType"`
	}
	if err := json.Unmarshal(resource, &head); err != nil {
		return "", Decode(resource, &head, at)
	}
	return head.ResourceType, nil
}

// Weight estimates how many elements a resource would decode into.
func Weight(raw []byte) int { return bytes.Count(raw, []byte("{")) + bytes.Count(raw, []byte("[")) }
