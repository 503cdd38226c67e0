package web_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// The scopes of a key.
const (
	write = "ingest:write"
	read  = "ingest:read"
)

const (
	bundlePath = apptest.BundlePath
	ingestions = "/api/registry/fhir/ingestions/"
	// nowhere is a well-formed ID that no ingestion has.
	nowhere = ingestions + "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27"
)

// birth is a small valid Bundle.
var birth = apptest.Course{Chart: "C-1"}.Bundle()

// idle leaves everything that is accepted in the queue.
func idle(c *app.Config) { c.Ingest.Workers = 0 }

// rate sets the rate limit of a key.
func rate(limit int) func(*app.Config) {
	return func(c *app.Config) { c.Web.RateLimit = limit }
}

// maxBody sets the size of the largest body.
func maxBody(bytes int64) func(*app.Config) {
	return func(c *app.Config) { c.Web.MaxBody = bytes }
}

// send sends a request for which apptest has no helper.
func send(t *testing.T, request *http.Request) apptest.Response {
	t.Helper()
	client := http.Client{Transport: apptest.Contract(t)}
	response, err := client.Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return apptest.Response{Response: response, Body: body}
}

// request makes a request with the installation's key.
func request(t *testing.T, i *apptest.Installation, method, path string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, i.URL+path, body)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+i.Key)
	return r
}

// stalled is a body that doesn't arrive. In the end it returns an error to a handler that
// waits for it, so that the test fails.
func stalled(t *testing.T) io.Reader {
	from, to := io.Pipe()
	late := time.AfterFunc(time.Minute, func() { to.CloseWithError(errors.New("the body was waited for")) })
	t.Cleanup(func() {
		late.Stop()
		to.Close()
	})
	return from
}

// requireProblem requires exactly this problem of the catalog, in the form of every error
// under /api/.
func requireProblem(t *testing.T, problem *fhir.Problem, answer apptest.Response) {
	t.Helper()
	require.Equal(t, problem.Status, answer.StatusCode, "body: %s", answer.Body)
	require.Equal(t, "application/fhir+json", answer.Header.Get("Content-Type"))
	requireRequestID(t, answer)
	issue := answer.Issue(t)
	require.Equal(t, "error", issue["severity"])
	require.Equal(t, problem.Code, issue["code"])
	text := issue["diagnostics"].(string)
	if problem == fhir.NotJSON { // with the position of the error
		text = text[:min(len(text), len(problem.Text))]
	}
	require.Equal(t, problem.Text, text)
	require.Equal(t, problem.Hint, issue["details"].(map[string]any)["text"])
	if problem.Expression == "" {
		require.NotContains(t, issue, "expression")
	} else {
		require.Equal(t, []any{problem.Expression}, issue["expression"])
	}
}

func requireRequestID(t *testing.T, answer apptest.Response) {
	t.Helper()
	values := answer.Header.Values("X-Request-Id")
	require.Len(t, values, 1)
	require.NoError(t, uuid.Validate(values[0]))
}

// mint makes a key of the installation's practice and returns it with its ID.
func mint(t *testing.T, i *apptest.Installation, scopes ...string) (key string, id int64) {
	t.Helper()
	key = i.Mint(i.Practice, scopes...)
	require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) error {
		all, err := v.APIKeys(i.Practice)
		id = all[len(all)-1].ID
		return err
	}))
	return key, id
}

func revoke(t *testing.T, i *apptest.Installation, id int64) {
	t.Helper()
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.RevokeAPIKey(i.Practice, id) }))
}

// location returns the path of the status address in a 202.
func location(t *testing.T, i *apptest.Installation, accepted apptest.Response) string {
	t.Helper()
	require.Equal(t, http.StatusAccepted, accepted.StatusCode, "body: %s", accepted.Body)
	path, found := strings.CutPrefix(accepted.Header.Get("Content-Location"), i.URL)
	require.True(t, found)
	return path
}
