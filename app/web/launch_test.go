package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/smart"
	"birthregistry/store"
)

// stubEHR is an EHR as far as these tests need one; its token endpoint answers as a test says.
// Whether the handshake works is tested against a real authorization server (app).
type stubEHR struct {
	*httptest.Server
	status int
	token  string
	asked  atomic.Int64 // how many requests the token endpoint got
	// meanwhile is called once, during a request to the token endpoint.
	meanwhile atomic.Pointer[func()]
}

func newStubEHR(t *testing.T) *stubEHR {
	e := &stubEHR{status: 200, token: `{"access_token":"t","token_type":"Bearer","patient":"p1"}`}
	mux := http.NewServeMux()
	say := func(path string, doc func() (int, string)) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			status, body := doc()
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	e.Server = httptest.NewServer(mux)
	t.Cleanup(e.Close)
	say("/fhir/.well-known/smart-configuration", func() (int, string) {
		return 200, fmt.Sprintf(`{"authorization_endpoint":"%s/authorize","token_endpoint":"%s/token",
			"code_challenge_methods_supported":["S256"],"capabilities":["launch-ehr","permission-v2"]}`, e.URL, e.URL)
	})
	say("/token", func() (int, string) {
		e.asked.Add(1)
		if do := e.meanwhile.Swap(nil); do != nil {
			(*do)()
		}
		return e.status, e.token
	})
	say("/fhir/Patient/p1", func() (int, string) {
		return 200, `{"resourceType":"Patient","id":"p1","gender":"female","birthDate":"1994-05-17",
			"name":[{"family":"Okonkwo","given":["Amara"]}]}`
	})
	say("/fhir/", func() (int, string) { return 200, `{"resourceType":"Bundle","type":"searchset","entry":[]}` })
	return e
}

// list adds an EHR to the operator's list.
func list(t *testing.T, i *apptest.Installation, e store.EHR) {
	t.Helper()
	e.Label, e.Auth = "Hill Hospital", store.AuthPublic
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
		_, _, err := tx.PutEHR(e)
		return err
	}))
}

func loopback(c *app.Config) { c.Smart.Loopback = true }

// connected returns an installation with an EHR that may launch it.
func connected(t *testing.T, change ...func(*app.Config)) (*apptest.Installation, *stubEHR) {
	t.Helper()
	i, e := apptest.Start(t, append(change, loopback)...), newStubEHR(t)
	list(t, i, store.EHR{Issuer: e.URL + "/fhir", ClientID: "our-client", Frames: []string{"https://ehr.example.org"}})
	return i, e
}

func (e *stubEHR) launch() string {
	return "/smart/launch?" + url.Values{"iss": {e.URL + "/fhir"}, "launch": {"opaque"}}.Encode()
}

// launched begins a launch and returns its state.
func (e *stubEHR) launched(t *testing.T, b *apptest.Browser) string {
	t.Helper()
	answer := b.Get(e.launch())
	require.Equal(t, 302, answer.StatusCode, answer.Body)
	to, err := url.Parse(answer.Header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, e.URL+"/authorize", to.Scheme+"://"+to.Host+to.Path)
	return to.Query().Get("state")
}

func callback(pairs ...string) string {
	query := url.Values{}
	for n := 0; n+1 < len(pairs); n += 2 {
		query.Add(pairs[n], pairs[n+1])
	}
	return "/smart/callback?" + query.Encode()
}

