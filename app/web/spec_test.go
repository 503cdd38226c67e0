package web_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/fhir"
	"birthregistry/app/ingest"
	"birthregistry/store"
)

// TestSpec checks the rows of the spec's tables one by one: "Cases" and "Limits", except those
// of the pull lane, and "Responses" of both push endpoints.
func TestSpec(t *testing.T) {
	for _, table := range []struct {
		name string
		rows []row
	}{
		{"Cases", cases},
		{"Responses of POST Bundle", responsesOfPost},
		{"Responses of GET ingestion", responsesOfGet},
		{"Limits", limits},
	} {
		t.Run(table.name, func(t *testing.T) {
			for _, r := range table.rows {
				t.Run(r.says, func(t *testing.T) {
					t.Parallel()
					r.holds(t)
				})
			}
		})
	}
}

// row is a row of a table with its test.
type row struct {
	says  string
	holds func(*testing.T)
}

var cases = []row{
	{"POST body is not a JSON object with resourceType Bundle: 400, code structure, expression Bundle.resourceType", func(t *testing.T) {
		i := apptest.Start(t)
		for _, body := range []string{`{`, `[]`, `"x"`, `null`, `{}`, `{"resourceType":"Patient"}`, `{"resourceType":1}`, `<Bundle/>`, ` `} {
			answer := i.Post(body)
			require.Equal(t, 400, answer.StatusCode, body)
			require.Equal(t, "structure", answer.Issue(t)["code"], body)
			require.Equal(t, []any{"Bundle.resourceType"}, answer.Issue(t)["expression"], body)
		}
	}},
	{"Missing, invalid or revoked key: 401", keyIs401},
	{"Key lacks required scope: 403", func(t *testing.T) {
		postWithoutScope(t)
		getWithoutScope(t)
	}},
	{"Ingestion id unknown for the caller's practice: 404", unknownIngestion},
	{"Over the rate limit: 429", func(t *testing.T) {
		i := apptest.Start(t, rate(1))
		requireProblem(t, fhir.NoSuchIngestion, i.Do("GET", nowhere, ""))
		requireProblem(t, fhir.Throttled, i.Do("GET", nowhere, ""))
	}},
	{"Feed has a stale batch: 503 on /health/json", func(t *testing.T) {
		i := apptest.Start(t, idle, func(c *app.Config) { c.Web.StaleAfter = 50 * time.Millisecond })
		require.Equal(t, 200, i.Do("GET", "/health/json", "").StatusCode)
		i.Post(birth)
		time.Sleep(60 * time.Millisecond)
		require.Equal(t, 503, i.Do("GET", "/health/json", "").StatusCode)
	}},
	{"Course of care with no mother, several mothers, or no child: per-record rejection in outcome.rejected with an OperationOutcome", func(t *testing.T) {
		i := apptest.Start(t)
		out := i.Push(apptest.Batch(
			apptest.Course{Mothers: -1}.Bundle(), apptest.Course{Mothers: 2}.Bundle(), apptest.Course{Kids: -1}.Bundle(), birth,
		))
		require.Len(t, out.Accepted, 1)
		require.Len(t, out.Rejected, 3)
		for n, problem := range []*fhir.Problem{fhir.NoMother, fhir.SeveralMothers, fhir.NoChild} {
			require.Equal(t, fmt.Sprintf("Bundle.entry[%d]", n), out.Rejected[n].Reference)
			requireRejection(t, problem, out.Rejected[n])
		}
	}},
	{"Amendment with older meta.lastUpdated/timestamp: per-record rejection, code conflict, Stale update ignored", func(t *testing.T) {
		i := apptest.Start(t)
		i.Push(apptest.Course{Chart: "C-1", Stamp: "2026-03-04T00:00:00Z"}.Bundle())
		out := i.Push(apptest.Course{Chart: "C-1", Stamp: "2026-03-03T00:00:00Z"}.Bundle())
		require.Len(t, out.Rejected, 1)
		requireRejection(t, fhir.Stale, out.Rejected[0])
		require.Equal(t, "conflict", out.Rejected[0].Outcome.Issue[0].Code)
		require.Equal(t, "Stale update ignored.", out.Rejected[0].Outcome.Issue[0].Diagnostics)
	}},
	{"Amendment that would duplicate a different record: per-record rejection, code conflict", func(t *testing.T) {
		i := apptest.Start(t)
		i.Push(apptest.Course{Chart: "C-1", Mother: "Okonkwo"}.Bundle())
		i.Push(apptest.Course{Chart: "C-2", Mother: "Hale"}.Bundle())
		out := i.Push(apptest.Course{Chart: "C-2", Mother: "Okonkwo"}.Bundle())
		require.Len(t, out.Rejected, 1)
		requireRejection(t, fhir.WouldDuplicate, out.Rejected[0])
		require.Equal(t, "conflict", out.Rejected[0].Outcome.Issue[0].Code)
	}},
	{"Retraction of an unknown chart number: per-record rejection, not-found", func(t *testing.T) {
		i := apptest.Start(t)
		out := i.Push(apptest.Course{Chart: "C-1", Status: "entered-in-error"}.Bundle())
		require.Len(t, out.Rejected, 1)
		requireRejection(t, fhir.UnknownChart, out.Rejected[0])
		require.Equal(t, "not-found", out.Rejected[0].Outcome.Issue[0].Code)
	}},
	{"Whole Bundle fails validation: completed ingestion, one rejected entry with reference Bundle", func(t *testing.T) {
		i := apptest.Start(t)
		r := i.Receipt(i.Post(`{"resourceType":"Bundle","type":"document","entry":[]}`))
		require.Equal(t, store.Completed, r.Status)
		require.Equal(t, 0, *r.Accepted)
		require.Equal(t, 1, *r.Rejected)
		out, err := r.ParseOutcome()
		require.NoError(t, err)
		require.Equal(t, "Bundle", out.Rejected[0].Reference)
	}},
	{"Bundle cannot be processed at all: ingestion failed, outcome {error, exception, correlation_id}", func(t *testing.T) {
		i := apptest.Start(t, idle)
		accepted := i.Post(birth)
		i.Stop()
		spoil(t, i.Config.DB, `update buffers set sealed = x'00'`)
		path := location(t, i, accepted)
		i.Config.Ingest.Workers = 1
		i.Run()
		accepted.Header.Set("Content-Location", i.URL+path)
		r := i.Receipt(accepted)
		require.Equal(t, store.Failed, r.Status)
		f, err := r.ParseFailure()
		require.NoError(t, err)
		require.Equal(t, "The Bundle could not be processed and the push was not accepted.", f.Error)
		require.Equal(t, ingest.BufferUnreadable, f.Exception)
		i.Logs(f.CorrelationID)
	}},
	{"Queued Bundle aged out of its buffer before processing: ingestion failed, the buffer-expired error message; the caller re-submits", func(t *testing.T) {
		i := apptest.Start(t, idle, func(c *app.Config) { c.Ingest.BufferTTL = 300 * time.Millisecond })
		first := i.Post(birth, "Idempotency-Key", "k-1")
		r := i.Receipt(first)
		require.Equal(t, store.Failed, r.Status)
		f, err := r.ParseFailure()
		require.NoError(t, err)
		require.Equal(t, "The buffered Bundle for this ingestion is no longer available.", f.Error)
		require.Empty(t, f.Exception)
		require.NotEmpty(t, f.CorrelationID)
		again := i.Post(birth, "Idempotency-Key", "k-2")
		require.NotEqual(t, first.Header.Get("Content-Location"), again.Header.Get("Content-Location"))
	}},
}

