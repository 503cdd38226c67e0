package smart

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

func TestALaunchIsAnsweredWith503UntilAClientIDIsConfigured(t *testing.T) {
	r, e := opened(t), anEHR(t)
	tried := []string{e.base(), "https://unlisted.example.org/fhir", "not an address", ""}
	for _, iss := range tried {
		_, err := r.launch(iss)
		require.ErrorIs(t, err, ErrNotConfigured, "nothing is listed")
	}
	r.list(e.base(), func(e *store.EHR) { e.ClientID = "" })
	for _, iss := range tried {
		_, err := r.launch(iss)
		require.ErrorIs(t, err, ErrNotConfigured, "listed, not registered")
	}
	require.Empty(t, e.all())
}

func TestAMalformedLaunchIsRefused(t *testing.T) {
	r, e := opened(t), anEHR(t)
	r.list(e.base())
	for name, query := range map[string]url.Values{
		"no iss":           {"launch": {"x"}},
		"no launch":        {"iss": {e.base()}},
		"empty iss":        {"iss": {""}, "launch": {"x"}},
		"empty launch":     {"iss": {e.base()}, "launch": {""}},
		"two iss":          {"iss": {e.base(), e.base()}, "launch": {"x"}},
		"two launches":     {"iss": {e.base()}, "launch": {"x", "x"}},
		"launch too large": {"iss": {e.base()}, "launch": {strings.Repeat("x", maxOpaque+1)}},
		"no issuer":        {"iss": {"javascript:alert(1)"}, "launch": {"x"}},
	} {
		to, err := r.Launch(t.Context(), query, browser)
		require.ErrorIs(t, err, ErrMalformed, name)
		require.Empty(t, to, name)
	}
	require.Empty(t, e.all())
}

func TestSSRF_1_AnIssuerThatIsNotListedIsRefusedWithoutAnyNetworkCall(t *testing.T) {
	asks(t, func(context.Context, string, string) (net.Conn, error) {
		t.Error("a name is looked up")
		return nil, errors.New("no")
	})
	r, e := opened(t), anEHR(t)
	r.list("https://ehr.example.org/fhir")
	for _, iss := range []string{e.base(), "https://unlisted.invalid/fhir", "https://ehr.example.org.evil.invalid/fhir", "https://169.254.169.254/latest"} {
		_, err := r.launch(iss)
		require.ErrorIs(t, err, ErrUnlisted)
		quiet(t, err, iss)
	}
	require.Empty(t, e.all())
}

func TestTheAuthorizationRequestHasExactlyWhatSMARTAsksFor(t *testing.T) {
	r, e := opened(t), anEHR(t)
	r.list(e.base())
	opaque := "0/+ =&%\x7fü" + strings.Repeat("x", 4000)
	raw, err := r.Launch(t.Context(), url.Values{"iss": {e.base() + "/"}, "launch": {opaque}, "next": {"https://evil.tld"}}, browser)
	require.NoError(t, err)
	to, err := url.Parse(raw)
	require.NoError(t, err)
	require.Equal(t, e.base()+"/authorize", to.Scheme+"://"+to.Host+to.Path, "a relative endpoint is under the base")
	query := to.Query()
	state, challenge := query.Get("state"), query.Get("code_challenge")
	require.Equal(t, url.Values{
		"response_type": {"code"}, "client_id": {"our-client"}, "redirect_uri": {"https://registry.example.org/smart/callback"},
		"launch": {opaque}, "scope": {UsualScopes}, "aud": {e.base() + "/"}, "code_challenge_method": {"S256"},
		"state": {state}, "code_challenge": {challenge},
	}, query)
	require.Len(t, state, 43, "256 bits")
	p, _, err := r.takePending(t.Context(), state, browser)
	require.NoError(t, err)
	require.Len(t, p.Verifier, 43)
	sum := sha256.Sum256([]byte(p.Verifier))
	require.Equal(t, base64.RawURLEncoding.EncodeToString(sum[:]), challenge)
	require.NotEqual(t, state, r.mustLaunch(e.base()))
}

