package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
)

func TestPushSumsUpAFolderInItsExitCode(t *testing.T) {
	i := apptest.Start(t)
	t.Setenv("REGISTRY_API_KEY", i.Key)
	folder := t.TempDir()
	write := func(name, body string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(body), 0o600))
	}
	write("b.json", apptest.Course{Chart: "b"}.Bundle())
	write("a.json", apptest.Course{Chart: "a", Mother: "Hale"}.Bundle())
	write("notes.txt", "not pushed")
	good := command(t, "", "push", folder, "--url", i.URL)
	require.Zero(t, good.code, good.talk)
	require.Contains(t, good.out, "2 files: 2 accepted, 0 rejected, 0 pushes failed")
	require.Less(t, strings.Index(good.out, "a.json"), strings.Index(good.out, "b.json"))

	write("c.json", apptest.Course{Chart: "c", Kids: -1}.Bundle())
	write("d.json", "{")
	bad := command(t, "", "push", folder, "--url", i.URL)
	require.Equal(t, 1, bad.code)
	require.Empty(t, bad.talk, "the summary says why")
	require.Contains(t, bad.out, "amended, version 2")
	require.Contains(t, bad.out, "4 files: 2 accepted, 1 rejected, 1 push failed")
	require.Regexp(t, `\n  - Bundle  no-child: No Patient .*\. At Bundle\.entry\n      Give every child Patient a profile`, bad.out,
		"the stable code, as lint and the guide have it, the place, and what to do")
	require.Contains(t, bad.out, "400: The body is not one well-formed JSON object")

	piped := command(t, apptest.Course{Chart: "e", Mother: "Osei"}.Bundle(), "push", "-", "--url", i.URL, "--json")
	require.Zero(t, piped.code)
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(piped.out), &all))
	require.Equal(t, "completed", all[0]["receipt"].(map[string]any)["status"])
}

// someKey has the form of an API key, but no service knows it.
const someKey = "rgk_SomeKeyThatNoServiceKnows01234563hvBiA"

func TestPushSendsNothingThatIsNoAPIKey(t *testing.T) {
	asked := false
	service := answering(t, func(http.ResponseWriter, *http.Request) { asked = true })
	folder := t.TempDir()
	recovery := filepath.Join(folder, "recovery.key")
	require.Zero(t, command(t, "", "secrets", "recovery", "make", recovery).code)
	cut := filepath.Join(folder, "api.key")
	require.NoError(t, os.WriteFile(cut, []byte(someKey[:41]+"\n"), 0o600))
	for _, file := range []string{recovery, cut} {
		r := command(t, "{}", "push", "-", "--url", service, "--key-file", file)
		require.Equal(t, exitUsage, r.code)
		require.Contains(t, r.talk, file+" holds no complete API key")
		require.NotContains(t, r.talk, someKey[4:20])
	}
	require.False(t, asked)
	missing := command(t, "", "push", filepath.Join(folder, "none.json"), "--url", service, "--key-file", filepath.Join(folder, "none.key"))
	require.Contains(t, missing.talk, "the API key cannot be read: there is no such file: ")
}

func TestPushStopsWhenAllFilesWouldFailInTheSameWay(t *testing.T) {
	i := apptest.Start(t)
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	t.Setenv("REGISTRY_API_KEY", someKey)
	folder := bundles(t, "a", "b", "c")
	for _, c := range []struct{ name, url, says string }{
		{"an unknown key", i.URL, "401: The API key is missing, invalid or revoked."},
		{"a redirect", answering(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://births.example.org"+r.URL.Path, http.StatusMovedPermanently)
		}), " redirects to https://births.example.org; use that address as --url\n"},
		{"another site", answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }), " is not a birth registry; check --url\n"},
		{"another site's error", answering(t, http.NotFound), "404: Not Found (a proxy answers this, or another service; check --url)\n"},
	} {
		r := command(t, "", "push", folder, "--url", c.url)
		require.Equal(t, exitFailed, r.code, c.name)
		require.Contains(t, r.out, c.says, c.name)
		require.Contains(t, r.out, "1 file: 0 accepted, 0 rejected, 1 push failed", c.name)
		require.Contains(t, r.talk, "stopped; 2 of 3 files were not pushed", c.name)
	}
	endpoint := command(t, "", "push", folder, "--url", i.URL+"/api/registry/fhir/Bundle")
	require.Equal(t, exitUsage, endpoint.code)
	require.Contains(t, endpoint.talk, "without the path of an endpoint")
}

