package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/alexedwards/scs/v2/memstore"
	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/customfields"
	"birthregistry/app/drafts"
	"birthregistry/app/fhir"
	"birthregistry/app/imports"
	"birthregistry/app/ingest"
	"birthregistry/app/records"
	"birthregistry/app/review"
	"birthregistry/app/seal"
	"birthregistry/app/smart"
	"birthregistry/app/sso"
	"birthregistry/app/web/ui"
	"birthregistry/assets"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// installation is a server over a database of its own, with a key. logged receives everything
// that the server logs, at all levels.
type installation struct {
	*Server
	start  func(ServerSettings) *Server // starts a server with other settings over the same database
	db     *store.DB
	key    string
	logged *bytes.Buffer
}

func newInstallation(t *testing.T, settings ServerSettings) installation {
	t.Helper()
	file := storetest.Blank(t, filepath.Join(t.TempDir(), "registry.db"), store.Open)
	db, err := store.Open(context.Background(), file)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	vault, _, err := seal.Open(db, file+".key")
	require.NoError(t, err)
	logged := &bytes.Buffer{}
	log := slog.New(slog.NewTextHandler(&locked{to: logged}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	keys := auth.New(db, vault)
	require.NoError(t, db.Update(func(tx *store.Tx) error {
		_, err := tx.AddPractice("Riverside Midwives", false, true)
		return err
	}))
	key, _, err := keys.Mint(1, "test", []string{"ingest:write", "ingest:read"}, "test")
	require.NoError(t, err)
	settings.BaseURL = "http://registry.example"
	writer := changes.New(db, vault, keys, log)
	queue := ingest.New(db, vault, keys, writer, ingest.Defaults(), log)
	ehrs := smart.New(db, vault, keys, smart.Settings{BaseURL: settings.BaseURL}, log)
	kept := memstore.NewWithCleanupInterval(0)
	start := func(settings ServerSettings) *Server {
		return New(ui.UseCases{
			Auth: keys, CustomFields: customfields.New(db, keys), Ingest: queue, Changes: writer, Records: records.New(db, vault),
			Imports: imports.New(db, vault, keys, writer, queue, drafts.New(db, vault, keys)), Drafts: drafts.New(db, vault, keys), Review: review.New(vault, keys, writer), Smart: ehrs, SSO: sso.New(db, vault, sso.Settings{}),
		}, kept, settings, log)
	}
	return installation{start(settings), start, db, key, logged}
}

// serve answers a request without a network.
func (s installation) serve(r *http.Request) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	s.Handler().ServeHTTP(answer, r)
	return answer
}

// poll asks for a receipt that doesn't exist.
func (s installation) poll(from, authorization string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", nowhere, nil)
	r.RemoteAddr = from
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	return s.serve(r)
}

type locked struct {
	mu sync.Mutex
	to io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

const nowhere = "/api/registry/fhir/ingestions/0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27"

func TestAPanicIsAnInternalErrorWithoutItsValue(t *testing.T) {
	const value = "Okonkwo 1994-05-17"
	s := newInstallation(t, Defaults())
	panics := map[string]func(){
		"a string":           func() { panic(value) },
		"an error":           func() { panic(errors.New(value)) },
		"a runtime error":    func() { _ = []int{}[len(value)] },
		"a value of its own": func() { panic(struct{ name string }{value}) },
		"a type assertion":   func() { var v any = value; _ = v.(int) },
		"an aborted handler": func() { panic(http.ErrAbortHandler) },
	}
	for name, fail := range panics {
		path := "/api/" + strings.ReplaceAll(name, " ", "-")
		s.echo.GET(path, func(echo.Context) error { fail(); return nil })
		answer := s.serve(httptest.NewRequest("GET", path+"?name=Okonkwo", nil))
		require.Equal(t, 500, answer.Code, name)
		require.Equal(t, "application/fhir+json", answer.Header().Get("Content-Type"), name)
		require.Contains(t, answer.Body.String(), fhir.Internal.Text, name)
		require.NotContains(t, answer.Body.String(), "Okonkwo", name)
		require.Contains(t, s.logged.String(), answer.Header().Get("X-Request-Id"), name)
	}
	require.Contains(t, s.logged.String(), "server_test.go", "the log has the place")
	require.NotContains(t, s.logged.String(), "Okonkwo")
	require.NotContains(t, s.logged.String(), "1994-05-17") // a request id may have the year alone
}

func TestAnErrorThatIsNotInTheCatalogIsAnInternalError(t *testing.T) {
	s := newInstallation(t, Defaults())
	s.echo.GET("/api/fail", func(echo.Context) error { return errors.New("the machinery") })
	s.echo.GET("/fail", func(echo.Context) error { return errors.New("the machinery") })
	for _, path := range []string{"/api/fail", "/fail"} {
		answer := s.serve(httptest.NewRequest("GET", path, nil))
		require.Equal(t, 500, answer.Code)
		require.NotContains(t, answer.Body.String(), "machinery")
		require.Contains(t, s.logged.String(), answer.Header().Get("X-Request-Id"))
	}
	require.Contains(t, s.logged.String(), "the machinery")
}

func TestATemporaryFailureIsReportedAsUnavailable(t *testing.T) {
	for _, state := range []error{store.ErrFull, store.ErrReadOnly, store.ErrBusy, store.ErrClosed} {
		s := newInstallation(t, Defaults())
		s.echo.GET("/api/fail", func(echo.Context) error { return fmt.Errorf("while storing: %w", state) })
		answer := s.serve(httptest.NewRequest("GET", "/api/fail", nil))
		require.Equal(t, 503, answer.Code)
		require.Equal(t, "5", answer.Header().Get("Retry-After"))
		require.Contains(t, answer.Body.String(), fhir.Busy.Name)
	}
}

func TestABundleIsNotAcknowledgedWhenTheDatabaseClosesUnderIt(t *testing.T) {
	s := newInstallation(t, Defaults())
	r := httptest.NewRequest("POST", "/api/registry/fhir/Bundle", strings.NewReader(`{"resourceType":"Bundle"}`))
	r.Header.Set("Authorization", "Bearer "+s.key)
	// The service closes the database while the body is arriving.
	r.Body = io.NopCloser(io.MultiReader(closing{s.db}, r.Body))
	answer := s.serve(r)
	require.Equal(t, 503, answer.Code)
	require.Contains(t, answer.Body.String(), fhir.Busy.Name)
}

// RL-5: how much is kept of them. app/limits_test.go measures the memory of the process.
func TestRL_5_TenThousandUnknownTokensFromOneAddressAreOneBucket(t *testing.T) {
	s := newInstallation(t, Defaults())
	stranger := newInstallation(t, Defaults()).key // a well-formed key of another installation
	refused := 0
	for n := range 10_000 {
		token := rand.Text()
		if n%100 == 0 {
			token = stranger
		}
		answer := s.poll("198.51.100.1:1000", "Bearer "+token)
		if answer.Code == 429 {
			refused++
			continue
		}
		require.Equal(t, 401, answer.Code)
	}
	require.Equal(t, 10_000-60, refused)
	require.Len(t, s.networks.logs, 1)
	require.Len(t, s.networks.logs["198.51.100.1"], 60)
	require.Empty(t, s.keys.logs)
}

func TestHostsOfOneIPv6NetworkShareABucket(t *testing.T) {
	settings := Defaults()
	settings.AnonymousRateLimit = 2
	s := newInstallation(t, settings)
	for n, want := range []int{401, 401, 429, 429} {
		require.Equal(t, want, s.poll(fmt.Sprintf("[2001:db8:0:1::%x]:1000", n+1), "").Code)
	}
	require.Equal(t, 401, s.poll("[2001:db8:0:2::1]:1000", "").Code, "another network")
	require.Equal(t, 404, s.poll("[2001:db8:0:1::1]:1000", "Bearer "+s.key).Code, "a key has a bucket of its own")
}

func TestTheRoutesAreThoseOfTheOpenAPIDocument(t *testing.T) {
	s := newInstallation(t, Defaults())
	var doc struct{ Paths, Webhooks map[string]map[string]any }
	require.NoError(t, json.Unmarshal(assets.OpenAPI, &doc, json.MatchCaseInsensitiveNames(true)))
	answered := 0
	for _, r := range s.echo.Routes() {
		path := strings.ReplaceAll(r.Path, ":ingestion", "{ingestion}")
		if doc.Paths[path] != nil {
			answered++
			require.Contains(t, doc.Paths[path], strings.ToLower(r.Method), path)
		}
		require.True(t, doc.Paths[path] != nil || !strings.HasPrefix(path, apiRoot), path)
	}
	require.Equal(t, strings.Count(string(assets.OpenAPI), `"operationId"`), answered+len(doc.Webhooks), "HEAD next to GET included")
}

func TestHealthFailsWhenTheDatabaseCannotBeUsed(t *testing.T) {
	s := newInstallation(t, Defaults())
	require.NoError(t, s.db.Close())
	answer := s.serve(httptest.NewRequest("GET", "/health/json", nil))
	require.Equal(t, 503, answer.Code)
	var h struct {
		Status string
		Checks map[string][]struct {
			Status        string
			ObservedValue any
		}
	}
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &h, json.MatchCaseInsensitiveNames(true)))
	require.Equal(t, "fail", h.Status)
	require.Equal(t, "fail", h.Checks["feed:stillness"][0].Status)
	require.Equal(t, "fail", h.Checks["database:write"][0].Status)
	require.Equal(t, false, h.Checks["database:write"][0].ObservedValue)
}

