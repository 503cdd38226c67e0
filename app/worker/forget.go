package worker

import (
	"context"
	"time"

	"birthregistry/app/task"
)

// forget deletes the practices that are being forgotten, until ctx ends. Its transactions take
// turns with everybody else's.
func (w *Worker) forget(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for ctx.Err() == nil {
		err := task.Do(w.log, "forget", func() error {
			_, err := w.forgets.Work(ctx)
			return err
		})
		if err != nil && ctx.Err() == nil {
			w.log.Error("a practice could not be forgotten and will be tried again", "cause", err)
		}
		select {
		case <-ctx.Done():
		case <-look.C:
		}
	}
}
