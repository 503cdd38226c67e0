package web_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/apptest/r4"
	"birthregistry/app/fhir"
)

const metadataPath = "/api/registry/fhir/metadata"

func TestMetadataListsCreateOfBundleAndNothingElse(t *testing.T) {
	i := apptest.Start(t)
	for _, accept := range []string{"", "application/fhir+json", "application/fhir+xml;q=1.0, application/fhir+json;q=1.0"} {
		answer := i.Do("GET", metadataPath, "", "Authorization", "", "Accept", accept)
		require.Equal(t, 200, answer.StatusCode)
		require.Equal(t, "application/fhir+json", answer.Header.Get("Content-Type"))
		var statement struct {
			ResourceType, FHIRVersion string
			Implementation            struct{ URL string }
			Rest                      []struct {
				Mode     string
				Resource []struct {
					Type        string
					Interaction []struct{ Code string }
				}
			}
		}
		require.NoError(t, json.Unmarshal(answer.Body, &statement))
		require.Equal(t, "CapabilityStatement", statement.ResourceType)
		require.Equal(t, "4.0.1", statement.FHIRVersion)
		require.Equal(t, i.URL+"/api/registry/fhir", statement.Implementation.URL)
		require.Equal(t, "[{server [{Bundle [{create}]}]}]", fmt.Sprint(statement.Rest))
	}
}

func TestMetadataCountsAgainstTheLimitOfItsAddress(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) { c.Web.AnonymousRateLimit = 1 })
	answer := i.Do("GET", metadataPath, "")
	require.Equal(t, 200, answer.StatusCode, "also with a key")
	require.Contains(t, answer.Header.Get("RateLimit"), "r=0")
	requireProblem(t, fhir.Throttled, i.Do("GET", metadataPath, ""))
	require.Equal(t, 202, i.Post(birth).StatusCode, "the key has a limit of its own")
}

func TestAnR4ValidatorFindsNoErrorInTheCapabilityStatement(t *testing.T) {
	i := apptest.Start(t)
	answer := i.Do("GET", metadataPath, "")
	require.Equal(t, "1 resources\n", r4.Validate(t, append(answer.Body, '\n')))
}
