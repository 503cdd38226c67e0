package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/certs"
	"birthregistry/app/ops"
)

func TestHealthReportsInOneLineThatAllIsWell(t *testing.T) {
	i := apptest.Start(t)
	r := command(t, "", "health", "--url", i.URL)
	require.Equal(t, ran{0, "pass\n", ""}, r)
	t.Setenv("REGISTRY_LISTEN", ":"+i.URL[len("http://127.0.0.1:"):]) // as serve sees it in the same container
	require.Equal(t, ran{0, "pass\n", ""}, command(t, "", "health"))
	t.Setenv("REGISTRY_LISTEN", "127.0.0.1:1")
	t.Setenv("REGISTRY_URL", i.URL)
	r = command(t, "", "health", "--json")
	require.Zero(t, r.code)
	var answer map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.out), &answer))
	require.Equal(t, "pass", answer["status"])
	require.Contains(t, answer["checks"], "disk:free")
}

func TestHealthFailsWithWhatIsWrong(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) { c.Ingest.DiskReserve = 1 << 60 })
	require.Equal(t, ran{1, "fail The disk is below its reserve; free some space.\n", ""}, command(t, "", "health", "--url", i.URL))
	i.Stop()
	r := command(t, "", "health", "--url", i.URL)
	require.Equal(t, 1, r.code)
	require.Regexp(t, `^fail http://127.0.0.1:\d+: nothing answers there; start the service.*\n$`, r.out)
	r = command(t, "", "health", "--url", i.URL, "--json")
	require.Equal(t, 1, r.code)
	var answer map[string]string
	require.NoError(t, json.Unmarshal([]byte(r.out), &answer))
	require.Equal(t, "fail", answer["status"])
	require.Contains(t, answer["output"], "nothing answers")
}

func TestHealthIsNotFooledByAnotherService(t *testing.T) {
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
		"": "http://127.0.0.1:8080", "127.0.0.1:8080": "http://127.0.0.1:8080", ":80": "http://127.0.0.1:80", "0.0.0.0:80": "http://127.0.0.1:80",
		"[::]:80": "http://127.0.0.1:80", "10.0.0.3:80": "http://10.0.0.3:80", "[::1]:80": "http://[::1]:80",
	} {
		got, err := serviceAddress{listen: listen, baseURL: "https://births.example.org"}.resolve()
		require.NoError(t, err)
		require.Equal(t, target{base: base}, got)
	}
}

func TestAServiceWithItsOwnCertificateIsAskedByItsNameWhereItListens(t *testing.T) {
	domain, cert := certs.Settings{Domains: []string{"births.example.org"}}, certs.Settings{Cert: "cert.pem"}
	for _, c := range []struct {
		address serviceAddress
		asked   target
	}{
		{serviceAddress{tls: domain}, target{"https://births.example.org", "127.0.0.1:443"}},
		{serviceAddress{tls: domain, listen: ":8443"}, target{"https://births.example.org", "127.0.0.1:8443"}},
		{serviceAddress{tls: cert, baseURL: "https://public.example.org:444"}, target{"https://public.example.org:444", "127.0.0.1:8080"}},
		{serviceAddress{tls: cert, listen: "0.0.0.0:443"}, target{"https://127.0.0.1:443", "127.0.0.1:443"}},
	} {
		got, err := c.address.resolve()
		require.NoError(t, err)
		require.Equal(t, c.asked, got)
	}
}

// The public address may be unreachable from this machine, which is not the service's fault.
func TestHealthAndTheDoctorAskTheSameAddress(t *testing.T) {
	i := apptest.Start(t)
	t.Setenv("REGISTRY_BASE_URL", "https://births.invalid")
	t.Setenv("REGISTRY_LISTEN", strings.TrimPrefix(i.URL, "http://"))
	require.Equal(t, ran{0, "pass\n", ""}, command(t, "", "health"))
	r := command(t, "", "doctor", "--json", "--db", i.Config.DB)
	var report struct {
		Checks []ops.Diagnosis `json:"checks"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.out), &report), r.talk)
	found := map[string]ops.Diagnosis{}
	for _, d := range report.Checks {
		found[d.Check] = d
	}
	require.Equal(t, ops.Diagnosis{Check: "service", State: ops.OK, Found: i.URL + " answers"}, found["service"])
	require.Equal(t, ops.Problem, found["address"].State, found["address"].Found)
}
