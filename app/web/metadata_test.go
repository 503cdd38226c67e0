package web_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/apptest/r4"
	"birthregistry/app/fhir"
	"birthregistry/app/longtest"
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

// app/testclients has the clients; REGISTRY_TEST_CLIENTS names the folder where they are
// installed.
func TestClientsOfFHIRLibrariesPushAndPollAsTheyAre(t *testing.T) {
	longtest.Only(t, "what needs the clients of FHIR libraries")
	folder := os.Getenv("REGISTRY_TEST_CLIENTS")
	if folder == "" {
		longtest.Needs(t, "FHIR-clients", errors.New("set REGISTRY_TEST_CLIENTS to a copy of app/testclients after npm ci; .ci/run does"))
	}
	i := apptest.Start(t)
	for _, client := range []string{"fhir-kit-client", "medplum"} {
		t.Run(client, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "bundle.json")
			require.NoError(t, os.WriteFile(file, []byte(apptest.Course{Chart: client}.Bundle()), 0o600))
			push := exec.CommandContext(t.Context(), "node", filepath.Join(folder, "push.mjs"), client, i.URL+"/api/registry/fhir", file)
			push.Env = append(os.Environ(), "REGISTRY_API_KEY="+i.Key)
			out, err := push.Output()
			require.NoError(t, err, string(out))
			var receipt struct {
				Status   string
				Accepted int
			}
			require.NoError(t, json.Unmarshal(out, &receipt))
			require.Equal(t, "completed", receipt.Status)
			require.Equal(t, 1, receipt.Accepted)
		})
	}
}