func cookieNamed(page apptest.Page, name string) *http.Cookie {
	for _, c := range page.Cookies() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func TestALaunchIs503UntilAClientIDIsConfigured(t *testing.T) {
	i := apptest.Start(t)
	for _, path := range []string{"/smart/launch", "/smart/launch?iss=https://ehr.example.org&launch=x", "/smart/launch?iss=%zz"} {
		require.Equal(t, 503, i.Stranger().Get(path).StatusCode, path)
	}
	list(t, i, store.EHR{Issuer: "https://ehr.example.org/fhir"})
	require.Equal(t, 503, i.Stranger().Get("/smart/launch?iss=https://ehr.example.org/fhir&launch=x").StatusCode, "listed, not registered")
}

// SSRF-1 for the page; app/smart and app test that no request is sent.
func TestSSRF_1_AnUnlistedIssuerIsRefusedAndNotEchoed(t *testing.T) {
	i, e := connected(t)
	bodies := map[string]bool{}
	for _, iss := range []string{"https://evil.example", e.URL + "/fhir.evil", e.URL, "https://other.example.org/evil"} {
		answer := i.Stranger().Get("/smart/launch?" + url.Values{"iss": {iss}, "launch": {"opaque-7"}}.Encode())
		require.Equal(t, 403, answer.StatusCode, iss)
		require.NotContains(t, answer.Body, "evil")
		require.NotContains(t, answer.Body, "opaque-7")
		require.Empty(t, answer.Cookies())
		bodies[withoutSupport(answer)] = true
	}
	require.Len(t, bodies, 1, "the same page always")
	require.NotContains(t, i.Log.String(), "evil")
	i.Logs("the nearest that is listed is " + e.URL + "/fhir (edit distance 5)")
	for _, query := range []string{"", "?iss=x", "?launch=x", "?iss=a&iss=b&launch=x", "?iss=" + url.QueryEscape(e.URL+"/fhir") + "&launch=a&launch=b"} {
		require.Equal(t, 400, i.Stranger().Get("/smart/launch"+query).StatusCode, query)
	}
}

// withoutSupport returns a page without its support code, which is the request's ID.
func withoutSupport(p apptest.Page) string {
	return strings.ReplaceAll(p.Body, p.Header.Get("X-Request-Id"), "")
}

func TestALaunchLeadsToTheEHRAndIsBoundToTheBrowser(t *testing.T) {
	i, e := connected(t)
	b := i.Stranger()
	answer := b.Get(e.launch())
	require.Equal(t, 302, answer.StatusCode)
	require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
	require.Equal(t, "same-origin", answer.Header.Get("Referrer-Policy"))
	cookie := cookieNamed(answer, "registry-launch")
	require.NotNil(t, cookie)
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
	require.Equal(t, 600, cookie.MaxAge)
	require.GreaterOrEqual(t, len(cookie.Value), 26, "128 bits and more")
	require.Nil(t, sessionOf(answer), "a stranger writes no session")
	require.Equal(t, cookie.Value, cookieNamed(b.Get(e.launch()), "registry-launch").Value, "a second launch goes by the same")

	secure, e := connected(t, func(c *app.Config) { c.Web.BaseURL = "https://registry.example" })
	cookie = cookieNamed(secure.Stranger().Get(e.launch()), "__Host-registry-launch")
	require.NotNil(t, cookie)
	require.True(t, cookie.Secure)
	require.Equal(t, "/", cookie.Path)
}

func TestACallbackLeadsToTheFormUnderANewSession(t *testing.T) {
	i, e := connected(t)
	b := i.SignIn(i.Practice, auth.Provider)
	before := b.Session().Value
	state := e.launched(t, b)
	answer := b.Get(callback("state", state, "code", "c-1"))
	require.Equal(t, 303, answer.StatusCode, answer.Body)
	require.Equal(t, prefilled, answer.Header.Get("Location"), "the code leaves the address bar")
	require.NotEqual(t, before, sessionOf(answer).Value)
	form := b.Get(prefilled)
	require.Equal(t, 200, form.StatusCode)
	require.Contains(t, form.Body, "From the chart in Hill Hospital")

	planted := i.Stranger().Do("GET", prefilled, nil, map[string]string{"Cookie": "registry-session=" + before})
	leadsTo(t, "/sign-in", planted)

	nobody := i.Stranger()
	state = e.launched(t, nobody)
	require.Equal(t, 303, nobody.Get(callback("state", state, "code", "the-second-code")).StatusCode)
	leadsTo(t, "/sign-in", nobody.Get(prefilled))
	require.NotContains(t, i.Log.String(), state)
	require.NotContains(t, i.Log.String(), "the-second-code")
	require.NotContains(t, i.Log.String(), "Okonkwo")
}

func TestANewLaunchDropsAChartThatNobodyOpenedAndNoneThatFilledAFormIn(t *testing.T) {
	i, e := connected(t)
	b := i.SignIn(i.Practice, auth.Provider)
	unopened := i.Pulled(b, mothersChart())
	require.Equal(t, 303, b.Get(callback("state", e.launched(t, b), "code", "c")).StatusCode)
	_, err := i.App.Smart.Prefill(t.Context(), unopened, auth.User{ID: b.User, Practice: store.Practice{ID: i.Practice}})
	require.ErrorIs(t, err, smart.ErrNoPrefill)

	i.Pulled(b, mothersChart())
	form := completed(parsePage(t, b.Get(prefilled)).form())
	require.Equal(t, 303, b.Get(callback("state", e.launched(t, b), "code", "d")).StatusCode)
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	require.Equal(t, "ehr_pull", sourcesOf(i, "B-000001")["mother_height_in"])
}

func TestTwoLaunchesAtOnceInOneBrowserAreBothEnded(t *testing.T) {
	i, e := connected(t)
	b := i.Stranger()
	first, second := e.launched(t, b), e.launched(t, b)
	require.NotEqual(t, first, second)
	require.Equal(t, 303, b.Get(callback("state", second, "code", "2")).StatusCode)
	require.Equal(t, 303, b.Get(callback("state", first, "code", "1")).StatusCode)
}

func TestACallbackWhoseSessionEndsWhileTheChartIsReadLeadsToTheSignInAndTheForm(t *testing.T) {
	i, e := connected(t)
	_, _, err := i.App.Auth.AddUser(i.Practice, "olive@example.org", "", auth.Provider, longPassword)
	require.NoError(t, err)
	for name, meanwhile := range map[string]func(b *apptest.Browser, second string){
		"by another launch that is faster": func(b *apptest.Browser, second string) {
			assert.Equal(t, 303, b.Get(callback("state", second, "code", "2")).StatusCode)
		},
		"by a sign-out": func(b *apptest.Browser, _ string) { assert.Equal(t, 303, b.Post("/sign-out", nil).StatusCode) },
	} {
		b := i.SignIn(i.Practice, auth.Provider)
		first, second := e.launched(t, b), e.launched(t, b)
		do := func() { meanwhile(b, second) }
		e.meanwhile.Store(&do)
		leadsTo(t, prefilled, b.Get(callback("state", first, "code", "1")))
		require.Equal(t, 303, b.Get(prefilled).StatusCode, name+": nobody is signed in by a launch")
		leadsTo(t, prefilled, enter(t, b, "olive@example.org"))
		require.Contains(t, b.Get(prefilled).Body, "Okonkwo", name)
	}
	require.NotContains(t, i.Log.String(), "request failed")
}

func TestEveryFailureOfTheStateShowsTheSamePageAndRequestsNoToken(t *testing.T) {
	i, e := connected(t)
	b, other := i.Stranger(), i.Stranger()
	state := e.launched(t, b)
	e.launched(t, other)
	done := e.launched(t, b)
	require.Equal(t, 303, b.Get(callback("state", done, "code", "c")).StatusCode)
	asked := e.asked.Load()
	bodies := map[string]bool{}
	for name, answer := range map[string]apptest.Page{
		"none":           b.Get(callback("code", "c")),
		"empty":          b.Get(callback("state", "", "code", "c")),
		"twice":          b.Get(callback("state", state, "state", state, "code", "c")),
		"unknown":        b.Get(callback("state", "unknown<script>", "code", "c")),
		"spent":          b.Get(callback("state", done, "code", "c")),
		"another's":      other.Get(callback("state", state, "code", "c")),
		"without cookie": i.Stranger().Get(callback("state", state, "code", "c")),
		"with an error":  other.Get(callback("state", state, "error", "access_denied", "error_description", "<script>")),
	} {
		require.Equal(t, 400, answer.StatusCode, name)
		require.NotContains(t, answer.Body, "<script>", name)
		require.Contains(t, answer.Body, answer.Header.Get("X-Request-Id"), name)
		require.Nil(t, sessionOf(answer), name)
		bodies[withoutSupport(answer)] = true
	}
	require.Len(t, bodies, 1)
	require.Equal(t, asked, e.asked.Load())
}

func TestEveryResultOfACallbackIsAPageInPlainWordsWithItsStatus(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		says    string
		query   []string
		answers int
		token   string
	}{
		"the EHR says no":         {403, "did not give access", []string{"error", "access_denied", "error_description", "secret-words"}, 200, ""},
		"the EHR is busy":         {503, "is busy", []string{"error", "temporarily_unavailable"}, 200, ""},
		"the EHR is broken":       {502, "could not be read", []string{"error", "server_error"}, 200, ""},
		"we are not registered":   {502, "could not be read", []string{"error", "unauthorized_client"}, 200, ""},
		"no code":                 {400, "left out something", nil, 200, ""},
		"the code is refused":     {502, "could not be read", []string{"code", "c"}, 400, `{"error":"invalid_grant","error_description":"secret-words"}`},
		"the answer is no JSON":   {502, "could not be read", []string{"code", "c"}, 200, `secret-words`},
		"no patient in context":   {422, "No patient is open", []string{"code", "c"}, 200, `{"access_token":"t","token_type":"Bearer"}`},
		"a patient that is a way": {502, "", []string{"code", "c"}, 200, `{"access_token":"t","token_type":"Bearer","patient":"../Observation"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i, e := connected(t)
			e.status, e.token = c.answers, c.token
			b := i.Stranger()
			state := e.launched(t, b)
			answer := b.Get(callback(append([]string{"state", state}, c.query...)...))
			if c.says == "" { // the handshake decides which of the two it is
				require.Contains(t, []int{422, 502}, answer.StatusCode)
			} else {
				require.Equal(t, c.status, answer.StatusCode)
				require.Contains(t, answer.Body, c.says)
			}
			id := answer.Header.Get("X-Request-Id")
			require.Contains(t, answer.Body, id, "the support code")
			i.Logs(`"a launch failed","request_id":"` + id)
			for _, secret := range []string{"secret-words", state, "../Observation"} {
				require.NotContains(t, answer.Body, secret)
				require.NotContains(t, i.Log.String(), secret)
			}
			require.Contains(t, answer.Header.Get("Content-Type"), "text/html")
			require.Nil(t, sessionOf(answer))
		})
	}
}

