package web

import (
	"crypto/tls"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func trustedNetworks(t *testing.T, proxies ...string) (all []*net.IPNet) {
	t.Helper()
	for _, cidr := range proxies {
		_, network, err := net.ParseCIDR(cidr)
		require.NoError(t, err)
		all = append(all, network)
	}
	return all
}

// secureInstallation returns an installation that is reached under https.
func secureInstallation(t *testing.T, proxies ...string) installation {
	t.Helper()
	settings := Defaults()
	settings.TrustedProxies = trustedNetworks(t, proxies...)
	old := newInstallation(t, Defaults())
	settings.BaseURL = "https://registry.example"
	old.Server = old.start(settings)
	return old
}

func TestNothingIsAnsweredUnencryptedOutsideThisMachine(t *testing.T) {
	s := secureInstallation(t, "10.1.0.0/16")
	for _, c := range []struct {
		name, from, proto string
		tls, clear        bool
	}{
		{name: "TLS", from: "203.0.113.9:1", tls: true},
		{name: "this machine", from: "127.0.0.1:1"},
		{name: "this machine, IPv6", from: "[::1]:1"},
		{name: "a stranger", from: "203.0.113.9:1", clear: true},
		{name: "a stranger who claims to be a proxy", from: "203.0.113.9:1", proto: "https", clear: true},
		{name: "a proxy that ends TLS", from: "10.1.2.3:1", proto: "https"},
		{name: "a proxy that says nothing", from: "10.1.2.3:1"},
		{name: "a proxy that was reached in the clear", from: "10.1.2.3:1", proto: "http", clear: true},
		{name: "the nearest proxy's word counts", from: "10.1.2.3:1", proto: "https, http", clear: true},
	} {
		r := httptest.NewRequest("POST", "/api/registry/fhir/Bundle", nil)
		page := httptest.NewRequest("GET", "/sign-in?x=1", nil)
		r.RemoteAddr, page.RemoteAddr = c.from, c.from
		if c.tls {
			r.TLS, page.TLS = &tls.ConnectionState{}, &tls.ConnectionState{}
		}
		if c.proto != "" {
			r.Header.Set("X-Forwarded-Proto", c.proto)
			page.Header.Set("X-Forwarded-Proto", c.proto)
		}
		api, html := s.serve(r), s.serve(page)
		if !c.clear {
			require.Equal(t, 401, api.Code, c.name)
			require.Equal(t, 200, html.Code, c.name)
			continue
		}
		require.Equal(t, 403, api.Code, c.name)
		require.Contains(t, api.Body.String(), `"in-the-clear"`, c.name)
		require.Equal(t, "application/fhir+json", api.Header().Get("Content-Type"), c.name)
		require.Equal(t, 308, html.Code, c.name)
		require.Equal(t, "https://registry.example/sign-in?x=1", html.Header().Get("Location"), c.name)
	}
	form := httptest.NewRequest("POST", "/sign-in", nil)
	require.Equal(t, 403, s.serve(form).Code, "what was sent is not sent again by itself")
}
