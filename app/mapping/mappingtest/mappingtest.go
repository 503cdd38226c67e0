// Package mappingtest builds documents and compares values for the tests of several
// readers. Only tests import it, and it imports no reader.
package mappingtest

import (
	"encoding/json"
	"flag"
	"maps"
	"strings"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/assets"
)

// Update reports whether a test run should rewrite its golden files (go test -update).
var Update = flag.Bool("update", false, "write the golden files anew")

// M and L are a JSON object and a JSON array. Their short names keep documents in tests short.
type (
	M map[string]any
	L []any
)

// With returns a copy of a JSON object in which the changes replace or add members.
func (doc M) With(changes ...M) M {
	doc = maps.Clone(doc)
	for _, change := range changes {
		maps.Copy(doc, change)
	}
	return doc
}

// Text returns a document as JSON.
func Text(t require.TestingT, doc any) string {
	b, err := json.Marshal(doc)
	require.NoError(t, err)
	return string(b)
}

// Stated returns the value of a field as JSON, or "" if there is no value.
func Stated(values birth.Values, field string) string {
	value, ok := values.Get(field)
	if !ok {
		return ""
	}
	return string(value.JSON(birth.Must(field).Kind))
}

// StatedBy returns the value of a field in a draft as JSON, or "" if there is no value. For a field
// of a child, it returns the value of the first child.
func StatedBy(d birth.Draft, field string) string {
	switch birth.Must(field).About {
	case birth.Mother:
		return Stated(d.Mother, field)
	case birth.Care:
		return Stated(d.Care, field)
	default:
		return Stated(d.Children[0], field)
	}
}

// Values has the expected values of fields, as JSON. If a field is checked and isn't in Values, it
// must have no value.
type Values map[string]string

// But returns a copy of the values with some of them changed.
func (v Values) But(changes Values) Values {
	v = maps.Clone(v)
	maps.Copy(v, changes)
	return v
}

// Without returns a copy of the values without one field.
func (v Values) Without(field string) Values {
	v = maps.Clone(v)
	delete(v, field)
	return v
}

// Samples returns the sample Bundles, keyed by name.
func Samples(t require.TestingT) map[string][]byte {
	entries, err := assets.Samples.ReadDir("samples")
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	all := map[string][]byte{}
	for _, e := range entries {
		body, err := assets.Samples.ReadFile("samples/" + e.Name())
		require.NoError(t, err)
		all[strings.TrimSuffix(e.Name(), ".json")] = body
	}
	return all
}
