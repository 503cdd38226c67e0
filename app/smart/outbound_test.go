package smart

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/dial"
)

// local are a developer's settings, which allow EHRs on this machine.
var local = Settings{Loopback: true}

// startEHR starts an HTTP server on a real socket and returns it with an outbound client that
// may call it.
func startEHR(t *testing.T, settings Settings, handler http.HandlerFunc) (*httptest.Server, *outbound) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server, newOutbound(settings, []string{hostOf(t, server.URL)})
}

func hostOf(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	require.NoError(t, err)
	return u.Host
}

// fetch gets an address with a limit of 1,000 bytes and a token, as a read would.
func fetch(o *outbound, raw string) (int, []byte, error) {
	status, _, body, err := o.get(context.Background(), raw, "application/json", "secret-token", 1000)
	return status, body, err
}

func TestACallGoesOnlyToHTTPSOnTheHostsOfTheEHR(t *testing.T) {
	o := newOutbound(Settings{}, []string{"ehr.example.com", "login.example.com:8443"})
	for _, good := range []string{
		"https://ehr.example.com/fhir/Patient/1",
		"https://EHR.Example.com:443/token?x=1",
		"https://login.example.com:8443/authorize",
	} {
		_, err := o.permitted(good)
		require.NoError(t, err, good)
	}
	for bad, want := range map[string]error{
		"http://ehr.example.com/fhir":              errScheme,
		"http://localhost/fhir":                    errScheme,
		"javascript:alert(1)":                      errAddress,
		"javascript://ehr.example.com/%0aalert(1)": errScheme,
		"data:text/html,x":                         errAddress,
		"//ehr.example.com/fhir":                   errScheme,
		"/fhir":                                    errAddress,
		"":                                         errAddress,
		"https://ehr.example.com@evil.example/fhir":                  errAddress,
		"https://user:pass@ehr.example.com/fhir":                     errAddress,
		"https://ehr.example.com\\@evil.example/fhir":                errAddress,
		"https://ehr.example.com/fhir#x":                             errAddress,
		"https://ehr.example.com/fhir#":                              errAddress,
		"https://ehr.example.com/a b":                                errAddress,
		"https://ehr.example.com/a\tb":                               errAddress,
		"https://ehr.example.com/a\r\nHost: evil":                    errAddress,
		"https://ehr.example.com:/fhir":                              errAddress,
		"https://ehr.example.com:8443/fhir":                          errHost,
		"https://login.example.com/authorize":                        errHost,
		"https://ehr.example.com./fhir":                              errHost,
		"https://ehr.example.com.evil.example/fhir":                  errHost,
		"https://evil.example/https://ehr.example.com/":              errHost,
		"https://sub.ehr.example.com/":                               errHost,
		"https://ehr.ex\u0430mple.com/":                              errAddress, // a Cyrillic letter
		"https://169.254.169.254/latest/meta-data":                   errHost,
		"https://ehr.example.com/" + strings.Repeat("a", maxAddress): errAddress,
	} {
		_, err := o.permitted(bad)
		require.ErrorIs(t, err, want, bad)
		require.ErrorIs(t, err, ErrUpstream)
	}
}

func TestPlainHTTPIsAllowedOnlyToThisMachineInDevelopment(t *testing.T) {
	hosts := []string{"localhost:8080", "127.0.0.1", "[::1]:8080", "ehr.example.com"}
	o := newOutbound(local, hosts)
	for _, good := range []string{"http://localhost:8080/fhir", "http://127.0.0.1:80/", "http://[::1]:8080/"} {
		_, err := o.permitted(good)
		require.NoError(t, err, good)
	}
	_, err := o.permitted("http://ehr.example.com/fhir")
	require.ErrorIs(t, err, errScheme)
	_, err = newOutbound(Settings{}, hosts).permitted("http://localhost:8080/fhir")
	require.ErrorIs(t, err, errScheme)
}