func TestTheEleventhCallbackOfAnAddressWithinAMinuteIsRefused(t *testing.T) {
	i, e := connected(t)
	b := i.Stranger()
	for n := range 10 {
		answer := b.Do("GET", callback("state", "x"), nil, map[string]string{"X-Forwarded-For": fmt.Sprintf("203.0.113.%d", n)})
		require.Equal(t, 400, answer.StatusCode)
		require.Regexp(t, `^"smart-callback";r=`+fmt.Sprint(9-n), answer.Header.Get("RateLimit"))
		require.Equal(t, `"smart-callback";q=10;w=60`, answer.Header.Get("RateLimit-Policy"))
	}
	state := e.launched(t, b) // it has a limiter of its own
	for _, forged := range []string{"", "203.0.113.77", "10.0.0.1, 203.0.113.78"} {
		answer := b.Do("GET", callback("state", state, "code", "c"), nil, map[string]string{"X-Forwarded-For": forged})
		require.Equal(t, 429, answer.StatusCode, forged)
		require.Regexp(t, `^([1-9]|[1-5]\d|60)$`, answer.Header.Get("Retry-After"))
		require.Contains(t, answer.Body, "Too many launches at once")
	}
	require.Zero(t, e.asked.Load(), "the limiter comes first")
}

func TestBehindAProxyEveryAddressHasItsOwnTenCallbacks(t *testing.T) {
	i, _ := connected(t, trusting("127.0.0.1/32"))
	from := func(address string) int {
		return i.Stranger().Do("GET", callback("state", "x"), nil, map[string]string{"X-Forwarded-For": address}).StatusCode
	}
	for range 10 {
		require.Equal(t, 400, from("198.51.100.1"))
	}
	require.Equal(t, 429, from("198.51.100.1"))
	require.Equal(t, 429, from("203.0.113.1, 198.51.100.1"), "what the client wrote itself is not read")
	require.Equal(t, 400, from("198.51.100.2"))
}

