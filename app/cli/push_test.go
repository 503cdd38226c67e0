package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

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
	require.Contains(t, bad.out, "no-child: ", "the stable code, as lint and the guide have it")
	require.Contains(t, bad.out, "400: The body is not one well-formed JSON object")

	piped := command(t, apptest.Course{Chart: "e", Mother: "Osei"}.Bundle(), "push", "-", "--url", i.URL, "--json")
	require.Zero(t, piped.code)
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(piped.out), &all))
	require.Equal(t, "completed", all[0]["receipt"].(map[string]any)["status"])
}

func TestPushSaysWhatIsWrongWithKeyOrAddress(t *testing.T) {
	i := apptest.Start(t)
	key := filepath.Join(t.TempDir(), "api.key")
	require.NoError(t, os.WriteFile(key, []byte("rgk_wrong\n"), 0o600))
	r := command(t, "{}", "push", "-", "--url", i.URL, "--key-file", key)
	require.Equal(t, 1, r.code)
	require.Contains(t, r.out, "401: The API key is missing, invalid or revoked.")
	missing := command(t, "", "push", filepath.Join(t.TempDir(), "none.json"), "--url", i.URL, "--key-file", key)
	require.Equal(t, 1, missing.code)
	require.NotContains(t, missing.talk, "rgk_")
}

func TestPushWaitsAsItIsAskedTo(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) { c.Web.RateLimit = 1_000_000 })
	t.Setenv("REGISTRY_API_KEY", i.Key)
	var refusals atomic.Int64
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusals.Add(1) <= 2 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		r.RequestURI, r.URL.Scheme, r.URL.Host = "", "http", strings.TrimPrefix(i.URL, "http://")
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.StatusCode)
		body := make([]byte, 1<<20)
		n, _ := answer.Body.Read(body)
		_, _ = w.Write(body[:n])
	}))
	defer between.Close()
	r := command(t, apptest.Course{Chart: "patient"}.Bundle(), "push", "-", "--url", between.URL)
	require.Zero(t, r.code, r.out)
	require.GreaterOrEqual(t, refusals.Load(), int64(4), "refused twice, then submitted and polled")
}