func TestPushStatesThatTheServiceHasABundleWhoseReceiptItCannotRead(t *testing.T) {
	i := apptest.Start(t)
	t.Setenv("REGISTRY_DB", i.Config.DB)
	minted := command(t, "", "key", "mint", "--practice", "1", "--label", "writes only", "--scope", "ingest:write")
	require.Zero(t, minted.code, minted.talk)
	t.Setenv("REGISTRY_API_KEY", minted.out)
	r := command(t, "", "push", bundles(t, "a", "b"), "--url", i.URL)
	require.Equal(t, exitFailed, r.code)
	require.Regexp(t, `a\.json: 403: .* \(the service has accepted the Bundle; its receipt is at http\S+/ingestions/[0-9a-f-]{36}\)`, r.out)
}

func TestAnInterruptedPushSaysWhatItHasPushed(t *testing.T) {
	i := apptest.Start(t)
	t.Setenv("REGISTRY_API_KEY", i.Key)
	ctx, interrupt := context.WithCancel(context.Background())
	pushed := 0
	between := answering(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			pushed++
		case pushed == 2: // it asks for the second receipt; a slow machine asks several times for the first
			interrupt()
			<-r.Context().Done()
			return
		}
		pass(w, r, i.URL)
	})
	var out, talk bytes.Buffer
	require.Equal(t, exitFailed, Run(ctx, []string{"push", bundles(t, "a", "b", "c"), "--url", between}, strings.NewReader(""), &out, &talk))
	require.Regexp(t, `a\.json: ok\n`, out.String())
	require.Regexp(t, `b\.json: interrupted \(the service has accepted the Bundle; its receipt is at http`, out.String())
	require.Regexp(t, `interrupted; 1 of 3 files were not pushed, beginning with .*c\.json\n`, talk.String())
}

func TestAPushThatIsInterruptedBeforeItsAnswerSaysThatTheServiceMayHaveTheBundle(t *testing.T) {
	i := apptest.Start(t)
	t.Setenv("REGISTRY_API_KEY", i.Key)
	ctx, interrupt := context.WithCancel(context.Background())
	between := answering(t, func(_ http.ResponseWriter, r *http.Request) {
		pass(httptest.NewRecorder(), r, i.URL) // the Bundle arrives, but its answer doesn't
		interrupt()
		<-r.Context().Done()
	})
	var out, talk bytes.Buffer
	require.Equal(t, exitFailed, Run(ctx, []string{"push", bundles(t, "a"), "--url", between}, strings.NewReader(""), &out, &talk))
	require.Contains(t, out.String(), "a.json: interrupted before the service answered; it may have the Bundle, so look at the Ingestions page before you push it again\n")
	require.Eventually(t, func() bool { return i.Count() == 1 }, 3*time.Minute, 10*time.Millisecond, "the Bundle is processed")
}

func TestPushRepeatsWhatAProxyCouldNotPassOn(t *testing.T) {
	i := apptest.Start(t)
	t.Setenv("REGISTRY_API_KEY", i.Key)
	requests := 0
	restarts := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		pass(w, r, i.URL)
	})
	r := command(t, apptest.Course{Chart: "a"}.Bundle(), "push", "-", "--url", restarts)
	require.Zero(t, r.code, r.out)
}

// bundles writes a Bundle for each chart number into a folder.
func bundles(t *testing.T, charts ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, chart := range charts {
		require.NoError(t, os.WriteFile(filepath.Join(folder, chart+".json"), []byte(apptest.Course{Chart: chart}.Bundle()), 0o600))
	}
	return folder
}

// answering starts a server, and returns its address.
func answering(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

// pass passes a request on to a service, and the answer back.
func pass(w http.ResponseWriter, r *http.Request, service string) {
	to, err := url.Parse(service)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	httputil.NewSingleHostReverseProxy(to).ServeHTTP(w, r)
}

func TestPushWaitsAsItIsAskedTo(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) { c.Web.RateLimit = 1_000_000 })
	t.Setenv("REGISTRY_API_KEY", i.Key)
	var refusals atomic.Int64
	between := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if refusals.Add(1) <= 2 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		pass(w, r, i.URL)
	})
	r := command(t, apptest.Course{Chart: "patient"}.Bundle(), "push", "-", "--url", between)
	require.Zero(t, r.code, r.out)
	require.GreaterOrEqual(t, refusals.Load(), int64(4), "refused twice, then submitted and polled")
}