func TestARedirectIsNotFollowed(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	for _, to := range []string{other.URL, "/again"} {
		var calls atomic.Int32
		server, o := startEHR(t, local, func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		})
		status, _, err := fetch(o, server.URL+"/fhir")
		require.NoError(t, err)
		require.Equal(t, http.StatusTemporaryRedirect, status)
		require.EqualValues(t, 1, calls.Load())
	}
	require.Zero(t, elsewhere.Load())
}

func TestTheClientForTheTokenExchangeStaysOnTheHostsToo(t *testing.T) {
	_, o := startEHR(t, local, func(http.ResponseWriter, *http.Request) {})
	_, err := o.client(1000).Post("https://evil.example/token", "", strings.NewReader("code=1"))
	require.ErrorIs(t, failure(err), errHost)
}

func TestAnAnswerLargerThanItsCapIsRefused(t *testing.T) {
	for size, fits := range map[int]bool{0: true, 999: true, 1000: true, 1001: false, 1 << 20: false} {
		server, o := startEHR(t, local, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("a"), size))
		})
		_, body, err := fetch(o, server.URL)
		if fits {
			require.NoError(t, err)
			require.Len(t, body, size)
		} else {
			require.ErrorIs(t, err, errTooLarge, size)
		}
	}
}

func TestAGzipBombIsCutOffAtTheCap(t *testing.T) {
	server, o := startEHR(t, local, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		for r.Context().Err() == nil { // without an end
			_, _ = io.CopyN(zip, zeros{}, 1<<20)
			_ = zip.Flush()
			_ = http.NewResponseController(w).Flush()
		}
	})
	_, _, err := fetch(o, server.URL)
	require.ErrorIs(t, err, errTooLarge)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestASlowDripIsCutOffByTheTimeOfTheWholeCall(t *testing.T) {
	server, o := startEHR(t, local, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil { // each byte arrives in time
			_, _ = w.Write([]byte(" "))
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	o.within = 200 * time.Millisecond
	_, _, err := fetch(o, server.URL) // which would otherwise read without an end
	require.ErrorIs(t, err, ErrSlow)
}

func TestMissingHeadersAreNotWaitedForForever(t *testing.T) {
	server, o := startEHR(t, local, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	require.Equal(t, dial.HeaderWithin, o.transport.ResponseHeaderTimeout)
	o.transport.ResponseHeaderTimeout = 100 * time.Millisecond
	_, _, err := fetch(o, server.URL)
	require.ErrorIs(t, err, ErrSlow)
}

func TestEndlessHeadersAreRefused(t *testing.T) {
	server, o := startEHR(t, local, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("a", 1<<20))
	})
	_, _, err := fetch(o, server.URL)
	require.ErrorIs(t, err, ErrUpstream)
}

func TestABrowserThatLeavesEndsTheCall(t *testing.T) {
	server, o := startEHR(t, local, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	time.AfterFunc(50*time.Millisecond, cancel)
	_, _, _, err := o.get(ctx, server.URL, "", "", 1000)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, ErrUpstream)
}

func TestTheTokenGoesIntoTheHeaderAndNowhereElse(t *testing.T) {
	server, o := startEHR(t, local, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "Bearer secret-token", r.Header.Get("Authorization"))
		require.NotContains(t, r.URL.String(), "secret-token")
		w.WriteHeader(http.StatusNoContent)
	})
	status, _, err := fetch(o, server.URL)
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, status)
}

func TestTheErrorOfACallQuotesNothing(t *testing.T) {
	for _, err := range []error{
		&url.Error{Op: "Get", URL: "https://ehr.example.com/Patient/canary", Err: io.ErrUnexpectedEOF},
		&url.Error{Op: "Get", URL: "https://ehr.example.com/Patient/canary", Err: context.DeadlineExceeded},
		errors.New("canary"),
	} {
		got := failure(err)
		require.NotContains(t, got.Error(), "canary")
		require.True(t, errors.Is(got, ErrUpstream) || errors.Is(got, ErrSlow))
	}
}
