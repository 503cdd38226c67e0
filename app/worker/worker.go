// Package worker does the background work. It processes the queue, undoes imports, forgets
// practices, sends the deliveries of webhooks, stores counts for the statistics, deletes expired
// data, repairs lost queue messages and makes scheduled backups. It also removes deleted patient
// data from the database's write-ahead log.
//
// Only one goroutine at a time works for a practice, so that the practice's Bundles are applied in
// the order in which they were acknowledged. Package ingest limits how many chunks are processed at
// the same time, first come, first served. A large batch of one practice therefore doesn't hold up
// other practices.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"birthregistry/app/drafts"
	"birthregistry/app/forget"
	"birthregistry/app/imports"
	"birthregistry/app/ingest"
	"birthregistry/app/smart"
	"birthregistry/app/task"
	"birthregistry/app/webhooks"
	"birthregistry/store"
)

// Settings holds the operator's choices.
type Settings struct {
	// Workers is how many chunks are processed at the same time. If it is 0, accepted submissions
	// stay in the queue.
	Workers int
	// BufferTTL is how long a submitted Bundle may wait for processing.
	BufferTTL time.Duration
	// Backups makes the scheduled backups. It is nil if none are scheduled.
	Backups *Backups
	// Notify is set if the worker sends the messages of webhooks. Only the process that serves
	// requests sets Notify, because only that process knows the networks to which messages may be
	// sent.
	Notify bool
}

// Worker does the background work for one database.
type Worker struct {
	db       *store.DB
	ingest   *ingest.Service
	imports  *imports.Service
	ehrs     *smart.Service
	drafts   *drafts.Service
	forgets  *forget.Service
	hooks    *webhooks.Service
	settings Settings
	log      *slog.Logger
	started  time.Time

	// active has the practices whose queue is being processed. If another queue of the same
	// practice was received in the meantime, next holds it.
	active map[store.PracticeID]bool
	next   map[store.PracticeID]*ingest.Queue
	ended  chan store.PracticeID
}

// New makes a Worker.
func New(db *store.DB, queue *ingest.Service, files *imports.Service, ehrs *smart.Service, begun *drafts.Service, forgets *forget.Service, hooks *webhooks.Service, settings Settings, log *slog.Logger) *Worker {
	return &Worker{
		db: db, ingest: queue, imports: files, ehrs: ehrs, drafts: begun, forgets: forgets, hooks: hooks, settings: settings, log: log,
		active: map[store.PracticeID]bool{}, next: map[store.PracticeID]*ingest.Queue{},
		ended: make(chan store.PracticeID),
	}
}

// lookEvery is how often the worker checks the queue without a signal, in case a signal was lost.
// restFor is how long it pauses after an internal failure. sweepEvery is how often sweep does its
// chores. truncateEvery is how often sweep truncates the WAL.
const (
	lookEvery     = 2 * time.Second
	restFor       = time.Second
	sweepEvery    = time.Minute
	truncateEvery = 15 * time.Second
)

// Run does the background work until ctx ends. It then finishes the current chunks, releases the
// queues of practices that it has received, and returns.
func (w *Worker) Run(ctx context.Context) error {
	w.started = time.Now()
	w.ingest.SetTruncationPending() // the WAL may hold data that a killed process deleted
	if err := w.release(ctx); err != nil {
		return err
	}
	var tasks []<-chan error
	begin := func(name string, run func()) {
		tasks = append(tasks, task.Go(w.log, name, func() error {
			run()
			return nil
		}))
	}
	begin("sweep", func() { w.sweep(ctx) })
	for _, s := range []steps{w.forget(), w.count()} {
		begin(s.name, func() { w.step(ctx, s) })
	}
	if w.settings.Workers > 0 { // otherwise undos wait, like the queue
		begin("undo", func() { w.step(ctx, w.undo()) })
	}
	if w.settings.Notify {
		begin("webhooks", func() { w.hooks.Run(ctx) })
	}
	if w.settings.Backups != nil {
		begin("backups", func() { w.settings.Backups.run(ctx, w.log) })
	}
	w.dispatch(ctx)
	for len(w.active) > 0 {
		w.end(ctx, <-w.ended) // if the practice has a waiting queue, this starts it, and work releases it
	}
	w.ingest.StopOpened(w.releaseQueue)
	var err error
	for _, ended := range tasks {
		err = errors.Join(err, <-ended)
	}
	return err
}

