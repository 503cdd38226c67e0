package smart

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// exchangeOnce runs a launch through its callback and returns the one token request.
func exchangeOnce(t *testing.T, r *installation, e *ehr) asking {
	t.Helper()
	state := r.mustLaunch(e.base())
	_, err := r.back(state)
	require.NoError(t, err)
	require.Len(t, e.tokens(), 1)
	got := e.tokens()[0]
	require.Equal(t, "application/json", got.header.Get("Accept"))
	require.Equal(t, "authorization_code", got.form.Get("grant_type"))
	require.Equal(t, "the-code", got.form.Get("code"))
	require.Equal(t, "https://registry.example.org/smart/callback", got.form.Get("redirect_uri"))
	require.Len(t, got.form.Get("code_verifier"), 43)
	return got
}

func TestAPublicClientSendsItsIDInTheBody(t *testing.T) {
	r, e := ready(t)
	got := exchangeOnce(t, r, e)
	require.Equal(t, "our-client", got.form.Get("client_id"))
	require.Empty(t, got.header.Get("Authorization"))
	require.Len(t, got.form, 5)
}

func TestAClientWithASecretSendsItOnlyInTheHeader(t *testing.T) {
	r, e := opened(t), anEHR(t)
	e.says("/fhir/Patient/p-1", `{"resourceType": "Patient", "id": "p-1"}`)
	listed, _, err := r.List(Listing{
		EHR: store.EHR{Issuer: e.base(), ClientID: "our-client", Auth: store.AuthSecret}, ClientSecret: "s3cr~t._-",
	})
	require.NoError(t, err)
	require.NotContains(t, string(listed.Secret), "s3cr")
	got := exchangeOnce(t, r, e)
	require.Equal(t, "Basic "+base64.StdEncoding.EncodeToString([]byte("our-client:s3cr~t._-")), got.header.Get("Authorization"))
	require.False(t, got.form.Has("client_id"))
	require.False(t, got.form.Has("client_secret"))
	require.Len(t, got.form, 4)
}

// publicKey finds a key in the published set.
func (r *installation) publicKey(id string) jose.JSONWebKey {
	r.t.Helper()
	doc, err := r.KeySet(context.Background())
	require.NoError(r.t, err)
	var set jose.JSONWebKeySet
	require.NoError(r.t, json.Unmarshal(doc, &set))
	found := set.Key(id)
	require.Len(r.t, found, 1)
	require.True(r.t, found[0].IsPublic())
	return found[0]
}

func TestAClientWithAKeySignsAnAssertion(t *testing.T) {
	for stated, want := range map[string]jose.SignatureAlgorithm{
		`["RS384", "ES384"]`: jose.ES384, `["RS384"]`: jose.RS384, `[]`: jose.RS384,
	} {
		r, e := opened(t), anEHR(t)
		e.says("/fhir/Patient/p-1", `{"resourceType": "Patient", "id": "p-1"}`)
		e.says(wellKnown, `{"authorization_endpoint": "/a", "token_endpoint": "/token", "token_endpoint_auth_signing_alg_values_supported": `+stated+`}`)
		_, _, err := r.List(Listing{EHR: store.EHR{Issuer: e.base(), ClientID: "our-client", Auth: store.AuthKey}})
		require.NoError(t, err)
		got := exchangeOnce(t, r, e)
		require.Empty(t, got.header.Get("Authorization"))
		require.False(t, got.form.Has("client_id"))
		require.Len(t, got.form, 6)
		require.Equal(t, "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", got.form.Get("client_assertion_type"))
		signed, err := jose.ParseSignedCompact(got.form.Get("client_assertion"), []jose.SignatureAlgorithm{jose.RS384, jose.ES384})
		require.NoError(t, err)
		head := signed.Signatures[0].Header
		require.Equal(t, string(want), head.Algorithm, stated)
		require.Equal(t, "JWT", head.ExtraHeaders["typ"])
		claims, err := signed.Verify(r.publicKey(head.KeyID))
		require.NoError(t, err)
		var c struct {
			Iss, Sub, Aud, Jti string
			Exp                int64
		}
		require.NoError(t, json.Unmarshal(claims, &c, json.MatchCaseInsensitiveNames(true)))
		require.Equal(t, []string{"our-client", "our-client", e.URL + "/token"}, []string{c.Iss, c.Sub, c.Aud})
		require.Len(t, c.Jti, 36)
		require.WithinDuration(t, time.Now().Add(assertionLife), time.Unix(c.Exp, 0), 10*time.Second)
		require.LessOrEqual(t, time.Until(time.Unix(c.Exp, 0)), 5*time.Minute)
	}
}

