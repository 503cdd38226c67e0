package smart

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// discovered returns the server that discovery finds at an EHR.
func discovered(t *testing.T, e *ehr, hosts ...string) (server, error) {
	t.Helper()
	r := opened(t)
	return discover(t.Context(), r.out(store.EHR{Issuer: e.base(), Hosts: hosts}), e.base())
}

func TestTheConfigurationIsReadBelowTheFHIRBaseInAnyMediaType(t *testing.T) {
	for _, mediaType := range []string{"application/json", "application/json; charset=utf-8", "application/octet-stream", "text/plain", ""} {
		e := anEHR(t)
		e.answer(wellKnown, 200, mediaType, "\xef\xbb\xbf"+`{"authorization_endpoint": "`+e.URL+`/authorize", "token_endpoint": "token",
			"issuer": "https://as.example.org", "capabilities": ["launch-ehr", 7], "scopes_supported": "launch",
			"authorization_response_iss_parameter_supported": true, "unknown": {"deep": [1]}}`)
		found, err := discovered(t, e)
		require.NoError(t, err, mediaType)
		require.Equal(t, server{
			Issuer: "https://as.example.org", Authorize: e.URL + "/authorize", Token: e.base() + "/token",
			Capabilities: texts{"launch-ehr"}, AnswersIss: true,
		}, found, "a slip in what is only advice is passed over")
		require.Equal(t, []string{wellKnown}, e.paths())
	}
}

const statement = `{"resourceType": "CapabilityStatement", "rest": [{"security": {"extension": [
	{"url": "http://fhir-registry.smarthealthit.org/StructureDefinition/capabilities", "valueCode": "launch-ehr"},
	{"url": "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris", "extension": [
		{"url": "token", "valueUri": "/token"}, {"url": "authorize", "valueUri": "/authorize"}, {"url": "manage", "valueUri": "/manage"}]}]}}]}`

func TestDiscoveryFallsBackToMetadataWhereThereIsNoConfiguration(t *testing.T) {
	for _, status := range []int{404, 405, 410} {
		e := anEHR(t)
		e.answer(wellKnown, status, "text/html", "no")
		e.answer(metadata, 200, "application/fhir+json", statement)
		found, err := discovered(t, e)
		require.NoError(t, err, status)
		require.Equal(t, server{Authorize: e.URL + "/authorize", Token: e.URL + "/token", Old: true}, found)
		require.Equal(t, []string{wellKnown, metadata}, e.paths(), "one after the other")
	}
	for _, status := range []int{400, 401, 403, 500, 502, 503, 301, 302, 204} {
		e := anEHR(t)
		e.answers[wellKnown] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", metadata)
			w.WriteHeader(status)
		}
		e.answer(metadata, 200, "application/fhir+json", statement)
		_, err := discovered(t, e)
		require.ErrorIs(t, err, ErrUpstream, status)
		require.Equal(t, []string{wellKnown}, e.paths(), "and no redirect is followed")
	}
}

func TestADiscoveryThatCannotBeUsedStopsTheLaunch(t *testing.T) {
	config := func(authorize, token string) string {
		return `{"authorization_endpoint": "` + authorize + `", "token_endpoint": "` + token + `"}`
	}
	for name, doc := range map[string]string{
		"not JSON":              `<html>`,
		"empty":                 ``,
		"a list":                `[]`,
		"cut off":               `{"authorization_endpoint": "/a", "token_endpoint"`,
		"a member twice":        `{"authorization_endpoint": "/a", "token_endpoint": "/t", "token_endpoint": "/u"}`,
		"no token endpoint":     `{"authorization_endpoint": "/a"}`,
		"no endpoint to begin":  `{"token_endpoint": "/t"}`,
		"an endpoint as number": `{"authorization_endpoint": 1, "token_endpoint": "/t"}`,
		"a foreign host":        config("/a", "https://evil.tld/token"),
		"a foreign beginning":   config("https://evil.tld/a", "/t"),
		"without a scheme":      config("/a", "//evil.tld/token"),
		"another port":          config("/a", "http://127.0.0.1:1/token"),
		"javascript":            config("javascript:alert(1)", "/t"),
		"data":                  config("data:text/html,x", "/t"),
		"a user":                config("/a", "http://user@127.0.0.1/t"),
		"a fragment":            config("/a#x", "/t"),
		"PKCE without S256":     `{"authorization_endpoint": "/a", "token_endpoint": "/t", "code_challenge_methods_supported": ["plain"]}`,
		"too large":             `{"x": "` + strings.Repeat("x", maxWellKnown) + `"}`,
		"deep":                  `{"x": ` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
	} {
		e := anEHR(t)
		e.says(wellKnown, doc)
		_, err := discovered(t, e)
		require.ErrorIs(t, err, ErrUpstream, name)
		quiet(t, err, "evil", "javascript", "user@", "127.0.0.1")
		require.Len(t, e.all(), 1, name)
	}
}

func TestAnEndpointOnAnotherHostIsUsedIfTheOperatorListedThatHost(t *testing.T) {
	e := anEHR(t)
	e.says(wellKnown, `{"authorization_endpoint": "https://login.example.org/a", "token_endpoint": "https://login.example.org:8443/t"}`)
	_, err := discovered(t, e, "login.example.org")
	require.ErrorIs(t, err, ErrUpstream, "another port is another host")
	found, err := discovered(t, e, "login.example.org", "login.example.org:8443")
	require.NoError(t, err)
	require.Equal(t, "https://login.example.org:8443/t", found.Token)
}

func TestAnEHRThatCannotBeReachedIsAnUpstreamError(t *testing.T) {
	e := anEHR(t)
	e.Close()
	_, err := discovered(t, e)
	require.ErrorIs(t, err, ErrUpstream)
	quiet(t, err, "127.0.0.1")
}
