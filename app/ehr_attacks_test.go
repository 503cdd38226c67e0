package app_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
)

// Each test is one of the attacks on the handshake in smart-requirements §6, by its name
// there.

// withParameters returns a callback with other parameters; an empty value removes one.
func withParameters(t *testing.T, callback string, pairs ...string) string {
	t.Helper()
	u, err := url.Parse(callback)
	require.NoError(t, err)
	query := u.Query()
	for n := 0; n < len(pairs); n += 2 {
		query.Del(pairs[n])
		if pairs[n+1] != "" {
			query.Set(pairs[n], pairs[n+1])
		}
	}
	u.RawQuery = query.Encode()
	return u.String()
}

func parameter(t *testing.T, address, name string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	require.NotEmpty(t, u.Query().Get(name), name)
	return u.Query().Get(name)
}

// refusesState requires that a state that isn't valid gets the one page for all such failures,
// and that no token was requested.
func (l *ehrLaunch) refusesState(t *testing.T, answer apptest.Page, calls int) {
	t.Helper()
	require.Equal(t, http.StatusBadRequest, answer.StatusCode)
	require.Contains(t, text(answer), "This launch cannot continue")
	require.Equal(t, calls, l.tokenCalls(), "no token call")
}

func TestAttackMixUp(t *testing.T) {
	t.Parallel()
	honest := openEHRLaunch(t)
	attacker := &ehrLaunch{honest.Installation, t, apptest.StartEHR(t, honest.URL)}
	for _, mood := range []string{"", "nameless"} { // with RFC 9207 and without
		honest.list(mood, public)
		attacker.list(mood, public)
		b := honest.browser()
		mine := attacker.launch(b, mood, amara, nil)
		foreign := honest.launch(b, mood, amara, nil)
		mixed := withParameters(t, mine, "code", parameter(t, foreign, "code"))
		if mood == "" {
			mixed = withParameters(t, mixed, "iss", parameter(t, foreign, "iss"))
		}
		answer := b.Visit(mixed)
		require.Equal(t, 0, honest.tokenCalls(), "the code of one EHR is not for the other's launch")
		if mood == "" {
			attacker.refusesState(t, answer, 0)
		} else {
			require.Equal(t, http.StatusBadGateway, answer.StatusCode)
			require.Equal(t, 1, attacker.tokenCalls(), "it goes where the state belongs")
		}
	}
}

func TestAttackAnAnswerWithoutTheNameThatTheServerPromised(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	for _, iss := range []string{"", "https://evil.example", l.ehr.Address + "/"} {
		b := l.browser()
		l.refusesState(t, b.Visit(withParameters(t, l.launch(b, "", amara, nil), "iss", iss)), 0)
	}
}

// Login CSRF: the attacker's code and state in the victim's browser would fill the victim's
// form with the attacker's chart.
func TestAttackInjectedCallback(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	attacker, victim := l.browser(), l.browser()
	callback := l.launch(attacker, "", amara, nil)
	l.refusesState(t, victim.Visit(callback), 0)
	require.NotContains(t, victim.Get(prefilled).Body, "Okonkwo")
}

func TestAttackStateInAnotherBrowser(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	attacker, victim := l.browser(), l.browser()
	callback := l.launch(attacker, "", amara, nil)
	own := l.launch(victim, "", amara, nil) // a victim whose own launch is in progress
	l.refusesState(t, victim.Visit(callback), 0)
	require.Equal(t, http.StatusSeeOther, victim.Visit(own).StatusCode, "which goes on")
}

func TestAttackGuessedMissingAndRepeatedStates(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	var pages []string
	for _, change := range []func(string) string{
		func(c string) string { return withParameters(t, c, "state", "") },
		func(c string) string { return withParameters(t, c, "state", "guessed") },
		func(c string) string { return c + "&state=" + parameter(t, c, "state") },
		func(c string) string { return withParameters(t, c, "state", "", "code", "", "error", "access_denied") },
	} {
		b := l.browser()
		answer := b.Visit(change(l.launch(b, "", amara, nil)))
		l.refusesState(t, answer, 0)
		pages = append(pages, text(answer))
	}
	id := func(page string) string { // each answer has its own support code
		before, _, _ := strings.Cut(page, "this support code")
		return before
	}
	for _, page := range pages {
		require.Equal(t, id(pages[0]), id(page), "nobody learns which it was")
	}
}

