package fhir_test

import (
	"regexp"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

func TestAProblemIsWrittenAsAnOperationOutcome(t *testing.T) {
	doc, err := json.Marshal(fhir.NotABundle.Outcome())
	require.NoError(t, err)
	require.JSONEq(t, `{"resourceType": "OperationOutcome", "issue": [{
		"severity": "error", "code": "structure",
		"details": {
			"coding": [{"system": "urn:birthregistry:outcome", "code": "not-a-bundle"}],
			"text": "Send a FHIR R4 BFDR Bundle."
		},
		"diagnostics": "The body is not a JSON object with resourceType Bundle.", "expression": ["Bundle.resourceType"]
	}]}`, string(doc))
}

func TestAGivenLocationReplacesTheUsualOne(t *testing.T) {
	require.Equal(t, []string{"Bundle.entry[3]"}, fhir.NotABundle.Outcome("Bundle.entry[3]").Issue[0].Expression)
	require.Empty(t, fhir.Unauthorized.Outcome().Issue[0].Expression)
	require.Equal(t, "information", fhir.Accepted.Outcome().Issue[0].Severity)
}

// The spec gives these messages and codes word for word.
func TestProblemsUseTheSpecsWordsAndCodes(t *testing.T) {
	require.Equal(t, "Stale update ignored.", fhir.Stale.Text)
	require.Equal(t, "conflict", fhir.Stale.Code)
	require.Equal(t, "conflict", fhir.WouldDuplicate.Code)
	require.Equal(t, "not-found", fhir.UnknownChart.Code)
	require.Equal(t, "structure", fhir.NotABundle.Code)
	require.Equal(t, "Bundle.resourceType", fhir.NotABundle.Expression)
	require.Equal(t, "structure", fhir.WrongType.Code)
	require.Equal(t, "required", fhir.NoChartNumber.Code)
}

// Decision 2.
var issueCodes = []string{
	"structure", "required", "value", "invariant", "login", "forbidden", "not-found", "conflict", "throttled", "too-long",
	"not-supported", "transient", "exception", "informational",
}

func TestEveryProblemIsInTheCatalog(t *testing.T) {
	names := map[string]bool{}
	for _, p := range fhir.Catalog {
		require.False(t, names[p.Name], "%s is there twice", p.Name)
		names[p.Name] = true
		require.Regexp(t, regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`), p.Name)
		require.Contains(t, issueCodes, p.Code, p.Name)
		require.Regexp(t, regexp.MustCompile(`^[A-Z].*\.$`), p.Text, p.Name)
		require.Regexp(t, regexp.MustCompile(`^[A-Z].*\.$`), p.Hint, "%s says what to do next", p.Name)
		require.True(t, p.Status == 0 || p.Status == 202 || p.Status >= 400, p.Name)
		require.Contains(t, p.Error(), p.Name)
	}
}
