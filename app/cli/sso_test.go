package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/store/storetest"
)

func TestSSOAddPrintsTheRedirectURIAndSealsTheSecret(t *testing.T) {
	path := installed(t)
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("s3cr3t-of-the-clinic\n"), 0o600))
	add := func(more ...string) ran {
		return command(t, "", append([]string{
			"sso", "add", "--name", "Clinic Google", "--client-id", "registry", "--client-secret-file", file, "--base-url", "https://births.example.org",
		}, more...)...)
	}
	added := add("--issuer", "https://accounts.google.com", "--domain", "Clinic.example.org")
	require.Zero(t, added.code, added.talk)
	require.Equal(t, "https://births.example.org/sign-in/with/clinic-google/callback\n", added.out)
	require.Contains(t, add("--issuer", "https://accounts.google.com", "--domain", "clinic.example.org").talk, "replaced")
	other := add("--issuer", "https://other.example.org")
	require.Equal(t, 2, other.code, "the links are those of the former issuer")
	require.Contains(t, other.talk, "remove")
	for _, wrong := range [][]string{{"--issuer", "http://accounts.google.com"}, {"--issuer", "https://id.example.org", "--domain", "@clinic"}, {}} {
		require.Equal(t, 2, add(wrong...).code, wrong)
	}
	list := command(t, "", "sso", "list", "--json")
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(list.out), &all))
	delete(all[0], "created_at")
	require.Equal(t, []map[string]any{{
		"id": 1., "name": "Clinic Google", "slug": "clinic-google", "issuer": "https://accounts.google.com", "client_id": "registry",
		"domains": []any{"clinic.example.org"}, "accounts": 0.,
	}}, all)
	require.Contains(t, command(t, "", "sso", "list").out, "secret")
	require.NotContains(t, added.out+added.talk+list.out, "s3cr3t")
	for _, part := range []string{path, path + "-wal"} {
		if content, err := os.ReadFile(part); err == nil {
			require.NotContains(t, string(content), "s3cr3t", "it is sealed")
		}
	}
	require.Equal(t, 1, command(t, "", "sso", "unlink", "nobody@example.org").code)
	require.Zero(t, command(t, "", "sso", "remove", "clinic google").code)
	gone := command(t, "", "sso", "remove", "Clinic Google")
	require.Equal(t, 1, gone.code)
	require.Contains(t, gone.talk, "sso list")
	require.Equal(t, "[]\n", command(t, "", "sso", "list", "--json").out)
}

func TestSSOAddWarnsIfTheAccountsAreThoseOfAnotherClient(t *testing.T) {
	path := installed(t)
	add := func(client string) string {
		added := command(t, "", "sso", "add", "--name", "Clinic", "--issuer", "https://id.example.org", "--client-id", client)
		require.Zero(t, added.code, added.talk)
		return added.talk
	}
	add("registry")
	require.NotContains(t, add("other"), "unlink", "there are no accounts")
	require.Zero(t, command(t, "", "user", "add", "olive@example.org", "--practice", "1", "--role", "admin").code)
	storetest.Exec(t, path, "insert into sso_links (provider, subject, user, linked_at) values (1, x'01', 1, 0)")
	require.NotContains(t, add("other"), "unlink", "the client is the same")
	require.Contains(t, add("third"), "accounts are linked: 1")
	require.Contains(t, add("fourth"), "birthregistry sso unlink EMAIL")
	require.Contains(t, command(t, "", "sso", "list").out, "fourth")
}

func TestSSOCheckNamesWhatPreventsASignIn(t *testing.T) {
	installed(t)
	keys := http.StatusOK
	var provider *httptest.Server
	provider = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		doc := `{"issuer":"` + provider.URL + `","authorization_endpoint":"` + provider.URL + `/a","token_endpoint":"` + provider.URL + `/t","jwks_uri":"` + provider.URL + `/k"}`
		if r.URL.Path == "/k" {
			w.WriteHeader(keys)
			doc = `{"keys":[]}`
		}
		_, _ = w.Write([]byte(doc)) // the client notices
	}))
	t.Cleanup(provider.Close)
	require.Zero(t, command(t, "", "sso", "add", "--name", "Here", "--issuer", provider.URL, "--client-id", "registry").code)
	ready := command(t, "", "sso", "check", "Here", "--sso-loopback")
	require.Zero(t, ready.code, ready.out+ready.talk)
	private := command(t, "", "sso", "check", "Here")
	require.Equal(t, 1, private.code)
	require.Contains(t, private.out, "PROBLEM")
	require.Contains(t, private.out, "→ serve and this command reach a provider on this machine with --sso-loopback only\n")
	keys = http.StatusNotFound
	broken := command(t, "", "sso", "check", "Here", "--sso-loopback", "--json")
	require.Equal(t, 1, broken.code)
	require.Contains(t, broken.out, `"ready": false`)
	require.Contains(t, broken.out, "its keys cannot be read")
	require.Equal(t, 1, command(t, "", "sso", "check", "There").code)
}

func TestSSORequireNamesAProviderOrAllowsPasswordsAgain(t *testing.T) {
	installed(t)
	require.Zero(t, command(t, "", "sso", "add", "--name", "Clinic", "--issuer", "https://id.example.org", "--client-id", "registry").code)
	require.Zero(t, command(t, "", "sso", "require", "1", "Clinic").code)
	require.Zero(t, command(t, "", "sso", "require", "1", "--off").code)
	for _, wrong := range [][]string{{"1"}, {"1", "Clinic", "--off"}, {"one", "Clinic"}} {
		require.Equal(t, 2, command(t, "", append([]string{"sso", "require"}, wrong...)...).code, wrong)
	}
	require.Equal(t, 1, command(t, "", "sso", "require", "1", "Other").code)
	require.Equal(t, 1, command(t, "", "sso", "require", "99", "Clinic").code)
}
