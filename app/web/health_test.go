package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/fhir"
	"birthregistry/app/ops"
)

// health requests the health check without a key and returns its checks.
func health(t *testing.T, i *apptest.Installation, status int) (doc map[string]any, checks map[string]map[string]any) {
	t.Helper()
	answer := i.Do("GET", "/health/json", "", "Authorization", "")
	require.Equal(t, status, answer.StatusCode, "body: %s", answer.Body)
	require.Equal(t, "application/health+json", answer.Header.Get("Content-Type"))
	require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
	doc, checks = answer.JSON(t), map[string]map[string]any{}
	for name, list := range doc["checks"].(map[string]any) {
		checks[name] = list.([]any)[0].(map[string]any)
	}
	return doc, checks
}

// Decision 1.11.
func TestHealthPasses(t *testing.T) {
	i := apptest.Start(t)
	i.Push(birth)
	doc, checks := health(t, i, 200)
	require.Equal(t, "pass", doc["status"])
	require.Len(t, checks, 4)
	for name, check := range checks {
		require.Equal(t, "pass", check["status"], name)
		require.NotContains(t, check, "output", name)
	}
	require.Equal(t, 0.0, checks["feed:stillness"]["observedValue"])
	require.Equal(t, 900.0, checks["feed:stillness"]["threshold"], "seconds")
	require.Equal(t, true, checks["database:write"]["observedValue"])
	require.Positive(t, checks["disk:free"]["observedValue"])
}

func TestHealthFailsWhileAnIngestionDoesNotAdvanceAndPassesOnceTheQueueIsDrained(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t, idle, func(c *app.Config) { c.Web.StaleAfter = 6 * time.Second }) // long enough that no machine oversleeps half of it
	require.Equal(t, 15*time.Minute, app.Defaults("").Web.StaleAfter)
	doc, _ := health(t, i, 200)
	require.Equal(t, "pass", doc["status"], "nothing waits")
	accepted := i.Post(birth)
	path := location(t, i, accepted)
	seen := map[any]bool{}
	require.Eventually(t, func() bool {
		answer := i.Do("GET", "/health/json", "")
		seen[answer.JSON(t)["status"]] = true
		return answer.StatusCode == 503
	}, 3*time.Minute, 10*time.Millisecond)
	require.True(t, seen["warn"], "half the time is a warning")
	i.Post(birth) // another ingestion is not progress
	doc, checks := health(t, i, 503)
	require.Equal(t, "fail", doc["status"])
	require.Equal(t, "fail", checks["feed:stillness"]["status"])
	require.NotEmpty(t, checks["feed:stillness"]["output"])
	require.Equal(t, 0.0, checks["feed:working"]["observedValue"], "nobody works it")
	require.Equal(t, "pass", checks["database:write"]["status"])
	i.Stop()
	i.Config.Ingest.Workers = 1
	i.Run()
	accepted.Header.Set("Content-Location", i.URL+path)
	i.Receipt(accepted)
	require.Eventually(t, func() bool {
		return i.Do("GET", "/health/json", "").JSON(t)["status"] == "pass"
	}, 3*time.Minute, 10*time.Millisecond)
}

func TestADiskBelowItsReserveFailsTheHealthCheckAndRefusesBundles(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) { c.Ingest.DiskReserve = 1 << 60 })
	doc, checks := health(t, i, 503)
	require.Equal(t, "fail", doc["status"])
	require.Equal(t, "fail", checks["disk:free"]["status"])
	require.Equal(t, "pass", checks["database:write"]["status"])
	answer := i.Post(birth)
	requireProblem(t, fhir.Busy, answer)
	require.Equal(t, "5", answer.Header.Get("Retry-After"))
	requireProblem(t, fhir.NoSuchIngestion, i.Do("GET", nowhere, "")) // polling still works
}

func TestADiskThatFillsUpIsAWarning(t *testing.T) {
	i := apptest.Start(t, idle)
	_, checks := health(t, i, 200)
	free := int64(checks["disk:free"]["observedValue"].(float64))
	i.Stop()
	i.Config.Ingest.DiskReserve = free / 2
	i.Run()
	doc, checks := health(t, i, 200)
	require.Equal(t, "warn", doc["status"])
	require.Equal(t, "warn", checks["disk:free"]["status"])
}

