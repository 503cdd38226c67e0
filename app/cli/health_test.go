package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
)

func TestHealthSaysInOneLineThatAllIsWell(t *testing.T) {
	i := apptest.Start(t)
	r := command(t, "", "health", "--url", i.URL)
	require.Equal(t, ran{0, "pass\n", ""}, r)
	t.Setenv("REGISTRY_LISTEN", ":"+i.URL[len("http://127.0.0.1:"):]) // as serve has it in the same container
	require.Equal(t, ran{0, "pass\n", ""}, command(t, "", "health"))
	t.Setenv("REGISTRY_LISTEN", "127.0.0.1:1")
	t.Setenv("REGISTRY_URL", i.URL)
	r = command(t, "", "health", "--json")
	require.Zero(t, r.code)
	var said map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.out), &said))
	require.Equal(t, "pass", said["status"])
	require.Contains(t, said["checks"], "disk:free")
}

func TestHealthFailsWithWhatIsWrong(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) { c.Intake.DiskReserve = 1 << 60 })
	require.Equal(t, ran{1, "fail The disk is below its reserve; free some space.\n", ""}, command(t, "", "health", "--url", i.URL))
	i.Stop()
	r := command(t, "", "health", "--url", i.URL)
	require.Equal(t, 1, r.code)
	require.Regexp(t, `^fail http://127.0.0.1:\d+: nothing answers there; start the service.*\n$`, r.out)
	r = command(t, "", "health", "--url", i.URL, "--json")
	require.Equal(t, 1, r.code)
	var said map[string]string
	require.NoError(t, json.Unmarshal([]byte(r.out), &said))
	require.Equal(t, "fail", said["status"])
	require.Contains(t, said["output"], "nothing answers")
}

func TestHealthIsNotTakenInBySomethingElse(t *testing.T) {
	for _, kind := range []string{"text/html", "application/health+json"} {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = fmt.Fprint(w, `{"hello": "it works"}`)
		}))
		r := command(t, "", "health", "--url", other.URL)
		other.Close()
		require.Equal(t, 1, r.code, kind)
		require.Contains(t, r.out, "something else answers there", kind)
	}
}

func TestHealthAsksWhereServeListens(t *testing.T) {
	for listen, base := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", ":80": "http://127.0.0.1:80", "0.0.0.0:80": "http://127.0.0.1:80",
		"[::]:80": "http://127.0.0.1:80", "10.0.0.3:80": "http://10.0.0.3:80", "[::1]:80": "http://[::1]:80",
	} {
		got, err := healthBase("", listen)
		require.NoError(t, err)
		require.Equal(t, base, got)
	}
}
