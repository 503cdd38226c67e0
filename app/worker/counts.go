package worker

import (
	"context"
	"time"

	"birthregistry/app/task"
)

// betweenCounts is how long counting rests after each step, so that it takes little from pushes.
const betweenCounts = 20 * time.Millisecond

// count stores the counts that statistics and the list of providers add up, step by step until
// ctx ends. These pages ask for the counts that they miss, and read the births until then.
func (w *Worker) count(ctx context.Context) {
	for ctx.Err() == nil {
		var more bool
		err := task.Do(w.log, "counts", func() (err error) {
			more, err = w.db.CountStep()
			return err
		})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			w.log.Warn("counts for statistics or providers could not be stored; they will be asked for again", "cause", err)
			pause(ctx, restFor)
			continue
		case more:
			pause(ctx, betweenCounts)
			continue
		}
		select {
		case <-ctx.Done():
		case <-w.db.CountWake():
		}
	}
}
