package app

import (
	"context"
	"errors"
	"time"

	"birthregistry/app/task"
	"birthregistry/app/worker"
)

// Work works the queue without serving, for a command that has put something
// into it, until done says that it is enough. It returns store.ErrServed when
// another process serves the database: that one works the queue.
func (a *App) Work(ctx context.Context, done func() (bool, error)) error {
	lock, err := a.lock()
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // closing releases it, and nothing was written
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	workers := worker.New(a.DB, a.Intake, a.Smart, worker.Settings{
		Workers:   max(a.config.Intake.Workers, 1),
		BufferTTL: a.config.Intake.BufferTTL,
	}, a.config.Log)
	working := task.Go(a.config.Log, "worker", func() error {
		defer stop()
		return workers.Run(ctx)
	})
	err = Await(ctx, done)
	stop()
	return errors.Join(err, <-working)
}

// awaitEvery is how often is looked whether something is done.
const awaitEvery = 100 * time.Millisecond

// Await waits until done says so, or ctx ends.
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
