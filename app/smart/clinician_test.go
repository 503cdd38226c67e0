package smart

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/mapping/uscore"
	"birthregistry/store"
)

// identityScopes are those with which an EHR also states who launched.
const identityScopes = "openid fhirUser launch patient/Patient.r patient/Observation.rs user/Practitioner.r"

// identityEHR is an EHR that states who launched.
type identityEHR struct {
	*installation
	*ehr
	key *ecdsa.PrivateKey
	// The header and claims of its id_tokens; nonce is that of the launch unless a test sets it.
	kid    string
	claims map[string]any
}

func newIdentityEHR(t *testing.T, change ...func(*store.EHR)) *identityEHR {
	t.Helper()
	r, e := ready(t, append([]func(*store.EHR){func(e *store.EHR) { e.Scopes = identityScopes }}, change...)...)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	i := &identityEHR{installation: r, ehr: e, key: key, kid: "k-1"}
	e.says(wellKnown, `{"issuer": "https://login.example.org", "authorization_endpoint": "authorize", "token_endpoint": "/token", "jwks_uri": "/jwks"}`)
	i.publish(jose.JSONWebKey{Key: key.Public(), KeyID: "k-1", Use: "sig", Algorithm: "ES256"})
	e.says("/fhir/Practitioner/dr-7", `{"resourceType": "Practitioner", "id": "dr-7", "name": [{"family": "Rivers", "given": ["Jane"], "suffix": ["CNM"]}]}`)
	i.claims = map[string]any{
		"iss": "https://login.example.org", "aud": "our-client", "sub": "7", "fhirUser": e.base() + "/Practitioner/dr-7",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute * 5).Unix(),
	}
	return i
}

func (i *identityEHR) publish(keys ...jose.JSONWebKey) {
	doc, err := json.Marshal(map[string]any{"keys": keys})
	require.NoError(i.installation.t, err)
	i.says("/jwks", string(doc))
}

// sign makes an id_token.
func (i *identityEHR) sign(key jose.SigningKey, claims map[string]any) string {
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithHeader("kid", i.kid))
	require.NoError(i.installation.t, err)
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	require.NoError(i.installation.t, err)
	return token
}

// offered launches and returns the hints about the first person present. change alters the
// id_token's claims or the token itself.
func (i *identityEHR) offered(change func(claims map[string]any) (token string)) []uscore.Hint {
	t := i.installation.t
	t.Helper()
	to, err := i.launch(i.base())
	require.NoError(t, err)
	claims := maps.Clone(i.claims)
	claims["nonce"] = to.Query().Get("nonce")
	token := ""
	if change != nil {
		token = change(claims)
	}
	if token == "" {
		token = i.sign(jose.SigningKey{Algorithm: jose.ES256, Key: i.key}, claims)
	}
	i.says("/token", `{"access_token": "secret-token", "token_type": "Bearer", "patient": "p-1", "id_token": "`+token+`"}`)
	handle, err := i.back(to.Query().Get("state"))
	require.NoError(t, err, "a launch never fails because of it")
	p, err := i.Prefill(t.(*testing.T).Context(), handle, i.who)
	require.NoError(t, err)
	filled := p.Reading.As[uscore.Mother]
	require.Empty(t, filled.Draft.Providers, "nothing is filled in")
	require.NotContains(t, i.log.String(), "Rivers")
	require.NotContains(t, i.log.String(), "dr-7")
	return filled.Hints
}

func TestTheClinicianWhoLaunchedIsOfferedAsAttendantAndNeverFilledIn(t *testing.T) {
	i := newIdentityEHR(t)
	for name, user := range map[string]string{"absolute": i.base() + "/Practitioner/dr-7", "relative": "Practitioner/dr-7"} {
		hints := i.offered(func(claims map[string]any) string { claims["fhirUser"] = user; return "" })
		require.Len(t, hints, 1, name)
		require.Equal(t, "person.0.name", hints[0].At.String())
		require.Equal(t, "Jane Rivers", hints[0].Value.Text)
		require.Contains(t, hints[0].Text, "Jane Rivers, CNM: launched the registry")
	}
	i.says("/fhir/PractitionerRole/r-1", `{"resourceType": "PractitionerRole", "id": "r-1", "practitioner": {"reference": "Practitioner/dr-7"}}`)
	require.Len(t, i.offered(func(c map[string]any) string { c["fhirUser"] = "PractitionerRole/r-1"; return "" }), 1, "of a role")
	require.Len(t, i.offered(func(c map[string]any) string {
		c["aud"] = []string{"our-client", "x"}
		c["azp"] = "our-client"
		return ""
	}), 1)
	own, err := json.Marshal(jose.JSONWebKey{Key: i.key.Public(), KeyID: "k-1", Use: "sig", Algorithm: "ES256"})
	require.NoError(t, err)
	i.says("/jwks", `{"keys": [{"kty": "future"}, {"kty": "OKP", "crv": "X25519", "kid": "enc", "x": "AAAA"}, 7, `+string(own)+`]}`)
	require.Len(t, i.offered(nil), 1, "keys of an unknown kind are ignored (RFC 7517 §5)")
	for _, a := range i.all() {
		if strings.HasPrefix(a.path, "/fhir/Practitioner/") {
			require.Equal(t, "Bearer secret-token", a.header.Get("Authorization"))
		}
		if a.path == "/jwks" {
			require.Empty(t, a.header.Get("Authorization"))
		}
	}
}

