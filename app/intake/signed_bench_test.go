package intake

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

	"birthregistry/app/access"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// BenchmarkSigned measures what signed rows cost beside unsigned ones, in processor
// time, each figure the median of the rounds: the acknowledgement of a Bundle, alone and among 64 callers, the processing of
// what was acknowledged, a batch, and the check.
func BenchmarkSigned(b *testing.B) {
	const each, batch = 256, 1000
	ways := [2]*Service{}
	callers := [2]access.Caller{}
	for i := range ways {
		ways[i], callers[i] = benchService(b)
		if i == 1 {
			s := ways[i]
			require.NoError(b, s.db.Sign(context.Background(), store.Signing{
				Root: s.vault.Key(seal.RowRoot), Keys: s.vault.RowKeys,
				Signed:   func(context.Context) (bool, error) { return false, nil },
				Note:     func(*store.Tx) error { return nil },
				Progress: func(int, int) {},
			}))
		}
	}
	spent, allocated := map[string]*[2][]float64{}, map[string]*[2][]float64{}
	measure := func(what string, way int, fn func()) {
		if spent[what] == nil {
			spent[what], allocated[what] = &[2][]float64{}, &[2][]float64{}
		}
		runtime.GC() // nobody pays for the other
		before, had := processorTime(), allocations()
		fn()
		runtime.GC()
		spent[what][way] = append(spent[what][way], float64((processorTime() - before).Microseconds()))
		allocated[what][way] = append(allocated[what][way], float64(allocations()-had))
	}
	n := 0
	for round := range b.N {
		for turn := range ways {
			way := (turn + n/2) % 2 // each comes first as often
			s := ways[way]
			n++
			c := callers[way]
			bodies := make(chan []byte, 2*each)
			for k := range 2 * each {
				bodies <- batchBody(1, fmt.Sprintf("%d-%d", n, k))
			}
			accept := func() error {
				_, err := s.Accept(c, Submission{Body: bytes.NewReader(<-bodies), Limit: 1 << 20})
				return err
			}
			measure("accept-alone", way, func() { together(b, 1, each, accept) })
			measure("accept-among-64", way, func() { together(b, 64, each, accept) })
			measure("process", way, func() {
				queues, err := s.ReceiveQueues(1)
				require.NoError(b, err)
				for ended := false; !ended; {
					ended, err = s.RunJob(context.Background(), queues[0])
					require.NoError(b, err)
				}
			})
			_, err := s.Accept(c, Submission{Body: bytes.NewReader(batchBody(batch, fmt.Sprintf("b%d", n))), Limit: 1 << 30})
			require.NoError(b, err)
			measure("batch", way, func() {
				queues, err := s.ReceiveQueues(1)
				require.NoError(b, err)
				for ended := false; !ended; {
					ended, err = s.RunJob(context.Background(), queues[0])
					require.NoError(b, err)
				}
			})
			if round%5 != 0 {
				continue // it reads all that was written so far
			}
			measure("check", way, func() {
				require.NoError(b, s.db.Check(context.Background(), func(_, problem string) { require.Empty(b, problem) }))
				require.NoError(b, s.db.View(context.Background(), func(v *store.View) error {
					return v.SealedVersions(func(p store.PracticeID, uuid string, version int, sealed []byte) error {
						_, err := s.vault.Open(PatientPlace(p, uuid, version), sealed)
						return err
					})
				}))
			})
		}
	}
	for what, of := range spent {
		b.ReportMetric(medianRatio(of), "x-"+what)
		b.ReportMetric(medianRatio(allocated[what]), "x-allocations-"+what)
	}
	b.ReportMetric(0, "ns/op")
}

// medianRatio is the median of what the second way costs in each round beside the first.
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

// processorTime is what this process has had of the processors, which other
// processes do not lengthen.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
