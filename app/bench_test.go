package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/intake"
	"birthregistry/store"
)

// BenchmarkSingleDuringBatch posts a batch of 10,000 courses of 5 KB each to the
// built binary and, while it is worked, single Bundles of another practice. It
// reports how long those took to be completed, how much of the batch's time
// that is, and the peak memory of the process over all of it.
func BenchmarkSingleDuringBatch(b *testing.B) {
	binary := apptest.Binary(b)
	courses := make([]string, 10_000)
	for i := range courses {
		chart := fmt.Sprintf("batch-%d", i)
		courses[i] = apptest.Course{Chart: chart, Mother: chart, Weight: 3000, Extra: []string{
			`{"resourceType":"Basic","text":{"div":"` + strings.Repeat("narrative ", 400) + `"}}`,
		}}.Bundle()
	}
	batch := apptest.Batch(courses...)
	single := apptest.Course{Chart: "single", Mother: "Single"}.Bundle()
	for range b.N {
		s := benchSite(b, binary)
		began := time.Now()
		location := s.post(b, s.keys[0], batch)
		accepted := time.Since(began)
		var took []time.Duration
		for s.status(b, s.keys[0], location) != store.Completed {
			began := time.Now()
			at := s.post(b, s.keys[1], single)
			for s.status(b, s.keys[1], at) != store.Completed {
				time.Sleep(time.Millisecond)
			}
			took = append(took, time.Since(began))
		}
		total := time.Since(began)
		slices.Sort(took)
		b.ReportMetric(float64(len(batch))/(1<<20), "MiB-batch")
		b.ReportMetric(accepted.Seconds(), "s-accept")
		b.ReportMetric(total.Seconds(), "s-batch")
		b.ReportMetric(float64(len(took)), "singles")
		b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms-single-p50")
		b.ReportMetric(took[len(took)-1].Seconds()*1000, "ms-single-max")
		b.ReportMetric(took[len(took)-1].Seconds()/total.Seconds(), "single-max-of-batch")
		b.ReportMetric(s.peak(b), "MiB-peak")
		require.NoError(b, s.server.Process.Kill())
		_ = s.server.Wait() // it was killed
	}
}

type benchmarkSite struct {
	server *exec.Cmd
	url    string
	keys   [2]string
}

func benchSite(b *testing.B, binary string) *benchmarkSite {
	b.Helper()
	db := filepath.Join(b.TempDir(), "registry.db")
	s := &benchmarkSite{}
	for n := range s.keys {
		id, err := exec.Command(binary, "practice", "add", "Bench", "--ehr-beta", "--db", db).Output()
		require.NoError(b, err)
		key, err := exec.Command(binary, "key", "mint", "--practice", strings.TrimSpace(string(id)), "--label", "bench",
			"--scope", "ingest:write,ingest:read", "--db", db).Output()
		require.NoError(b, err)
		s.keys[n] = strings.TrimSpace(string(key))
	}
	s.server = exec.Command(binary, "serve", "--db", db, "--listen", "127.0.0.1:0", "--max-body", "128MiB", "--rate-limit", "1000000")
	talk, err := s.server.StderrPipe()
	require.NoError(b, err)
	require.NoError(b, s.server.Start())
	buffer := make([]byte, 4096)
	n, err := talk.Read(buffer)
	require.NoError(b, err)
	address := regexp.MustCompile(`http://[0-9.:]+`).Find(buffer[:n])
	require.NotNil(b, address, "%s", buffer[:n])
	s.url = string(address)
	go func() { _, _ = io.Copy(io.Discard, talk) }()
	return s
}

func (s *benchmarkSite) ask(b *testing.B, method, address, key string, body io.Reader) (*http.Response, []byte) {
	request, err := http.NewRequest(method, address, body)
	require.NoError(b, err)
	request.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(b, err)
	content, err := io.ReadAll(answer.Body)
	require.NoError(b, errors.Join(err, answer.Body.Close()))
	return answer, content
}

func (s *benchmarkSite) post(b *testing.B, key, body string) string {
	answer, content := s.ask(b, http.MethodPost, s.url+apptest.BundlePath, key, bytes.NewReader([]byte(body)))
	require.Equal(b, http.StatusAccepted, answer.StatusCode, "%s", content)
	return answer.Header.Get("Content-Location")
}

func (s *benchmarkSite) status(b *testing.B, key, location string) store.Status {
	_, content := s.ask(b, http.MethodGet, location, key, http.NoBody)
	var r intake.Receipt
	require.NoError(b, json.Unmarshal(content, &r))
	return r.Status
}

// peak returns the peak resident memory of the process in MiB.
func (s *benchmarkSite) peak(b *testing.B) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.server.Process.Pid))
	require.NoError(b, err)
	kib, err := strconv.Atoi(string(regexp.MustCompile(`VmHWM:\s+(\d+)`).FindSubmatch(status)[1]))
	require.NoError(b, err)
	return float64(kib) / 1024
}
