package smart

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// SSRF-3: the name passes every check of the address; only the dialer sees where it leads.
func TestSSRF_3_ANameThatResolvesToLoopbackIsNotDialed(t *testing.T) {
	var calls atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer server.Close()
	address := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	o := newOutbound(Settings{}, []string{hostOf(t, address)})
	trust(o, server)
	_, _, err := fetch(o, address)
	require.ErrorIs(t, err, errForbiddenAddress)
	require.ErrorIs(t, err, ErrUpstream)
	require.Zero(t, calls.Load())

	_, err = o.client(1000).Post(address, "", strings.NewReader("code=1")) // the token exchange
	require.ErrorIs(t, failure(err), errForbiddenAddress)
	require.Zero(t, calls.Load())
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	var calls atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer proxy.Close()
	t.Setenv("HTTPS_PROXY", proxy.URL)
	t.Setenv("HTTP_PROXY", proxy.URL)
	require.Nil(t, newOutbound(local, nil).transport.Proxy)
	o := newOutbound(local, []string{"ehr.invalid"})
	_, _, err := fetch(o, "https://ehr.invalid/fhir")
	require.Error(t, err) // the name, or the resolver, may not exist
	require.Zero(t, calls.Load())
}

func TestACertificateThatCannotBeVerifiedIsRefused(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	o := newOutbound(local, []string{hostOf(t, server.URL)})
	_, _, err := fetch(o, server.URL)
	require.ErrorIs(t, err, errCertificate)
	trust(o, server)
	_, _, err = fetch(o, server.URL)
	require.NoError(t, err)
}

func TestTLSBefore12IsRefused(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	o := newOutbound(local, []string{hostOf(t, server.URL)})
	trust(o, server)
	_, _, err := fetch(o, server.URL)
	require.ErrorIs(t, err, ErrUpstream)
}

// trust makes o trust the certificate of a test server.
func trust(o *outbound, server *httptest.Server) {
	o.transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	o.transport.TLSClientConfig.RootCAs.AddCert(server.Certificate())
}
