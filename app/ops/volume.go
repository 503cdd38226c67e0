package ops

import (
	"context"
	"fmt"
	"time"

	"birthregistry/app/task"
)

// volumeEvery is how often HoldVolume checks the volume. It is so short that the process ends
// within a second after the volume is lost.
const volumeEvery = 300 * time.Millisecond

// HoldVolume calls lost if the database's volume is removed, detached or made read-only. The
// service must then end, so that it can be started again with the volume in its new place. The
// check isn't needed to protect data, because a commit that fails isn't acknowledged.
func (i *Installation) HoldVolume(ctx context.Context, lost func(error)) <-chan error {
	return task.Go(i.config.Log, "volume", func() error {
		look := time.NewTicker(volumeEvery)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-look.C:
			}
			err := i.DB.Lost()
			if err == nil {
				continue
			}
			err = fmt.Errorf("the volume of the database is lost, so the service ends; mount the volume, then start the service again: %w", err)
			lost(err)
			return err
		}
	})
}
