//go:build !race

// The race detector allocates memory of its own, so under it these counts would mean nothing.

package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/app/records"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// BenchmarkSigned measures the cost of signing rows, in processor time and allocations, as a
// ratio to unsigned rows: for the acknowledgment of a Bundle by one caller and by 64, for the
// processing of what was acknowledged, for a batch, and for the check.
func BenchmarkSigned(b *testing.B) {
	m := measureSigning(b, b.N, 64)
	for what, of := range m.spent {
		b.ReportMetric(medianRatio(of), "x-"+what)
		b.ReportMetric(medianRatio(m.allocated[what]), "x-allocations-"+what)
	}
	b.ReportMetric(0, "ns/op")
}

// The benchmark measures processor time. This test limits the work that signing adds. With one
// caller the work can be counted; with several, the machine decides how many share a commit.
func TestSigningAddsNothingToAcceptingAndAFewPercentToProcessing(t *testing.T) {
	m := measureSigning(t, 2)
	for what, most := range map[string]float64{"accept-by-1": 1.05, "process": 1.10, "batch": 1.08} {
		ratio := medianRatio(m.allocated[what])
		require.Less(t, ratio, most, what)
		t.Logf("%s: %.3f of the allocations without signatures", what, ratio)
	}
}

// signingCosts are the costs of each way, unsigned and signed, in each round.
type signingCosts struct{ spent, allocated map[string]*[2][]float64 }

func (m signingCosts) add(what string, way int, fn func()) {
	if m.spent[what] == nil {
		m.spent[what], m.allocated[what] = &[2][]float64{}, &[2][]float64{}
	}
	runtime.GC() // so that neither way pays for the other's garbage
	before, had := processorTime(), allocations()
	fn()
	runtime.GC()
	m.spent[what][way] = append(m.spent[what][way], float64((processorTime() - before).Microseconds()))
	m.allocated[what][way] = append(m.allocated[what][way], float64(allocations()-had))
}

// measureSigning accepts Bundles from one caller, and from each number of callers in among.
func measureSigning(tb testing.TB, rounds int, among ...int) signingCosts {
	tb.Helper()
	const each, batch = 256, 1000
	m := signingCosts{map[string]*[2][]float64{}, map[string]*[2][]float64{}}
	ways := [2]benched{}
	callers := [2]auth.Caller{}
	for i := range ways {
		ways[i], callers[i] = benchService(tb)
	}
	sign(tb, ways[1])
	n := 0
	for round := range rounds {
		for first := range ways {
			way := (first + n/2) % 2 // each way comes first equally often
			s, c := ways[way], callers[way]
			n++
			by := append([]int{1}, among...)
			bodies := make(chan []byte, len(by)*each)
			for k := range len(by) * each {
				bodies <- batchBody(1, fmt.Sprintf("%d-%d", n, k))
			}
			accept := func() error {
				_, err := s.Accept(c, ingest.Request{Body: bytes.NewReader(<-bodies), Limit: 1 << 20})
				return err
			}
			for _, callers := range by {
				m.add(fmt.Sprintf("accept-by-%d", callers), way, func() { together(tb, callers, each, accept) })
			}
			m.add("process", way, func() { processAll(tb, s) })
			_, err := s.Accept(c, ingest.Request{Body: bytes.NewReader(batchBody(batch, fmt.Sprintf("b%d", n))), Limit: 1 << 30})
			require.NoError(tb, err)
			m.add("batch", way, func() { processAll(tb, s) })
			if round%5 == 0 { // the check reads everything written so far
				m.add("check", way, func() { checkAll(tb, s) })
			}
		}
	}
	return m
}

func sign(tb testing.TB, s benched) {
	tb.Helper()
	require.NoError(tb, s.db.Sign(context.Background(), store.Signing{
		Root: s.vault.Key(seal.RowRoot), Keys: s.vault.RowKeys,
		Signed:   func(context.Context) (bool, error) { return false, nil },
		Note:     func(*store.Tx) error { return nil },
		Progress: func(int, int) {},
	}))
}

func processAll(tb testing.TB, s benched) {
	tb.Helper()
	queues, err := s.ReceiveQueues(1, fixture.NoneActive)
	require.NoError(tb, err)
	for ended := false; !ended; {
		ended, err = s.RunJob(context.Background(), queues[0])
		require.NoError(tb, err)
	}
}

func checkAll(tb testing.TB, s benched) {
	tb.Helper()
	require.NoError(tb, s.db.Check(context.Background(), func(_, problem string) { require.Empty(tb, problem) }))
	require.NoError(tb, s.db.View(context.Background(), func(v *store.View) error {
		return v.SealedVersions(func(v store.SealedVersion) error {
			_, err := s.vault.Open(records.PatientPlace(v.Practice, v.UUID, v.Version), v.Patient)
			return err
		})
	}))
}

// medianRatio returns the median, over the rounds, of the second way's cost divided by the
// first way's.
func medianRatio(of *[2][]float64) float64 {
	ratios := make([]float64, len(of[0]))
	for i := range ratios {
		ratios[i] = of[1][i] / of[0][i]
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

func allocations() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// processorTime returns how long this process has used the processors, which doesn't depend on
// other processes.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
