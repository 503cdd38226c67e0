package smart

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

func TestOnlyTheHostsCaseThePortAndOneSlashOfAnIssuerAreNormalized(t *testing.T) {
	for raw, want := range map[string]string{
		"https://ehr.example.org/fhir":              "https://ehr.example.org/fhir",
		"HTTPS://EHR.Example.ORG/Fhir/R4/":          "https://ehr.example.org/Fhir/R4",
		"https://ehr.example.org:443/fhir":          "https://ehr.example.org/fhir",
		"https://ehr.example.org:8443/fhir":         "https://ehr.example.org:8443/fhir",
		"https://ehr.example.org":                   "https://ehr.example.org",
		"https://ehr.example.org/":                  "https://ehr.example.org",
		"https://10.1.2.3/fhir":                     "https://10.1.2.3/fhir",
		"https://[2001:DB8::1]:8443/fhir":           "https://[2001:db8::1]:8443/fhir",
		"http://127.0.0.1:80/fhir":                  "http://127.0.0.1/fhir",
		"http://localhost:8080/fhir":                "http://localhost:8080/fhir",
		"http://[::1]:8080/fhir":                    "http://[::1]:8080/fhir",
		"https://h.org/v1/a_b~c;x=1,y@z/$op!(a)*'+": "https://h.org/v1/a_b~c;x=1,y@z/$op!(a)*'+",
	} {
		got, err := NormalIssuer(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, got, raw)
	}
}

func TestAnIssuerThatCouldBeReadInTwoWaysIsRefused(t *testing.T) {
	for _, raw := range []string{
		"", "ehr.example.org/fhir", "/fhir", "//ehr.example.org/fhir", "https:", "https://", "https:///fhir", "https:ehr.example.org",
		"http://ehr.example.org/fhir", "ftp://ehr.example.org/fhir", "javascript:alert(1)", "file:///etc/passwd",
		"https://user@ehr.example.org/fhir", "https://user:pw@ehr.example.org/fhir", "https://ehr.example.org@evil.tld/fhir", "https://@ehr.example.org/fhir",
		"https://ehr.example.org/fhir?", "https://ehr.example.org/fhir?x=1", "https://ehr.example.org/fhir#", "https://ehr.example.org/fhir#x",
		"https://ehr.example.org/fhir/../other", "https://ehr.example.org/./fhir", "https://ehr.example.org/fhir/..", "https://ehr.example.org/.",
		"https://ehr.example.org//fhir", "https://ehr.example.org/fhir//", "https://ehr.example.org//",
		"https://ehr.example.org/fhir%2fother", "https://ehr.example.org/fhir%5cother", "https://ehr.example.org/%2e%2e/fhir",
		"https://ehr.example.org/fhir\\other", "https://ehr.example.org\\@evil.tld/fhir", "https:\\\\ehr.example.org/fhir",
		"https://ehr.example.org/fhir\n", "https://ehr.example.org/fhir\x00", " https://ehr.example.org/fhir", "https://ehr.example.org/fhir\t",
		"https://ehr.example.org/fh ir", "https://ehr.еxample.org/fhir", "https://ehr.example.org/fhír", "https://ehr.example.org/fhir\u200b",
		"https://ehr.example.org:/fhir", "https://ehr.example.org:0/fhir", "https://ehr.example.org:65536/fhir", "https://ehr.example.org:0443/fhir",
		"https://ehr.example.org:x/fhir", "https://-ehr.example.org/fhir", "https://ehr.example.org./fhir", "https://ehr_1.example.org/fhir", "https://[::1%25eth0]/fhir",
		"https://ehr.example.org/" + strings.Repeat("a", maxIssuer),
	} {
		_, err := NormalIssuer(raw)
		require.ErrorIs(t, err, ErrBadIssuer, raw)
		_, err = listed([]store.EHR{{Issuer: raw, ClientID: "x"}}, raw, true)
		require.ErrorIs(t, err, ErrMalformed, "not even when it stands on the list: %q", raw)
	}
}

