package app_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// pagesOf counts the pages of Observations that a mood has served.
func pagesOf(ehr *apptest.EHR, mood string) (n int) {
	return len(ehr.Journal(func(a apptest.Asked) bool {
		return a.Path == "/"+mood+"/fhir/Observation" && a.Status == http.StatusOK &&
			(a.Query["_page"] != "" || strings.Contains(a.Query["code"], "8302-2"))
	}))
}

func TestAChartOfAThousandObservationsOverFiftyPagesFillsTheForm(t *testing.T) {
	charts := t.TempDir()
	writeChart(t, charts, 1000)
	l := openLane(t, "--charts", charts)
	l.list("small-pages", public)
	began := time.Now()
	form := l.pull(l.browser(), "small-pages", "many")
	require.Less(t, time.Since(began), 20*time.Second)
	require.Equal(t, 50, pagesOf(l.ehr, "small-pages"))
	require.NotContains(t, text(form), "Not everything could be read")
	require.Equal(t, "66.9", value(form, "mother_height_in"), "170 cm, yesterday's")
	require.Less(t, len(form.Body), 1<<20, "a page that a phone can show")
}

// The same chart read by the program as it is shipped: what it takes above what
// it takes when idle.
func TestAChartOfAThousandObservationsTakesLessThanFiftyMB(t *testing.T) {
	charts := t.TempDir()
	writeChart(t, charts, 1000)
	binary, db := apptest.Binary(t), filepath.Join(t.TempDir(), "registry.db")
	server := exec.Command(binary, "serve", "--db", db, "--listen", "127.0.0.1:0", "--ehr-loopback")
	talk, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	base := servingAt(t, bufio.NewScanner(talk))
	ehr := apptest.StartEHR(t, base, "--charts", charts)
	out, err := exec.Command(binary, "ehr", "add", ehr.Base("small-pages"), "--client-id", public, "--db", db).CombinedOutput()
	require.NoError(t, err, "%s", out)

	b := apptest.NewBrowser(t, base)
	require.Equal(t, http.StatusOK, b.Get("/docs").StatusCode)
	idle := memory(t, server, "VmRSS")
	require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", server.Process.Pid), []byte("5"), 0), "the peak counts from here")
	callback, last := b.Handshake(ehr.Press("small-pages", "many", nil))
	require.NotEmpty(t, callback, "%s", text(last))
	require.Equal(t, http.StatusSeeOther, b.Visit(callback).StatusCode)
	require.Equal(t, 50, pagesOf(ehr, "small-pages"))
	peak := memory(t, server, "VmHWM")
	t.Logf("idle %.1f MB, at the peak %.1f MB", idle, peak)
	require.Less(t, peak-idle, 50.0)
}

var servingAddress = regexp.MustCompile(`"address":"(http://[^"]+)"`)

// servingAt reads the log of a server up to the line that says where it serves,
// and goes on reading so that the server can go on writing.
func servingAt(t *testing.T, log *bufio.Scanner) string {
	t.Helper()
	for log.Scan() {
		if m := servingAddress.FindStringSubmatch(log.Text()); m != nil {
			go func() {
				for log.Scan() {
					continue
				}
			}()
			return m[1]
		}
	}
	require.FailNow(t, "the server does not start")
	return ""
}

// memory returns a figure of a process's memory in MB (proc(5)).
func memory(t *testing.T, of *exec.Cmd, figure string) float64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", of.Process.Pid))
	require.NoError(t, err)
	kib, err := strconv.Atoi(string(regexp.MustCompile(figure + `:\s+(\d+)`).FindSubmatch(status)[1]))
	require.NoError(t, err)
	return float64(kib) * 1024 / 1e6
}
