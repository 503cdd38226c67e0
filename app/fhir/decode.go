package fhir

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// ShapeError reports a member that has the wrong JSON type. Expression is the path of the member,
// similar to FHIRPath, such as "Bundle.entry[3].resource.birthDate".
type ShapeError struct{ Expression string }

func (e *ShapeError) Error() string { return "fhir: wrong JSON type at " + e.Expression }

// Decode reads raw into one of this package's types. The syntax of raw must already have been
// checked. These types consist of strings, booleans, numbers, structs, lists of these and pointers
// to them. Decode matches members with the fields' json tags, case-sensitively. It skips members
// that have no field, and treats null as absent. It also treats a number as absent if the document
// says so (extension data-absent-reason), because some programs write a zero next to the reason.
//
// If a member has the wrong JSON type, or if the JSON is broken, Decode returns a *ShapeError with
// the path of the member. The path begins with the place of raw in the document. This place is the
// argument at, followed by the argument member.
func Decode(raw jsontext.Value, into any, at fmt.Stringer, member string) error {
	return decodeWith(walker{doc: raw}, into, at, member)
}

// DecodeKeeping is like Decode, but keeps as much of a submission as it can (decision 19). If a
// field is tagged fhir:"value", its member is a value. If something in a value has the wrong JSON
// type, DecodeKeeping drops only the innermost value around it. It adds the name of the dropped
// value to the struct's Lost field, if there is one. All other members are structure or identity.
// If one of them has the wrong type, DecodeKeeping returns that as its error, but still reads the
// rest.
//
// DecodeKeeping treats not only a number but any value as absent if the document says so, because
// some programs write a placeholder next to the reason. Charts are read by Decode. There, a value
// that is said to be absent, such as a gender, may still show that the chart is somebody else's.
func DecodeKeeping(raw jsontext.Value, into any, at fmt.Stringer, member string) error {
	return decodeWith(walker{doc: raw, keeping: true}, into, at, member)
}

func decodeWith(w walker, into any, at fmt.Stringer, member string) error {
	v := reflect.ValueOf(into).Elem()
	err := w.decode(v, shapeOf(v.Type()))
	if err == nil && w.failed == nil {
		return nil
	}
	var path misfit // stays empty if the JSON itself is broken
	errors.As(err, &path)
	return &ShapeError{at.String() + member + string(path)}
}

// literal is the path of a JSON value in a document, as a string. Decode and DecodeKeeping put it
// in front of the path in an error.
type literal string

func (l literal) String() string { return string(l) }

// misfit is the path to a value that has the wrong type, such as ".code.coding[0].display". It
// consists of indexes and of names from the json tags. It never contains the name of an unknown
// member, because that would be submitted text.
type misfit string

func (m misfit) Error() string { return "fhir: wrong JSON type" }

// under prepends a step to the path of a misfit.
func under(step string, err error) error {
	var path misfit
	errors.As(err, &path) // every error here is a misfit
	return misfit(step) + path
}

// Lost lists the members of a struct that were present but couldn't be read.
type Lost []string

// Any reports whether any of the named members was lost. Without names, it reports whether any
// member was lost.
func (l Lost) Any(names ...string) bool {
	return len(l) > 0 && (len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return slices.Contains(l, name) }))
}

// Present is true if a member is present and isn't null, whatever its value is.
type Present bool

// shape describes how to decode a type.
type shape struct {
	kind   kind
	fields [][]field // for an object, its fields by the length of their names
	lost   []int     // for an object, the index of its Lost field, or nil
	of     *shape    // for a list or a pointer, the shape of its elements
}

type field struct {
	name  string
	index []int
	shape *shape
	value bool // tagged fhir:"value"
}

type kind int

const (
	textKind kind = iota
	flagKind
	numberKind
	objectKind
	listKind
	identifiersKind
	pointerKind
	presentKind
	ownKind // the type reads itself (reader)
)

