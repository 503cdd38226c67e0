package cli

import (
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/guide"
)

const issuer = "https://ehr.example.org/fhir/r4"

func TestEHRAddPrintsTheIssuerAndReplacesAnEarlierEntry(t *testing.T) {
	installed(t)
	added := command(t, "", "ehr", "add", "HTTPS://EHR.example.org/fhir/r4/", "--client-id", "abc", "--practice", "1")
	require.Zero(t, added.code, added.talk)
	require.Equal(t, issuer+"\n", added.out)
	again := command(t, "", "ehr", "add", issuer, "--client-id", "def", "--label", "Hill Hospital", "--auth-host", "login.example.org",
		"--frame-origin", "https://ehr.example.org", "--scopes", "launch patient/Patient.r", "--aud", "https://ehr.example.org/")
	require.Zero(t, again.code, again.talk)
	require.Contains(t, again.talk, "replaced")
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(command(t, "", "ehr", "list", "--json").out), &all))
	require.Len(t, all, 1)
	delete(all[0], "created_at")
	require.Equal(t, map[string]any{
		"id": 1., "issuer": issuer, "label": "Hill Hospital", "client_id": "def", "auth": "public", "hosts": []any{"login.example.org"},
		"scopes": "launch patient/Patient.r", "aud": "https://ehr.example.org/", "frame_origins": []any{"https://ehr.example.org"}, "practice": 0.,
	}, all[0])
	require.Contains(t, command(t, "", "ehr", "list").out, "Hill Hospital")
	require.Zero(t, command(t, "", "ehr", "remove", issuer+"/").code)
	gone := command(t, "", "ehr", "remove", issuer)
	require.Equal(t, 1, gone.code)
	require.Contains(t, gone.talk, "ehr list")
	require.Equal(t, "[]\n", command(t, "", "ehr", "list", "--json").out)
}

func TestAClientSecretComesFromAFileAndIsNeverShown(t *testing.T) {
	path := installed(t)
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("s3cr3t-of-the-vendor\n"), 0o600))
	added := command(t, "", "ehr", "add", issuer, "--client-id", "abc", "--client-secret-file", file)
	require.Zero(t, added.code, added.talk)
	list := command(t, "", "ehr", "list", "--json")
	require.NotContains(t, added.out+added.talk+list.out, "s3cr3t")
	require.Contains(t, list.out, `"auth": "secret"`)
	for _, part := range []string{path, path + "-wal"} {
		content, err := os.ReadFile(part)
		if err == nil {
			require.NotContains(t, string(content), "s3cr3t", "it is sealed")
		}
	}
	require.Equal(t, 1, command(t, "", "ehr", "add", issuer, "--client-id", "abc", "--client-secret-file", file+"x").code)
}

func TestEHRCommandsCalledWronglyExitWithTwo(t *testing.T) {
	installed(t)
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("s3cr+t/x"), 0o600))
	for _, args := range [][]string{
		{"add"},
		{"add", "http://ehr.example.org/fhir"},
		{"add", "nonsense"},
		{"add", issuer, "--practice", "x"},
		{"add", issuer, "--client-id", "a b"},
		{"add", issuer, "--auth-host", "https://x"},
		{"add", issuer, "--scopes", "launch patient/*.cruds"},
		{"add", issuer, "--client-id", "a", "--client-secret-file", file},
		{"add", issuer, "--client-secret-file", file},
		{"add", issuer, "--client-id", "a", "--client-secret-file", file, "--key"},
		{"remove"},
		{"remove", "nonsense"},
		{"check"},
		{"check", "nonsense"},
		{"check", issuer, "--ehr-networks", "x"},
		{"check", issuer, "--ehr-networks", "0.0.0.0/0"},
		{"checklist", "nonsense"},
		{"checklist", issuer, "--base-url", "x"},
		{"checklist"},
		{"checklist", issuer, "--json"},
		{"checklist", "--vendor", "hill"},
		{"checklist", "--vendor", "epic", "nonsense"},
		{"keys", "x"},
		{"list", "x"},
		{"fly"},
	} {
		wrong := command(t, "", append([]string{"ehr"}, args...)...)
		require.Equal(t, 2, wrong.code, "%v: %s", args, wrong.talk)
		require.Empty(t, wrong.out, args)
		require.NotContains(t, wrong.talk, "s3cr+t")
		require.Contains(t, wrong.talk, "--help")
	}
	for _, args := range [][]string{{"--ehr-networks", "x"}, {"--ehr-networks", "::/0"}} {
		require.Equal(t, 2, command(t, "", append([]string{"serve"}, args...)...).code)
	}
	require.Equal(t, 1, command(t, "", "ehr", "add", issuer, "--practice", "9").code, "there is no such practice")
}

