package sso

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheNameOfAProviderBecomesPartOfItsAddress(t *testing.T) {
	for name, slug := range map[string]string{
		"Clinic Google": "clinic-google", "  Entra ID (2) ": "entra-id-2", "Übersee": "bersee", "…": "", "a/../b": "a-b",
	} {
		require.Equal(t, slug, Slug(name), name)
	}
}

func TestAnIssuerIsAnAddressWithTLS(t *testing.T) {
	for _, good := range []string{"https://accounts.google.com", "https://example.auth0.com/", "https://login.example.org/tenant/v2.0", "http://127.0.0.1:8080", "http://localhost/realms/x"} {
		require.True(t, isIssuer(good), good)
	}
	for _, bad := range []string{"", "accounts.google.com", "http://accounts.google.com", "https://", "https://a@b.org", "https://b.org?x=1", "https://b.org#x", "https://b.org/\n", "ftp://b.org", "https:b.org", "https://b.org/%2e"} {
		require.False(t, isIssuer(bad), bad)
	}
}

func TestOnlyABooleanVerifiesAnAddress(t *testing.T) {
	require.Equal(t, "olive@example.org", (&claims{"s", "Olive@Example.org", true}).address(nil))
	for _, verified := range []any{nil, false, "true", "1", 1.0, []any{true}} {
		require.Empty(t, (&claims{"s", "olive@example.org", verified}).address(nil), verified)
	}
	for _, email := range []any{nil, "", "olive", 7.0, []any{"olive@example.org"}, "a@b@example.org"} {
		require.Empty(t, (&claims{"s", email, true}).address(nil), email)
	}
}

// Folding other letters would make one address of two: the Kelvin sign folds to k.
func TestAnAddressIsFoldedInASCIIOnly(t *testing.T) {
	require.Equal(t, "kim@klinik-süd.example", (&claims{"s", "Kim@KLINIK-süd.example", true}).address(nil))
	for _, email := range []string{
		"Kim@\u212alinic.example", "\u212aim@clinic.example", "kim@KLINIK-SÜD.example", " kim@clinic.example", "kim@clinic.example\n",
		"kim\x00@clinic.example", "kim\u200b@clinic.example", "kim\xff@clinic.example",
	} {
		require.Empty(t, (&claims{"s", email, true}).address(nil), "%q", email)
		require.Empty(t, (&claims{"s", email, true}).address([]string{"klinic.example", "clinic.example"}), "%q", email)
	}
}

func TestAProviderVouchesForItsDomainsOnly(t *testing.T) {
	c := claims{"s", "olive@Example.org", true}
	require.Equal(t, "olive@example.org", c.address([]string{"other.example", "example.org"}))
	for _, domains := range [][]string{{"xample.org"}, {"sub.example.org"}, {"org"}} {
		require.Empty(t, c.address(domains), domains)
	}
}