// reader is a type that decodes itself from JSON. The JSON's syntax has already been checked. A
// reader accepts any value.
type reader interface{ UnmarshalJSON(raw []byte) error }

var shapes sync.Map // reflect.Type -> *shape

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	s := newShape(t, map[reflect.Type]*shape{})
	shapes.Store(t, s)
	return s
}

// newShape returns the shape of a type. A type may contain itself, so begun holds the shapes that
// this call has already begun.
func newShape(t reflect.Type, begun map[reflect.Type]*shape) *shape {
	if s := begun[t]; s != nil {
		return s
	}
	s := &shape{}
	begun[t] = s
	switch t.Kind() {
	case reflect.String:
		s.kind = textKind
	case reflect.Bool:
		s.kind = flagKind
	case reflect.Pointer:
		s.kind, s.of = pointerKind, newShape(t.Elem(), begun)
	case reflect.Slice:
		s.kind, s.of = listKind, newShape(t.Elem(), begun)
	case reflect.Struct:
		s.kind = objectKind
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				s.add(field{name, f.Index, newShape(f.Type, begun), f.Tag.Get("fhir") == "value"})
			}
			if f.Type == reflect.TypeFor[Lost]() {
				s.lost = f.Index
			}
		}
	default:
		panic("fhir: no shape has a " + t.String())
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[reader]()) {
		s.kind = ownKind
	}
	switch t {
	case reflect.TypeFor[Number]():
		s.kind = numberKind
	case reflect.TypeFor[Identifiers]():
		s.kind = identifiersKind
	case reflect.TypeFor[Present]():
		s.kind = presentKind
	}
	return s
}

func (s *shape) add(f field) {
	for len(s.fields) <= len(f.name) {
		s.fields = append(s.fields, nil)
	}
	s.fields[len(f.name)] = append(s.fields[len(f.name)], f)
}

// field returns the field with a name, or nil if there is none. Fields are stored by the length of
// their names, because most unknown names have a length that no field has.
func (s *shape) field(name []byte) *field {
	if len(name) >= len(s.fields) {
		return nil
	}
	of := s.fields[len(name)]
	for i := range of {
		if of[i].name == string(name) {
			return &of[i]
		}
	}
	return nil
}

// decode reads the next value into v. It returns a misfit if the value has the wrong JSON type. If
// keeping is set, decode drops misfits in members that are tagged fhir:"value" (DecodeKeeping), and
// returns the first of the other misfits. If keeping isn't set, decode stops at the first misfit.
func (w *walker) decode(v reflect.Value, s *shape) error {
	c := w.peek()
	if c == 'n' {
		w.value()
		return nil
	}
	switch s.kind {
	case textKind:
		if c == '"' {
			v.SetString(w.text(w.quoted()))
			return nil
		}
	case flagKind:
		if c == 't' || c == 'f' {
			v.SetBool(c == 't')
			w.value()
			return nil
		}
	case presentKind:
		w.value()
		v.SetBool(true)
		return nil
	case ownKind:
		return v.Addr().Interface().(reader).UnmarshalJSON(w.value())
	case numberKind:
		return w.decodeNumber(v.Addr().Interface().(*Number), c)
	case objectKind:
		return w.decodeObject(v, s, c)
	case identifiersKind:
		if c == '{' {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			return w.decode(v.Index(0), s.of)
		}
		return w.decodeList(v, s.of, c)
	case listKind:
		return w.decodeList(v, s.of, c)
	case pointerKind:
		v.Set(reflect.New(v.Type().Elem()))
		return w.decode(v.Elem(), s.of)
	}
	return misfit("")
}

// decodeNumber reads a number, or a string that contains one. It treats any other string as absent.
func (w *walker) decodeNumber(n *Number, c byte) error {
	switch {
	case c == '"':
		*n = ParseNumber(w.text(w.value()))
	case c == '-' || c >= '0' && c <= '9':
		*n = ParseNumber(string(w.value()))
	default:
		return misfit("")
	}
	return nil
}

