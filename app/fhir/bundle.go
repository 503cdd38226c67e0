package fhir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Head holds what a Bundle contains besides its entries: its type, chart number, profiles and
// times.
type Head struct {
	Type       string
	Identifier ChartIdentity
	Meta       Meta
	Timestamp  string
	// Lost lists the times that have the wrong JSON type: timestamp, meta.lastUpdated.
	Lost Lost
	// Shape is a *ShapeError if identifier, meta or entry has the wrong JSON type, and nil
	// otherwise. It matters only for a single course of care, because the head of a batch isn't
	// used.
	Shape error
}

// ChartIdentity holds the one part of Bundle.identifier that is read, the chart number.
type ChartIdentity struct {
	Value string `json:"value"`
}

// Entry is one entry of a Bundle. Its Resource is valid only until the function that visits the
// entry returns. If the whole Bundle is in memory, Resource stays valid.
type Entry struct {
	Place   Place
	FullURL string
	Method  string // request.method
	URL     string // request.url
	// Answered is the version in the server's response (response.lastModified, response.etag). In a
	// history, it shows when a version was written or a resource was deleted.
	Answered Version
	Kind     string // resource.resourceType, or "" if there is no resource
	Resource jsontext.Value
	// narrative is where the member text is within Resource. It is empty if text isn't among the
	// first members.
	narrative span
	// Shape is a *ShapeError if the entry or one of its members has the wrong JSON type, and nil
	// otherwise. The member response isn't checked. Of the resource, only resourceType is checked.
	Shape error
}

// ReadBundle reads a Bundle that has passed Scan and calls visit for its entries in order. Only one
// entry is in memory at a time. The argument at is the place of the Bundle in the document.
// ReadBundle stops at the first error from visit and returns it. It returns ErrUnreadable if the
// Bundle can't be read. The head is complete only when ReadBundle returns, because members may be
// in any order.
func ReadBundle(r io.Reader, at string, visit func(*Entry) error) (Head, error) {
	return readBundle(&walker{from: r}, at, visit)
}

// ReadWhole is like ReadBundle, but for a Bundle that is in memory. Its entries stay valid as long
// as doc does.
func ReadWhole(doc []byte, at string, visit func(*Entry) error) (Head, error) {
	return readBundle(&walker{doc: doc}, at, visit)
}

// ReadBundle reads the entry's resource as a Bundle.
func (e *Entry) ReadBundle(visit func(*Entry) error) (Head, error) {
	return ReadWhole(e.Resource, e.Place.Resource(), visit)
}

func readBundle(w *walker, at string, visit func(*Entry) error) (head Head, err error) {
	w.step('{')
	for first := true; err == nil && w.another(&first, '}'); {
		member := string(w.name())
		if member == "entry" && w.peek() == '[' {
			err = readEntries(w, at, visit)
			continue
		}
		if value := w.value(); w.failed == nil {
			head.set(member, value, at)
		}
	}
	if err == nil {
		err = w.unreadable()
	}
	return head, err
}

// ErrUnreadable means that a buffered Bundle can't be read. The buffer may no longer contain the
// JSON that passed the scan.
var ErrUnreadable = errors.New("fhir: the buffered Bundle is not readable")

