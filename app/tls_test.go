package app_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/ops"
	"birthregistry/assets"
)

// authority signs certificates for tests.
type authority struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return authority{t, key, cert}
}

// issue writes a certificate for 127.0.0.1 with a serial number, and its key.
func (a authority) issue(serial int64, certFile, keyFile string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	require.NoError(a.t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(a.t, err)
	require.NoError(a.t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(a.t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
}

// serial returns the serial number of the service's certificate.
func (a authority) serial(address string) int64 {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	conn, err := tls.Dial("tcp", address, &tls.Config{RootCAs: pool})
	require.NoError(a.t, err)
	defer conn.Close() //nolint:errcheck // nothing was written
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

func TestOwnCertificatesAreReadAgainWhenTheyChange(t *testing.T) {
	t.Parallel()
	a, folder := newAuthority(t), t.TempDir()
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	a.issue(7, cert, key)
	i := apptest.Start(t, func(c *app.Config) { c.TLS.Cert, c.TLS.Key = cert, key })
	address := strings.TrimPrefix(i.URL, "http://")
	require.EqualValues(t, 7, a.serial(address))

	require.NoError(t, os.WriteFile(cert, []byte("half a renewal"), 0o600))
	require.EqualValues(t, 7, a.serial(address), "the old one stays while the new one cannot be used")
	a.issue(8, cert, key)
	require.EqualValues(t, 8, a.serial(address))

	// ACME clients leave files this way: the key is older than its certificate, and a client
	// connects before both are in place.
	newCert, newKey := filepath.Join(folder, "new-cert.pem"), filepath.Join(folder, "new-key.pem")
	a.issue(9, newCert, newKey)
	require.NoError(t, os.Chtimes(newKey, time.Time{}, time.Now().Add(-time.Hour)))
	require.NoError(t, os.Rename(newCert, cert))
	require.EqualValues(t, 8, a.serial(address))
	require.NoError(t, os.Rename(newKey, key))
	require.EqualValues(t, 9, a.serial(address))

	_, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11})
	require.Error(t, err, "nothing older than TLS 1.2")
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
	answer, err := client.Get("https://" + address + "/health/json")
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, 200, answer.StatusCode)
	require.Equal(t, "HTTP/2.0", answer.Proto)
	client.CloseIdleConnections()
}

func TestServeRefusesPlainHTTPThatWouldLeaveThisMachine(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{
		{"--listen", "0.0.0.0:0"},
		{"--listen", ":0"},
		{"--listen", "[::]:0", "--base-url", "https://registry.example.org"},
		{"--listen", "0.0.0.0:0", "--trusted-proxies", "10.0.0.1/32"},
	} {
		db := filepath.Join(t.TempDir(), "registry.db")
		cmd := exec.Command(apptest.Binary(t), append([]string{"serve", "--db", db}, flags...)...)
		output, err := cmd.CombinedOutput()
		require.Error(t, err, "%v", flags)
		require.Equal(t, 2, cmd.ProcessState.ExitCode(), "%s", output)
		require.Contains(t, string(output), "plain HTTP would leave this machine")
		require.NoFileExists(t, db)
	}
}

func TestMetricsHaveTheirOwnListenerAndContainNoSubmittedValue(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	i := apptest.Start(t, func(c *app.Config) {
		c.Metrics = listener
		c.Backups = ops.Schedule{Folder: t.TempDir(), Every: time.Hour, Keep: 1}
	})
	i.Push(apptest.Course{Chart: "CHART-Quokka"}.Bundle())
	i.Do("GET", "/registry/records/CHART-Quokka", "")
	i.Do("GET", "/no/such/Okonkwo", "")
	var text string
	read := func() string {
		answer, err := http.Get("http://" + listener.Addr().String() + "/metrics")
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return string(body)
	}
	for _, line := range []string{
		`registry_http_requests_total{method="POST",route="/api/registry/fhir/Bundle",status="202"} 1`,
		`registry_http_requests_total{method="GET",route="none",status="404"} 1`,
		"registry_database_writable 1", "registry_feed_waiting_practices 0", "registry_panics_total 0",
		`registry_build_info{version=`, "registry_database_bytes ", "registry_disk_free_bytes ", "go_goroutines ",
	} { // a request is counted only after its answer, and a feed ends only after its last receipt
		require.Eventually(t, func() bool {
			text = read()
			return strings.Contains(text, line)
		}, patience, 50*time.Millisecond, line)
	}
	require.NotContains(t, text, "Quokka")
	require.NotContains(t, text, "Okonkwo")
	page, err := assets.Guides.ReadFile("guides/operate.md")
	require.NoError(t, err)
	alarms := regexp.MustCompile(`registry_[a-z_]+`).FindAllString(string(page), -1)
	require.Greater(t, len(alarms), 5)
	for _, name := range alarms {
		require.Regexp(t, "(?m)^"+name+"[ {]", text, "an alarm on it would never be heard")
	}
	there := i.Do("GET", "/metrics", "")
	require.Equal(t, 404, there.StatusCode, "callers do not see them")
}
