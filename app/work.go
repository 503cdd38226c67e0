package app

import (
	"context"
	"errors"

	"birthregistry/app/task"
	"birthregistry/app/worker"
	"birthregistry/store"
)

// Work processes the queue until done reports true. It answers no requests. Commands call it after
// they have put something into the queue. If another process serves the database, Work returns
// store.ErrServed, and the other process processes the queue.
func (a *App) Work(ctx context.Context, done func() (bool, error)) error {
	lock, err := a.Lock()
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // closing releases it, and nothing was written
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	workers := worker.New(a.DB, a.Ingest, a.Imports, a.Smart, a.Drafts, a.Forget, a.Webhooks, worker.Settings{
		Workers:   max(a.config.Ingest.Workers, 1),
		BufferTTL: a.config.Ingest.BufferTTL,
	}, a.config.Log)
	working := task.Go(a.config.Log, "worker", func() error {
		defer stop()
		return workers.Run(ctx)
	})
	err = task.Await(ctx, done)
	stop()
	return errors.Join(err, <-working)
}

// WorkForget deletes the practices whose deletion the operator has ordered (package forget). If
// another process serves the database, WorkForget returns nil, and the other process deletes the
// practices.
func (a *App) WorkForget(ctx context.Context) error {
	lock, err := a.Lock()
	if errors.Is(err, store.ErrServed) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = a.Forget.Work(ctx)
	return errors.Join(err, lock.Close())
}