func TestTheReserveIsAtLeastTwiceTheWriteAheadLog(t *testing.T) {
	i := apptest.Start(t, idle, func(c *app.Config) { c.Ingest.DiskReserve = 1 })
	_, checks := health(t, i, 200)
	free := int64(checks["disk:free"]["observedValue"].(float64))
	info, err := os.Stat(i.Config.DB + "-wal")
	require.NoError(t, err)
	require.Positive(t, info.Size())
	require.EqualValues(t, 2*info.Size(), checks["disk:free"]["threshold"])
	// The WAL is far larger than the free space, whatever other programs free meanwhile. The
	// added part is a hole, which takes no room and which SQLite doesn't read.
	require.NoError(t, os.Truncate(i.Config.DB+"-wal", free+1<<30))
	_, checks = health(t, i, 503)
	require.Equal(t, "fail", checks["disk:free"]["status"])
	requireProblem(t, fhir.Busy, i.Post(birth))
	require.Eventually(t, func() bool { // as the service does after a deletion
		clean, err := i.App.DB.TruncateWAL(t.Context())
		return err == nil && clean
	}, 3*time.Minute, 10*time.Millisecond)
	health(t, i, 200)
	require.Equal(t, 202, i.Post(birth).StatusCode, "it resumes by itself")
}

func TestHealthShowsNothingAboutAnyPractice(t *testing.T) {
	alone := apptest.Start(t, idle)
	busy := apptest.Start(t, idle)
	busy.AddPractice("Hillside Birth Center")
	for range 3 {
		busy.Post(birth)
	}
	shape := func(i *apptest.Installation) any {
		doc, checks := health(t, i, 200)
		for _, check := range checks {
			delete(check, "time")
			delete(check, "observedValue") // seconds without progress, and free bytes
		}
		return doc
	}
	require.Equal(t, shape(alone), shape(busy))
	text := string(busy.Do("GET", "/health/json", "").Body)
	for _, name := range []string{"Hillside", "Riverside", "practice", "C-1"} {
		require.NotContains(t, strings.ToLower(text), strings.ToLower(name))
	}
}

func TestHealthWritesNothing(t *testing.T) {
	i := apptest.Start(t, idle)
	i.Post(birth)
	files := func() (all string) {
		for _, ending := range []string{"", "-wal"} {
			text, err := os.ReadFile(i.Config.DB + ending)
			require.NoError(t, err)
			all += string(text)
		}
		return all
	}
	before := files()
	for range 20 {
		health(t, i, 200)
	}
	require.True(t, before == files(), "the database file or its log has changed")
}

func TestScheduledBackupsThatFailWarnAndDoNotFail(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "nas")
	i := apptest.Start(t, idle, func(c *app.Config) {
		c.Backups = ops.Schedule{Folder: folder, Every: time.Hour, Keep: 2}
	})
	backup := func() map[string]any {
		_, checks := health(t, i, 200)
		require.Len(t, checks, 5)
		return checks["backup:age"]
	}
	require.Eventually(t, func() bool { return backup()["status"] == "warn" }, 3*time.Minute, 10*time.Millisecond, "the folder is not there")
	require.Equal(t, -1.0, backup()["observedValue"])
	require.NotEmpty(t, backup()["output"])
	admin, scribe := i.SignIn(i.Practice, auth.Admin), i.SignIn(i.Practice, auth.Scribe)
	const alarm = "The last backup failed"
	for _, page := range []string{"/registry", "/registry/records", "/docs", "/nowhere"} {
		require.Contains(t, admin.Get(page).Body, alarm, page)
	}
	require.NotContains(t, scribe.Get("/registry").Body, alarm, "who cannot see to it is not alarmed")
	require.NotContains(t, i.Stranger().Get("/sign-in").Body, alarm)
	i.Stop()
	require.NoError(t, os.Mkdir(folder, 0o700))
	i.Config.Backups.Sealed = true
	i.Run()
	require.Eventually(t, func() bool { return backup()["status"] == "pass" && backup()["observedValue"] != -1.0 }, 3*time.Minute, 10*time.Millisecond)
	require.NotContains(t, i.SignIn(i.Practice, auth.Admin).Get("/registry").Body, `class="alarm"`)
	made, err := filepath.Glob(filepath.Join(folder, "registry-*Z.db.age"))
	require.NoError(t, err)
	require.Len(t, made, 1)
}