func TestAnIssuerMustMatchAsAWhole(t *testing.T) {
	all := []store.EHR{
		{ID: 1, Issuer: "https://ehr.example.com/fhir", ClientID: "x"},
		{ID: 2, Issuer: "https://ehr.example.com:8443/fhir/Tenant", ClientID: "x"},
		{ID: 3, Issuer: "http://127.0.0.1:9/fhir", ClientID: "x"},
		{ID: 4, Issuer: "https://new.example.com/fhir"},
	}
	for iss, id := range map[string]int64{
		"https://ehr.example.com/fhir": 1, "https://EHR.example.com:443/fhir/": 1, "https://ehr.example.com:8443/fhir/Tenant": 2,
	} {
		e, err := listed(all, iss, false)
		require.NoError(t, err, iss)
		require.Equal(t, id, e.ID)
	}
	for _, iss := range []string{
		"https://ehr.example.com.evil.tld/fhir", "https://ehr.example.com", "https://ehr.example.com/fhir/x", "https://ehr.example.com/fhirx",
		"https://ehr.example.com/FHIR", "https://xehr.example.com/fhir", "https://example.com/fhir",
		"https://ehr.example.com:8443/fhir", "https://ehr.example.com:8443/fhir/tenant", "http://127.0.0.1:9/fhir", "https://evil.tld/ehr.example.com/fhir",
	} {
		e, err := listed(all, iss, false)
		require.ErrorIs(t, err, ErrUnlisted, iss)
		require.Zero(t, e)
	}
	_, err := listed(all, "http://127.0.0.1:9/fhir", true)
	require.NoError(t, err, "for development")
	_, err = listed(all, "https://new.example.com/fhir", false)
	require.ErrorIs(t, err, ErrNotConfigured, "listed, but not registered yet")
	_, err = listed(nil, "https://ehr.example.com/fhir", false)
	require.ErrorIs(t, err, ErrUnlisted, "an empty list trusts nothing")
}

// FuzzIssuer checks that, if an issuer matches an entry, every reader of addresses takes it
// for the address of that entry.
func FuzzIssuer(f *testing.F) {
	entry := store.EHR{ID: 1, Issuer: "https://ehr.example.com/fhir/R4", ClientID: "x"}
	for _, seed := range []string{
		entry.Issuer, entry.Issuer + "/", "HTTPS://EHR.example.com:443/fhir/R4", "https://ehr.example.com.evil.tld/fhir/R4",
		"https://ehr.example.com/fhir/../fhir/R4", "https://ehr.example.com@evil/fhir/R4", "https://ehr.example.com/fhir%2fR4",
		"https://ehr.example.com\\/fhir/R4", "https://ehr.example.com/fhir/R4#", "http://localhost/fhir", "https://[::1]/x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		normal, err := NormalIssuer(raw)
		if err != nil {
			require.Empty(t, normal)
			_, err := listed([]store.EHR{entry}, raw, true)
			require.ErrorIs(t, err, ErrMalformed)
			return
		}
		again, err := NormalIssuer(normal)
		require.NoError(t, err)
		require.Equal(t, normal, again, "the normal form is its own")
		u, err := url.Parse(normal)
		require.NoError(t, err)
		require.Nil(t, u.User)
		require.Empty(t, u.RawQuery+u.Fragment)
		require.Equal(t, normal, u.String())
		require.Equal(t, u.Host, issuerHost(normal))
		_, err = listed([]store.EHR{entry}, raw, true)
		shortened := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(raw), "https://"), "/")
		require.Equal(t, normal == entry.Issuer, err == nil)
		if err == nil {
			require.Contains(t, []string{"ehr.example.com/fhir/r4", "ehr.example.com:443/fhir/r4"}, shortened)
			require.Contains(t, raw, "/fhir/R4", "the path tells upper from lower case")
		}
	})
}
