package task

import (
	"context"
	"time"
)

// awaitEvery is how often Await calls done.
const awaitEvery = 100 * time.Millisecond

// Await calls done every awaitEvery, until done returns true or an error. It returns that error. If
// ctx ends first, Await returns ctx.Err().
func Await(ctx context.Context, done func() (bool, error)) error {
	look := time.NewTicker(awaitEvery)
	defer look.Stop()
	for {
		if ready, err := done(); ready || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
	}
}

// Pause waits for the duration d. If ctx ends first, Pause returns ctx.Err().
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
