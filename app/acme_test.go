package app_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// freePort returns the port of a free address.
func freePort(t *testing.T) int {
	_, port, err := net.SplitHostPort(freeAddress(t))
	require.NoError(t, err)
	n, err := strconv.Atoi(port)
	require.NoError(t, err)
	return n
}

// begin starts a program that runs until it is stopped.
func begin(t *testing.T, env []string, program string, args ...string) (stop func()) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	require.NoError(t, cmd.Start())
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Logf("%s: %s", filepath.Base(program), output.String())
		}
	})
	return stop
}

// acme is Pebble, Let's Encrypt's small test ACME server, with its own name server: every name
// resolves to 127.0.0.1.
type acme struct {
	t                *testing.T
	folder           string
	api, manage, tls int
	stop             func()
}

func newACME(t *testing.T, programs string) acme {
	a := acme{t: t, folder: t.TempDir(), api: freePort(t), manage: freePort(t), tls: freePort(t)}
	cert, key := filepath.Join(a.folder, "cert.pem"), filepath.Join(a.folder, "key.pem")
	ca := newAuthority(t)
	ca.issue(1, cert, key)
	require.NoError(t, os.WriteFile(a.trust(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.cert.Raw}), 0o600))
	config := filepath.Join(a.folder, "pebble.json")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `{"pebble": {
		"listenAddress": "127.0.0.1:%d", "managementListenAddress": "127.0.0.1:%d",
		"certificate": %q, "privateKey": %q, "httpPort": 1, "tlsPort": %d, "ocspResponderURL": "",
		"externalAccountBindingRequired": false}}`, a.api, a.manage, cert, key, a.tls), 0o600))
	dns := freePort(t)
	begin(t, nil, filepath.Join(programs, "pebble-challtestsrv"), "-dnsserver", fmt.Sprintf("127.0.0.1:%d", dns),
		"-management", fmt.Sprintf("127.0.0.1:%d", freePort(t)), "-defaultIPv6", "", "-defaultIPv4", "127.0.0.1",
		"-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "")
	require.Eventually(t, func() bool { // otherwise the first order fails, and the service waits a minute to try again
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", dns))
		return err == nil && conn.Close() == nil
	}, patience, 10*time.Millisecond, "the name server does not start")
	a.stop = begin(t, []string{"PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=20"}, filepath.Join(programs, "pebble"),
		"-config", config, "-dnsserver", fmt.Sprintf("127.0.0.1:%d", dns))
	return a
}

// trust returns the file with the certificate that the authority's own address uses.
func (a acme) trust() string { return filepath.Join(a.folder, "trust.pem") }

// root returns the root of the certificates that the authority issues.
func (a acme) root() *x509.CertPool {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	pool := x509.NewCertPool()
	require.Eventually(a.t, func() bool {
		answer, err := client.Get(fmt.Sprintf("https://127.0.0.1:%d/roots/0", a.manage))
		if err != nil {
			return false
		}
		defer answer.Body.Close() //nolint:errcheck // read only
		text, err := io.ReadAll(answer.Body)
		return err == nil && pool.AppendCertsFromPEM(text)
	}, patience, 50*time.Millisecond)
	return pool
}

func TestACertificateIsObtainedByNameAndKeptSealedInTheDatabase(t *testing.T) {
	longtest.Only(t, "a certificate from an ACME authority")
	programs := os.Getenv("REGISTRY_PEBBLE")
	if programs == "" {
		longtest.Needs(t, "Pebble", errors.New("set REGISTRY_PEBBLE to the folder of pebble and pebble-challtestsrv; .ci/run does"))
	}
	a := newACME(t, programs)
	root := a.root()
	db := filepath.Join(t.TempDir(), "registry.db")
	address := fmt.Sprintf("127.0.0.1:%d", a.tls)
	serve := func() (stop func()) {
		return begin(t, []string{"SSL_CERT_FILE=" + a.trust()}, apptest.Binary(t), "serve", "--db", db, "--listen", address,
			"--domain", "registry.test", "--acme-directory", fmt.Sprintf("https://127.0.0.1:%d/dir", a.api))
	}
	serial := func() (serial string) {
		require.Eventually(t, func() bool {
			conn, err := tls.Dial("tcp", address, &tls.Config{RootCAs: root, ServerName: "registry.test"})
			if err != nil {
				return false
			}
			defer conn.Close() //nolint:errcheck // nothing was written
			serial = conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
			return true
		}, patience, 100*time.Millisecond)
		return serial
	}
	stop := serve()
	first := serial()
	_, err := tls.Dial("tcp", address, &tls.Config{RootCAs: root, ServerName: "other.test"})
	require.Error(t, err, "no other name is asked for")

	stop()
	a.stop()
	serve()
	require.Equal(t, first, serial(), "after a restart it is there without the authority")
	files, err := filepath.Glob(db + "*")
	require.NoError(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(content), "PRIVATE KEY", file)
		require.NotContains(t, string(content), "BEGIN CERTIFICATE", file)
	}
}
