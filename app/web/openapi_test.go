package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	spine "birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/ingest"
	"birthregistry/assets"
)

// These tests compare the document with the code; apptest.Contract compares it with every
// response of every test.

func TestTheOpenAPIDocumentIsServedUnchanged(t *testing.T) {
	i := apptest.Start(t)
	answer := i.Do("GET", "/openapi.json", "", "Authorization", "")
	require.Equal(t, 200, answer.StatusCode)
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	require.True(t, bytes.Equal(assets.OpenAPI, answer.Body))
}

func TestTheDocumentIsValidOpenAPI31(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(assets.OpenAPI)
	require.NoError(t, err)
	require.True(t, doc.IsOpenAPI31OrLater())
	require.NoError(t, doc.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation()))
	compile := compiler(t)
	for name := range doc.Components.Schemas { // compiling validates them against the meta-schema of JSON Schema 2020-12
		compile("#/components/schemas/" + name)
	}
}

func TestTheOpenAPIDocumentIsNeatlyIndented(t *testing.T) {
	var neat bytes.Buffer
	require.NoError(t, json.Indent(&neat, assets.OpenAPI, "", "  "))
	require.Equal(t, neat.String(), string(assets.OpenAPI))
}

// node is a place in the document.
type node struct {
	pointer string
	value   any
}

// document visits every place of the document.
func document(t *testing.T, visit func(node)) map[string]any {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(assets.OpenAPI))
	require.NoError(t, err)
	if visit != nil {
		walk(node{"#", doc}, visit)
	}
	return doc.(map[string]any)
}

func walk(n node, visit func(node)) {
	visit(n)
	switch v := n.value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			walk(node{n.pointer + "/" + escape.Replace(name), v[name]}, visit)
		}
	case []any:
		for i := range v {
			walk(node{fmt.Sprintf("%s/%d", n.pointer, i), v[i]}, visit)
		}
	}
}

var escape = strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")

// at follows member names.
func at(value any, path ...string) any {
	for _, name := range path {
		value = value.(map[string]any)[name]
	}
	return value
}

// example is an example with the place of its schema.
type example struct {
	at, schema, name string
	value            any
}

func examples(t *testing.T) (all []example) {
	document(t, func(n node) {
		m, _ := n.value.(map[string]any)
		if m["schema"] != nil {
			if single, ok := m["example"]; ok {
				all = append(all, example{n.pointer, n.pointer + "/schema", "example", single})
			}
			named, _ := m["examples"].(map[string]any)
			for name, e := range named {
				all = append(all, example{n.pointer, n.pointer + "/schema", name, at(e, "value")})
			}
		}
		list, _ := m["examples"].([]any)
		for i, value := range list {
			all = append(all, example{n.pointer, n.pointer, fmt.Sprint(i), value})
		}
	})
	return all
}

func compiler(t *testing.T) func(pointer string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("openapi.json", any(document(t, nil))))
	return func(pointer string) *jsonschema.Schema {
		s, err := c.Compile("openapi.json" + pointer)
		require.NoError(t, err, pointer)
		return s
	}
}

func TestEveryExampleFitsItsSchema(t *testing.T) {
	compile, all := compiler(t), examples(t)
	require.Greater(t, len(all), 50)
	for _, e := range all {
		require.NoError(t, compile(e.schema).Validate(e.value), "%s %s", e.at, e.name)
	}
}

// A document that accepts everything would make the contract checks meaningless.
func TestNoResponseHasAnUndocumentedMember(t *testing.T) {
	compile := compiler(t)
	for _, e := range examples(t) {
		if !strings.Contains(e.at, "/responses/") && e.at != "#/components/schemas/RejectedEntry" || strings.Contains(e.at, "ContractAnswer") {
			continue
		}
		schema := compile(e.schema)
		walk(node{"", e.value}, func(n node) {
			m, ok := n.value.(map[string]any)
			if !ok {
				return
			}
			m["surplus"] = true
			require.Error(t, schema.Validate(e.value), "%s %s: a surplus member at %q", e.at, e.name, n.pointer)
			delete(m, "surplus")
		})
	}
}

