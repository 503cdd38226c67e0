package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"birthregistry/app"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
	"birthregistry/app/seal"
	"birthregistry/app/task"
	"birthregistry/store"
)

// plainWorker is the reference for the queue: the same service with the simplest possible worker.
// It polls every 100 ms. It processes one ingestion at a time in a single transaction, even if the
// ingestion has many courses of care.
type plainWorker struct{ a *app.App }

const plainPoll = 100 * time.Millisecond

// plainRole serves a database and processes its queue with plainWorker. The argument is the name of
// the database file.
func plainRole() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	config := benched(os.Args[2])
	config.Ingest.Workers = 0
	a, err := app.Open(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w := plainWorker{a}
	working := task.Go(config.Log, "plain worker", func() error {
		defer stop()
		return w.work(ctx)
	})
	fmt.Printf("http://%s\n", listener.Addr())
	return errors.Join(a.Serve(ctx, listener), <-working)
}

func (w plainWorker) work(ctx context.Context) error {
	look := time.NewTicker(plainPoll)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
			debug.SetMemoryLimit(math.MaxInt64) // it may have a whole batch in memory
			if err := w.queues(ctx); err != nil {
				return err
			}
		}
	}
}

// queues processes one practice queue after another until no queue has a message.
func (w plainWorker) queues(ctx context.Context) error {
	for {
		var queue store.PracticeQueue
		err := w.a.DB.Update(func(tx *store.Tx) (err error) {
			queue, err = tx.ReceiveQueue()
			return err
		})
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		for ended := false; !ended; {
			if ctx.Err() != nil {
				return nil
			}
			if ended, err = w.one(queue); err != nil {
				return err
			}
		}
	}
}

// one processes the oldest ingestion in a practice queue. If there is none, it ends the queue, and
// ended is true.
func (w plainWorker) one(queue store.PracticeQueue) (ended bool, err error) {
	waiting, err := store.Read(context.Background(), w.a.DB, func(v *store.View) ([]store.Ingestion, error) { return v.Unfinished(queue.Practice, 1) })
	if err != nil {
		return false, err
	}
	if len(waiting) == 0 {
		err = w.a.DB.Update(func(tx *store.Tx) (err error) {
			ended, err = tx.EndQueue(queue.Practice)
			return err
		})
		return ended, err
	}
	all, err := w.read(queue.Practice, waiting[0])
	if err != nil {
		return false, err
	}
	return false, w.a.DB.UpdateChunk(changes.Rows(all), func(tx *store.Tx) error {
		if err := w.end(tx, queue.Practice, waiting[0], all); err != nil {
			return err
		}
		return tx.Advance(queue)
	})
}

// read maps the Bundle of an ingestion to changes that can be written.
func (w plainWorker) read(p store.PracticeID, i store.Ingestion) (all []changes.Change, err error) {
	body := ingest.ReadParts(
		context.Background(), w.a.DB, w.a.Vault,
		func(v *store.View, part int) ([]byte, error) { return v.BufferPart(p, i.ID, part) },
		func(part int) seal.Place {
			return seal.Place{Practice: int64(p), Table: "buffers", Row: fmt.Sprintf("%s/%d", i.PublicID, part)}
		},
	)
	err = bundle.Reader{Attendants: ingest.Defaults().Attendants}.Read(body, func(item mapping.Item) error {
		all = append(all, w.a.Changes.Prepare(p, birth.FHIRPush, item, len(all)))
		return nil
	})
	return all, err
}

// atOnce is how many courses of care are looked up and inserted together.
const atOnce = 250

// end writes all changes of an ingestion, seals its receipt, and marks the ingestion as completed.
func (w plainWorker) end(tx *store.Tx, p store.PracticeID, i store.Ingestion, all []changes.Change) error {
	if err := tx.Start(p, i.ID); err != nil {
		return err
	}
	outcome := ingest.Outcome{Accepted: []ingest.Accepted{}, Rejected: []ingest.Rejected{}}
	for some := range slices.Chunk(all, atOnce) {
		results, err := accepted(w.a.Changes.Apply(tx, p, changes.Batch{Ingestion: i.ID, Changes: some}))
		if err != nil {
			return err
		}
		for _, r := range results {
			outcome.Accepted = append(outcome.Accepted, ingest.Accepted{Reference: r.Change.Accepted, Submission: r.UUID, Suspected: r.Suspected})
		}
	}
	doc, err := json.Marshal(outcome)
	if err != nil {
		return err
	}
	sealed, err := w.a.Vault.Seal(ingest.OutcomePlace(p, i.PublicID), doc)
	if err != nil {
		return err
	}
	return tx.Finish(p, store.Ending{Ingestion: i.ID, Status: store.Completed, Accepted: len(all), Outcome: sealed})
}
