// Package apptest opens whole installations for tests: the real database file in a
// temporary folder, the real queue, and the real HTTP server on a loopback port.
//
//	i := apptest.Start(t)
//	i.Push(apptest.Course{Chart: "A-1"}.Bundle())
//	record := i.Record("A-1")
//
// Every response that a test receives is compared with the published contract. A response that
// openapi.json does not describe fails the test.
package apptest

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/auth/authtest"
	"birthregistry/app/ingest"
	"birthregistry/app/records"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// Installation is a running installation. Start adds a practice and an API key of that practice;
// StartEmpty adds neither.
type Installation struct {
	T        testing.TB
	App      *app.App
	Config   app.Config
	URL      string
	Practice store.PracticeID
	Key      string // an API key of Practice, with the scopes ingest:write and ingest:read
	Log      *Log
	// Listen is the address on which Run listens, "" for any free port of 127.0.0.1.
	Listen string

	client *http.Client
	stop   func()
}

// Log collects what the installation logs.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// Reset forgets what was logged so far.
func (l *Log) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Reset()
}

// String returns everything logged so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Logs waits until the installation has logged the text, and fails the test if that takes too long.
// It has to wait because a line may be logged after the response to the request.
func (i *Installation) Logs(text string) {
	i.T.Helper()
	require.Eventually(i.T, func() bool { return strings.Contains(i.Log.String(), text) }, patience, time.Millisecond, "the log lacks %q", text)
}

// Start starts an installation in a temporary folder, with a practice and an API key. The functions
// in change can modify the configuration first. To save time, passwords are hashed at low cost.
func Start(t testing.TB, change ...func(*app.Config)) *Installation {
	t.Helper()
	i := StartEmpty(t, change...)
	i.Practice = i.AddPractice("Riverside Midwives")
	i.Key = i.Mint(i.Practice, "ingest:write", "ingest:read")
	return i
}

// StartEmpty starts an installation like Start, but without a practice.
func StartEmpty(t testing.TB, change ...func(*app.Config)) *Installation {
	t.Helper()
	authtest.CheapPasswords()
	config := app.Defaults(filepath.Join(t.TempDir(), "registry.db"))
	config.Web.RateLimit, config.Web.AnonymousRateLimit = 1_000_000, 1_000_000
	for _, c := range change {
		c(&config)
	}
	i := &Installation{T: t, Config: config, Log: &Log{}, client: &http.Client{Transport: Contract(t)}}
	i.Config.Log = slog.New(slog.NewJSONHandler(i.Log, nil))
	if _, err := os.Stat(i.Config.DB); os.IsNotExist(err) {
		storetest.Blank(t, i.Config.DB, store.Open)
	}
	i.Run()
	t.Cleanup(i.Stop)
	return i
}

// Run opens and serves the installation. Start calls it; a test calls it again only after Stop.
func (i *Installation) Run() {
	i.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	a, err := app.Open(ctx, i.Config)
	require.NoError(i.T, err)
	listener, err := net.Listen("tcp", cmp.Or(i.Listen, "127.0.0.1:0"))
	require.NoError(i.T, err)
	i.App, i.URL = a, "http://"+listener.Addr().String()
	served := make(chan error, 1)
	go func() { served <- a.Serve(ctx, listener) }()
	i.stop = sync.OnceFunc(func() {
		cancel()
		i.client.CloseIdleConnections()
		require.NoError(i.T, <-served)
		require.NoError(i.T, a.Close())
	})
}

// Stop shuts the installation down and waits until it has ended.
func (i *Installation) Stop() { i.stop() }

// AddPractice adds a practice that is enabled for API keys (store.Practice.EHRBeta).
func (i *Installation) AddPractice(name string) (p store.PracticeID) {
	i.T.Helper()
	require.NoError(i.T, i.App.DB.Update(func(tx *store.Tx) (err error) {
		p, err = tx.AddPractice(name, false, true)
		return err
	}))
	return p
}

// Mint makes an API key with these scopes for a practice, and returns the key.
func (i *Installation) Mint(p store.PracticeID, scopes ...string) string {
	i.T.Helper()
	key, _, err := i.App.Auth.Mint(p, "test", scopes, "test")
	require.NoError(i.T, err)
	return key
}

// Response is a response whose body has been read into Body.
type Response struct {
	*http.Response
	Body []byte
}

// JSON decodes the body.
func (r Response) JSON(t testing.TB) map[string]any {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(r.Body, &doc), "body: %s", r.Body)
	return doc
}

