package app_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// identityProvider is a running identity provider (app/testclients/identity.mjs). It signs in
// everybody as whoever they state to be.
type identityProvider struct {
	Issuer  string
	Clients []struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
}

// startIdentityProvider starts one with which the service at app is registered.
// REGISTRY_TEST_CLIENTS names the folder where it is installed.
func startIdentityProvider(t *testing.T, app string) (p identityProvider) {
	t.Helper()
	folder := os.Getenv("REGISTRY_TEST_CLIENTS")
	if folder == "" {
		longtest.Needs(t, "oidc-provider", errors.New("set REGISTRY_TEST_CLIENTS to a copy of app/testclients after npm ci; .ci/run does"))
	}
	node := exec.Command("node", filepath.Join(folder, "identity.mjs"), "--port", "0", "--app", app)
	node.Stderr = &apptest.Log{}
	out, err := node.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, node.Start())
	t.Cleanup(func() {
		_ = node.Process.Kill() // it may have ended
		_ = node.Wait()
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	require.NoError(t, err, "the identity provider does not start: %s", node.Stderr)
	require.NoError(t, json.Unmarshal(line, &p))
	return p
}

const clinicID = "Sign in with Clinic ID"

// ssoInstallation is the built program with an identity provider, named Clinic ID, and Robin, an
// admin with a password.
type ssoInstallation struct {
	*installation
	provider identityProvider
}

func newSSOInstallation(t *testing.T) *ssoInstallation {
	t.Helper()
	longtest.Only(t, "sign-ins with a real identity provider")
	chromium(t)
	s := newInstallation(t)
	base := "http://" + s.address
	p := startIdentityProvider(t, base)
	given := func(name, content string) (file string) {
		file = filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		return file
	}
	s.command("user", "add", robin, "--practice", "1", "--role", "admin", "--password-file", given("password", password))
	redirect := s.command(
		"sso", "add", "--name", "Clinic ID", "--issuer", p.Issuer, "--client-id", p.Clients[0].ID,
		"--client-secret-file", given("secret", p.Clients[0].Secret), "--base-url", base,
	)
	require.Equal(t, base+"/sign-in/with/clinic-id/callback", redirect)
	s.command("sso", "check", "Clinic ID", "--sso-loopback")
	s.start("--base-url", base, "--sso-loopback", "--ehr-loopback")
	t.Cleanup(func() { _ = s.server.Process.Kill() }) // may have ended
	return &ssoInstallation{s, p}
}

// ssoBrowser is a browser of a person who signs in with the provider.
type ssoBrowser struct {
	*browser
	s *ssoInstallation
}

func (s *ssoInstallation) browser(t *testing.T) ssoBrowser {
	t.Helper()
	return ssoBrowser{newBrowser(t, "http://"+s.address), s}
}

// proves fills in the provider's page.
func (b ssoBrowser) proves(subject, address string, verified bool) {
	b.Helper()
	require.Equal(b, b.s.provider.Issuer, script[string](b.browser, `location.origin`), "the provider asks who it is")
	b.fill("subject", subject)
	b.fill("address", address)
	if !verified {
		b.click("#verified")
	}
	b.press("I am this person")
}

// uses presses the provider's button on the sign-in page, and proves to be a person.
func (b ssoBrowser) uses(subject, address string) {
	b.Helper()
	require.Equal(b, "/sign-in", b.path())
	b.press(clinicID)
	b.proves(subject, address, true)
}

// links signs Robin in with the provider for the first time.
func (b ssoBrowser) links() {
	b.Helper()
	b.open("/sign-in")
	b.uses("robin", robin)
	b.sees("Link Clinic ID to your account")
	b.fill("password", password)
	b.press("Link Clinic ID")
	require.Equal(b, "/registry", b.path())
}

// at requires that the browser is on a page of the registry.
func (b ssoBrowser) at(path string) {
	b.Helper()
	require.Equal(b, b.base+path, script[string](b.browser, `location.origin + location.pathname`))
}