func (h *Head) set(member string, value jsontext.Value, at string) {
	var into any
	switch member {
	case "type":
		into = &h.Type
	case "identifier":
		into = &h.Identifier
	case "meta":
		h.meta(value, at)
		return
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
	err := DecodeKeeping(value, into, literal(at), "."+member)
	if member == "timestamp" && err != nil {
		h.Lost = append(h.Lost, member)
	}
	if isValue := member == "type" || member == "timestamp"; err != nil && h.Shape == nil && !isValue {
		h.Shape = err
	}
}

func (h *Head) meta(value jsontext.Value, at string) {
	var meta struct {
		Meta
		Lost Lost `json:"-"`
	}
	if err := DecodeKeeping(value, &meta, literal(at), ".meta"); err != nil && h.Shape == nil {
		h.Shape = err
	}
	h.Meta = meta.Meta
	if meta.Lost.Any("lastUpdated") {
		h.Lost = append(h.Lost, "meta.lastUpdated")
	}
}

// Place is the path of an entry in the document. It is turned into text only when needed.
type Place struct {
	Bundle string // the path of the Bundle in the document
	Index  int
}

func (p Place) String() string { return fmt.Sprintf("%s.entry[%d]", p.Bundle, p.Index) }

// Resource returns the path of the entry's resource.
func (p Place) Resource() string { return p.String() + ".resource" }

func readEntries(w *walker, at string, visit func(*Entry) error) error {
	w.step('[')
	first := true
	for i := 0; w.another(&first, ']'); i++ {
		entry := Entry{Place: Place{at, i}}
		if !entry.find(w) {
			break
		}
		if err := visit(&entry); err != nil {
			return err
		}
	}
	return nil
}

// find reads the next entry. If the entry continues beyond the part of the document that is in
// memory, find reads more of the document and then reads the entry again from its beginning.
func (e *Entry) find(w *walker) bool {
	if w.from == nil {
		e.read(w)
		return w.failed == nil
	}
	for w.peek() != 0 {
		found := *e
		inside := walker{doc: w.doc[w.at:]}
		found.read(&inside)
		if inside.failed == nil && inside.at < len(inside.doc) { // something follows the entry: a 12 at the end of the window may be the start of 123
			*e = found
			w.at += inside.at
			return true
		}
		w.read()
	}
	return false
}

func (e *Entry) read(w *walker) {
	if kind := w.peek(); kind != '{' {
		if kind != 'n' {
			e.Shape = &ShapeError{e.Place.String()}
		}
		w.value()
		return
	}
	w.step('{')
	for first := true; w.another(&first, '}'); {
		member := w.name()
		value := e.value(w, member)
		if w.failed != nil {
			return
		}
		if err := e.set(member, value); err != nil && e.Shape == nil {
			e.Shape = err
		}
	}
}

// value consumes the value of one of the entry's members and returns it. If the member is the
// resource, value also notes where the narrative is. A narrative is often most of a resource and is
// never read, so Decode can then skip it without searching for its end again.
func (e *Entry) value(w *walker, member []byte) jsontext.Value {
	if string(member) != "resource" || w.peek() != '{' {
		return w.value()
	}
	began, inside := w.at, *w
	inside.step('{')
	for first := true; inside.another(&first, '}'); {
		switch string(inside.name()) {
		case "resourceType", "id", "meta", "implicitRules", "language": // FHIR puts them before the text
			inside.value()
			continue
		case "text":
			inside.peek()
			from := inside.at
			inside.value()
			e.narrative = span{from - began, inside.at - began}
		}
		size := sizeOfNested(inside.doc[inside.at:], 1)
		if inside.failed != nil || size == 0 {
			break
		}
		w.at = inside.at + size
		return w.doc[began:w.at]
	}
	e.narrative = span{}
	return w.value()
}

func (e *Entry) set(member []byte, value jsontext.Value) error {
	switch string(member) {
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
	case "response":
		var response struct {
			LastModified string `json:"lastModified" fhir:"value"`
			ETag         string `json:"etag" fhir:"value"`
		}
		_ = DecodeKeeping(value, &response, e.Place, ".response") // a response isn't part of a submission, so its errors don't matter
		e.Answered = Version{response.LastModified, strings.Trim(strings.TrimPrefix(response.ETag, "W/"), `"`)}
	case "resource":
		if value.Kind() == 'n' {
			return nil
		}
		e.Resource = value
		return e.readKind()
	}
	return nil
}

// readKind sets e.Kind to the resourceType of the resource.
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

// Decode reads the entry's resource into one of this package's types. It works like DecodeKeeping.
func (e *Entry) Decode(into any) error {
	return decodeWith(walker{doc: e.Resource, narrative: e.narrative, keeping: true}, into, e.Place, ".resource")
}

// Weight estimates how many elements the entry's resource would decode into. It doesn't count the
// narrative, which isn't decoded.
func (e *Entry) Weight() int {
	return Weight(e.Resource[:e.narrative.from]) + Weight(e.Resource[e.narrative.to:])
}

// Weight estimates how many elements a resource would decode into.
func Weight(raw []byte) int { return bytes.Count(raw, []byte("{")) + bytes.Count(raw, []byte("[")) }
