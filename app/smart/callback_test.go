package smart

import (
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// back returns the callback of a launch with a code, changed by change.
func (r *installation) back(state string, change ...func(url.Values)) (string, error) {
	query := url.Values{"state": {state}, "code": {"the-code"}}
	for _, c := range change {
		c(query)
	}
	return r.Callback(Tracked(r.t.Context(), "request-7"), query, browser, true)
}

func set(name string, values ...string) func(url.Values) {
	return func(query url.Values) { query[name] = values }
}

// tokens returns the requests to the token endpoint.
func (e *ehr) tokens() (all []asking) {
	for _, a := range e.all() {
		if a.path == "/token" {
			all = append(all, a)
		}
	}
	return all
}

// ready returns an installation with a listed EHR that has a chart.
func ready(t testing.TB, change ...func(*store.EHR)) (*installation, *ehr) {
	t.Helper()
	r, e := opened(t), anEHR(t)
	e.says("/fhir/Patient/p-1", `{"resourceType": "Patient", "id": "p-1", "name": [{"family": "Lindqvist"}]}`)
	r.list(e.base(), change...)
	return r, e
}

func TestACallbackEndsInAPrefillForTheUserWhoSignsIn(t *testing.T) {
	r, e := ready(t, func(e *store.EHR) { e.Label = "Hill Hospital" })
	handle, err := r.back(r.mustLaunch(e.base()))
	require.NoError(t, err)
	p, err := r.Prefill(t.Context(), handle, r.who)
	require.NoError(t, err)
	require.Equal(t, "Hill Hospital", p.EHR)
	require.NotZero(t, p.EHRID)
	require.Zero(t, p.Practice)
	require.NotEmpty(t, p.Unread, "its searches are not found")
	require.Contains(t, r.log.String(), `msg="a chart was read" request_id=request-7 ehr=1 observations=0 conditions=0 encounters=0 unread=`)
	for _, secret := range []string{"secret-token", "the-code", "p-1", "Lindqvist", handle} {
		require.NotContains(t, r.log.String(), secret)
	}
}

func TestAPrefillBelongsToThePracticeOfItsEHR(t *testing.T) {
	r := opened(t)
	e := anEHR(t)
	e.says("/fhir/Patient/p-1", `{"resourceType": "Patient", "id": "p-1"}`)
	other := r.practice("Hillside")
	r.list(e.base(), func(e *store.EHR) { e.Practice = other })
	handle, err := r.back(r.mustLaunch(e.base()))
	require.NoError(t, err)
	_, err = r.Prefill(t.Context(), handle, r.who)
	require.ErrorIs(t, err, ErrOtherPractice)
}

func TestACallbackWithoutItsOwnStateGetsTheSameErrorAndCallsNobody(t *testing.T) {
	r, e := ready(t)
	state := r.mustLaunch(e.base())
	for name, change := range map[string]func(url.Values){
		"missing":                set("state"),
		"empty":                  set("state", ""),
		"unknown":                set("state", token()),
		"twice":                  set("state", state, state),
		"with an error":          func(q url.Values) { q.Set("state", "x"); q.Set("error", "access_denied") },
		"of another case":        set("state", strings.ToUpper(state)),
		"an attacker's injected": set("state", "attacker"),
	} {
		_, err := r.back(state, change)
		require.Equal(t, ErrState, err, name)
	}
	for _, other := range []string{"", "another browser"} {
		_, err := r.Callback(t.Context(), url.Values{"state": {state}, "code": {"x"}}, other, true)
		require.Equal(t, ErrState, err, other)
	}
	require.Empty(t, e.tokens())
	_, err := r.back(state)
	require.NoError(t, err, "none of that has spent it")
	_, err = r.back(state)
	require.Equal(t, ErrState, err, "replayed")
	require.Len(t, e.tokens(), 1)
}

func TestADoubleClickedCallbackIsExchangedOnce(t *testing.T) {
	r, e := ready(t)
	state := r.mustLaunch(e.base())
	var wait sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wait.Go(func() { _, errs[i] = r.back(state) })
	}
	wait.Wait()
	good := 0
	for _, err := range errs {
		if err == nil {
			good++
			continue
		}
		require.ErrorIs(t, err, ErrState)
	}
	require.Equal(t, 1, good)
	require.Len(t, e.tokens(), 1)
}

func TestTwoLaunchesInOneBrowserBothSucceed(t *testing.T) {
	r, e := ready(t)
	first, second := r.mustLaunch(e.base()), r.mustLaunch(e.base())
	_, err := r.back(second)
	require.NoError(t, err)
	_, err = r.back(first)
	require.NoError(t, err)
}

