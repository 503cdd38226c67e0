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
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
	"birthregistry/app/seal"
	"birthregistry/app/task"
	"birthregistry/store"
)

// plainWorker is the reference for the queue: the same service with the worker that
// one writes first. It looks every 100 ms, and takes one message at a time, all
// of it in one transaction, however large it is.
type plainWorker struct {
	a       *app.App
	fillers map[store.PracticeID]*filler
}

const plainPoll = 100 * time.Millisecond

// plainRole serves a database with the plain worker. Its argument is the file.
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
	w := plainWorker{a, map[store.PracticeID]*filler{}}
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

// queues processes everything that waits.
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

// one processes the oldest message of a practice queue.
func (w plainWorker) one(queue store.PracticeQueue) (ended bool, err error) {
	waiting, err := store.Read(context.Background(), w.a.DB, func(v *store.View) ([]store.Ingestion, error) { return v.Unfinished(queue.Practice, 1) })
	if err != nil {
		return false, err
	}
	f := w.fillers[queue.Practice]
	if f == nil {
		f = newFiller(w.a, queue.Practice)
		w.fillers[queue.Practice] = f
	}
	var all []filed
	if len(waiting) > 0 {
		if all, err = w.read(f, waiting[0]); err != nil {
			return false, err
		}
	}
	err = w.a.DB.UpdateChunk(10*len(all), func(tx *store.Tx) (err error) {
		if len(waiting) == 0 {
			ended, err = tx.EndQueue(queue.Practice)
			return err
		}
		if err := w.end(tx, f, waiting[0], all); err != nil {
			return err
		}
		return tx.Advance(queue)
	})
	return ended, err
}

// read reads a message into courses that are ready to write.
func (w plainWorker) read(f *filler, i store.Ingestion) (all []filed, err error) {
	part := func(n int) ([]byte, error) {
		var sealed []byte
		err := w.a.DB.Look(context.Background(), func(v *store.View) (err error) {
			sealed, err = v.BufferPart(f.practice, i.ID, n)
			return err
		})
		if err != nil {
			return nil, err
		}
		return w.a.Vault.Open(seal.Place{Practice: int64(f.practice), Table: "buffers", Row: fmt.Sprintf("%s/%d", i.PublicID, n)}, sealed)
	}
	err = bundle.Reader{Attendants: ingest.Defaults().Attendants}.Read(&sealedBody{size: i.Size, part: part}, func(item mapping.Item) error {
		if item.Draft == nil {
			return errors.New("the item is no course of care")
		}
		r, err := f.ready(birth.Mask(*item.Draft), "")
		all = append(all, r)
		return err
	})
	return all, err
}

// atOnce is how many courses one round of look-ups and inserts takes.
const atOnce = 250

// end writes the courses of a message, and ends it.
func (w plainWorker) end(tx *store.Tx, f *filler, i store.Ingestion, all []filed) error {
	if err := tx.Start(f.practice, i.ID); err != nil {
		return err
	}
	outcome := struct {
		Accepted []ingest.Accepted `json:"accepted"`
		Rejected []any             `json:"rejected"`
	}{Rejected: []any{}}
	for some := range slices.Chunk(all, atOnce) {
		out, err := f.write(tx, some, i.ID, len(outcome.Accepted))
		if err != nil {
			return err
		}
		outcome.Accepted = append(outcome.Accepted, out...)
	}
	doc, err := json.Marshal(outcome)
	if err != nil {
		return err
	}
	sealed, err := w.a.Vault.Seal(seal.Place{Practice: int64(f.practice), Table: "ingestions", Row: i.PublicID}, doc)
	if err != nil {
		return err
	}
	return tx.Finish(f.practice, store.Ending{Ingestion: i.ID, Status: store.Completed, Accepted: len(all), Outcome: sealed})
}
