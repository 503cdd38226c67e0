package fhir_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

func add(t *testing.T, c *fhir.Chart, resource string) error {
	t.Helper()
	return c.Add(jsontext.Value(resource))
}

func TestAChartTakesTheFourResourcesOfThePullLaneAndNothingElse(t *testing.T) {
	var c fhir.Chart
	for _, resource := range []string{
		`{"resourceType":"Patient","id":"p","name":[{"family":"Roe","given":["Ada"],"period":{"end":"2020"}}],
			"address":[{"postalCode":"05401","type":"physical","period":{"start":"2019"},"line":["1 Invented Lane"]}],
			"identifier":[{"use":"usual","value":"7","type":{"coding":[{"code":"MR"}]}}],"multipleBirthBoolean":false}`,
		`{"resourceType":"Observation","id":"o","meta":{"lastUpdated":"2026-01-01T00:00:00Z"},"status":"final",
			"code":{"coding":[{"system":"http://loinc.org","code":"8302-2"}]},"subject":{"reference":"Patient/p"},
			"effectivePeriod":{"start":"2026-01-01"},"component":[{"valueQuantity":{"value":1.5e0,"unit":"m"}}]}`,
		`{"resourceType":"Condition","id":"c","onsetPeriod":{"start":"2026"}}`,
		`{"resourceType":"Encounter","id":"e","class":{"code":"IMP"},"period":{"start":"2026-01-01"}}`,
		`{"resourceType":"Procedure","id":"x"}`, `{"resourceType":"OperationOutcome"}`, `{}`,
	} {
		require.NoError(t, add(t, &c, resource))
	}
	require.Equal(t, "p", c.Patient.ID)
	require.Equal(t, "Roe", c.Patient.Name[0].Family)
	require.Equal(t, "2020", c.Patient.Name[0].Period.End)
	require.Equal(t, "05401", c.Patient.Address[0].PostalCode)
	require.Equal(t, "MR", c.Patient.Identifier[0].Type.Coding[0].Code)
	require.False(t, *c.Patient.SingleBirth)
	require.Len(t, c.Observations, 1)
	require.Equal(t, "o", c.Observations[0].ID)
	require.Equal(t, "8302-2", c.Observations[0].Code.Coding[0].Code)
	require.Equal(t, 1.5, c.Observations[0].Component[0].ValueQuantity.Value.Float)
	require.Equal(t, "2026-01-01T00:00:00Z", c.Observations[0].Meta.LastUpdated)
	require.Len(t, c.Conditions, 1)
	require.Len(t, c.Encounters, 1)
	require.Equal(t, "IMP", c.Encounters[0].Class.Code)
}

func TestAWrongJSONTypeInOneResourceLosesOnlyThatResource(t *testing.T) {
	var c fhir.Chart
	require.NoError(t, add(t, &c, `{"resourceType":"Patient","id":"p","birthDate":"1990-01-02"}`))
	for resource, at := range map[string]string{
		`{"resourceType":"Patient","id":"q","birthDate":1990}`:                       "Patient.birthDate",
		`{"resourceType":"Observation","id":"o","valueQuantity":{"value":{}}}`:       "Observation.valueQuantity.value",
		`{"resourceType":"Observation","id":"o","component":{}}`:                     "Observation.component",
		`{"resourceType":"Condition","id":"c","code":"O24.4"}`:                       "Condition.code",
		`{"resourceType":"Encounter","id":"e","participant":[{"individual":["x"]}]}`: "Encounter.participant[0].individual",
		`{"resourceType":5}`: "resource", `[]`: "resource", `null`: "", `"x"`: "resource",
	} {
		err := add(t, &c, resource)
		if at == "" {
			require.NoError(t, err, resource)
			continue
		}
		shape := (*fhir.ShapeError)(nil)
		require.ErrorAs(t, err, &shape, resource)
		require.Equal(t, at, shape.Expression, resource)
	}
	require.Equal(t, "p", c.Patient.ID)
	require.Equal(t, "1990-01-02", c.Patient.BirthDate)
	require.Empty(t, c.Observations)
	require.Empty(t, c.Conditions)
	require.Empty(t, c.Encounters)
	require.NoError(t, add(t, &c, `{"resourceType":"Observation","id":"good"}`))
	require.Len(t, c.Observations, 1)
}