func TestEveryCodeOfTheSpineIsNamed(t *testing.T) {
	table := at(document(t, nil), "components", "schemas", "Observation", "description").(string)
	var want, got []string
	for _, f := range spine.Spine {
		if f.Derived || f.Demographic {
			continue
		}
		value := f.Kind.String()
		if f.Unit != "" {
			value += ", `" + f.Unit + "`"
		}
		for i, option := range f.Options {
			value += []string{": ", ", "}[min(i, 1)] + "`" + option.Code + "`"
		}
		codes := strings.Join(f.Codes, ", ")
		if codes == "" {
			codes = "–"
		}
		want = append(want, fmt.Sprintf("| `%s` | %s | %s | %s | %s |", f.Name, f.Label, f.About, value, codes))
	}
	for _, line := range strings.Split(table, "\n") {
		if strings.HasPrefix(line, "| `") {
			got = append(got, line)
		}
	}
	require.Equal(t, want, got)
}

func TestTheLimitsInTheTextAreTheDefaults(t *testing.T) {
	text := at(document(t, nil), "info", "description").(string)
	defaults := app.Defaults("")
	for _, limit := range []string{
		fmt.Sprintf("%d in any 60 seconds, submissions", defaults.Web.RateLimit),
		fmt.Sprintf("%d in any 60 seconds for each address", defaults.Web.AnonymousRateLimit),
		fmt.Sprintf("| body | %d MiB |", defaults.Web.MaxBody>>20),
		fmt.Sprintf("| wait for processing | %.0f hours;", defaults.Ingest.BufferTTL.Hours()),
		fmt.Sprintf("depth %d", fhir.MaxDepth),
	} {
		require.Contains(t, text, limit)
	}
	feed := at(document(t, nil), "components", "schemas", "Health", "properties", "checks", "properties", "feed:stillness", "description")
	require.Contains(t, feed, fmt.Sprintf("%.0f minutes", defaults.Web.StaleAfter.Minutes()))
}

// What integrators copy must work: one course, a batch, and both retractions.
func TestTheRequestExamplesAreAcceptedUnchanged(t *testing.T) {
	i := apptest.Start(t)
	examples := at(document(t, nil), "paths", bundlePath, "post", "requestBody", "content", "application/fhir+json", "examples")
	push := func(name string) ingest.Outcome {
		out := i.Push(asJSON(t, at(examples, name, "value")))
		require.Empty(t, out.Rejected, name)
		return out
	}
	require.Len(t, push("single").Accepted, 1)
	require.Len(t, push("batch").Accepted, 2)
	for _, name := range []string{"retraction", "deletion"} {
		out := push(name)
		require.Len(t, out.Accepted, 1)
		require.True(t, out.Accepted[0].Retracted, name)
		require.Equal(t, 2, out.Accepted[0].Version, name)
	}
	require.Equal(t, 3, i.Count())
	record := i.Record("EX-0001")
	require.Equal(t, "2.0.0", record.IGVersion)
}

func TestTheContractMentionsNothingThatDoesNotExist(t *testing.T) {
	doc := document(t, nil)
	text := at(doc, "info", "description").(string)
	for _, name := range regexp.MustCompile("`components\\.([a-z]+)\\.([A-Za-z]+)`").FindAllStringSubmatch(text, -1) {
		require.Contains(t, at(doc, "components", name[1]), name[2])
	}
	names := map[string]bool{}
	for _, p := range fhir.Catalog {
		names[p.Name] = true
	}
	for _, name := range regexp.MustCompile("rejected, `([a-z-]+)`").FindAllStringSubmatch(text, -1) {
		require.True(t, names[name[1]], name[1])
	}
}