var responsesOfPost = []row{
	{"202: Queued", func(t *testing.T) {
		i := apptest.Start(t, idle)
		answer := i.Post(birth)
		require.Equal(t, 202, answer.StatusCode)
		require.Equal(t, "informational", answer.Issue(t)["code"])
		require.Equal(t, "queued", i.Do("GET", location(t, i, answer), "").JSON(t)["status"])
	}},
	{"400: Body is not a JSON FHIR Bundle; OperationOutcome", func(t *testing.T) {
		i := apptest.Start(t)
		requireProblem(t, fhir.NotJSON, i.Post("not JSON"))
		requireProblem(t, fhir.NotABundle, i.Post(`{"resourceType":"Patient"}`))
	}},
	{"401: Missing, invalid or revoked key; OperationOutcome", keyIs401},
	{"403: Key lacks ingest:write; OperationOutcome", postWithoutScope},
	{"429: Rate limit exceeded", func(t *testing.T) {
		i := apptest.Start(t, rate(1), idle)
		require.Equal(t, 202, i.Post(birth).StatusCode)
		requireProblem(t, fhir.Throttled, i.Post(birth))
	}},
}

var responsesOfGet = []row{
	{"200: The receipt", func(t *testing.T) {
		i := apptest.Start(t)
		accepted := i.Post(birth)
		i.Receipt(accepted)
		answer := i.Do("GET", location(t, i, accepted), "")
		require.Equal(t, 200, answer.StatusCode)
		require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
		receipt := answer.JSON(t)
		require.Equal(t, "completed", receipt["status"])
		require.True(t, strings.HasSuffix(location(t, i, accepted), "/"+receipt["id"].(string)))
	}},
	{"401: Missing, invalid or revoked key", keyIs401},
	{"403: Key lacks ingest:read", getWithoutScope},
	{"404: No ingestion with that id for the caller's practice", unknownIngestion},
	{"429: Rate limit exceeded", func(t *testing.T) {
		i := apptest.Start(t, rate(2), idle)
		path := location(t, i, i.Post(birth))
		require.Equal(t, 200, i.Do("GET", path, "").StatusCode)
		requireProblem(t, fhir.Throttled, i.Do("GET", path, ""))
	}},
}

