package worker

import (
	"context"
	"time"

	"birthregistry/app/task"
)

// undo undoes imports step by step until ctx ends. Undos in progress take turns, and pushes
// are written between two steps. If there are no workers, undos wait, like the queue.
func (w *Worker) undo(ctx context.Context) {
	if w.settings.Workers == 0 {
		return
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for ctx.Err() == nil {
		var more bool
		err := task.Do(w.log, "undo", func() (err error) {
			more, err = w.imports.UndoSteps(ctx)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			w.log.Error("an import could not be taken back and will be tried again", "cause", err)
			pause(ctx, restFor)
			continue
		case more:
			continue
		}
		select {
		case <-ctx.Done():
		case <-w.imports.UndoWake():
		case <-look.C:
		}
	}
}