func TestAttackReplayedCallback(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	b := l.browser()
	callback := l.launch(b, "", amara, nil)
	require.Equal(t, http.StatusSeeOther, b.Visit(callback).StatusCode)
	l.refusesState(t, b.Visit(callback), 1)
	require.Equal(t, http.StatusOK, b.Get(prefilled).StatusCode, "what was read stays")
	require.Contains(t, b.Get(prefilled).Body, `id="chart"`)
}

func TestAttackDoubleClickOnTheCallback(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	b := l.browser()
	callback := l.launch(b, "", amara, nil)
	var through, refused atomic.Int32
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			switch b.Visit(callback).StatusCode {
			case http.StatusSeeOther:
				through.Add(1)
			case http.StatusBadRequest:
				refused.Add(1)
			}
		})
	}
	both.Wait()
	require.EqualValues(t, 1, through.Load())
	require.EqualValues(t, 1, refused.Load())
	require.Equal(t, 1, l.tokenCalls())
	require.Contains(t, b.Get(prefilled).Body, `id="chart"`)
}

// An attacker who has planted a session in the victim's browser before the launch must not
// find the chart in that session afterwards.
func TestAttackSessionFixation(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	for name, victim := range map[string]*apptest.Browser{"signed in": l.browser(), "a stranger": l.Stranger().From("127.3.0.1")} {
		t.Run(name, func(t *testing.T) {
			victim.Get("/registry")
			before := victim.Cookie("registry-session")
			callback := l.launch(victim, "", amara, nil)
			require.Equal(t, http.StatusSeeOther, victim.Visit(callback).StatusCode)
			require.NotEqual(t, before, victim.Cookie("registry-session"))
			require.NotEmpty(t, victim.Cookie("registry-session"))
			attacker := l.Stranger().From("127.3.0.2")
			attacker.SetCookie("registry-session", before)
			require.NotContains(t, attacker.Get(prefilled).Body, `id="chart"`)
		})
	}
	t.Run("a planted launch cookie", func(t *testing.T) {
		planted := "ATTACKERSATTACKERSATTACKER"
		victim, attacker := l.browser(), l.browser()
		victim.SetCookie("registry-launch", planted)
		attacker.SetCookie("registry-launch", planted)
		callback := l.launch(victim, "", amara, nil)
		calls := l.tokenCalls()
		answer := attacker.Visit(callback)
		if answer.StatusCode == http.StatusSeeOther { // the attacker would also need the callback, which only the victim has
			require.Equal(t, calls+1, l.tokenCalls())
			l.refusesState(t, victim.Visit(callback), calls+1)
		}
	})
}

func TestAttackOpenRedirect(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	for _, to := range []string{"//evil.example", `/\evil.example`, "https://evil.example"} {
		b := l.browser()
		callback := l.launch(b, "", amara, nil)
		for _, name := range []string{"next", "return", "redirect_uri", "error_uri"} {
			callback += "&" + name + "=" + url.QueryEscape(to)
		}
		require.Equal(t, prefilled, b.Visit(callback).Header.Get("Location"))
		stranger := l.Stranger()
		require.Equal(t, "/sign-in", stranger.Get(prefilled+"?next="+url.QueryEscape(to)).Header.Get("Location"))
		require.NotContains(t, stranger.Get("/sign-in?next="+url.QueryEscape(to)).Body, "evil.example")
	}
}

// markup is text that must not become part of a page.
const markup = `"><script>alert(1)</script><img src=x onerror=alert(1)>`

