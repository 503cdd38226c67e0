package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
	"birthregistry/app/ingest"
	"birthregistry/assets"
)

// documented returns the examples of the HTTP problems by status and name.
func documented(t *testing.T) map[int]map[string]any {
	doc, err := openapi3.NewLoader().LoadFromData(assets.OpenAPI)
	require.NoError(t, err)
	all := map[int]map[string]any{}
	add := func(status int, response *openapi3.ResponseRef) {
		for mediaType, content := range response.Value.Content {
			if mediaType != "application/fhir+json" {
				continue
			}
			for name, e := range content.Examples {
				if all[status] == nil {
					all[status] = map[string]any{}
				}
				all[status][name] = e.Value.Value
			}
		}
	}
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				var code int
				_, err := fmt.Sscan(status, &code)
				require.NoError(t, err)
				add(code, response)
			}
		}
	}
	add(404, doc.Components.Responses["NoSuchPath"]) // belongs to no particular path
	return all
}

// rejections returns the outcomes of the rejected entries by their reason.
func rejections(t *testing.T) map[string]any {
	all := map[string]any{}
	for _, e := range at(document(t, nil), "components", "schemas", "RejectedEntry", "examples").([]any) {
		outcome := at(e, "outcome")
		all[reason(outcome.(map[string]any)["issue"].([]any)[0])] = outcome
	}
	return all
}

// reason returns the stable code of an issue.
func reason(issue any) string {
	return at(issue, "details").(map[string]any)["coding"].([]any)[0].(map[string]any)["code"].(string)
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

func TestEveryProblemOfTheCatalogIsAnExample(t *testing.T) {
	byStatus, inReceipts := documented(t), rejections(t)
	for _, p := range fhir.Catalog {
		want := asJSON(t, p.Outcome())
		if p.Status == 0 {
			require.Contains(t, inReceipts, p.Name)
			require.JSONEq(t, want, asJSON(t, inReceipts[p.Name]), p.Name)
			continue
		}
		require.Contains(t, byStatus[p.Status], p.Name, "under %d", p.Status)
		require.JSONEq(t, want, asJSON(t, byStatus[p.Status][p.Name]), p.Name)
	}
}

func TestNoExampleNamesAProblemThatTheCatalogLacks(t *testing.T) {
	catalog := map[string]*fhir.Problem{}
	var names, codes []string
	for _, p := range fhir.Catalog {
		catalog[p.Name] = p
		names = append(names, p.Name)
		if !slices.Contains(codes, p.Code) {
			codes = append(codes, p.Code)
		}
	}
	for status, examples := range documented(t) {
		for name := range examples {
			require.Contains(t, catalog, name)
			require.Equal(t, catalog[name].Status, status, name)
		}
	}
	doc := document(t, func(n node) {
		m, _ := n.value.(map[string]any)
		if m["resourceType"] != "OperationOutcome" {
			return
		}
		for _, issue := range m["issue"].([]any) {
			name := reason(issue)
			require.Contains(t, catalog, name, n.pointer)
			p := catalog[name]
			require.Equal(t, p.Code, at(issue, "code"), n.pointer)
			require.Equal(t, p.Text, at(issue, "diagnostics"), n.pointer)
			require.Equal(t, p.Hint, at(issue, "details", "text"), n.pointer)
		}
	})
	issue := at(doc, "components", "schemas", "Issue", "properties")
	require.ElementsMatch(t, codes, at(issue, "code", "enum"))
	coding := at(issue, "details", "properties", "coding", "items", "properties")
	require.ElementsMatch(t, names, at(coding, "code", "enum"))
	require.Equal(t, fhir.OutcomeSystem, at(coding, "system", "const"))
}

func TestEveryExceptionClassIsNamed(t *testing.T) {
	exception := at(document(t, nil), "components", "schemas", "ProcessingFailure", "properties", "exception")
	require.ElementsMatch(t, ingest.Exceptions, at(exception, "enum"))
	for _, class := range ingest.Exceptions {
		require.Contains(t, at(exception, "description"), "`"+class+"`:")
	}
}
