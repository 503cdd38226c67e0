package worker

import (
	"context"
	"log/slog"
	"time"

	"birthregistry/app/task"
)

// betweenCounts is the pause between two steps of counting births (Worker.count). Because of it,
// counting hardly slows down pushes.
const betweenCounts = 20 * time.Millisecond

// steps is work that is done in steps, so that other writes can run between the steps.
type steps struct {
	name string
	// do does one step and reports whether there is more to do.
	do func(context.Context) (more bool, err error)
	// rest is the pause between two steps. wake receives a value when there is something to do. It
	// is nil if there is no such signal.
	rest time.Duration
	wake <-chan struct{}
	// failed is the message that is logged if a step fails. The step is then tried again.
	failed string
	level  slog.Level
}

// undo returns the work of undoing imports. Each step advances several undos.
func (w *Worker) undo() steps {
	return steps{
		name: "undo", do: w.imports.UndoSteps, wake: w.imports.UndoWake(),
		failed: "an import could not be undone and will be tried again", level: slog.LevelError,
	}
}

// forget returns the work of deleting practices that are being forgotten.
func (w *Worker) forget() steps {
	return steps{
		name: "forget", do: func(ctx context.Context) (bool, error) {
			_, err := w.forgets.Work(ctx)
			return false, err
		},
		failed: "a practice could not be forgotten and will be tried again", level: slog.LevelError,
	}
}

// count returns the work of storing counts of births, which the statistics and the list of
// providers add up. If counts are missing, these pages request them. Until the counts are stored,
// the pages count the births themselves.
func (w *Worker) count() steps {
	return steps{
		name: "counts", do: func(context.Context) (bool, error) { return w.db.CountStep() }, rest: betweenCounts, wake: w.db.CountWake(),
		failed: "counts for statistics or providers could not be stored; the pages will request them again", level: slog.LevelWarn,
	}
}

// step does the steps of s until ctx ends. While there is nothing to do, it waits.
func (w *Worker) step(ctx context.Context, s steps) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for ctx.Err() == nil {
		var more bool
		err := task.Do(w.log, s.name, func() (err error) {
			more, err = s.do(ctx)
			return err
		})
		switch {
		case ctx.Err() != nil:
		case err != nil:
			w.log.Log(ctx, s.level, s.failed, "cause", err)
			_ = task.Pause(ctx, restFor) // if ctx has ended, so does the loop
		case more:
			_ = task.Pause(ctx, s.rest)
		default:
			select {
			case <-ctx.Done():
			case <-s.wake:
			case <-look.C:
			}
		}
	}
}