// harmless requires that a page has no script but its own, and no event handler.
func harmless(t *testing.T, page apptest.Page) {
	t.Helper()
	elements(page, func(n *html.Node, attributes map[string]string) {
		if n.Type != html.ElementNode {
			return
		}
		if n.Data == "script" {
			require.True(t, strings.HasPrefix(attributes["src"], "/"), "a script of somebody else's")
			require.Nil(t, n.FirstChild)
		}
		require.NotEqual(t, "x", attributes["src"])
		for name := range attributes {
			require.False(t, strings.HasPrefix(name, "on"), name)
		}
	})
}

func TestAttackScriptInErrorDescription(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	for _, code := range []string{"access_denied", "server_error", "temporarily_unavailable", "invalid_scope", markup} {
		b := l.browser()
		answer := b.Visit(withParameters(t, l.launch(b, "", amara, nil),
			"code", "", "error", code, "error_description", markup, "error_uri", "javascript:alert(1)"))
		require.GreaterOrEqual(t, answer.StatusCode, 400)
		require.NotContains(t, answer.Body, "alert(1)")
		harmless(t, answer)
	}
	require.NotContains(t, l.Log.String(), "alert(1)")
	require.Zero(t, l.tokenCalls())
}

func TestTheEHRsRefusalsHaveTheirStatuses(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	for code, status := range map[string]int{
		"access_denied": 403, "login_required": 403, "interaction_required": 403, "temporarily_unavailable": 503,
		"server_error": 502, "invalid_request": 502, "invalid_scope": 502, "unauthorized_client": 502,
		"unsupported_response_type": 502,
	} {
		b := l.browser()
		require.Equal(t, status, b.Visit(withParameters(t, l.launch(b, "", amara, nil), "code", "", "error", code)).StatusCode, code)
	}
	b := l.browser()
	require.Equal(t, http.StatusBadRequest, b.Visit(withParameters(t, l.launch(b, "", amara, nil), "code", "")).StatusCode, "neither code nor error")
	require.Zero(t, l.tokenCalls())
}

func TestAttackHEADAndPrefetch(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	b := l.browser()
	callback := l.launch(b, "", amara, nil)
	path := strings.TrimPrefix(callback, l.URL)
	for _, method := range []string{http.MethodHead, http.MethodPost, http.MethodOptions} {
		require.Equal(t, http.StatusMethodNotAllowed, b.Do(method, path, nil, nil).StatusCode, method)
		launch := strings.TrimPrefix(l.ehr.Press("", amara, nil), l.URL)
		answer := b.Do(method, launch, nil, nil)
		require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode, method)
		require.Empty(t, answer.Header.Get("Location"))
	}
	require.Equal(t, http.StatusSeeOther, b.Visit(callback).StatusCode, "the state was not spent")
}

func TestAttackSpoofedForwardedFor(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	b := l.Stranger().From("127.4.0.1")
	ask := func(n int) apptest.Page {
		return b.Do(http.MethodGet, "/smart/callback?code=x&state=x", nil, map[string]string{
			"X-Forwarded-For": "203.0.113." + string(rune('0'+n%10)), "X-Real-IP": "203.0.113.9", "Forwarded": "for=203.0.113.9",
		})
	}
	for n := range 10 {
		require.Equal(t, http.StatusBadRequest, ask(n).StatusCode)
	}
	refused := ask(10)
	require.Equal(t, http.StatusTooManyRequests, refused.StatusCode, "ten a minute, whoever it says it is")
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
	other := l.browser()
	require.Equal(t, http.StatusSeeOther, other.Visit(l.launch(other, "", amara, nil)).StatusCode, "others are not held up")
}

func TestTwoLaunchesAtOnceInOneBrowserBothComplete(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	b := l.browser()
	first := l.launch(b, "", amara, nil)
	second := l.launch(b, "", "okonkwo-baby", nil)
	require.Equal(t, http.StatusSeeOther, b.Visit(first).StatusCode)
	require.Contains(t, text(b.Get(prefilled)), "MRN-1001")
	require.Equal(t, http.StatusSeeOther, b.Visit(second).StatusCode)
	form := text(b.Get(prefilled))
	require.Contains(t, form, "MRN-1002", "the later one takes the place of the first")
	require.NotContains(t, form, "MRN-1001")
}