// refusedBy answers the token request and returns the callback's error, which is reported once
// and quotes nothing.
func refusedBy(t *testing.T, answer http.HandlerFunc) error {
	t.Helper()
	r, e := ready(t)
	e.answers["/token"] = answer
	_, err := r.back(r.mustLaunch(e.base()))
	require.Error(t, err)
	require.Len(t, e.tokens(), 1, "one attempt, whatever comes of it")
	quiet(t, err, "Lindqvist", "the-code", "127.0.0.1", "secret-token")
	require.NotContains(t, r.log.String(), "Lindqvist")
	for _, path := range e.paths() {
		require.NotContains(t, path, "Patient")
	}
	return err
}

func wrote(status int, mediaType, doc string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, doc)
	}
}

const good = `"access_token": "secret-token", "token_type": "Bearer"`

func TestATokenAnswerThatCannotBeUsedIsTriedOnceAndQuotedNowhere(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"refused":                      wrote(400, "application/json", `{"error": "invalid_grant", "error_description": "Lindqvist"}`),
		"refused without JSON":         wrote(401, "text/html", `<h1>Lindqvist</h1>`),
		"an unknown error":             wrote(400, "application/json", `{"error": "Lindqvist"}`),
		"broken":                       wrote(500, "application/json", `Lindqvist`),
		"an error with status 200":     wrote(200, "application/json", `{"error": "Lindqvist", `+good+`, "patient": "p-1"}`),
		"status 201":                   wrote(201, "application/json", `{`+good+`, "patient": "p-1"}`),
		"not JSON":                     wrote(200, "text/html", `<h1>Lindqvist</h1>`),
		"a form":                       wrote(200, "application/x-www-form-urlencoded", `access_token=secret-token&token_type=bearer&patient=p-1`),
		"a list":                       wrote(200, "application/json", `[{`+good+`, "patient": "p-1"}]`),
		"a member twice":               wrote(200, "application/json", `{`+good+`, "patient": "p-1", "patient": "p-2"}`),
		"no token":                     wrote(200, "application/json", `{"token_type": "Bearer", "patient": "p-1"}`),
		"an empty token":               wrote(200, "application/json", `{"access_token": "", "token_type": "Bearer", "patient": "p-1"}`),
		"a token that is no string":    wrote(200, "application/json", `{"access_token": 7, "token_type": "Bearer", "patient": "p-1"}`),
		"a token that breaks a header": wrote(200, "application/json", `{"access_token": "a\r\nX: y", "token_type": "Bearer", "patient": "p-1"}`),
		"no token type":                wrote(200, "application/json", `{"access_token": "secret-token", "patient": "p-1"}`),
		"another token type":           wrote(200, "application/json", `{"access_token": "secret-token", "token_type": "mac", "patient": "p-1"}`),
		"too large":                    wrote(200, "application/json", `{`+good+`, "patient": "p-1", "x": "`+strings.Repeat("x", maxToken)+`"}`),
		"a redirect":                   http.RedirectHandler("/fhir/Patient/p-1", http.StatusTemporaryRedirect).ServeHTTP,
		"a connection that breaks":     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a body that breaks": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, "{")
		},
		"deep":                          wrote(200, "application/json", `{`+good+`, "patient": "p-1", "x": `+strings.Repeat("[", 20_000)),
		"a success with a client error": wrote(403, "application/json", `{`+good+`, "patient": "p-1"}`),
	} {
		require.ErrorIs(t, refusedBy(t, answer), ErrUpstream, name)
	}
}

func TestASlowTokenEndpointIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"it does not answer": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"it drips": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		},
	} {
		r, e := ready(t)
		e.answers["/token"] = answer
		listed, err := r.Find(t.Context(), e.base())
		require.NoError(t, err)
		o := r.out(listed)
		o.within = othersWithin // the question must arrive before, also on a busy machine
		_, err = r.exchange(t.Context(), o, pending{Token: e.URL + "/token"}, listed, "the-code")
		require.ErrorIs(t, err, ErrSlow, name)
		require.Len(t, e.tokens(), 1, name)
	}
}