// If the database doesn't answer, the process should keep running but get no requests. A full
// disk calls for neither a restart nor a pause, because reading still works.
func TestTheLivenessProbeTouchesNothingAndTheReadinessProbeAsksTheDatabase(t *testing.T) {
	s := newInstallation(t, Defaults())
	ask := func(path string) (int, string) {
		answer := s.serve(httptest.NewRequest("GET", path, nil))
		require.Equal(t, "application/health+json", answer.Header().Get("Content-Type"))
		require.Empty(t, answer.Header().Get("RateLimit"), "nobody's limit")
		return answer.Code, answer.Body.String()
	}
	for _, path := range []string{livePath, readyPath} {
		code, body := ask(path)
		require.Equal(t, 200, code, path)
		require.Equal(t, `{"status":"pass"}`, body, path)
	}
	require.NoError(t, s.db.Close())
	code, _ := ask(livePath)
	require.Equal(t, 200, code)
	code, body := ask(readyPath)
	require.Equal(t, 503, code)
	require.Contains(t, body, `"status":"fail"`)
	require.Contains(t, body, "birthregistry doctor")
}

// closing is an empty body that closes the database when it is read.
type closing struct{ db *store.DB }

func (c closing) Read([]byte) (int, error) { return 0, cmp.Or(c.db.Close(), io.EOF) }