func TestARestartBetweenLaunchAndCallbackDoesNoHarm(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	b := l.browser()
	callback := l.launch(b, "", amara, nil)
	l.Listen = strings.TrimPrefix(l.URL, "http://")
	l.Stop()
	l.Run()
	require.Equal(t, http.StatusSeeOther, b.Visit(callback).StatusCode)
	require.Contains(t, text(b.Get(prefilled)), "MRN-1001")
}

func TestIncorrectLaunchesAreRefused(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	iss, b := url.QueryEscape(l.ehr.Base("")), l.Stranger()
	before := len(l.ehr.Journal(func(apptest.Asked) bool { return true }))
	for query, status := range map[string]int{
		"":                                  400,
		"iss=" + iss:                        400,
		"launch=x":                          400,
		"iss=&launch=x":                     400,
		"iss=" + iss + "&launch=":           400,
		"iss=" + iss + "&launch=x&launch=y": 400,
		"iss=" + iss + "&iss=" + iss + "&launch=x":            400,
		"iss=" + iss + "&launch=" + strings.Repeat("x", 9000): 400,
		"iss=" + iss + "%2F%2F&launch=x":                      400,
		"iss=" + iss + "%2F..%2Ffhir&launch=x":                400,
		"iss=" + iss + "%3Fx&launch=x":                        400,
		"iss=" + iss + "2&launch=x":                           403,
		"iss=" + strings.ToUpper(iss) + "&launch=x":           400,
	} {
		answer := b.Get("/smart/launch?" + query)
		if strings.Contains(query, "HTTP") { // in upper case it is another path, or no scheme that the program knows
			require.Contains(t, []int{400, 403}, answer.StatusCode)
			continue
		}
		require.Equal(t, status, answer.StatusCode, query)
		require.NotContains(t, answer.Body, l.ehr.Address, "nothing is echoed")
	}
	require.Len(t, l.ehr.Journal(func(apptest.Asked) bool { return true }), before, "no network call")
	require.NoError(t, l.App.Smart.Unlist(l.ehr.Base("")))
	require.Equal(t, http.StatusServiceUnavailable, b.Get("/smart/launch").StatusCode, "before anything else is looked at")
	l.list("", "")
	require.Equal(t, http.StatusServiceUnavailable, b.Get("/smart/launch?iss="+iss+"&launch=x").StatusCode, "listed, not registered")
}

// No value from the handshake is in a log or a file.
func TestNothingOfAHandshakeIsKept(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	b := l.browser()
	callback := l.launch(b, "", amara, nil)
	require.Equal(t, http.StatusSeeOther, b.Visit(callback).StatusCode)
	form := b.Get(prefilled)
	reads := l.ehr.Journal(func(a apptest.Asked) bool { return a.Credentials == "bearer" })
	require.NotEmpty(t, reads)
	secrets := []string{
		reads[0].Token, parameter(t, callback, "code"), parameter(t, callback, "state"), amara, "Okonkwo", "MRN-1001", "12 River Street",
	}
	l.Stop()
	kept := databaseFiles(t, l.Config.DB) + l.Log.String()
	for _, secret := range secrets {
		require.NotContains(t, kept, secret)
	}
	for _, secret := range secrets[:3] {
		require.NotContains(t, form.Body, secret)
	}
	require.NotContains(t, form.Body, "12 River Street", "it is on no allow-list")
	l.Listen = ""
	l.Run()
}

// databaseFiles returns the contents of a database's files.
func databaseFiles(t *testing.T, db string) string {
	t.Helper()
	files, err := filepath.Glob(db + "*")
	require.NoError(t, err)
	var all strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		all.Write(content)
	}
	require.NotZero(t, all.Len())
	return all.String()
}