// release releases the practice queues that the previous process still held when it ended, so that
// they can be received again. While the database can't be written, for example because the disk is
// full, release waits.
func (w *Worker) release(ctx context.Context) error {
	for reported := false; ; reported = true {
		err := w.db.Update((*store.Tx).ReleaseQueues)
		if ctx.Err() != nil || !store.IsUnavailable(err) || errors.Is(err, store.ErrClosed) {
			return err
		}
		if !reported {
			w.log.Error("nothing can be written; the queue waits", "cause", err)
		}
		_ = task.Pause(ctx, restFor) // if ctx has ended, the loop ends after one more try
	}
}

// dispatch receives practice queues until ctx ends, and starts a goroutine for each queue.
func (w *Worker) dispatch(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var opened <-chan *ingest.Queue
	if w.settings.Workers > 0 {
		opened = w.ingest.ReceiveOpened()
	}
	for {
		if w.settings.Workers > 0 {
			_ = task.Do(w.log, "practice queues", func() error { // a failure is logged, and retried at the next check
				w.takeQueues(ctx)
				return nil
			})
		}
		for signaled := false; !signaled; {
			select {
			case <-ctx.Done():
				return
			case p := <-w.ended: // nothing new to receive
				w.end(ctx, p)
			case queue := <-opened:
				w.start(ctx, queue)
			case <-w.ingest.Wake():
				signaled = true
			case <-look.C:
				signaled = true
			}
		}
	}
}

// queuesAtOnce is the maximum number of practice queues that one transaction receives.
const queuesAtOnce = 64

func (w *Worker) takeQueues(ctx context.Context) {
	for ctx.Err() == nil {
		queues, err := w.ingest.ReceiveQueues(queuesAtOnce, func(p store.PracticeID) bool { return w.active[p] })
		if err != nil {
			w.log.Error("the queue cannot be read", "cause", err)
			return
		}
		for _, queue := range queues {
			w.start(ctx, queue)
		}
		if len(queues) < queuesAtOnce {
			return
		}
	}
}

// start processes a practice queue in a new goroutine. A practice has at most one such goroutine.
// If the previous queue of the practice is still being processed, the new queue waits.
func (w *Worker) start(ctx context.Context, queue *ingest.Queue) {
	if w.active[queue.Practice] {
		w.next[queue.Practice] = queue
		return
	}
	w.active[queue.Practice] = true
	task.Go(w.log, "practice queue", func() error {
		defer func() { w.ended <- queue.Practice }()
		w.work(ctx, queue)
		return nil
	})
}

func (w *Worker) end(ctx context.Context, p store.PracticeID) {
	delete(w.active, p)
	if queue, waiting := w.next[p]; waiting {
		delete(w.next, p)
		w.start(ctx, queue)
	}
	if len(w.active) == 0 {
		w.truncateWAL(ctx)
	}
}

// work processes a practice queue until it is empty, or until ctx ends.
func (w *Worker) work(ctx context.Context, queue *ingest.Queue) {
	for ctx.Err() == nil {
		var ended bool
		err := task.Do(w.log, "job", func() (err error) {
			ended, err = w.ingest.RunJob(ctx, queue)
			return err
		})
		switch {
		case ended, errors.Is(err, store.ErrForgotten):
			return
		case err != nil && ctx.Err() == nil:
			w.log.Error("a job failed and will be run again", "practice", queue.Practice, "cause", err)
			_ = task.Pause(ctx, restFor) // if ctx has ended, so does the loop
		}
	}
	w.releaseQueue(queue)
}

func (w *Worker) releaseQueue(queue *ingest.Queue) {
	if err := w.ingest.ReleaseQueue(queue); err != nil && !errors.Is(err, store.ErrClosed) {
		w.log.Warn("a queue was not released; its lease will expire", "practice", queue.Practice, "cause", err)
	}
}