var limits = []row{
	{"Push API rate: 120 requests per minute per API key, one bucket shared by submissions and status polls; exceeding gives 429", func(t *testing.T) {
		i := apptest.Start(t, rate(120), idle)
		path := location(t, i, i.Post(birth))
		for n := 1; n < 120; n++ {
			if n%2 == 0 {
				require.Equal(t, 202, i.Post(birth).StatusCode, "request %d", n+1)
			} else {
				require.Equal(t, 200, i.Do("GET", path, "").StatusCode, "request %d", n+1)
			}
		}
		requireProblem(t, fhir.Throttled, i.Post(birth))
		requireProblem(t, fhir.Throttled, i.Do("GET", path, ""))
		require.Equal(t, 200, i.Do("GET", path, "", "Authorization", "Bearer "+i.Mint(i.Practice, read)).StatusCode, "another key")
	}},
	{"Tokenless request: falls back to a per-IP bucket; requests with no bearer token", func(t *testing.T) {
		i := apptest.Start(t, func(c *app.Config) { c.Web.AnonymousRateLimit = 3 })
		for range 3 {
			requireProblem(t, fhir.Unauthorized, i.Do("GET", nowhere, "", "Authorization", ""))
		}
		requireProblem(t, fhir.Throttled, i.Do("GET", nowhere, "", "Authorization", ""))
		requireProblem(t, fhir.NoSuchIngestion, i.Do("GET", nowhere, ""))
	}},
	{"Key lifetime: no expiry", func(t *testing.T) {
		i := apptest.Start(t)
		i.Stop()
		spoil(t, i.Config.DB, `update api_keys set created_at = 0, last_used_at = 0`)
		apptest.Sign(t, i.Config.DB)
		i.Run()
		requireProblem(t, fhir.NoSuchIngestion, i.Do("GET", nowhere, ""))
	}},
	{"Idempotency key scope: per practice", func(t *testing.T) {
		i := apptest.Start(t, idle)
		other := i.Mint(i.AddPractice("Hillside Birth Center"), write, read)
		here := i.Post(birth, "Idempotency-Key", "nightly-1")
		there := i.Post(birth, "Idempotency-Key", "nightly-1", "Authorization", "Bearer "+other)
		require.Empty(t, there.Header.Get("Idempotent-Replayed"))
		require.NotEqual(t, here.Header.Get("Content-Location"), there.Header.Get("Content-Location"))
		again := i.Post(birth, "Idempotency-Key", "nightly-1", "Authorization", "Bearer "+i.Mint(i.Practice, write))
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"), "another key of the same practice")
		require.Equal(t, here.Header.Get("Content-Location"), again.Header.Get("Content-Location"))
	}},
}

func keyIs401(t *testing.T) {
	i := apptest.Start(t)
	revoked, id := mint(t, i, write, read)
	require.Equal(t, 202, i.Post(birth, "Authorization", "Bearer "+revoked).StatusCode)
	revoke(t, i, id)
	for name, authorization := range map[string]string{
		"missing": "", "invalid": "Bearer rgk_invalid", "revoked": "Bearer " + revoked,
	} {
		for _, answer := range []apptest.Response{
			i.Post(birth, "Authorization", authorization), i.Do("GET", nowhere, "", "Authorization", authorization),
		} {
			require.Equal(t, 401, answer.StatusCode, name)
			requireProblem(t, fhir.Unauthorized, answer)
			require.Equal(t, "Bearer", answer.Header.Get("WWW-Authenticate"), name)
		}
	}
}

func postWithoutScope(t *testing.T) {
	i := apptest.Start(t)
	requireProblem(t, fhir.Forbidden, i.Post(birth, "Authorization", "Bearer "+i.Mint(i.Practice, read)))
}

func getWithoutScope(t *testing.T) {
	i := apptest.Start(t, idle)
	path := location(t, i, i.Post(birth))
	requireProblem(t, fhir.Forbidden, i.Do("GET", path, "", "Authorization", "Bearer "+i.Mint(i.Practice, write)))
}

func unknownIngestion(t *testing.T) {
	i := apptest.Start(t, idle)
	other := i.Mint(i.AddPractice("Hillside Birth Center"), write, read)
	requireProblem(t, fhir.NoSuchIngestion, i.Do("GET", nowhere, ""))
	requireProblem(t, fhir.NoSuchIngestion, i.Do("GET", location(t, i, i.Post(birth)), "", "Authorization", "Bearer "+other))
}

func requireRejection(t *testing.T, problem *fhir.Problem, got ingest.Rejected) {
	t.Helper()
	want := problem.Outcome(got.Outcome.Issue[0].Expression...)
	require.Equal(t, want, got.Outcome)
}

// spoil changes the database file of a stopped installation.
func spoil(t *testing.T, file, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	result, err := db.Exec(statement)
	require.NoError(t, err)
	n, err := result.RowsAffected()
	require.NoError(t, err)
	require.NotZero(t, n)
	require.NoError(t, db.Close())
}
