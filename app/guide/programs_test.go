package guide_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/guide"
	"birthregistry/app/longtest"
	"birthregistry/assets"
)

// REGISTRY_PYTHON names a Python that has the package requests.
func python(t *testing.T) string {
	if path := os.Getenv("REGISTRY_PYTHON"); path != "" {
		return path
	}
	err := exec.Command("python3", "-c", "import requests").Run()
	if err != nil {
		err = errors.New("set REGISTRY_PYTHON to a Python that has the package requests; .ci/run does")
	}
	longtest.Needs(t, "Python", err)
	return "python3"
}

// Each program meets a service that has no room at first, and a network that loses the first
// answer after the Bundle was stored.
func TestEachProgramOfTheGuideGetsABirthInOnceAndReadsItsReceipt(t *testing.T) {
	bundle, err := assets.Samples.ReadFile("samples/01-single-birth.json")
	require.NoError(t, err)
	commands := map[string]func(t *testing.T) []string{
		"go": func(*testing.T) []string { return []string{"go", "run"} },
		"js": func(t *testing.T) []string {
			node, err := exec.LookPath("node")
			longtest.Needs(t, "Node", err)
			return []string{node}
		},
		"python": func(t *testing.T) []string { return []string{python(t)} },
	}
	for language, command := range commands {
		t.Run(language, func(t *testing.T) {
			run := command(t)
			i := apptest.Start(t)
			network, posts := faulty(t, i.URL)
			here, err := guide.New(guide.Facts{Base: network.URL, BufferFor: time.Hour})
			require.NoError(t, err)
			programs := slices.DeleteFunc(blocks(t, here, language), func(b block) bool { return b.page != "programs" })
			require.Len(t, programs, 1)
			folder := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(folder, "birth.json"), bundle, 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(folder, programs[0].proof), []byte(programs[0].text), 0o600))
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			program := exec.CommandContext(ctx, run[0], append(run[1:], programs[0].proof)...)
			program.Dir = folder
			program.Env = append(os.Environ(), "REGISTRY_API_KEY="+i.Key)
			out, err := program.CombinedOutput()
			require.NoError(t, err, string(out))
			require.Equal(t, "completed: 1 accepted, 0 rejected\n", string(out))
			require.EqualValues(t, 3, posts.Load(), "refused, stored without an answer, repeated")
			require.Equal(t, 1, i.Count())
			require.Equal(t, 1, i.Record("SAMPLE-0001").Version, "stored once")
		})
	}
}

// faulty stands between a program and the service: the first POST gets 503, and the answer to
// the second is lost.
func faulty(t *testing.T, service string) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	target, err := url.Parse(service)
	require.NoError(t, err)
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	posts := &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			switch posts.Add(1) {
			case 1:
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			case 2:
				forward.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			}
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s, posts
}
