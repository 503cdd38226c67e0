package smart

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// surveyed returns the findings of a survey by their checks.
func surveyed(t *testing.T, r *installation, e store.EHR) map[string]Finding {
	t.Helper()
	all := map[string]Finding{}
	for _, f := range r.Survey(t.Context(), e) {
		require.NotContains(t, all, f.Check, "each is said once")
		all[f.Check] = f
	}
	return all
}

func TestASurveyFindsNoObstacle(t *testing.T) {
	r, e := opened(t), anEHR(t)
	e.says(wellKnown, `{"authorization_endpoint": "/authorize", "token_endpoint": "/token",
		"code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
		"token_endpoint_auth_signing_alg_values_supported": ["RS384"], "authorization_response_iss_parameter_supported": true,
		"capabilities": ["launch-ehr", "context-ehr-patient", "context-ehr-encounter", "permission-v2"],
		"scopes_supported": ["launch", "patient/Patient.r", "patient/Observation.rs", "patient/Condition.rs", "patient/Encounter.rs"]}`)
	e.says(metadata, `{"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": [{"resource": [
		{"type": "Patient"}, {"type": "Observation", "searchParam": [{"name": "patient"}, {"name": "code"}, {"name": "category"}, {"name": "date"}]},
		{"type": "Condition"}, {"type": "Encounter"}, {"type": "Binary"}]}]}`)
	listed := r.list(e.base(), func(e *store.EHR) { e.Auth = store.AuthKey })
	require.NoError(t, r.note(listed, nil))
	for check, f := range surveyed(t, r, r.listed(listed.ID)) {
		require.Equal(t, OK, f.State, "%s: %s", check, f.Text)
	}
	require.Empty(t, e.tokens()[0].form, "no code is spent on it")
}

func TestASurveyNamesWhatTheVendorHasToFix(t *testing.T) {
	r, e := opened(t), anEHR(t)
	e.says(wellKnown, `{"authorization_endpoint": "https://login.example.org/a", "code_challenge_methods_supported": ["plain"],
		"token_endpoint_auth_methods_supported": ["client_secret_post"], "token_endpoint_auth_signing_alg_values_supported": ["HS256"],
		"capabilities": ["launch-standalone", "permission-v1"], "scopes_supported": ["launch"]}`)
	e.says(metadata, `{"fhirVersion": "3.0.2", "rest": [{"resource": [{"type": "Patient"}]}]}`)
	found := surveyed(t, r, r.list(e.base(), func(e *store.EHR) { e.Auth = store.AuthKey }))
	for _, check := range []string{"authorization endpoint", "token endpoint", "PKCE", "client authentication", "signing", "launch", "FHIR"} {
		require.Equal(t, Problem, found[check].State, check)
		require.Regexp(t, "vendor|repeat birthregistry ehr add", found[check].Text+found[check].Fix, "%s: it says what to do", check)
	}
	require.Contains(t, found["authorization endpoint"].Text, "--auth-host login.example.org")
	for _, check := range []string{"patient in context", "encounter in context", "scopes it lists", "resources"} {
		require.Equal(t, Note, found[check].State, check)
	}
	require.Equal(t, oldScopes, found["scopes asked for"].Text)
}

func TestAnEHRThatStatesLittleAndIsNotListedCanBeSurveyed(t *testing.T) {
	r, e := opened(t), anEHR(t)
	e.answer(wellKnown, 404, "text/plain", "")
	e.says(metadata, statement)
	found := surveyed(t, r, store.EHR{Issuer: e.base(), Auth: store.AuthPublic})
	for _, check := range []string{"listed", "configuration", "PKCE", "launch", "resources"} {
		require.Equal(t, Note, found[check].State, check)
	}
	require.Equal(t, Problem, found["FHIR"].State)
	e.answer(metadata, 500, "text/plain", "Lindqvist")
	found = surveyed(t, r, store.EHR{Issuer: e.base(), Auth: store.AuthPublic})
	require.Equal(t, Problem, found["configuration"].State)
	require.NotContains(t, found["configuration"].Text, "Lindqvist")
	require.Contains(t, found["configuration"].Fix, "compare the issuer")
	require.NotContains(t, found["configuration"].Text, "smart:")
	r.settings.Loopback = false
	require.Contains(t, surveyed(t, r, store.EHR{Issuer: e.base(), Auth: store.AuthPublic})["configuration"].Text, "--ehr-loopback")
}

func TestASurveyNamesWhatALaunchFoundUntilAnotherLaunchDoesNotFindIt(t *testing.T) {
	r, e := opened(t), anEHR(t)
	e.says(metadata, `{"fhirVersion": "4.0.1", "rest": [{"resource": [{"type": "Observation", "searchParam": [{"name": "patient"}, {"name": "code"}]}]}]}`)
	listed := r.list(e.base())
	found := surveyed(t, r, listed)
	require.Contains(t, found["searches"].Text, "not known before the first launch")
	require.Contains(t, found["search parameters"].Text, "category, date", "what it lacks by its own word")
	require.NoError(t, r.note(listed, []Conduct{PartOfLists}))
	found = surveyed(t, r, r.listed(listed.ID))
	require.Equal(t, Note, found["searches"].State)
	require.Contains(t, found["searches"].Text, "code by code")
	require.NoError(t, r.note(r.listed(listed.ID), nil))
	require.Equal(t, OK, surveyed(t, r, r.listed(listed.ID))["searches"].State)
	for c, words := range conducts {
		require.Contains(t, []Conduct{IgnoresCodes, PartOfLists, IgnoresCategories}, c)
		require.NotEmpty(t, words.clinician)
		require.NotEmpty(t, words.operator)
	}
}

func TestASurveyOfAnEHRThatCannotBeReachedSaysWhatToDo(t *testing.T) {
	r := opened(t)
	for issuer, says := range map[string]string{
		"https://ehr.invalid/fhir":    "getent hosts",
		"https://127.0.0.1:1/fhir":    "firewall",
		"https://192.168.77.1:1/fhir": "--ehr-networks",
	} {
		f := surveyed(t, r, store.EHR{Issuer: issuer, Auth: store.AuthPublic})["configuration"]
		require.Equal(t, Problem, f.State, issuer)
		require.Contains(t, f.Text+f.Fix, says, issuer)
	}
}
