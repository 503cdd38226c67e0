package ops

import (
	"context"
	"time"

	"birthregistry/app/systemd"
	"birthregistry/app/task"
	"birthregistry/store"
)

// Watch notifies the service manager that the service is ready. After that, it notifies the manager
// twice in each watchdog interval that the service is alive. Before each of these notices, the
// database must answer a read and a write. Errors count as answers, because a restart doesn't
// repair a full disk. The manager restarts a service whose notices stop.
//
// When ctx has ended, Watch notifies the manager that the service is stopping, and then closes the
// channel.
func (i *Installation) Watch(ctx context.Context) (stopping <-chan struct{}) {
	i.notify(systemd.Ready)
	notified := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(notified)
		i.notify(systemd.Stopping)
	})
	every := systemd.Watchdog() / 2
	if every == 0 {
		return notified
	}
	task.Go(i.config.Log, "watchdog", func() error {
		beat := time.NewTicker(every)
		defer beat.Stop()
		for {
			_ = i.DB.View(ctx, func(v *store.View) error { _, err := v.Feed(); return err })
			_ = i.DB.Update(func(*store.Tx) error { return nil })
			i.notify(systemd.Alive)
			select {
			case <-ctx.Done():
				return nil
			case <-beat.C:
			}
		}
	})
	return notified
}

func (i *Installation) notify(state string) {
	if err := systemd.Notify(state); err != nil {
		i.config.Log.Warn("the service manager was not notified", "cause", err)
	}
}