// Issue returns the first issue of an OperationOutcome.
func (r Response) Issue(t testing.TB) map[string]any {
	t.Helper()
	doc := r.JSON(t)
	require.Equal(t, "OperationOutcome", doc["resourceType"], "body: %s", r.Body)
	return doc["issue"].([]any)[0].(map[string]any)
}

// Do sends a request with the API key. If the request has a body, Do declares it as FHIR JSON.
// headers alternates names and values, such as "Accept", "text/html". It replaces headers that Do
// sets, and an empty value removes a header.
func (i *Installation) Do(method, path, body string, headers ...string) Response {
	i.T.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	request, err := http.NewRequest(method, i.URL+path, content)
	require.NoError(i.T, err)
	request.Header.Set("Authorization", "Bearer "+i.Key)
	if body != "" {
		request.Header.Set("Content-Type", "application/fhir+json")
	}
	for n := 0; n+1 < len(headers); n += 2 {
		request.Header.Del(headers[n])
		if headers[n+1] != "" {
			request.Header.Set(headers[n], headers[n+1])
		}
	}
	response, err := i.client.Do(request)
	require.NoError(i.T, err)
	answer, err := io.ReadAll(response.Body)
	require.NoError(i.T, err)
	require.NoError(i.T, response.Body.Close())
	return Response{response, answer}
}

// BundlePath is where Bundles are posted.
const BundlePath = "/api/registry/fhir/Bundle"

// Post posts a Bundle.
func (i *Installation) Post(body string, headers ...string) Response {
	i.T.Helper()
	return i.Do(http.MethodPost, BundlePath, body, headers...)
}

// patience is how long a test waits for something that must happen. It is enough for a
// slow and busy machine with the race detector.
const patience = 10 * time.Minute

// Receipt polls until an ingestion has completed or failed, and then returns its receipt. accepted
// is the 202 response that acknowledged the ingestion.
func (i *Installation) Receipt(accepted Response, headers ...string) ingest.Receipt {
	i.T.Helper()
	require.Equal(i.T, http.StatusAccepted, accepted.StatusCode, "body: %s", accepted.Body)
	path := PathOf(accepted)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		answer := i.Do(http.MethodGet, path, "", headers...)
		require.Equal(i.T, http.StatusOK, answer.StatusCode, "body: %s", answer.Body)
		var r ingest.Receipt
		require.NoError(i.T, json.Unmarshal(answer.Body, &r))
		if r.Status == store.Completed || r.Status == store.Failed {
			return r
		}
	}
	require.FailNow(i.T, "the ingestion did not end")
	return ingest.Receipt{}
}

// PathOf returns the path of a receipt, from the Content-Location header of a 202 response. It
// drops the host and port, because a restarted installation may listen on another port.
func PathOf(accepted Response) string {
	location := accepted.Header.Get("Content-Location")
	return location[strings.Index(location, "/api/"):]
}

// Push posts a Bundle and returns the outcome of its completed ingestion.
func (i *Installation) Push(body string, headers ...string) ingest.Outcome {
	i.T.Helper()
	r := i.Receipt(i.Post(body, headers...), headers...)
	require.Equal(i.T, store.Completed, r.Status, "outcome: %s", r.Outcome)
	out, err := r.ParseOutcome()
	require.NoError(i.T, err)
	return out
}

// Record returns the present version of a record of the practice, with its patient data. idOrChart
// is the record's ID or chart number.
func (i *Installation) Record(idOrChart string) records.Record { return i.RecordAt(idOrChart, 0) }

// RecordAt is like Record, but returns the given version of the record. Version 0 stands for the
// current version.
func (i *Installation) RecordAt(idOrChart string, version int) records.Record {
	i.T.Helper()
	r, err := records.New(i.App.DB, i.App.Vault).Show(context.Background(), i.Practice, idOrChart, version, true)
	require.NoError(i.T, err)
	return r
}

// Count returns how many records the practice has.
func (i *Installation) Count() (n int) {
	i.T.Helper()
	require.NoError(i.T, i.App.DB.View(context.Background(), func(v *store.View) error {
		all, err := v.Records(i.Practice, 0, 1_000_000)
		n = len(all)
		return err
	}))
	return n
}

// Clean fails the test if a check of the installation (App.Check) finds a problem.
func (i *Installation) Clean() {
	i.T.Helper()
	findings, err := i.App.Check(context.Background())
	require.NoError(i.T, err)
	for _, f := range findings {
		require.Empty(i.T, f.Problem, f.Check)
	}
}
