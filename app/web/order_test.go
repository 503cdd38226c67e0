package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// Decision 1.1: each request fails its own check and every later one, so the answers show that
// the checks run in this order.
func TestRequestChecksRunInTheDocumentedOrder(t *testing.T) {
	i := apptest.Start(t, idle, maxBody(1000))
	readOnly, large := i.Mint(i.Practice, read), strings.Repeat("[", 2000)
	xml := []string{"Content-Type", "application/xml"}
	badKey := append([]string{"Idempotency-Key", "has a space"}, xml...)
	i.Post(birth, "Idempotency-Key", "used")
	for _, step := range []struct {
		name    string
		problem *fhir.Problem
		method  string
		headers []string
	}{
		{"the path before everything", fhir.NoSuchPath, "POST /", append(badKey, "Authorization", "")},
		{"the method before the key", fhir.NoSuchMethod, "PUT", append(badKey, "Authorization", "")},
		{"the key before the scope", fhir.Unauthorized, "POST", append(badKey, "Authorization", "Bearer rgk_x")},
		{"the scope before the Idempotency-Key", fhir.Forbidden, "POST", append(badKey, "Authorization", "Bearer "+readOnly)},
		{"the Idempotency-Key before the media type", fhir.BadIdempotencyKey, "POST", badKey},
		{"the media type before the size", fhir.BadMediaType, "POST", xml},
		{"the size before the JSON", fhir.TooLarge, "POST", nil},
	} {
		t.Run(step.name, func(t *testing.T) {
			method, slash := strings.CutSuffix(step.method, " /")
			path := bundlePath
			if slash {
				path += "/"
			}
			requireProblem(t, step.problem, i.Do(method, path, large, step.headers...))
		})
	}
	t.Run("the JSON before the resourceType", func(t *testing.T) {
		requireProblem(t, fhir.NotJSON, i.Post(`{"resourceType":"Patient"`))
	})
	t.Run("the replay before the media type and the size", func(t *testing.T) {
		answer := i.Post(large, append(xml, "Idempotency-Key", "used")...)
		require.Equal(t, 202, answer.StatusCode)
		require.Equal(t, "true", answer.Header.Get("Idempotent-Replayed"))
	})
	t.Run("the syntax of the Idempotency-Key before the replay", func(t *testing.T) {
		r := request(t, i, "POST", bundlePath, strings.NewReader(birth))
		r.Header["Idempotency-Key"] = []string{"used", "used"}
		requireProblem(t, fhir.BadIdempotencyKey, send(t, r))
	})
}

func TestTheRateLimitComesBeforeTheScope(t *testing.T) {
	i := apptest.Start(t, rate(1))
	key := i.Mint(i.Practice, read)
	requireProblem(t, fhir.Forbidden, i.Post(birth, "Authorization", "Bearer "+key))
	requireProblem(t, fhir.Throttled, i.Post(birth, "Authorization", "Bearer "+key))
}

func TestTheResourceTypeComesBeforeTheRoomToStoreIt(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) { c.Ingest.DiskReserve = 1 << 60 })
	requireProblem(t, fhir.NotABundle, i.Post(`{}`))
	requireProblem(t, fhir.Busy, i.Post(birth))
}

func TestRequestsThatTheHeadersDecideAreAnsweredWithoutTheBody(t *testing.T) {
	i := apptest.Start(t, idle, rate(10), maxBody(1000))
	first := i.Post(birth, "Idempotency-Key", "used")
	for name, c := range map[string]struct {
		status  int
		length  int64
		headers []string
	}{
		"a replay":             {202, -1, []string{"Idempotency-Key", "used"}},
		"a replay with length": {202, 500, []string{"Idempotency-Key", "used"}},
		"401":                  {401, 500, []string{"Authorization", "Bearer rgk_x"}},
		"400":                  {400, -1, []string{"Idempotency-Key", "not one"}},
		"413":                  {413, 1001, nil},
		"415":                  {415, -1, []string{"Content-Encoding", "gzip"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(t, i, "POST", bundlePath, stalled(t))
			r.ContentLength = c.length
			for n := 0; n < len(c.headers); n += 2 {
				r.Header.Set(c.headers[n], c.headers[n+1])
			}
			answer := send(t, r)
			require.Equal(t, c.status, answer.StatusCode)
			if c.status == 202 {
				require.Equal(t, first.Header.Get("Content-Location"), answer.Header.Get("Content-Location"))
			}
		})
	}
}