func TestAnIDTokenThatCannotBeVerifiedOffersNobodyAndReadsNoPractitioner(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	i := newIdentityEHR(t)
	set := func(name string, value any) func(map[string]any) string {
		return func(c map[string]any) string {
			if c[name] = value; value == nil {
				delete(c, name)
			}
			return ""
		}
	}
	for name, change := range map[string]func(map[string]any) string{
		"another issuer":    set("iss", "https://login.example.org.evil.example"),
		"no issuer":         set("iss", nil),
		"another audience":  set("aud", "other-client"),
		"several audiences": set("aud", []string{"our-client", "other-client"}),
		"another party":     set("azp", "other-client"),
		"expired":           set("exp", time.Now().Add(-2*time.Minute).Unix()),
		"without an end":    set("exp", nil),
		"not valid yet":     set("nbf", time.Now().Add(time.Hour).Unix()),
		"of the future":     set("iat", time.Now().Add(time.Hour).Unix()),
		"another nonce":     set("nonce", "another"),
		"no nonce":          set("nonce", nil),
		"another key":       func(c map[string]any) string { return i.sign(jose.SigningKey{Algorithm: jose.ES256, Key: other}, c) },
		"signed by a secret": func(c map[string]any) string {
			return i.sign(jose.SigningKey{Algorithm: jose.HS256, Key: []byte("our-client-our-client-our-client")}, c)
		},
		"unsigned": func(map[string]any) string { return "eyJhbGciOiJub25lIn0.e30." },
		"no token": func(map[string]any) string { return "nonsense" },
	} {
		require.Empty(t, i.offered(change), name)
	}
	i.kid = "unknown"
	require.Empty(t, i.offered(nil), "an unknown key")
	i.kid = "k-1"
	i.publish()
	require.Empty(t, i.offered(nil), "no keys")
	i.answer("/jwks", http.StatusFound, "text/html", "")
	require.Empty(t, i.offered(nil), "a redirect")
	i.says("/jwks", strings.Repeat(" ", maxKeySet+1))
	require.Empty(t, i.offered(nil), "a huge set of keys")
	for _, path := range i.paths() {
		require.NotContains(t, path, "Practitioner")
	}
	require.Contains(t, i.log.String(), "is not offered as attendant")
}

func TestAFHIRUserThatIsNoPractitionerAtTheEHROffersNobody(t *testing.T) {
	i := newIdentityEHR(t)
	named := func(user any) func(map[string]any) string {
		return func(c map[string]any) string { c["fhirUser"] = user; return "" }
	}
	for name, user := range map[string]any{
		"a patient": "Patient/p-1", "another server": "https://evil.example/fhir/Practitioner/dr-7", "a look-alike": i.base() + ".evil.example/Practitioner/dr-7",
		"a path": "Practitioner/../Patient", "a version": "Practitioner/dr-7/_history/1", "a query": "Practitioner/dr-7?x=y",
		"nothing": nil, "a number": 7, "a relative": "RelatedPerson/7", "a contained one": "#dr-7", "no id": "Practitioner/",
	} {
		require.Empty(t, i.offered(named(user)), name)
	}
	for _, path := range i.paths() {
		require.NotContains(t, path, "Practitioner", "nothing is read for them")
	}
	const about = "/fhir/Practitioner/dr-7"
	for name, doc := range map[string]string{
		"somebody else":     `{"resourceType": "Practitioner", "id": "dr-8", "name": [{"family": "Rivers"}]}`,
		"another type":      `{"resourceType": "Person", "id": "dr-7", "name": [{"family": "Rivers"}]}`,
		"no name":           `{"resourceType": "Practitioner", "id": "dr-7"}`,
		"several names":     `{"resourceType": "Practitioner", "id": "dr-7", "name": [{"family": "Rivers"}, {"family": "Lakes"}]}`,
		"a former name":     `{"resourceType": "Practitioner", "id": "dr-7", "name": [{"family": "Rivers", "use": "old"}]}`,
		"a placeholder":     `{"resourceType": "Practitioner", "id": "dr-7", "name": [{"family": "Provider", "given": ["Generic"]}]}`,
		"no FHIR":           `[]`,
		"a huge body":       `{"resourceType": "Practitioner", "id": "dr-7", "name": [{"family": "Rivers"}]}` + strings.Repeat(" ", maxClinician),
		"deep":              strings.Repeat(`{"a":`, 20_000),
		"a repeated member": `{"resourceType": "Practitioner", "id": "dr-7", "id": "dr-7", "name": [{"family": "Rivers"}]}`,
	} {
		i.says(about, doc)
		require.Empty(t, i.offered(nil), name)
	}
	for _, status := range []int{http.StatusFound, http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError} {
		i.answer(about, status, "application/fhir+json", `{"resourceType": "Practitioner", "id": "dr-7", "name": [{"family": "Rivers"}]}`)
		require.Empty(t, i.offered(nil), status)
	}
	i.says("/fhir/PractitionerRole/r-1", `{"resourceType": "PractitionerRole", "id": "r-1", "practitioner": {"reference": "https://evil.example/Practitioner/1"}}`)
	require.Empty(t, i.offered(named("PractitionerRole/r-1")))
}

func TestWithoutTheScopeNobodyIsIdentified(t *testing.T) {
	i := newIdentityEHR(t, func(e *store.EHR) { e.Scopes = "" })
	to, err := i.launch(i.base())
	require.NoError(t, err)
	require.False(t, to.Query().Has("nonce"))
	require.Empty(t, i.offered(nil))
	require.NotContains(t, i.paths(), "/jwks")
}
