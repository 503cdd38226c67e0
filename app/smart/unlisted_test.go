package smart

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"birthregistry/store"
)

func TestARefusedIssuerIsNamedByItsCodeAndTheNearestListedOne(t *testing.T) {
	r := opened(t)
	r.list("https://ehr.example.com/api/FHIR/R4")
	r.list("https://fhir.example.org/r4/tenant-7")
	refused := func(iss string) string {
		err := r.Admits(t.Context(), url.Values{"iss": {iss}, "launch": {"x"}})
		require.ErrorIs(t, err, ErrUnlisted)
		require.NotContains(t, err.Error(), iss)
		return err.Error()
	}
	slip := refused("https://ehr.example.com/api/fhir/R4")
	require.Contains(t, slip, "the nearest that is listed is https://ehr.example.com/api/FHIR/R4 (edit distance 4)")
	require.Contains(t, refused("https://fhir.example.org/r4/tenant-8/"), "https://fhir.example.org/r4/tenant-7 (edit distance 1)")
	require.Equal(t, slip, refused("HTTPS://EHR.example.com:443/api/fhir/R4/"), "one issuer has one code, however it is written")

	found := surveyed(t, r, store.EHR{Issuer: "https://ehr.example.com/api/fhir/R4"})
	_, rest, _ := strings.Cut(slip, "its code is ")
	code, _, _ := strings.Cut(rest, ";")
	require.Len(t, code, 16)
	require.Contains(t, found["listed"].Text, code, "so the operator can verify a guess")
	other := opened(t)
	require.NotEqual(t, code, other.issuerCode("https://ehr.example.com/api/fhir/R4"), "the code needs the installation's key")
}

func TestAnIssuerThatIsListedForDevelopmentOnlyIsRefusedByThatName(t *testing.T) {
	r := opened(t)
	r.settings.Loopback = false
	r.list("http://127.0.0.1:9/fhir")
	err := r.Admits(t.Context(), url.Values{"iss": {"http://127.0.0.1:9/fhir"}, "launch": {"x"}})
	require.ErrorIs(t, err, ErrUnlisted)
	require.Contains(t, err.Error(), "--ehr-loopback")
}

// slowEdits is the definition of the distance.
func slowEdits(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return slowEdits(a[1:], b[1:])
	}
	return 1 + min(slowEdits(a[1:], b), slowEdits(a, b[1:]), slowEdits(a[1:], b[1:]))
}

func TestEditsAreTheFewestChangesOrTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab/]{0,6}`)
		a, b, limit := text.Draw(t, "a"), text.Draw(t, "b"), rapid.IntRange(1, 8).Draw(t, "limit")
		want := slowEdits(a, b)
		if got := edits(a, b, limit); want < limit || got < limit {
			require.Equal(t, want, got)
		}
	})
}

func TestALongIssuerIsComparedInPart(t *testing.T) {
	long := "https://ehr.example.com/" + strings.Repeat("x", maxIssuer-30)
	require.Len(t, hostAndPath(long), maxCompared)
	nearest, apart := nearestIssuer([]store.EHR{{Issuer: "https://ehr.example.com/fhir"}}, long)
	require.Equal(t, "https://ehr.example.com/fhir", nearest)
	require.Less(t, apart, maxCompared)
}
