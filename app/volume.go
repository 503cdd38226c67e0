package app

import (
	"context"
	"fmt"
	"time"

	"birthregistry/app/task"
)

// volumeEvery is how often is looked whether the volume is still there, so that
// the process has ended a second after it was lost.
const volumeEvery = 300 * time.Millisecond

// holdVolume ends the service when its volume is lost: taken away, read-only or
// detached. Whoever runs it can then start it where the volume is. What it
// answers meanwhile doesn't depend on this: a commit that fails is not
// acknowledged.
func (a *App) holdVolume(ctx context.Context, stop func()) <-chan error {
	return task.Go(a.config.Log, "volume", func() error {
		look := time.NewTicker(volumeEvery)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-look.C:
			}
			err := a.DB.Lost()
			if err == nil {
				continue
			}
			err = fmt.Errorf("the volume of the database is lost, so the service ends; start it again where the volume is: %w", err)
			if a.config.Abandon != nil {
				a.config.Abandon(err)
			}
			stop()
			return err
		}
	})
}