func TestAnAuthorizationEndpointKeepsItsOwnQuery(t *testing.T) {
	r, e := opened(t), anEHR(t)
	e.says(wellKnown, `{"authorization_endpoint": "/authorize?tenant=7&client_id=wrong", "token_endpoint": "/token"}`)
	r.list(e.base(), func(e *store.EHR) { e.Aud, e.Scopes = "https://aud.example.org/", "launch patient/Patient.r" })
	to, err := r.launch(e.base())
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(to.String(), "?"))
	query := to.Query()
	require.Equal(t, "7", query.Get("tenant"))
	require.Equal(t, []string{"our-client"}, query["client_id"])
	require.Equal(t, "https://aud.example.org/", query.Get("aud"), "the operator's")
	require.Equal(t, "launch patient/Patient.r", query.Get("scope"), "the operator's")
}

func TestAServerThatKnowsOnlyVersion1ScopesIsAskedForThose(t *testing.T) {
	for capabilities, want := range map[string]string{
		`["permission-v1"]`: oldScopes, `["permission-v1", "permission-v2"]`: UsualScopes, `["permission-v2"]`: UsualScopes, `[]`: UsualScopes,
	} {
		r, e := opened(t), anEHR(t)
		e.says(wellKnown, `{"authorization_endpoint": "/a", "token_endpoint": "/t", "capabilities": `+capabilities+`}`)
		r.list(e.base())
		to, err := r.launch(e.base())
		require.NoError(t, err)
		require.Equal(t, want, to.Query().Get("scope"), capabilities)
	}
}

func TestAnEHRsDescriptionOfItselfIsCachedUntilItsEntryIsReplaced(t *testing.T) {
	r, e := opened(t), anEHR(t)
	e.answer(wellKnown, 500, "text/html", "<h1>no</h1>")
	r.list(e.base())
	_, err := r.launch(e.base())
	require.ErrorIs(t, err, ErrUpstream)
	e.says(wellKnown, `{"authorization_endpoint": "/a", "token_endpoint": "/t"}`)
	for range 3 {
		r.mustLaunch(e.base())
	}
	require.Len(t, e.all(), 2, "a failure is not remembered, a success is")
	time.Sleep(2 * time.Millisecond) // an entry is identified by the time it was made
	listed := r.list(e.base())
	r.mustLaunch(e.base())
	require.Len(t, e.all(), 3)
	old := r.known.known[listed.ID]
	old.at = time.Now().Add(-cacheLife)
	r.known.known[listed.ID] = old
	r.mustLaunch(e.base())
	require.Len(t, e.all(), 4)
}

func TestALaunchIsSealedAndItsStateIsNotKept(t *testing.T) {
	r, e := opened(t), anEHR(t)
	r.list(e.base())
	state := r.mustLaunch(e.base())
	require.NoError(t, r.db.Update(func(tx *store.Tx) error {
		_, err := tx.TakeLaunch([]byte(state), hash(browser))
		require.ErrorIs(t, err, store.ErrNotFound)
		l, err := tx.TakeLaunch(hash(state), hash(browser))
		require.NotContains(t, string(l.Sealed), "token")
		return err
	}))
}

func TestALaunchIsDeletedAfterTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t)
		listed := r.list("https://ehr.example.org/fhir")
		for _, state := range []string{"in time", "late", "swept"} {
			require.NoError(t, r.keepPending(state, browser, pending{EHR: listed.ID}))
		}
		time.Sleep(LaunchLife - time.Second)
		require.NoError(t, r.Sweep())
		_, _, err := r.takePending(t.Context(), "in time", browser)
		require.NoError(t, err)
		time.Sleep(time.Second)
		_, _, err = r.takePending(t.Context(), "late", browser)
		require.ErrorIs(t, err, ErrState)
		time.Sleep(time.Second)
		require.NoError(t, r.Sweep())
		require.ErrorIs(t, r.db.Update(func(tx *store.Tx) error {
			_, err := tx.TakeLaunch(hash("swept"), hash(browser))
			return err
		}), store.ErrNotFound)
	})
}
