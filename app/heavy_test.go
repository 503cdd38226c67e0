package app_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// practitioners returns a course of care with this many practitioners.
func practitioners(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`{"resourceType":"Practitioner","id":"person-%d"}`, i)
	}
	return apptest.Course{Chart: fmt.Sprint("with ", n), Extra: all}.Bundle()
}

// Such a course once held the writer for 22 s and took 893 MiB (decision 51). app/cost counts
// its work; this test watches the memory of the process and serves another practice meanwhile.
// The limit on memory doesn't depend on what else the machine runs.
func TestACourseOf48000PractitionersIsRejectedWithTheLimitNamedWhileAnotherPracticeIsServed(t *testing.T) {
	s := newInstallation(t)
	other := s.practice("Another")
	s.start()
	s.receipt(s.push(t, s.key, practitioners(200))) // the most that a course may have
	before := s.peak(t)

	body := practitioners(48_000)
	require.InDelta(t, 3_100_000, len(body), 50_000)
	begun := time.Now()
	location := s.push(t, s.key, body)
	acknowledged := time.Since(begun)
	var ended sync.WaitGroup
	over, worst, served := make(chan struct{}), time.Duration(0), 0
	ended.Go(func() {
		for n := 0; ; n++ {
			begun := time.Now()
			s.push(t, other, apptest.Course{Chart: fmt.Sprint(n)}.Bundle())
			worst, served = max(worst, time.Since(begun)), served+1
			select {
			case <-over:
				return
			default:
			}
		}
	})
	found := s.receipt(location)
	took := time.Since(begun)
	close(over)
	ended.Wait()

	require.Equal(t, store.Completed, found.Status)
	outcome, err := found.ParseOutcome()
	require.NoError(t, err)
	require.Empty(t, outcome.Accepted)
	require.Len(t, outcome.Rejected, 1)
	output := outcome.Rejected[0].Outcome.Issue[0].Diagnostics
	require.Equal(t, fhir.TooManyElements.Text, output)
	require.Contains(t, output, " 200 practitioners")
	require.Equal(t, map[string]int{"with 200": 1}, s.records())

	peak := s.peak(t)
	require.NoError(t, s.server.Process.Signal(os.Interrupt))
	require.NoError(t, s.server.Wait())
	used := s.server.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d bytes: the 202 after %v, the receipt after %v; meanwhile %d pushes of another practice, each answered within %v; "+
		"at most %d MiB resident, %d before; %.2f s of processor time in all",
		len(body), acknowledged.Round(time.Millisecond), took.Round(time.Millisecond), served, worst.Round(time.Millisecond),
		peak>>20, before>>20, time.Duration(used.Utime.Nano()+used.Stime.Nano()).Seconds())
	require.Less(t, peak-before, int64(100<<20), "bytes that it took besides")
}

// push posts a Bundle and returns the address of its receipt.
func (s *installation) push(t *testing.T, key, bundle string) (location string) {
	request, err := http.NewRequest(http.MethodPost, "http://"+s.address+apptest.BundlePath, strings.NewReader(bundle))
	if err != nil {
		t.Error(err)
		return ""
	}
	request.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return ""
	}
	output, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode != http.StatusAccepted {
		t.Errorf("%d: %s: %v", answer.StatusCode, output, err)
	}
	return answer.Header.Get("Content-Location")
}
