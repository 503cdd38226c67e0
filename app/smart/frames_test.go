package smart

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

func TestFrameOriginsAreTheOperatorsAndTheIssuersOfAnAdmittedLaunch(t *testing.T) {
	r := opened(t)
	r.list("https://a.example.org/fhir", func(e *store.EHR) { e.Frames = []string{"https://b.example.org", "https://portal.example.org"} })
	r.list("https://b.example.org:8443/fhir", func(e *store.EHR) { e.Frames = []string{"https://b.example.org"} })
	r.list("https://new.example.org/fhir", func(e *store.EHR) { e.ClientID = "" })
	named := []string{"https://b.example.org", "https://portal.example.org"}
	for _, c := range []struct {
		name  string
		query url.Values
		more  string
	}{
		{"a launch", url.Values{"iss": {"HTTPS://A.example.org/fhir/"}, "launch": {"x"}}, "https://a.example.org"},
		{"a launch of another EHR", url.Values{"iss": {"https://b.example.org:8443/fhir"}, "launch": {"x"}}, "https://b.example.org:8443"},
		{"a callback", nil, ""},
		{"a launch without a client id", url.Values{"iss": {"https://new.example.org/fhir"}, "launch": {"x"}}, ""},
		{"an unlisted issuer", url.Values{"iss": {"https://evil.example/fhir"}, "launch": {"x"}}, ""},
		{"a listed host, another path", url.Values{"iss": {"https://a.example.org/other"}, "launch": {"x"}}, ""},
		{"two issuers", url.Values{"iss": {"https://a.example.org/fhir", "https://evil.example"}, "launch": {"x"}}, ""},
		{"a policy in the issuer", url.Values{"iss": {"https://a.example.org/fhir;frame-ancestors *"}, "launch": {"x"}}, ""},
	} {
		origins, err := r.FrameOrigins(t.Context(), c.query)
		require.NoError(t, err, c.name)
		if c.more == "" {
			require.Equal(t, named, origins, c.name)
			continue
		}
		require.ElementsMatch(t, append([]string{c.more}, named...), origins, c.name)
	}
}
