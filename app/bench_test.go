package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/store"
)

// BenchmarkSingleDuringBatch posts a batch of 10,000 courses of 5 KB each to the built binary
// and, while that is processed, single Bundles of another practice. It reports the time until
// those were completed, as such and as a share of the batch's time, and the peak memory of the
// process.
func BenchmarkSingleDuringBatch(b *testing.B) {
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
		s := newInstallation(b)
		other := &installation{t: b, address: s.address, key: s.practice("Single")}
		s.start("--max-body", "128MiB")
		began := time.Now()
		location, err := (&load{installation: s}).post(sent{key: "batch", body: batch})
		require.NoError(b, err)
		accepted := time.Since(began)
		var took []time.Duration
		for s.poll(location).Status != store.Completed {
			began := time.Now()
			at, err := (&load{installation: other}).post(sent{key: fmt.Sprintf("single-%d", len(took)), body: single})
			require.NoError(b, err)
			for other.poll(at).Status != store.Completed {
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
		b.ReportMetric(float64(s.peak(b))/(1<<20), "MiB-peak")
		s.kill()
	}
}
