package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"birthregistry/app/task"
)

// When the service counts as idle: it has not allocated idleBytes within
// idleEvery. The first look comes soon after the start, which leaves most.
const (
	idleFirst = 2 * time.Second
	idleEvery = 10 * time.Second
	idleBytes = 1 << 20
)

// rest gives memory back to the system once after the start and after every
// spell of work, so that the service takes at three in the morning what it
// takes to wait, and not what it took at noon.
func (a *App) rest(ctx context.Context) <-chan error {
	return task.Go(a.config.Log, "rest", func() error {
		look := time.NewTimer(idleFirst)
		defer look.Stop()
		rested := false
		for before := allocated(); ; look.Reset(idleEvery) {
			select {
			case <-ctx.Done():
				return nil
			case <-look.C:
			}
			now := allocated()
			switch idle := now-before < idleBytes; {
			case !idle:
				rested = false
			case !rested:
				rested = true
				debug.FreeOSMemory() // twice: what lies in pools is let go by the second
				debug.FreeOSMemory()
				unmapProgram()
			}
			before = allocated()
		}
	})
}

// allocated returns the bytes that were allocated since the start.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
