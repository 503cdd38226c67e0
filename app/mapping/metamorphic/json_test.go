// Package metamorphic tests the readers of Bundles and charts from outside, by their
// rules alone (the spec; a wrong value is worse than none).
//
// It treats documents as generic JSON and readings as fields with values. One table holds
// mutations: what each changes in a document, and whether the reading must stay the same,
// lose a field or change in a given way. They are applied to the documents of the project
// and to those of the corpora. A second table holds documents as different systems would
// honestly write them, each with the whole course that it must give. It has tests only;
// nothing imports it.
package metamorphic

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// JSON, read generically. Numbers keep the digits with which they were written.
type (
	object = map[string]any
	list   = []any
)

func parse(t testing.TB, body []byte) object {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	dec.UseNumber()
	var doc object
	require.NoError(t, dec.Decode(&doc))
	return doc
}

// clone returns a deep copy of a value.
func clone[T any](value T) T {
	return cloneAny(value).(T)
}

func cloneAny(value any) any {
	switch v := value.(type) {
	case object:
		v = maps.Clone(v)
		for name, member := range v {
			v[name] = cloneAny(member)
		}
		return v
	case list:
		v = slices.Clone(v)
		for i := range v {
			v[i] = cloneAny(v[i])
		}
		return v
	}
	return value
}

// with returns the object with members added or replaced.
func with(doc object, more ...object) object {
	all := object{}
	for _, change := range append([]object{doc}, more...) {
		maps.Copy(all, change)
	}
	return all
}

// write returns a value as JSON. order shuffles the members of every object; nil sorts them.
func write(value any, order *rand.Rand) string {
	var b strings.Builder
	writeTo(&b, value, order)
	return b.String()
}

func writeTo(b *strings.Builder, value any, order *rand.Rand) {
	switch v := value.(type) {
	case object:
		names := slices.Sorted(maps.Keys(v))
		if order != nil {
			order.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		}
		b.WriteByte('{')
		for i, name := range names {
			if i > 0 {
				b.WriteByte(',')
			}
			writePlain(b, name)
			b.WriteByte(':')
			writeTo(b, v[name], order)
		}
		b.WriteByte('}')
	case list:
		b.WriteByte('[')
		for i, element := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeTo(b, element, order)
		}
		b.WriteByte(']')
	default:
		writePlain(b, value)
	}
}

func writePlain(b *strings.Builder, value any) {
	if text, ok := value.(string); ok && !strings.ContainsFunc(text, special) {
		b.WriteString(`"` + text + `"`)
		return
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // the values are documents that were read, or literals of the tests
	}
	b.Write(text)
}

// special reports whether a character may have to be escaped.
func special(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }

// at follows members and indexes into a value; it returns nil if the path ends early.
func at(value any, path ...any) any {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			members, _ := value.(object)
			value = members[s]
		case int:
			elements, _ := value.(list)
			if s >= len(elements) {
				return nil
			}
			value = elements[s]
		}
	}
	return value
}

// textAt returns the text at a path, or "".
func textAt(value any, path ...any) string {
	text, _ := at(value, path...).(string)
	return text
}

// listAt returns the list at a path, or an empty one.
func listAt(value any, path ...any) list {
	elements, _ := at(value, path...).(list)
	return elements
}

// objectsAt returns the objects of the list at a path.
func objectsAt(value any, path ...any) (all []object) {
	for _, element := range listAt(value, path...) {
		if o, ok := element.(object); ok {
			all = append(all, o)
		}
	}
	return all
}

// everyObject visits an object and all objects within it, the outer one first.
func everyObject(value any, visit func(object)) {
	switch v := value.(type) {
	case object:
		visit(v)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			everyObject(v[name], visit)
		}
	case list:
		for _, element := range v {
			everyObject(element, visit)
		}
	}
}