func TestEHRKeysAreMadeOnceAndRotatedByCommand(t *testing.T) {
	installed(t)
	ids := func(args ...string) (all []string) {
		var found []struct {
			Kid string `json:"kid"`
		}
		made := command(t, "", append([]string{"ehr", "keys", "--json"}, args...)...)
		require.Zero(t, made.code, made.talk)
		require.NoError(t, json.Unmarshal([]byte(made.out), &found))
		for _, k := range found {
			all = append(all, k.Kid)
		}
		return all
	}
	first := ids()
	require.Len(t, first, 2)
	require.Equal(t, first, ids())
	require.Subset(t, ids("--rotate"), first)
	require.Len(t, ids("--rotate"), 4)
	require.Contains(t, command(t, "", "ehr", "keys").out, "RS384")
	rotated := command(t, "", "ehr", "keys", "--rotate")
	require.Regexp(t, `The new key pair will sign from \d{4}-\d\d-\d\d \d\d:\d\d UTC on; do not rotate again before then`, rotated.talk)
	require.NotContains(t, command(t, "", "ehr", "keys").talk, "begins to sign")
	require.Contains(t, command(t, "", "ehr", "keys", "--help").out, "twice within an hour")
}

func TestAClientSecretWithoutAClientIDIsRefusedByTheNameOfWhatIsMissing(t *testing.T) {
	installed(t)
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("s3cr3t"), 0o600))
	wrong := command(t, "", "ehr", "add", issuer, "--client-secret-file", file)
	require.Equal(t, 2, wrong.code)
	require.Contains(t, wrong.talk, "--client-id is missing")
	require.NotContains(t, wrong.talk, "--key")
}

func TestTheChecklistHasWhatAVendorNeeds(t *testing.T) {
	installed(t)
	list := command(t, "", "ehr", "checklist", issuer, "--base-url", "https://births.example.org/")
	require.Zero(t, list.code, list.talk)
	require.NotContains(t, list.talk, "--base-url")
	for _, needed := range []string{
		issuer, "https://births.example.org/smart/launch", "https://births.example.org/smart/callback ",
		"https://births.example.org/smart/jwks.json", "patient/Observation.rs",
	} {
		require.Contains(t, list.out, needed)
	}
	require.Contains(t, command(t, "", "ehr", "checklist", issuer).talk, "--base-url")
}

func TestTheChecklistOfAVendorIsCompleteAndItsCommandsWork(t *testing.T) {
	installed(t)
	for _, vendor := range guide.Vendors() {
		page := command(t, "", "ehr", "checklist", "--vendor", vendor, "--base-url", "https://births.example.org")
		require.Zero(t, page.code, page.talk)
		var c guide.Checklist
		doc := command(t, "", "ehr", "checklist", issuer, "--vendor", vendor, "--base-url", "https://births.example.org", "--json")
		require.Zero(t, doc.code, doc.talk)
		require.NoError(t, json.Unmarshal([]byte(doc.out), &c))
		require.Equal(t, vendor, c.Vendor)
		require.NotEmpty(t, c.Commands)
		for _, line := range c.Commands {
			args := words(t, strings.ReplaceAll(line, "INSTANCE", "hill"))
			added := command(t, "", args[1:]...)
			require.Zero(t, added.code, "%s: %s", line, added.talk)
		}
		require.Contains(t, command(t, "", "ehr", "list", "--json").out, issuer, "the command adds the given EHR")
		for _, step := range c.Asked {
			require.Contains(t, page.out, step.Asks, "both forms are of the same page")
		}
	}
	unknown := command(t, "", "ehr", "checklist", "--vendor", "hill")
	require.Equal(t, 2, unknown.code)
	for _, vendor := range guide.Vendors() {
		require.Contains(t, unknown.talk, vendor)
	}
}

// words splits a command line as a shell does, as far as quoted words.
func words(t *testing.T, line string) []string {
	t.Helper()
	fields := csv.NewReader(strings.NewReader(line))
	fields.Comma, fields.LazyQuotes = ' ', false
	all, err := fields.Read()
	require.NoError(t, err)
	return all
}

func TestEHRCheckNamesTheObstacleAndExitsWithOne(t *testing.T) {
	installed(t)
	docs := map[string]string{
		"/fhir/.well-known/smart-configuration": `{"authorization_endpoint": "/a", "token_endpoint": "/t", "capabilities": ["launch-ehr"]}`,
		"/fhir/metadata":                        `{"fhirVersion": "4.0.1"}`,
	}
	ehr := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(docs[r.URL.Path])) }))
	defer ehr.Close()
	far := command(t, "", "ehr", "check", ehr.URL+"/fhir")
	require.Equal(t, 1, far.code)
	require.Contains(t, far.out, "--ehr-loopback")
	good := command(t, "", "ehr", "check", ehr.URL+"/fhir", "--ehr-loopback")
	require.Zero(t, good.code, good.out)
	require.Contains(t, good.out, "EHR launch")
	docs["/fhir/.well-known/smart-configuration"] = `{"authorization_endpoint": "https://login.example.org/a\u001b[31m", "token_endpoint": "https://login.example.org/t"}`
	bad := command(t, "", "ehr", "check", ehr.URL+"/fhir", "--ehr-loopback", "--json")
	require.Equal(t, 1, bad.code)
	var answer struct {
		Ready  bool
		Checks []map[string]string
	}
	require.NoError(t, json.Unmarshal([]byte(bad.out), &answer, json.MatchCaseInsensitiveNames(true)))
	require.False(t, answer.Ready)
	require.Contains(t, bad.out, "--auth-host login.example.org")
	tried := command(t, "", "ehr", "check", ehr.URL+"/fhir", "--ehr-loopback", "--auth-host", "login.example.org")
	require.NotContains(t, tried.out, "add: --auth-host")
}
