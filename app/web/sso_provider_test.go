package web_test

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/sso"
	"birthregistry/store"
)

const (
	ssoClient = "registry"
	ssoSecret = "s3cret/+%25with?chars&="
)

// identityProvider is an identity provider that lies as a test says. Without a lie, it checks
// requests as a real one does: the client's secret, PKCE, and that a code is used once.
type identityProvider struct {
	*httptest.Server
	t   *testing.T
	key *rsa.PrivateKey

	mu    sync.Mutex
	codes map[string]url.Values // the requests to which codes belong
	asked url.Values            // the last request for a sign-in

	claims    map[string]any // added to those of each ID token; nil removes one
	algorithm string
	issuer    string // in the configuration
	userInfo  map[string]any
	settings  map[string]any // added to the configuration
	answer    func(callback url.Values)
	token     func(w http.ResponseWriter) bool // answers instead of the token endpoint
}

func newIdentityProvider(t *testing.T) *identityProvider {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	p := &identityProvider{t: t, key: key, codes: map[string]url.Values{}, algorithm: "RS256"}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", p.serveConfiguration)
	mux.HandleFunc("/authorize", p.serveAuthorize)
	mux.HandleFunc("/token", p.serveToken)
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.key.Public(), KeyID: "one", Use: "sig"}}})
	})
	mux.HandleFunc("/userinfo", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, p.userInfo) })
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	p.issuer = p.URL
	return p
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client notices
}

func (p *identityProvider) serveConfiguration(w http.ResponseWriter, _ *http.Request) {
	doc := map[string]any{
		"issuer": p.issuer, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"userinfo_endpoint": p.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		"authorization_response_iss_parameter_supported": true,
	}
	maps.Copy(doc, p.settings)
	writeJSON(w, doc)
}

func (p *identityProvider) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = q
	code := rand.Text()
	p.codes[code] = q
	callback := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}
	if p.answer != nil {
		p.answer(callback)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+callback.Encode(), http.StatusFound)
}

func (p *identityProvider) serveToken(w http.ResponseWriter, r *http.Request) {
	if p.token != nil && p.token(w) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	asked, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	user, password, _ := r.BasicAuth()
	user, _ = url.QueryUnescape(user)
	password, _ = url.QueryUnescape(password)
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || user != ssoClient || password != ssoSecret || asked.Get("code_challenge_method") != "S256" ||
		asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || r.PostFormValue("redirect_uri") != asked.Get("redirect_uri") {
		w.WriteHeader(400)
		writeJSON(w, map[string]string{"error": "invalid_grant", "error_description": "olive@example.org"})
		return
	}
	writeJSON(w, map[string]any{"access_token": "opaque", "token_type": "Bearer", "id_token": p.idToken(asked.Get("nonce"))})
}

// idToken makes an ID token, signed as the test says.
func (p *identityProvider) idToken(nonce string) string {
	claims := map[string]any{
		"iss": p.URL, "aud": ssoClient, "sub": "subject of olive", "nonce": nonce, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
		"email": "Olive@Example.org", "email_verified": true,
	}
	for name, value := range p.claims {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	doc, err := json.Marshal(claims)
	require.NoError(p.t, err)
	b64 := base64.RawURLEncoding.EncodeToString
	switch p.algorithm {
	case "none":
		return b64([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + b64(doc) + "."
	case "HS256": // with the public key as the secret
		public, err := x509.MarshalPKIXPublicKey(p.key.Public())
		require.NoError(p.t, err)
		head := b64([]byte(`{"alg":"HS256","kid":"one"}`)) + "." + b64(doc)
		mac := hmac.New(sha256.New, public)
		mac.Write([]byte(head))
		return head + "." + b64(mac.Sum(nil))
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: p.key, KeyID: "one"}}, nil)
	require.NoError(p.t, err)
	signature, err := signer.Sign(doc)
	require.NoError(p.t, err)
	text, err := signature.CompactSerialize()
	require.NoError(p.t, err)
	return text
}

// withSSO allows providers on this machine.
func withSSO(c *app.Config) { c.SSO.Loopback = true }

// listed lists the provider.
func (p *identityProvider) listed(i *apptest.Installation, name string, domains ...string) store.SSOProvider {
	p.t.Helper()
	found, _, err := i.App.SSO.Add(sso.Entry{
		SSOProvider:  store.SSOProvider{Name: name, Issuer: p.URL, ClientID: ssoClient, Domains: domains},
		ClientSecret: ssoSecret,
	})
	require.NoError(p.t, err)
	return found
}

// begin begins a sign-in and returns the path of the callback to which the provider sends the
// browser.
func (p *identityProvider) begin(b *apptest.Browser, slug string) string {
	p.t.Helper()
	page := b.Get("/sign-in/with/" + slug)
	require.Equal(p.t, 302, page.StatusCode, page.Body)
	return p.visited(page.Header.Get("Location"))
}

// visited returns where the provider's page sends the browser, as a path of the registry.
func (p *identityProvider) visited(address string) string {
	p.t.Helper()
	require.True(p.t, strings.HasPrefix(address, p.URL+"/authorize?"), address)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(address)
	require.NoError(p.t, err)
	require.NoError(p.t, answer.Body.Close())
	back, err := url.Parse(answer.Header.Get("Location"))
	require.NoError(p.t, err)
	return back.RequestURI()
}

// signIn goes through a whole sign-in and returns the answer to the callback.
func (p *identityProvider) signIn(b *apptest.Browser, slug string) apptest.Page {
	p.t.Helper()
	return b.Get(p.begin(b, slug))
}

// refused requires that an answer signs nobody in and states why in a sentence.
func refused(t *testing.T, i *apptest.Installation, b *apptest.Browser, answer apptest.Page, status int, title string) {
	t.Helper()
	require.Equal(t, status, answer.StatusCode, answer.Body)
	require.Contains(t, answer.Body, title)
	require.Contains(t, answer.Body, "You are not signed in.")
	for _, text := range []string{"olive@example.org", "subject of olive", "eyJ"} {
		require.NotContains(t, strings.ToLower(answer.Body), strings.ToLower(text))
		require.NotContains(t, i.Log.String(), text, "the log quotes the provider")
	}
	leadsTo(t, "/sign-in", b.Get("/registry"))
}

// linkedSubjects counts the linked subjects.
func linkedSubjects(t *testing.T, i *apptest.Installation) (n int) {
	t.Helper()
	all, err := i.App.SSO.List(t.Context())
	require.NoError(t, err)
	for _, p := range all {
		n += p.Accounts
	}
	return n
}

// connect signs in with the provider for the first time, and confirms with the password.
func (p *identityProvider) connect(b *apptest.Browser, slug string) {
	p.t.Helper()
	leadsTo(p.t, "/sign-in/confirm", p.signIn(b, slug))
	page := b.Get("/sign-in/confirm")
	require.Contains(p.t, page.Body, fmt.Sprintf("Link %s to your account", "Clinic ID"))
	leadsTo(p.t, "/registry", b.Post("/sign-in/confirm", url.Values{"password": {password}}))
}
