package smart

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

func TestAnEntryIsListedInItsNormalForm(t *testing.T) {
	r := opened(t)
	e, replaced, err := r.List(Listing{EHR: store.EHR{
		Issuer: "HTTPS://EHR.example.org:443/fhir/", ClientID: "x", Auth: store.AuthPublic, Hosts: []string{"Login.Example.org", "10.1.1.1:8443", "[::1]:9"},
		Frames: []string{"https://EHR.example.org/"}, Scopes: "launch  patient/Patient.r",
	}})
	require.NoError(t, err)
	require.False(t, replaced)
	require.Equal(t, "https://ehr.example.org/fhir", e.Issuer)
	require.Equal(t, "ehr.example.org", e.Label)
	found, err := r.Find(t.Context(), "https://ehr.example.org/fhir/")
	require.NoError(t, err)
	require.Equal(t, []string{"login.example.org", "10.1.1.1:8443", "[::1]:9"}, found.Hosts)
	require.Equal(t, []string{"https://ehr.example.org"}, found.Frames)
	require.Equal(t, "launch patient/Patient.r", found.Scopes)
	_, replaced, err = r.List(Listing{EHR: store.EHR{Issuer: "https://ehr.example.org/fhir", Auth: store.AuthPublic}})
	require.NoError(t, err)
	require.True(t, replaced)
	all, err := r.Listed(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	other, err := r.Find(t.Context(), "https://other.example.org/fhir/")
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Equal(t, "https://other.example.org/fhir", other.Issuer)
}

func TestAnEHREntryThatCannotWorkIsRefused(t *testing.T) {
	for name, change := range map[string]func(*Listing){
		"a client id with a space":          func(l *Listing) { l.ClientID = "a b" },
		"a client id out of ASCII":          func(l *Listing) { l.ClientID = "ä" },
		"a secret that is not URL-safe":     func(l *Listing) { l.Auth, l.ClientSecret = store.AuthSecret, "s3cr+t/x" },
		"an empty secret":                   func(l *Listing) { l.Auth = store.AuthSecret },
		"a secret without a client id":      func(l *Listing) { l.Auth, l.ClientSecret, l.ClientID = store.AuthSecret, "x", "" },
		"a secret next to an odd client id": func(l *Listing) { l.Auth, l.ClientSecret, l.ClientID = store.AuthSecret, "x", "a:b" },
		"a host with a scheme":              func(l *Listing) { l.Hosts = []string{"https://h.org"} },
		"a host with a path":                func(l *Listing) { l.Hosts = []string{"h.org/x"} },
		"a host with a user":                func(l *Listing) { l.Hosts = []string{"a@h.org"} },
		"a host with a wildcard":            func(l *Listing) { l.Hosts = []string{"*.h.org"} },
		"an empty host":                     func(l *Listing) { l.Hosts = []string{""} },
		"a frame with a path":               func(l *Listing) { l.Frames = []string{"https://h.org/x"} },
		"a frame with a wildcard":           func(l *Listing) { l.Frames = []string{"https://*"} },
		"a frame that says more":            func(l *Listing) { l.Frames = []string{"https://h.org; script-src *"} },
		"scopes without launch":             func(l *Listing) { l.Scopes = "patient/Patient.r" },
		"a scope to write":                  func(l *Listing) { l.Scopes = "launch patient/Patient.cruds" },
		"a wildcard scope":                  func(l *Listing) { l.Scopes = "launch patient/*.rs" },
		"a refresh token":                   func(l *Listing) { l.Scopes = "launch offline_access" },
		"an aud that is no address":         func(l *Listing) { l.Aud = "x" },
	} {
		r := opened(t)
		l := Listing{EHR: store.EHR{Issuer: "https://ehr.example.org/fhir", ClientID: "x", Auth: store.AuthPublic}}
		change(&l)
		_, _, err := r.List(l)
		require.ErrorIs(t, err, ErrBadEntry, name)
		all, err := r.Listed(t.Context())
		require.NoError(t, err)
		require.Empty(t, all, name)
	}
	r := opened(t)
	_, _, err := r.List(Listing{EHR: store.EHR{Issuer: "http://ehr.example.org/fhir", Auth: store.AuthPublic}})
	require.ErrorIs(t, err, ErrBadIssuer)
	_, _, err = r.List(Listing{EHR: store.EHR{Issuer: "https://ehr.example.org/fhir", Auth: store.AuthPublic, Practice: 99}})
	require.ErrorIs(t, err, store.ErrNotFound)
}
