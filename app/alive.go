package app

import (
	"context"
	"time"

	"birthregistry/app/systemd"
	"birthregistry/app/task"
	"birthregistry/store"
)

// watch tells the service manager that the service is ready and, as often as
// it asks, that it is alive: the process is not enough, the database has to
// answer, reading and writing. An error is an answer, too: restarting mends no
// full disk. Who never answers is restarted.
func (a *App) watch(ctx context.Context) {
	a.tell(systemd.Ready)
	context.AfterFunc(ctx, func() { a.tell(systemd.Stopping) })
	every := systemd.Watchdog() / 2
	if every == 0 {
		return
	}
	task.Go(a.config.Log, "watchdog", func() error {
		beat := time.NewTicker(every)
		defer beat.Stop()
		for {
			_ = a.DB.View(ctx, func(v *store.View) error { _, err := v.Feed(); return err })
			_ = a.DB.Update(func(*store.Tx) error { return nil })
			a.tell(systemd.Alive)
			select {
			case <-ctx.Done():
				return nil
			case <-beat.C:
			}
		}
	})
}

func (a *App) tell(state string) {
	if err := systemd.Notify(state); err != nil {
		a.config.Log.Warn("the service manager was not told", "cause", err)
	}
}