func TestALaunchWithoutAPatientHasItsOwnError(t *testing.T) {
	for _, more := range []string{``, `, "patient": null`, `, "patient": ""`} {
		require.ErrorIs(t, refusedBy(t, wrote(200, "application/json", `{`+good+more+`}`)), ErrNoPatient, more)
	}
}

func TestAPatientIDThatIsNotValidReachesNoURL(t *testing.T) {
	for _, patient := range []string{
		`"../Observation"`, `"123?x="`, `"a/b"`, `"."`, `".."`, `"a b"`, `"%2e%2e"`, `"ä"`, `"a\u0000"`, `"p-1\n"`,
		`"` + strings.Repeat("a", 65) + `"`, `7`, `["p-1"]`, `{"id": "p-1"}`, `true`,
	} {
		require.ErrorIs(t, refusedBy(t, wrote(200, "application/json", `{`+good+`, "patient": `+patient+`}`)), ErrUpstream, patient)
	}
}

func TestOtherMembersOfATokenResponseAreIgnored(t *testing.T) {
	for name, doc := range map[string]string{
		"Oracle Health": `{"access_token": "t", "token_type": "bearer", "patient": "p-1", "user": "u", "username": "n", "tenant": "t", "need_patient_banner": true, "expires_in": 570, "scope": "launch"}`,
		"a fraction":    `{"access_token": "t", "token_type": "bearer", "patient": "p-1", "expires_in": 570.5}`,
		"no number":     `{"access_token": "t", "token_type": "bearer", "patient": "p-1", "expires_in": "soon"}`,
		"a string":      `{"access_token": "t", "token_type": "BEARER", "patient": "p-1", "expires_in": "570"}`,
		"an encounter":  `{"access_token": "t", "token_type": "Bearer", "patient": "p-1", "encounter": "../x", "id_token": "x.y.z"}`,
	} {
		r, e := ready(t)
		e.says("/token", doc)
		_, err := r.back(r.mustLaunch(e.base()))
		require.NoError(t, err, name)
	}
	r, e := ready(t)
	e.answer("/token", 200, "application/octet-stream", "\xef\xbb\xbf{"+good+`, "patient": "p-1"}`)
	_, err := r.back(r.mustLaunch(e.base()))
	require.NoError(t, err, "the media type is not asked about, nor a byte order mark")
}

func TestScopesAreThoseGrantedOrIfNotStatedThoseRequested(t *testing.T) {
	for answer, want := range map[string]string{
		``:                                      "launch patient/Patient.r patient/Condition.rs",
		`, "scope": "launch"`:                   "launch patient/Patient.r patient/Condition.rs",
		`, "scope": ""`:                         "launch patient/Patient.r patient/Condition.rs",
		`, "scope": 7`:                          "launch patient/Patient.r patient/Condition.rs",
		`, "scope": "launch patient/Patient.r"`: "launch patient/Patient.r",
		`, "scope": "user/Patient.read"`:        "user/Patient.read",
	} {
		r, e := ready(t)
		e.says("/token", `{`+good+`, "patient": "p-1", "encounter": "e.1"`+answer+`}`)
		listed, err := r.Find(t.Context(), e.base())
		require.NoError(t, err)
		p := pending{Token: e.URL + "/token", Scopes: "launch patient/Patient.r patient/Condition.rs"}
		got, err := r.exchange(t.Context(), r.out(listed), p, listed, "code")
		require.NoError(t, err)
		require.Equal(t, strings.Fields(want), got.scopes, answer)
		require.Equal(t, "e.1", got.encounter)
	}
}

func TestTheTokenGoesToTheFHIRBaseInAHeaderAndNowhereElse(t *testing.T) {
	r, e := ready(t)
	state := r.mustLaunch(e.base())
	_, err := r.back(state)
	require.NoError(t, err)
	used := 0
	for _, a := range e.all() {
		require.NotContains(t, a.path+url.Values(a.form).Encode(), "secret-token")
		if a.header.Get("Authorization") != "" {
			used++
			require.True(t, strings.HasPrefix(a.path, "/fhir/"))
			require.Equal(t, "Bearer secret-token", a.header.Get("Authorization"))
		}
	}
	require.NotZero(t, used)
}