func TestARestartBetweenLaunchAndCallbackDoesNoHarm(t *testing.T) {
	r, e := ready(t)
	state := r.mustLaunch(e.base())
	again := New(r.db, r.vault, r.auth, r.settings, r.Service.log)
	_, err := again.Callback(t.Context(), url.Values{"state": {state}, "code": {"the-code"}}, browser, true)
	require.NoError(t, err)
}

func TestEachErrorThatTheEHRReportsHasAnErrorOfItsOwn(t *testing.T) {
	for code, want := range map[string]error{
		"access_denied": ErrDenied, "login_required": ErrDenied, "interaction_required": ErrDenied, "consent_required": ErrDenied,
		"temporarily_unavailable": ErrBusy, "server_error": ErrUpstream, "invalid_scope": ErrUpstream,
		"unauthorized_client": ErrUpstream, "<script>alert(1)</script>": ErrUpstream, "": ErrUpstream,
	} {
		r, e := ready(t)
		state := r.mustLaunch(e.base())
		_, err := r.back(state, set("error", code), set("error_description", "Lindqvist <script>"), set("error_uri", "https://evil.tld"))
		require.ErrorIs(t, err, want, code)
		quiet(t, err, "script", "Lindqvist", "evil", "the-code")
		require.Empty(t, e.tokens(), code)
		_, err = r.back(state)
		require.ErrorIs(t, err, ErrState, "it is spent all the same")
	}
}

func TestACallbackNeedsOneCode(t *testing.T) {
	for _, codes := range [][]string{nil, {""}, {"a", "b"}, {strings.Repeat("x", maxOpaque+1)}} {
		r, e := ready(t)
		_, err := r.back(r.mustLaunch(e.base()), set("code", codes...))
		require.ErrorIs(t, err, ErrNoCode)
		require.Empty(t, e.tokens())
	}
	r, e := ready(t)
	long := strings.Repeat("x", maxOpaque)
	_, err := r.back(r.mustLaunch(e.base()), set("code", long))
	require.NoError(t, err)
	require.Equal(t, long, e.tokens()[0].form.Get("code"))
}

func TestAnAnswerOfAnotherAuthorizationServerIsRefused(t *testing.T) {
	config := func(more string) string {
		return `{"authorization_endpoint": "/a", "token_endpoint": "/token"` + more + `}`
	}
	says := `, "issuer": "https://as.example.org"`
	always := says + `, "authorization_response_iss_parameter_supported": true`
	for _, c := range []struct {
		config string
		iss    []string
		good   bool
	}{
		{says, nil, true},
		{says, []string{"https://as.example.org"}, true},
		{says, []string{"https://as.example.org/"}, false},
		{says, []string{"https://evil.tld"}, false},
		{says, []string{""}, false},
		{says, []string{"https://as.example.org", "https://as.example.org"}, false},
		{always, nil, false},
		{always, []string{"https://as.example.org"}, true},
		{"", []string{"https://as.example.org"}, true}, // nothing to compare it with
	} {
		r, e := ready(t)
		e.says(wellKnown, config(c.config))
		_, err := r.back(r.mustLaunch(e.base()), set("iss", c.iss...))
		if c.good {
			require.NoError(t, err, c)
			continue
		}
		require.ErrorIs(t, err, ErrState, c)
		require.Empty(t, e.tokens(), c)
	}
}

func TestACodeGoesToTheTokenEndpointOfItsOwnLaunchWhateverElseIsListed(t *testing.T) {
	r, a := ready(t)
	b := anEHR(t)
	b.says("/fhir/Patient/p-1", `{"resourceType": "Patient", "id": "p-1"}`)
	r.list(b.base())
	ofA := r.mustLaunch(a.base())
	r.mustLaunch(b.base())
	_, err := r.back(ofA)
	require.NoError(t, err)
	require.Len(t, a.tokens(), 1)
	require.Empty(t, b.tokens())
	require.NotContains(t, b.paths(), "/fhir/Patient/p-1")
}

func TestAnEHRThatWasTakenOffTheListEndsItsLaunches(t *testing.T) {
	r, e := ready(t)
	state := r.mustLaunch(e.base())
	require.NoError(t, r.Unlist(e.base()))
	_, err := r.back(state)
	require.ErrorIs(t, err, ErrState)
	require.Empty(t, e.tokens())
	require.ErrorIs(t, r.Unlist(e.base()), store.ErrNotFound)
	require.ErrorIs(t, r.Unlist("x"), ErrBadIssuer)
}

func TestAFailedCallbackNamesTheEHRByItsNumber(t *testing.T) {
	r, e := ready(t)
	e.answer("/token", 400, "application/json", `{"error": "invalid_grant", "error_description": "Lindqvist"}`)
	_, err := r.back(r.mustLaunch(e.base()))
	require.True(t, errors.Is(err, ErrUpstream))
	require.EqualError(t, err, "EHR 1, token: smart: the EHR gave no usable answer: it answered with status 400, invalid_grant")
}
