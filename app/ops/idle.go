package ops

import (
	"context"
	"log/slog"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"birthregistry/app/task"
)

// The service is idle if it has allocated less than idleBytes within idleEvery. The first check is
// idleFirst after the start, because the start leaves the most unused memory.
const (
	idleFirst = 2 * time.Second
	idleEvery = 10 * time.Second
	idleBytes = 1 << 20
)

// restTwice is how many times in a row an idle service returns memory to the system. Once isn't
// enough, because some tasks, such as the first sweep, run only after the first time.
const restTwice = 2

// Rest returns unused memory to the system, after the start and after every period of work.
// Otherwise an idle service would keep the memory that it needed in its busiest hour. Rest works in
// the background until ctx ends.
func Rest(ctx context.Context, log *slog.Logger) <-chan error {
	return task.Go(log, "rest", func() error {
		look := time.NewTimer(idleFirst)
		defer look.Stop()
		rested := 0
		for before := allocated(); ; look.Reset(idleEvery) {
			select {
			case <-ctx.Done():
				return nil
			case <-look.C:
			}
			now := allocated()
			switch idle := now-before < idleBytes; {
			case !idle:
				rested = 0
			case rested < restTwice:
				rested++
				debug.FreeOSMemory() // called twice, because only the second run frees the memory in pools
				debug.FreeOSMemory()
				unmapProgram()
			}
			before = allocated()
		}
	})
}

// allocated returns how many bytes the process has allocated since its start, including bytes that
// were freed.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
