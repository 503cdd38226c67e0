package app_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/smart"
	"birthregistry/store"
)

// Each test is one of the attacks in smart-requirements §6 by a listed EHR that is hostile or
// was taken over; each attack is a mood of the test EHR.

// elsewhere starts a host that must not be called, and counts the calls.
func elsewhere(t *testing.T) (address string, calls *atomic.Int32) {
	t.Helper()
	calls = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	t.Cleanup(server.Close)
	return server.URL, calls
}

// listener starts a host that counts even the connections to it.
func listener(t *testing.T) (port string, connections *atomic.Int32) {
	t.Helper()
	connections = &atomic.Int32{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			_ = c.Close()
		}
	}()
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port, connections
}

// SSRF-1.
func TestSSRF_1_AttackByIssuer(t *testing.T) {
	l := openEHRLaunch(t)
	port, connections := listener(t)
	host := "127.0.0.1:" + port
	known := strings.TrimPrefix(l.ehr.Base(""), "http://")
	b := l.Stranger()
	for n, iss := range []string{
		"http://" + host + "/fhir", "https://" + host + "/fhir", "https://localhost:" + port, "https://[::1]:" + port,
		"http://" + known + "@" + host, "http://" + host + "#" + known, "http://" + host + "?" + known, "http://" + host + `\` + known,
		l.ehr.Base("") + "@" + host, l.ehr.Address + "." + host, "http://169.254.169.254/latest/meta-data", "http://0x7f000001:" + port,
		"file:///etc/passwd", "gopher://" + host, "//" + host, "http:" + host, "http://" + host + "\r\nHost: x",
	} {
		answer := b.Get("/smart/launch?" + url.Values{"iss": {iss}, "launch": {"x"}}.Encode())
		require.Contains(t, []int{http.StatusBadRequest, http.StatusForbidden}, answer.StatusCode, iss)
		if n < 4 { // these are addresses of the test EHR, but not of a listed one
			require.Equal(t, http.StatusForbidden, answer.StatusCode, iss)
		}
		require.NotContains(t, answer.Body, host, "nothing is echoed")
		require.Empty(t, answer.Header.Get("Location"))
	}
	require.Zero(t, connections.Load(), "no network call")
	require.NotContains(t, l.Log.String(), host)
}

// SSRF-3: a listed name that resolves to an address of this machine or its network is refused
// when the connection is made, since it may have resolved to another address when it was
// listed.
func TestSSRF_3_AttackByAListedNameThatResolvesToLoopback(t *testing.T) {
	port, connections := listener(t)
	i := apptest.Start(t) // without --ehr-loopback
	for _, issuer := range []string{"https://localhost:" + port + "/fhir", "https://127.0.0.1:" + port + "/fhir", "https://[::1]:" + port, "https://[::ffff:127.0.0.1]:" + port} {
		_, _, err := i.App.Smart.List(smart.Listing{EHR: store.EHR{Issuer: issuer, ClientID: "x", Auth: store.AuthPublic}})
		require.NoError(t, err)
		answer := i.Stranger().Get("/smart/launch?" + url.Values{"iss": {issuer}, "launch": {"x"}}.Encode())
		require.Equal(t, http.StatusBadGateway, answer.StatusCode, issuer)
	}
	_, _, err := i.App.Smart.List(smart.Listing{EHR: store.EHR{Issuer: "http://127.0.0.1:" + port, ClientID: "x", Auth: store.AuthPublic}})
	require.NoError(t, err)
	answer := i.Stranger().Get("/smart/launch?" + url.Values{"iss": {"http://127.0.0.1:" + port}, "launch": {"x"}}.Encode())
	require.Equal(t, http.StatusForbidden, answer.StatusCode, "without TLS only for development")
	require.Zero(t, connections.Load())
}

// An EHR that was honest when the browser left may answer anything when the browser returns, so the
// program checks every address in its answers again.
func TestAttackSSRFByDiscovery(t *testing.T) {
	foreign, calls := elsewhere(t)
	l := openEHRLaunch(t, "--elsewhere", foreign)
	for _, mood := range []string{
		"discovery-elsewhere", "authorize-elsewhere", "authorize-script", "discovery-redirects", "no-s256", "discovery-html", "discovery-broken",
	} {
		t.Run(mood, func(t *testing.T) {
			l.list(mood, public)
			answer := l.browser().Visit(l.ehr.Press(mood, amara, nil))
			require.Equal(t, http.StatusBadGateway, answer.StatusCode)
			require.Empty(t, answer.Header.Get("Location"))
			harmless(t, answer)
		})
	}
	require.Zero(t, calls.Load())
	require.Zero(t, l.tokenCalls())
}

func TestAttackSSRFByRedirectOfTheTokenEndpoint(t *testing.T) {
	foreign, calls := elsewhere(t)
	l := openEHRLaunch(t, "--elsewhere", foreign)
	for mood, status := range map[string]int{
		"token-redirects": 502, "token-broken": 502, "token-html": 502, "token-empty": 502, "token-mac": 502,
	} {
		t.Run(mood, func(t *testing.T) {
			l.list(mood, "registry-secret")
			b := l.browser()
			before := l.tokenCalls()
			require.Equal(t, status, b.Visit(l.launch(b, mood, amara, nil)).StatusCode)
			require.Equal(t, before+1, l.tokenCalls(), "one attempt a code")
		})
	}
	require.Zero(t, calls.Load(), "neither code nor secret goes elsewhere")
}

func TestAttackSSRFByNextAndByRedirectOfASearch(t *testing.T) {
	foreign, calls := elsewhere(t)
	charts := t.TempDir()
	writeChart(t, charts, 30)
	l := openEHRLaunch(t, "--elsewhere", foreign, "--charts", charts)
	for _, mood := range []string{"next-elsewhere", "next-sideways", "fhir-redirects"} {
		t.Run(mood, func(t *testing.T) {
			l.list(mood, public)
			form := l.pull(l.browser(), mood, "many")
			require.Contains(t, text(form), "Not everything could be read")
			require.Equal(t, "Okonkwo", value(form, "mother_family_name"))
		})
	}
	require.Zero(t, calls.Load(), "the token goes nowhere else")
	require.Empty(t, l.ehr.Journal(func(a apptest.Asked) bool { return strings.HasPrefix(a.Path, "/fhir/") && a.Token != "" }),
		"nor out of the FHIR base")
}

func TestAttackLoopingNext(t *testing.T) {
	charts := t.TempDir()
	writeChart(t, charts, 30)
	l := openEHRLaunch(t, "--charts", charts)
	for _, mood := range []string{"next-loops", "next-forever"} {
		t.Run(mood, func(t *testing.T) {
			l.list(mood, public)
			form := l.pull(l.browser(), mood, "many")
			require.Contains(t, text(form), "Not everything could be read")
			reads := l.ehr.Journal(func(a apptest.Asked) bool { return strings.HasPrefix(a.Path, "/"+mood+"/fhir/") })
			require.Less(t, len(reads), 80)
		})
	}
}

func TestAttackBombs(t *testing.T) {
	l := openEHRLaunch(t)
	for _, mood := range []string{"gzip-bomb", "huge", "deep"} {
		t.Run(mood, func(t *testing.T) {
			l.list(mood, public)
			form := l.pull(l.browser(), mood, amara)
			require.Equal(t, "Okonkwo", value(form, "mother_family_name"))
			require.Contains(t, text(form), "Not everything could be read")
		})
	}
	for mood, status := range map[string]int{"discovery-huge": 502, "token-huge": 502} {
		t.Run(mood, func(t *testing.T) {
			l.list(mood, public)
			b := l.browser()
			callback, last := b.Handshake(l.ehr.Press(mood, amara, nil))
			if callback != "" {
				last = b.Visit(callback)
			}
			require.Equal(t, status, last.StatusCode)
		})
	}
}

// A browser waits at most 45 seconds. Then it gets a message, or as much of the chart as has
// arrived.
func TestAttackDripsAndSilence(t *testing.T) {
	l := openEHRLaunch(t)
	type visit struct {
		last apptest.Page
		took time.Duration // the longer one of the handshake and the callback
	}
	moods := []string{"slow", "drips", "discovery-drips", "token-drips"}
	browsers, visits := map[string]*apptest.Browser{}, map[string]visit{}
	var all sync.WaitGroup
	var mu sync.Mutex
	late := lateness(t)
	for _, mood := range moods { // in parallel, since each of them waits
		l.list(mood, public)
		b, launch := l.browser(), l.ehr.Press(mood, amara, nil)
		browsers[mood] = b
		all.Go(func() {
			began := time.Now()
			callback, last := b.Handshake(launch)
			took := time.Since(began)
			if callback != "" {
				began = time.Now()
				last = b.Visit(callback)
				took = max(took, time.Since(began))
			}
			mu.Lock()
			defer mu.Unlock()
			visits[mood] = visit{last, took}
		})
	}
	all.Wait()
	for _, mood := range moods {
		t.Run(mood, func(t *testing.T) {
			v := visits[mood]
			require.NotNil(t, v.last.Response)
			require.Less(t, v.took, 50*time.Second+late())
			if strings.HasSuffix(mood, "-drips") {
				require.Equal(t, http.StatusGatewayTimeout, v.last.StatusCode)
				return
			}
			require.Equal(t, http.StatusSeeOther, v.last.StatusCode)
			form := browsers[mood].Get(prefilled)
			require.Equal(t, "Okonkwo", value(form, "mother_family_name"))
			require.Contains(t, text(form), "too slow")
		})
	}
}

func TestAttackHostilePatientValues(t *testing.T) {
	l := openEHRLaunch(t)
	for value, status := range map[string]int{
		`"../Observation"`: 502, `"123?x="`: 502, `"a/b"`: 502, `".."`: 502, `"."`: 502, `"a b"`: 502, `"a\u0000"`: 502, `"%2e%2e"`: 502,
		`"` + strings.Repeat("a", 65) + `"`: 502, `123`: 502, `["` + amara + `"]`: 502, `{"reference":"Patient/x"}`: 502, `true`: 502,
		`""`: 422, `null`: 422,
	} {
		t.Run(value[:min(len(value), 20)], func(t *testing.T) {
			b := l.browser()
			answer := b.Visit(l.launch(b, "", amara, url.Values{"context": {`{"patient":` + value + `}`}}))
			require.Equal(t, status, answer.StatusCode)
			require.Empty(t, answer.Header.Get("Location"))
		})
	}
	require.Empty(t, l.ehr.Journal(func(a apptest.Asked) bool { return a.Credentials == "bearer" }), "no reads")
	t.Run("somebody else", func(t *testing.T) { // the token doesn't open the form for another person
		b := l.browser()
		answer := b.Visit(l.launch(b, "", amara, url.Values{"context": {`{"patient":"okonkwo-baby"}`}}))
		require.Equal(t, http.StatusBadGateway, answer.StatusCode)
	})
}

func TestAttackWrongPatientReturned(t *testing.T) {
	l := openEHRLaunch(t)
	for _, mood := range []string{"wrong-patient", "wrong-type"} {
		t.Run(mood, func(t *testing.T) {
			l.list(mood, public)
			b := l.browser()
			answer := b.Visit(l.launch(b, mood, amara, nil))
			require.Equal(t, http.StatusBadGateway, answer.StatusCode)
			require.NotContains(t, b.Get(prefilled).Body, "Okonkwo")
		})
	}
}

func TestAttackOtherSubjectsInsideTheSearchset(t *testing.T) {
	foreign, _ := elsewhere(t)
	l := openEHRLaunch(t, "--elsewhere", foreign)
	l.list("other-subjects", public)
	form := l.pull(l.browser(), "other-subjects", amara)
	fillsIn(t, form)
	require.NotContains(t, form.Body, "199.9", "a height of somebody else's, newer than hers, not even as a hint")
	require.NotContains(t, form.Body, "78.35", "nor in inches")
}

func TestAttackScriptInNames(t *testing.T) {
	charts := t.TempDir()
	chart := `{"resourceType":"Patient","id":"script","gender":"female","birthDate":"1994-05-17",` +
		`"identifier":[{"type":{"coding":[{"code":"MR"}]},"value":"=HYPERLINK(\"http://x\")\u0007` + strings.ReplaceAll(markup, `"`, `\"`) + `"}],` +
		`"name":[{"use":"official","family":"` + strings.ReplaceAll(markup, `"`, `\"`) + `","given":["Zoë\u0001\u202e","` + strings.Repeat("long", 5000) + `"]}]}`
	require.NoError(t, os.WriteFile(filepath.Join(charts, "script.json"), []byte(chart), 0o600))
	l := openEHRLaunch(t, "--charts", charts)
	form := l.pull(l.browser(), "", "script")
	harmless(t, form)
	require.NotContains(t, form.Body, "<script>alert")
	require.NotContains(t, form.Body, "\x07")
	require.NotContains(t, form.Body, strings.Repeat("long", 1000), "lengths are capped")
}

// A launch's data serves only that launch: people of another practice get an empty form.
func TestAnEHROfOnePracticeFillsNoFormOfAnother(t *testing.T) {
	l := openEHRLaunch(t)
	other := l.AddPractice("Hilltop Birth Center")
	l.list("", public, func(e *smart.Listing) { e.Practice = other })
	b := l.browser()
	require.Equal(t, http.StatusSeeOther, b.Visit(l.launch(b, "", amara, nil)).StatusCode)
	form := b.Get(prefilled)
	require.Equal(t, http.StatusOK, form.StatusCode)
	require.NotContains(t, form.Body, "Okonkwo")
}
