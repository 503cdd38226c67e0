package app_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/store"
)

// panicking builds the program with panics in many places. Each place panics once for every
// file with its name that is put into $PANICS, and no output may show the panic's value.
func panicking(t *testing.T) (program string, arm func(place string), went func(place string) bool) {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("PANICS", folder)
	arm = func(place string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, place), nil, 0o600))
	}
	went = func(place string) bool {
		_, err := os.Stat(filepath.Join(folder, place))
		return os.IsNotExist(err)
	}
	at := func(file, before, place string) edit {
		return edit{file, before, before + "\n	task.Inject(\"" + place + "\")\n"}
	}
	with := func(file, other string) edit {
		return edit{file, `"birthregistry/` + other + `"`, `"birthregistry/app/task"; "birthregistry/` + other + `"`}
	}
	return tampered(t, []edit{
		{"app/task/inject.go", "", `package task
import ("os"; "path/filepath")
func Inject(place string) {
	if os.Remove(filepath.Join(os.Getenv("PANICS"), place)) == nil {
		panic("CNRY-value of a panic")
	}
}
`},
		with("app/web/api/push.go", "app/fhir"),
		at("app/web/api/push.go", "	who := request.Caller(c)\n", "request"),
		at("app/web/api/push.go", "	h := c.Response().Header()\n", "answer"),
		with("app/web/ui/signin.go", "app/auth"),
		at("app/web/ui/signin.go", "func (h *Account) GetSignIn(c echo.Context) error {", "page"),
		{"app/changes/change.go", "	if w.OnItem != nil {", "	task.Inject(\"item\")\n	if w.OnItem != nil {"},
		with("app/ingest/job.go", "store"),
		at("app/ingest/job.go", "	q.begun = nil\n", "job"),
		at("app/ingest/job.go", "func (s *Service) finishAll(tx *store.Tx, p store.PracticeID, bundles []readBundle) error {", "write"),
		at("app/ingest/read.go", "	defer close(chunks)", "batch"),
		with("app/ingest/retention.go", "store"),
		at("app/ingest/retention.go", "func (s *Service) SweepOld() error {", "sweep"),
		at("app/worker/worker.go", "func (w *Worker) takeQueues(ctx context.Context) {", "queues"),
		{"app/worker/worker.go", "sweepEvery    = time.Minute", "sweepEvery    = time.Second"},
	}), arm, went
}

// REL-8, PHI-2: the program itself fails: in a handler, at the queue, in a worker, within a
// write, and in a sweep.
func TestAPanicAnywhereIsCountedRevealsNothingAndLosesNothing(t *testing.T) {
	s := newInstallation(t)
	program, arm, went := panicking(t)
	s.binary = program
	metrics := freeAddress(t)
	s.start("--metrics-listen", metrics)
	defer func() { _ = s.server.Process.Kill() }() // may still run after a failure
	counted := func() int {
		answer, err := http.Get("http://" + metrics + "/metrics")
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		n, err := strconv.Atoi(string(regexp.MustCompile(`(?m)^registry_panics_total (\d+)$`).FindSubmatch(body)[1]))
		require.NoError(t, err)
		return n
	}
	require.Zero(t, counted())
	l := &load{installation: s}
	post := func() error { return l.submit(l.submission()) }

	arm("request")
	code, body, _ := s.status("POST", apptest.BundlePath, apptest.Course{Chart: "refused"}.Bundle())
	require.Equal(t, 500, code)
	require.Contains(t, body, `"OperationOutcome"`)
	require.Contains(t, body, `"exception"`)
	require.NotContains(t, body, "CNRY")
	arm("page")
	code, body, header := s.status("GET", "/sign-in", "")
	require.Equal(t, 500, code)
	require.Contains(t, header.Get("Content-Type"), "text/html")
	require.NotContains(t, body, "CNRY")
	arm("answer") // the submission is durable but its answer is lost; the same key gets that answer
	p := l.submission()
	require.ErrorContains(t, l.submit(p), "status 500")
	require.NoError(t, l.submit(p))
	injected := 3
	require.Equal(t, injected, counted())

	for _, place := range []string{"job", "write", "batch", "queues", "sweep"} {
		for range 2 {
			arm(place)
			injected++
			for range 11 { // one of them is a large batch
				require.NoError(t, post())
			}
			require.Eventually(t, func() bool { return went(place) }, patience, 10*time.Millisecond, place)
			for _, p := range l.acknowledged { // all must end before the next fault, so that none meets three panics
				require.Equal(t, store.Completed, s.receipt(p.location).Status, "%s: %s", place, &s.log)
			}
		}
	}
	require.Eventually(t, func() bool { return counted() == injected }, patience, 10*time.Millisecond)

	arm("item") // a Bundle that makes the program panic fails alone
	location, err := l.post(sent{key: "unreadable", body: apptest.Course{Chart: "unreadable"}.Bundle()})
	require.NoError(t, err)
	failed := s.receipt(location)
	require.Equal(t, store.Failed, failed.Status)
	require.Contains(t, string(failed.Outcome), "MappingPanic")
	require.NotContains(t, string(failed.Outcome), "CNRY")
	injected++
	require.NoError(t, post())
	require.Equal(t, injected, counted())
	reconcile(t, s, l.acknowledged)
	require.Contains(t, s.command("check"), "ok")
	require.False(t, s.ended())
	s.stop() // its log is complete only once it has ended
	require.NotContains(t, s.log.String(), "CNRY")
	require.Contains(t, s.log.String(), "inject.go", "the log has the place")
	t.Logf("injected: %d panics, in requests, pages, jobs, writes, batches, the queue and sweeps; %d Bundles acknowledged, lost none",
		injected, len(l.acknowledged))
}