func TestARefusedRequestDoesNotUseUpTheIdempotencyKey(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		body    string
		headers []string
		change  func(*app.Config)
	}{
		"400 not JSON":           {400, `{`, nil, nil},
		"400 not a Bundle":       {400, `{}`, nil, nil},
		"413 by length":          {413, strings.Repeat(" ", 5000) + birth, nil, maxBody(5000)},
		"415":                    {415, birth, []string{"Content-Type", "text/xml"}, nil},
		"503 for want of disk":   {503, birth, nil, func(c *app.Config) { c.Ingest.DiskReserve = 1 << 60 }},
		"503 for want of budget": {503, birth, nil, func(c *app.Config) { c.Ingest.MaxInFlight = 10 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.change == nil {
				c.change = func(*app.Config) {}
			}
			i := apptest.Start(t, idle, c.change)
			answer := i.Post(c.body, append(c.headers, "Idempotency-Key", "k")...)
			require.Equal(t, c.status, answer.StatusCode)
			if c.status == 503 {
				requireProblem(t, fhir.Busy, answer)
				require.Equal(t, "5", answer.Header.Get("Retry-After"))
				i.Stop()
				i.Config.Ingest = app.Defaults("").Ingest
				i.Config.Ingest.Workers = 0
				i.Run()
			}
			retry := i.Post(birth, "Idempotency-Key", "k")
			require.Equal(t, 202, retry.StatusCode)
			require.Empty(t, retry.Header.Get("Idempotent-Replayed"))
			require.Equal(t, "true", i.Post(birth, "Idempotency-Key", "k").Header.Get("Idempotent-Replayed"))
		})
	}
}

// Decisions 1.3 and 1.9.
func TestAReplayIsTheSame202(t *testing.T) {
	i := apptest.Start(t)
	first := i.Post(birth, "Idempotency-Key", "k")
	require.Empty(t, first.Header.Values("Idempotent-Replayed"))
	i.Receipt(first)
	other := apptest.Course{Chart: "C-2"}.Bundle()
	again := i.Post(other, "Idempotency-Key", "k")
	require.Equal(t, 202, again.StatusCode)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.Equal(t, first.Header.Get("Content-Location"), again.Header.Get("Content-Location"))
	require.Equal(t, first.Header.Get("Content-Type"), again.Header.Get("Content-Type"))
	require.JSONEq(t, string(first.Body), string(again.Body))
	require.Equal(t, 1, i.Count(), "the other Bundle was not ingested")
	require.NotEqual(t, first.Header.Get("Content-Location"), i.Post(birth, "Idempotency-Key", "K").Header.Get("Content-Location"), "keys compare exactly")
}

// REL-11: the bodies differ, so the receipt shows whose body was kept.
func TestREL_11_OfFiftySimultaneousPostsWithOneKeyOneIsKeptAndAllGetItsAnswer(t *testing.T) {
	i := apptest.Start(t)
	const callers = 50
	answers := make([]apptest.Response, callers)
	var all sync.WaitGroup
	begin := make(chan struct{})
	for n := range callers {
		all.Go(func() {
			<-begin
			answers[n] = i.Post(apptest.Course{Chart: fmt.Sprint("chart ", n)}.Bundle(), "Idempotency-Key", "k")
		})
	}
	close(begin)
	all.Wait()
	winner := -1
	for n, answer := range answers {
		require.Equal(t, http.StatusAccepted, answer.StatusCode)
		require.Equal(t, answers[0].Header.Get("Content-Location"), answer.Header.Get("Content-Location"))
		if answer.Header.Get("Idempotent-Replayed") == "" {
			require.Equal(t, -1, winner, "one only is no replay")
			winner = n
		}
	}
	require.NotEqual(t, -1, winner)
	i.Receipt(answers[0])
	require.Equal(t, 1, i.Count())
	require.Equal(t, 1, i.Record(fmt.Sprint("chart ", winner)).Version, "the Bundle of the one that was no replay")
	require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) error {
		ingestions, err := v.Ingestions(i.Practice, store.AnyIngestion, 0, 100)
		require.Len(t, ingestions, 1, "one ingestion")
		return err
	}))
}

func TestAnIdempotencyKeyIsOneTo255VisibleCharacters(t *testing.T) {
	i := apptest.Start(t, idle)
	for name, key := range map[string]string{
		"one character": "k", "255 characters": strings.Repeat("k", 255), "all that is visible": `!"#$%&'()*+,-./:;<=>?@[\]^_{|}~`,
	} {
		require.Equal(t, 202, i.Post(birth, "Idempotency-Key", key).StatusCode, name)
	}
	for name, key := range map[string]string{
		"empty": "", "256 characters": strings.Repeat("k", 256), "a space inside": "a b", "a tab inside": "a\tb", "not ASCII": "schlüssel", "Latin-1": "schl\xfcssel",
	} {
		t.Run(name, func(t *testing.T) {
			r := request(t, i, "POST", bundlePath, strings.NewReader(birth))
			r.Header["Idempotency-Key"] = []string{key}
			requireProblem(t, fhir.BadIdempotencyKey, send(t, r))
		})
	}
}

func TestAFailedIngestionIsReplayedAndANewKeyResubmits(t *testing.T) {
	i := apptest.Start(t, idle)
	first := i.Post(birth, "Idempotency-Key", "old")
	path := location(t, i, first)
	i.Stop()
	spoil(t, i.Config.DB, `update buffers set sealed = x'00'`)
	i.Config.Ingest.Workers = 1
	i.Run()
	first.Header.Set("Content-Location", i.URL+path)
	require.Equal(t, "failed", string(i.Receipt(first).Status))
	require.Equal(t, path, location(t, i, i.Post(birth, "Idempotency-Key", "old")))
	require.Equal(t, "completed", string(i.Receipt(i.Post(birth, "Idempotency-Key", "new")).Status))
}
