package guide_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/longtest"
	"birthregistry/store"
)

// example returns the one example of the page about webhooks in a language.
func example(t *testing.T, language string) string {
	t.Helper()
	var found []string
	for _, b := range blocks(t, rendered(t), language) {
		if b.page == "webhooks" && b.proof == "webhook" {
			found = append(found, b.text)
		}
	}
	require.Len(t, found, 1)
	return found[0]
}

// notifying returns an installation that reports the ends of ingestions to an address, and the
// secret.
func notifying(t *testing.T, address string) (i *apptest.Installation, secret string) {
	t.Helper()
	i = apptest.Start(t, func(c *app.Config) { c.Webhooks.Loopback = true })
	practice, err := store.Read(t.Context(), i.App.DB, func(v *store.View) (store.Practice, error) { return v.Practice(i.Practice) })
	require.NoError(t, err)
	keys, err := i.App.Auth.Keys(t.Context(), practice.ID)
	require.NoError(t, err)
	secret, err = i.App.Webhooks.Set(auth.Operator(practice), keys[0].ID, address)
	require.NoError(t, err)
	return i, secret
}

// listener is a receiver from the guide, which runs as a program of its own.
type listener struct {
	address string
	output  apptest.Log
}

// listen starts a receiver from the guide and waits until it accepts connections.
func listen(t *testing.T, address, secret string, command ...string) *listener {
	t.Helper()
	l := &listener{address: address}
	program := exec.CommandContext(t.Context(), command[0], command[1:]...)
	program.Env = append(os.Environ(), "WEBHOOK_SECRET="+secret, "LISTEN="+address)
	program.Stdout, program.Stderr = &l.output, &l.output
	require.NoError(t, program.Start())
	t.Cleanup(func() {
		_ = program.Process.Kill() // it may have ended
		_ = program.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			err = conn.Close()
		}
		return err == nil
	}, 3*time.Minute, 20*time.Millisecond, "%s", &l.output)
	return l
}

// requireVerifies requires that a receiver takes what the installation sends, and nothing else.
func (l *listener) requireVerifies(t *testing.T, i *apptest.Installation) {
	t.Helper()
	id := i.Receipt(i.Post(apptest.Course{}.Bundle())).ID
	require.Eventually(t, func() bool { return strings.Contains(l.output.String(), `"data":{"id":"`+id+`","status":"completed"}`) },
		3*time.Minute, 20*time.Millisecond, "%s", &l.output)
	forged, err := http.NewRequest(http.MethodPost, "http://"+l.address, strings.NewReader(`{"forged":true}`))
	require.NoError(t, err)
	forged.Header = http.Header{"Webhook-Id": {"msg_" + id}, "Webhook-Timestamp": {"1"}, "Webhook-Signature": {"v1,AAAA"}}
	answer, err := http.DefaultClient.Do(forged)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusUnauthorized, answer.StatusCode)
	require.NotContains(t, l.output.String(), "forged")
}

func TestTheReceiverInGoVerifies(t *testing.T) {
	folder, address := t.TempDir(), apptest.FreeAddress(t)
	source := filepath.Join(folder, "main.go")
	require.NoError(t, os.WriteFile(source, []byte(example(t, "go")), 0o600))
	built, err := exec.Command("go", "build", "-o", filepath.Join(folder, "receiver"), source).CombinedOutput()
	require.NoError(t, err, "%s", built)
	i, secret := notifying(t, "http://"+address)
	listen(t, address, secret, filepath.Join(folder, "receiver")).requireVerifies(t, i)
}

// app/testclients has the library; REGISTRY_TEST_CLIENTS names the folder where it is installed.
func TestTheReceiverInNodeVerifies(t *testing.T) {
	longtest.Only(t, "what needs Node.js and the library of Standard Webhooks")
	clients := os.Getenv("REGISTRY_TEST_CLIENTS")
	if clients == "" {
		longtest.Needs(t, "FHIR-clients", errors.New("set REGISTRY_TEST_CLIENTS to a copy of app/testclients after npm ci; .ci/run does"))
	}
	folder, address := t.TempDir(), apptest.FreeAddress(t)
	require.NoError(t, os.Symlink(filepath.Join(clients, "node_modules"), filepath.Join(folder, "node_modules")))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "receiver.mjs"), []byte(example(t, "js")), 0o600))
	i, secret := notifying(t, "http://"+address)
	listen(t, address, secret, "node", filepath.Join(folder, "receiver.mjs")).requireVerifies(t, i)
}

func TestTheShellVerifiesWithOpenSSL(t *testing.T) {
	folder := t.TempDir()
	came := make(chan http.Header, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "body.json"), body, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
		came <- r.Header
	}))
	defer receiver.Close()
	i, secret := notifying(t, receiver.URL)
	i.Post(apptest.Course{}.Bundle())
	header := <-came
	run := func(signature string) string {
		shell := exec.Command("bash", "-euo", "pipefail", "-c", example(t, "sh"))
		shell.Dir = folder
		shell.Env = []string{
			"PATH=" + os.Getenv("PATH"), "WEBHOOK_SECRET=" + secret, "WEBHOOK_ID=" + header.Get("webhook-id"),
			"WEBHOOK_TIMESTAMP=" + header.Get("webhook-timestamp"), "WEBHOOK_SIGNATURE=" + signature,
		}
		out, err := shell.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	signature := header.Get("webhook-signature")
	require.Equal(t, "verified", run(signature))
	require.Equal(t, "verified", run("v1,other "+signature), "one of several")
	require.Equal(t, "not from the registry", run("v1,other"))
	header.Set("webhook-timestamp", "a[$(touch run)]")
	require.Equal(t, "not from the registry", run(signature))
	require.NoFileExists(t, filepath.Join(folder, "run"), "a header is never run")
	header.Set("webhook-timestamp", "1")
	require.Equal(t, "not from the registry", run(signature), "an old one")
}
