package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"github.com/go-json-experiment/json"

	"birthregistry/app"
	"birthregistry/app/birth"
	"birthregistry/app/intake"
	"birthregistry/app/mapping"
	"birthregistry/app/seal"
	"birthregistry/app/task"
	"birthregistry/store"
)

// plain is the reference for the queue: the same service with the worker that
// one writes first. It looks every 100 ms, and takes one message at a time, all
// of it in one transaction, however large it is.
type plain struct {
	a       *app.App
	filings map[store.PracticeID]*filing
}

const plainPoll = 100 * time.Millisecond

// plainRole serves a database with the plain worker; its argument is the file.
func plainRole() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	config := benched(os.Args[2])
	config.Intake.Workers = 0
	a, err := app.Open(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w := plain{a, map[store.PracticeID]*filing{}}
	working := task.Go(config.Log, "plain worker", func() error {
		defer stop()
		return w.work(ctx)
	})
	fmt.Printf("http://%s\n", listener.Addr())
	return errors.Join(a.Serve(ctx, listener), <-working)
}

func (w plain) work(ctx context.Context) error {
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

// practice queues works all that waits.
func (w plain) queues(ctx context.Context) error {
	for {
		one, err := w.a.Intake.ReceiveQueues(1)
		if err != nil || len(one) == 0 {
			return err
		}
		for ended := false; !ended; {
			if ctx.Err() != nil {
				return nil
			}
			if ended, err = w.one(one[0]); err != nil {
				return err
			}
		}
	}
}

// one works the oldest message of a practice queue.
func (w plain) one(queue store.PracticeQueue) (ended bool, err error) {
	var waiting []store.Ingestion
	err = w.a.DB.View(context.Background(), func(v *store.View) (err error) {
		waiting, err = v.Unfinished(queue.Practice, 1)
		return err
	})
	if err != nil {
		return false, err
	}
	f := w.filings[queue.Practice]
	if f == nil {
		f = newFiling(w.a, queue.Practice)
		w.filings[queue.Practice] = f
	}
	var all []folder
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

// read reads a message into courses that are ready to be written.
func (w plain) read(f *filing, i store.Ingestion) (all []folder, err error) {
	parts := &parts{a: w.a, practice: f.practice, i: i}
	err = mapping.Mapper{Attendants: intake.Defaults().Attendants}.Read(parts, func(item mapping.Item) error {
		if item.Draft == nil {
			return errors.New("this is no course of care")
		}
		r, err := f.ready(birth.Mask(*item.Draft), "")
		all = append(all, r)
		return err
	})
	return all, err
}

// atOnce is how many courses one round of look-ups and inserts takes.
const atOnce = 250

// end writes what a message holds, and ends it.
func (w plain) end(tx *store.Tx, f *filing, i store.Ingestion, all []folder) error {
	if err := tx.Start(f.practice, i.ID); err != nil {
		return err
	}
	outcome := struct {
		Accepted any   `json:"accepted"`
		Rejected []any `json:"rejected"`
	}{Rejected: []any{}}
	var accepted []any
	for left := all; len(left) > 0; {
		n := min(atOnce, len(left))
		out, err := f.write(tx, left[:n], i.ID, len(accepted))
		if err != nil {
			return err
		}
		for _, one := range out {
			accepted = append(accepted, one)
		}
		left = left[n:]
	}
	outcome.Accepted = accepted
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

// parts reads a buffered body, with no more look-ups than ours has.
type parts struct {
	a        *app.App
	practice store.PracticeID
	i        store.Ingestion
	next     int
	read     int64
	last     []byte // the part before the next
	plain    []byte // what is left of it
}

func (p *parts) Read(b []byte) (int, error) {
	if len(p.plain) == 0 {
		if p.read == p.i.Size {
			return 0, io.EOF
		}
		var sealed []byte
		err := p.a.DB.Look(context.Background(), func(v *store.View) (err error) {
			sealed, err = v.BufferPart(p.practice, p.i.ID, p.next)
			return err
		})
		if err != nil {
			return 0, err
		}
		at := seal.Place{Practice: int64(p.practice), Table: "buffers", Row: fmt.Sprintf("%s/%d", p.i.PublicID, p.next)}
		if p.last, err = p.a.Vault.Open(at, sealed); err != nil {
			return 0, err
		}
		p.plain = p.last
		p.read += int64(len(p.last))
		p.next++
	}
	n := copy(b, p.plain)
	p.plain = p.plain[n:]
	return n, nil
}

// Seek goes back to the beginning. A body of one part is not opened anew.
func (p *parts) Seek(int64, int) (int64, error) {
	if p.next == 1 {
		p.plain = p.last
		return 0, nil
	}
	p.next, p.read, p.last, p.plain = 0, 0, nil, nil
	return 0, nil
}
