package smart

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// SSRF-3.
func TestSSRF_3_PrivateAddressesAreNotReachable(t *testing.T) {
	o := newOutbound(Settings{}, nil)
	for _, good := range []string{"8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"} {
		require.True(t, o.reachable(netip.MustParseAddr(good)), good)
	}
	for name, bad := range map[string][]string{
		"loopback":            {"127.0.0.1", "127.9.9.9", "::1"},
		"private":             {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fd00::1", "fc00::1"},
		"link-local":          {"169.254.169.254", "fe80::1", "fe80::1%eth0"},
		"CGNAT":               {"100.64.0.1", "100.127.255.255"},
		"IPv4-mapped":         {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:100.64.0.1"},
		"IPv4 inside IPv6":    {"::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:1::1"},
		"multicast":           {"224.0.0.1", "239.1.1.1", "ff02::1"},
		"nobody's":            {"0.0.0.0", "::", "0.1.2.3", "255.255.255.255", "240.0.0.1"},
		"benchmarks and docs": {"198.18.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"},
	} {
		for _, text := range bad {
			require.False(t, o.reachable(netip.MustParseAddr(text)), "%s: %s", name, text)
		}
	}
	require.False(t, o.reachable(netip.Addr{}))
}

func TestSSRF_3_TheOperatorOpensAPrivateNetworkButNeverLinkLocal(t *testing.T) {
	o := newOutbound(Settings{Networks: []netip.Prefix{
		netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("127.0.0.0/8"),
	}}, nil)
	require.True(t, o.reachable(netip.MustParseAddr("10.1.2.3")))
	require.True(t, o.reachable(netip.MustParseAddr("::ffff:10.1.2.3")))
	for _, bad := range []string{"10.2.0.1", "169.254.169.254", "127.0.0.1", "192.168.0.1"} {
		require.False(t, o.reachable(netip.MustParseAddr(bad)), bad)
	}
}

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
