package web

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// originSite returns an installation with a second name and a proxy in front.
func originSite(t *testing.T) installation {
	s := newInstallation(t, Defaults())
	settings := Defaults()
	settings.BaseURL, settings.Names = "http://registry.example", []string{"births.example"}
	settings.TrustedProxies = trustedNetworks(t, "10.1.0.0/16")
	s.Server = s.start(settings)
	return s
}

const proxied, stranger = "10.1.2.3:1", "203.0.113.9:1"

// The origins that browsers, proxies, programs and attackers send with a form.
var senders = []struct {
	name                       string
	host, origin, installation string
	from                       string
	taken                      bool
}{
	{"a browser", "registry.example", "http://registry.example", "same-origin", stranger, true},
	{"the person typed the address", "registry.example", "", "none", stranger, true},
	{"a browser without Sec-Fetch-Site", "registry.example", "http://registry.example", "", stranger, true},
	{"a page in a sandbox of the same site", "registry.example", "null", "same-origin", stranger, true},
	{"another port, as of a tunnel", "localhost:9000", "http://localhost:9000", "same-origin", stranger, true},
	{"its second name", "births.example", "https://births.example", "same-origin", stranger, true},
	{"its name in capitals with a dot", "Registry.Example.", "http://registry.example.", "same-origin", stranger, true},
	{"its address in numbers", "192.0.2.7:8443", "https://192.0.2.7:8443", "same-origin", stranger, true},
	{"its address in numbers, IPv6", "[2001:db8::1]", "https://[2001:db8::1]", "same-origin", stranger, true},
	{"a proxy that passes the Host on", "registry.example", "http://registry.example", "same-origin", proxied, true},
	{"a proxy that changes the Host", "registry-backend:8080", "http://registry.example", "same-origin", proxied, true},
	{"a proxy that changes the Host, an older browser", "registry-backend:8080", "http://registry.example", "", proxied, true},

	{"neither header", "registry.example", "", "", stranger, false},
	{"neither header, through a proxy", "registry.example", "", "", proxied, false},
	{"another site", "registry.example", "http://evil.example", "cross-site", stranger, false},
	{"another site, an older browser", "registry.example", "http://evil.example", "", stranger, false},
	{"a neighbor of the same site", "registry.example", "http://wiki.registry.example", "same-site", stranger, false},
	{"a sandbox of another site", "registry.example", "null", "cross-site", stranger, false},
	{"a sandbox, an older browser", "registry.example", "null", "", stranger, false},
	{"a name that leads here", "evil.example", "http://evil.example", "same-origin", stranger, false},
	{"a name that leads here, an older browser", "evil.example", "http://evil.example", "", stranger, false},
	{"a name that leads here, with no origin", "evil.example", "", "same-origin", stranger, false},
	{"a name that leads here, in a sandbox", "evil.example", "null", "same-origin", stranger, false},
	{"a name that leads to the proxy", "evil.example", "http://evil.example", "same-origin", proxied, false},
	{"a name that leads to a proxy that changes the Host", "127.0.0.1:8080", "http://evil.example", "same-origin", proxied, false},
	{"a name that leads to a proxy that is not named and changes the Host", "127.0.0.1:8080", "http://evil.example", "same-origin", stranger, false},
	{"a proxy that is not named and changes the Host", "registry-backend:8080", "http://registry.example", "same-origin", stranger, false},
	{"a proxy that changes the Host, and no origin", "registry-backend:8080", "", "same-origin", proxied, false},
	{"a name that only begins so", "registry.example.evil.example", "http://registry.example.evil.example", "same-origin", stranger, false},
	{"a name that only ends so", "localhost.evil.example", "http://localhost.evil.example", "same-origin", stranger, false},
	{"an origin that is none", "registry.example", "registry.example", "same-origin", stranger, false},
	{"no host", "", "http://registry.example", "same-origin", stranger, false},
}

func TestAUTH_12_AFormIsAcceptedOnlyFromTheServicesOwnPages(t *testing.T) {
	s := originSite(t)
	for _, c := range senders {
		for _, path := range []string{"/sign-in", "/sign-out", "/registry/capture", "/registry/import", "/account/password", "/invite"} {
			r := httptest.NewRequest("POST", path, nil)
			r.Host, r.RemoteAddr = c.host, c.from
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			if c.installation != "" {
				r.Header.Set("Sec-Fetch-Site", c.installation)
			}
			answer := s.serve(r)
			if c.taken {
				require.NotEqual(t, 403, answer.Code, "%s: %s\n%s", c.name, path, answer.Body)
				continue
			}
			require.Equal(t, 403, answer.Code, "%s: %s", c.name, path)
			require.Contains(t, answer.Body.String(), "Nothing was changed.", c.name)
			require.NotContains(t, answer.Body.String(), "evil", "what was sent is not said again")
		}
	}
}

// Programs have a key and no cookie; monitors use any host name and change nothing.
func TestWEB_4_TheAPIAndReadsNeedNeitherOriginNorHostName(t *testing.T) {
	s := originSite(t)
	for _, host := range []string{"registry.example", "10.2.3.4", "registry-backend:8080", "evil.example", ""} {
		push := httptest.NewRequest("POST", "/api/registry/fhir/Bundle", nil)
		push.Host = host
		push.Header.Set("Authorization", "Bearer "+s.key)
		answer := s.serve(push)
		require.Equal(t, 400, answer.Code, "an empty body, and no more to say of it")
		for _, path := range []string{"/health/live", "/health/json", "/openapi.json", "/docs", "/sign-in"} {
			r := httptest.NewRequest("GET", path, nil)
			r.Host = host
			require.Equal(t, 200, s.serve(r).Code, "%s under %s", path, host)
		}
	}
	refused := httptest.NewRequest("POST", "/sign-in", nil)
	refused.Host = "evil.example"
	refused.Header.Set("Origin", "http://evil.example")
	require.Contains(t, s.serve(refused).Body.String(), `href="http://registry.example/registry"`, "it says where to go")
}
