package app_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// pagesOf returns how many pages of Observations a mood has served.
func pagesOf(ehr *apptest.EHR, mood string) (n int) {
	return len(ehr.Journal(func(a apptest.Asked) bool {
		return a.Path == "/"+mood+"/fhir/Observation" && a.Status == http.StatusOK &&
			(a.Query["_page"] != "" || strings.Contains(a.Query["code"], "8302-2"))
	}))
}

func TestAChartOfAThousandObservationsOverFiftyPagesFillsTheForm(t *testing.T) {
	charts := t.TempDir()
	writeChart(t, charts, 1000)
	l := openEHRLaunch(t, "--charts", charts)
	l.list("no-sort", public)
	began, late := time.Now(), lateness(t)
	form := l.pull(l.browser(), "no-sort", "many")
	require.Less(t, time.Since(began), 20*time.Second+late())
	require.GreaterOrEqual(t, pagesOf(l.ehr, "no-sort"), 50)
	require.NotContains(t, text(form), "Not everything could be read")
	require.Equal(t, "66.9", value(form, "mother_height_in"), "170 cm, yesterday's")
	require.Less(t, len(form.Body), 1<<20, "a page that a phone can show")
}

// The built program reads the same chart. The limit applies to the memory beyond that of the
// idle program.
func TestAChartOfAThousandObservationsTakesLessThanFiftyMB(t *testing.T) {
	charts := t.TempDir()
	writeChart(t, charts, 1000)
	s := newInstallation(t)
	s.start("--ehr-loopback")
	t.Cleanup(s.kill)
	base := "http://" + s.address
	ehr := apptest.StartEHR(t, base, "--charts", charts)
	s.command("ehr", "add", ehr.Base("no-sort"), "--client-id", public)

	b := apptest.NewBrowser(t, base)
	require.Equal(t, http.StatusOK, b.Get("/docs").StatusCode)
	idle, _ := s.resident(t)
	require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.server.Process.Pid), []byte("5"), 0), "the peak counts from here")
	callback, last := b.Handshake(ehr.Press("no-sort", "many", nil))
	require.NotEmpty(t, callback, "%s", text(last))
	require.Equal(t, http.StatusSeeOther, b.Visit(callback).StatusCode)
	require.GreaterOrEqual(t, pagesOf(ehr, "no-sort"), 50)
	taken := float64(s.peak(t)-idle) / 1e6
	t.Logf("idle %.1f MB, at the peak %.1f MB more", float64(idle)/1e6, taken)
	require.Less(t, taken, 50.0)
}