func (w *walker) decodeObject(v reflect.Value, s *shape, c byte) (wrong error) {
	if c != '{' {
		return misfit("")
	}
	w.step('{')
	var marks []mark
	for first := true; w.another(&first, '}'); {
		name := w.name()
		f, of := s.field(name), s.marked(name)
		begin := w.at
		if f == nil {
			w.value()
		} else if err := w.decode(v.FieldByIndex(f.index), f.shape); err != nil {
			if !w.keeping || w.failed != nil {
				return under("."+f.name, err)
			}
			w.at = begin
			w.value()
			if f.value {
				s.lose(v, f)
			} else if wrong == nil {
				wrong = under("."+f.name, err)
			}
		}
		if of != nil && w.failed == nil && (w.keeping || of.shape.kind == numberKind) {
			marks = append(marks, mark{of, w.doc[begin:w.at]})
		}
	}
	for _, m := range marks {
		s.loseAbsent(v, m)
	}
	return wrong
}

// mark holds the JSON of a member such as _birthDate, which has the extensions of the value in the
// field of.
type mark struct {
	of   *field
	json []byte
}

// marked returns the field whose extensions are in the member with this name. For _birthDate, this
// is the field birthDate. It returns nil for any other member. It also returns nil for the address
// of an extension and for a reference: without its text, a resource would seem to be about nobody
// in particular.
func (s *shape) marked(name []byte) *field {
	if len(name) == 0 || name[0] != '_' {
		return nil
	}
	f := s.field(name[1:])
	if f == nil || f.name == "reference" || f.name == "url" {
		return nil
	}
	return f
}

// loseAbsent clears a field, or an element of a list of texts, if its extensions say that it is
// absent.
func (s *shape) loseAbsent(v reflect.Value, m mark) {
	value := v.FieldByIndex(m.of.index)
	if value.IsZero() || !bytes.Contains(bytes.ToLower(m.json), []byte(absentReason)) {
		return
	}
	if value.Kind() != reflect.Slice {
		var one reasoned
		if DecodeKeeping(m.json, &one, literal(""), "") == nil && one.isAbsent() {
			s.lose(v, m.of)
		}
		return
	}
	var all []reasoned
	_ = DecodeKeeping(m.json, &all, literal(""), "")
	for i := range min(len(all), value.Len()) {
		if all[i].isAbsent() {
			value.Index(i).SetZero()
		}
	}
}

// reasoned is an element of which only the addresses of its extensions are read.
type reasoned struct {
	Extension []struct {
		URL string `json:"url" fhir:"value"`
	} `json:"extension" fhir:"value"`
}

const absentReason = "data-absent-reason"

func (r *reasoned) isAbsent() bool {
	for _, e := range r.Extension {
		if (&Extension{URL: e.URL}).Is(absentReason) {
			return true
		}
	}
	return false
}

// lose clears a field that couldn't be read. If the struct has a Lost field, lose adds the name of
// the lost field to it.
func (s *shape) lose(v reflect.Value, f *field) {
	v.FieldByIndex(f.index).SetZero()
	if s.lost != nil {
		lost := v.FieldByIndex(s.lost)
		lost.Set(reflect.Append(lost, reflect.ValueOf(f.name)))
	}
}

// moreThan returns how many elements to add to the capacity of a list that is full with n elements.
// Most lists have only a few elements, but a race Observation has about twenty components.
func moreThan(n int) int {
	switch n {
	case 0:
		return 1
	case 1:
		return 3
	case 4:
		return 28
	}
	return n
}

func (w *walker) decodeList(v reflect.Value, of *shape, c byte) error {
	if c != '[' {
		return misfit("")
	}
	w.step('[')
	n := 0
	for first := true; w.another(&first, ']'); n++ {
		if n == v.Cap() {
			v.Grow(moreThan(n))
		}
		v.SetLen(n + 1)
		if err := w.decode(v.Index(n), of); err != nil {
			return under("["+strconv.Itoa(n)+"]", err)
		}
	}
	if n == 0 {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	return nil
}
