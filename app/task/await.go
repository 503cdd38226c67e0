package task

import (
	"context"
	"time"
)

// awaitEvery is how often Await calls done.
const awaitEvery = 100 * time.Millisecond

// Await calls done every awaitEvery until done returns true or an error, or ctx ends. It returns
// the error of done, or ctx.Err().
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

// Pause waits for d, or until ctx ends. It returns ctx.Err() if ctx has ended first.
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