func TestLaunchesAreLimitedLikeRequestsWithoutAKey(t *testing.T) {
	i, e := connected(t, func(c *app.Config) { c.Web.AnonymousRateLimit = 2 })
	for _, want := range []int{302, 302, 429} {
		answer := i.Stranger().Get(e.launch())
		require.Equal(t, want, answer.StatusCode)
		require.Equal(t, want == 429, answer.Header.Get("Retry-After") != "")
	}
}

func TestHEADAndPOSTDuringALaunchAre405AndUseNothingUp(t *testing.T) {
	i, e := connected(t)
	b := i.Stranger()
	state := e.launched(t, b)
	for _, path := range []string{e.launch(), callback("state", state, "code", "c"), "/smart/jwks.json"} {
		for _, method := range []string{"HEAD", "POST", "PUT", "OPTIONS"} {
			answer := b.Do(method, path, nil, nil)
			require.Equal(t, 405, answer.StatusCode, method+" "+path)
			require.Equal(t, "GET", answer.Header.Get("Allow"))
			require.Empty(t, answer.Cookies())
		}
	}
	require.Equal(t, 303, b.Get(callback("state", state, "code", "c")).StatusCode)
}

func TestAnEmbeddedLaunchOffersToOpenItsOwnWindow(t *testing.T) {
	i, e := connected(t)
	b := i.Stranger()
	for _, dest := range []string{"iframe", "frame", "embed", "object"} {
		answer := b.Do("GET", e.launch(), nil, map[string]string{"Sec-Fetch-Dest": dest})
		require.Equal(t, 200, answer.StatusCode, dest)
		require.True(t, strings.HasSuffix(answer.Header.Get("Content-Security-Policy"), "frame-ancestors "+e.URL+" https://ehr.example.org"))
		require.Contains(t, answer.Header.Get("Content-Security-Policy"), "default-src 'none'")
		require.Empty(t, answer.Cookies(), "nothing is spent")
		require.NotContains(t, answer.Body, "opaque", "nor echoed")
		p := parsePage(t, answer)
		require.Regexp(t, regexp.MustCompile(`<a [^>]*href="" target="_blank" rel="noopener"`), answer.Body, "the page's own address")
		require.Equal(t, 1, strings.Count(answer.Body, "<a ")-1, "one link, and the one that skips to it")
		require.Contains(t, wordsOf(p.byID("main")), "Open the registry in its own window")
	}
	lost := b.Do("GET", callback("state", "x", "code", "c"), nil, map[string]string{"Sec-Fetch-Dest": "iframe"})
	require.Equal(t, 400, lost.StatusCode)
	require.Contains(t, lost.Body, "have it open in a new window")
	require.Regexp(t, `frame-ancestors https://ehr\.example\.org$`, lost.Header.Get("Content-Security-Policy"))
	for _, path := range []string{"/sign-in", "/smart/launch", prefilled, "/nowhere"} {
		require.Contains(t, i.Stranger().Get(path).Header.Get("Content-Security-Policy"), "frame-ancestors 'none'", path)
	}
	bare := apptest.Start(t)
	answer := bare.Stranger().Do("GET", "/smart/launch", nil, map[string]string{"Sec-Fetch-Dest": "iframe"})
	require.Equal(t, 503, answer.StatusCode, "no client id comes first, embedded or not")
	require.Contains(t, answer.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'", "of EHRs that say so only")
}

func TestAFramedLaunchNeedsNoFlagForTheIssuersOwnOrigin(t *testing.T) {
	i, e, other := apptest.Start(t, loopback), newStubEHR(t), newStubEHR(t)
	list(t, i, store.EHR{Issuer: e.URL + "/fhir", ClientID: "our-client"})
	list(t, i, store.EHR{Issuer: other.URL + "/fhir", ClientID: "our-client"})
	b := i.SignIn(i.Practice, auth.Provider)
	framed := func(path string) string {
		return b.Do("GET", path, nil, map[string]string{"Sec-Fetch-Dest": "iframe"}).Header.Get("Content-Security-Policy")
	}
	require.True(t, strings.HasSuffix(framed(e.launch()), "; frame-ancestors "+e.URL), "the EHR of this launch, and no other")
	for _, path := range []string{
		"/smart/launch?iss=https://evil.example&launch=x", "/smart/launch?iss=" + url.QueryEscape(e.URL+"/fhir"),
		callback("state", "x", "code", "c", "iss", e.URL+"/fhir", "launch", "x"), prefilled, "/registry", "/sign-in",
	} {
		require.Contains(t, framed(path), "frame-ancestors 'none'", path)
	}

	// The page's link opens the same address in a window, where the launch goes on; nothing of
	// it may be in a frame.
	state := e.launched(t, b)
	require.Contains(t, b.Get(e.launch()).Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	answer := b.Get(callback("state", state, "code", "c"))
	leadsTo(t, prefilled, answer)
	require.Contains(t, answer.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	form := b.Get(prefilled)
	require.Contains(t, form.Body, "Okonkwo")
	require.Contains(t, form.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
}

func TestAUserWhoMayNotRecordBirthsLearnsThatBeforeTheChartIsRead(t *testing.T) {
	i, e := connected(t)
	viewer := i.SignIn(i.Practice, auth.Viewer)
	refused := func(answer apptest.Page) {
		t.Helper()
		require.Equal(t, 403, answer.StatusCode)
		require.Contains(t, answer.Body, "Your role does not allow recording births")
		require.Contains(t, answer.Body, "Nothing was read from the chart")
		require.Nil(t, cookieNamed(answer, "registry-launch"))
	}
	refused(viewer.Get(e.launch()))
	require.Equal(t, 403, viewer.Get("/smart/launch?iss=https://evil.example&launch=x").StatusCode)
	require.Equal(t, 400, viewer.Get("/smart/launch").StatusCode, "what is wrong with the launch comes first")

	b := i.Stranger() // signs in while the EHR asks for consent
	state := e.launched(t, b)
	_, _, err := i.App.Auth.AddUser(i.Practice, "vera@example.org", "", auth.Viewer, longPassword)
	require.NoError(t, err)
	enter(t, b, "vera@example.org")
	require.Equal(t, 400, b.Get(callback("state", "x", "code", "c")).StatusCode, "the state comes first")
	refused(b.Get(callback("state", state, "code", "c")))
	require.Zero(t, e.asked.Load(), "no token, so no chart")
	for _, role := range []auth.Role{auth.Admin, auth.Provider, auth.Scribe} {
		b := i.SignIn(i.Practice, role)
		leadsTo(t, prefilled, b.Get(callback("state", e.launched(t, b), "code", "c")))
	}
}

func TestTheKeySetIsForEverybody(t *testing.T) {
	i := apptest.Start(t)
	answer := i.Stranger().Get("/smart/jwks.json")
	require.Equal(t, 200, answer.StatusCode)
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	require.Equal(t, "public, max-age=300", answer.Header.Get("Cache-Control"))
	require.Empty(t, answer.Cookies())
	require.Contains(t, answer.Body, `"keys"`)
	require.NotContains(t, answer.Body, `"d"`)
}
