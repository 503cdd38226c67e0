package main

import (
	"errors"
	"path/filepath"
	"strconv"
	"time"

	"birthregistry/store"
)

// These rows measure how long it takes to receive a practice queue, depending on how much else is
// queued. Each measurement receives a queue, looks up its work, finds that work is left, and
// releases the queue. Many measurements share one transaction, so that the time for the disk
// doesn't hide the time for the work itself.

const (
	queued100     = "100 queued"
	queuedMany    = "100,000 queued, a practice each"
	inFlight      = "10,000 in flight"
	failures      = "100,000 failures"
	oneQueue100   = "100 queued, one practice"
	oneQueueMany  = "100,000 queued, one practice"
	receivedAtOne = 200 // in one transaction
)

var queueGroups = []group{
	{name: "receive", rows: []row{
		{"receive with 100,000 queued, a practice each", queuedMany, queued100, p50, atMost(2)},
		{"receive with 100,000 queued, one practice", oneQueueMany, oneQueue100, p50, atMost(2)},
		{"receive with 10,000 in flight", inFlight, queued100, p50, atMost(2)},
		{"receive after 100,000 failures", failures, queued100, p50, atMost(2)},
	}, ways: receives},
}

func receives(w *workshop) (map[string]way, error) {
	many := int(w.scale.pick(100_000, 1_000))
	ways := map[string]way{}
	for name, q := range map[string]struct{ practices, each, failed, taken int }{
		queued100:    {practices: 100, each: 1},
		queuedMany:   {practices: many, each: 1},
		oneQueue100:  {practices: 1, each: 100},
		oneQueueMany: {practices: 1, each: many},
		failures:     {practices: 100, each: 1, failed: many / 100},
		inFlight:     {practices: 100 + many/10, each: 1, taken: many / 10},
	} {
		folder, err := w.tempFolder()
		if err != nil {
			return nil, err
		}
		db, err := store.Open(w.ctx, filepath.Join(folder, "registry.db"))
		if err != nil {
			return nil, err
		}
		w.undo = append(w.undo, db.Close)
		if err := enqueue(db, q.practices, q.each, q.failed); err != nil {
			return nil, err
		}
		taken, want := q.taken, q.practices-q.taken
		ways[name] = func() (Figure, error) { return receive(db, taken, want) }
	}
	return ways, nil
}

// enqueue adds practices, each with submissions. For each practice, each is how many submissions
// stay in the queue, and failed is how many end as failed.
func enqueue(db *store.DB, practices, each, failed int) error {
	number := 0
	accept := func(tx *store.Tx, p store.PracticeID) error {
		number++
		_, _, err := tx.Accept(p, store.NewIngestion{PublicID: strconv.Itoa(number), Size: lean, Parts: [][]byte{{1}}})
		return err
	}
	const chunk = 500
	for first := 0; first < practices; first += chunk {
		err := db.Update(func(tx *store.Tx) error {
			for range min(chunk, practices-first) {
				p, err := tx.AddPractice("Practice", false, true)
				if err != nil {
					return err
				}
				for range failed {
					if err := accept(tx, p); err != nil {
						return err
					}
				}
				waiting, err := tx.Unfinished(p, failed)
				if err != nil {
					return err
				}
				for _, i := range waiting {
					if err := tx.Finish(p, store.Ending{Ingestion: i.ID, Status: store.Failed, Exception: "Bench", CorrelationID: "bench"}); err != nil {
						return err
					}
				}
				for range each {
					if err := accept(tx, p); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// receive measures how long it takes to receive a practice queue and to release it again. While it
// measures, taken other queues are in flight, and ready queues can be received.
func receive(db *store.DB, taken, ready int) (f Figure, err error) {
	var took []time.Duration
	err = db.Update(func(tx *store.Tx) error {
		if err := tx.ReleaseQueues(); err != nil {
			return err
		}
		for range taken {
			if _, err := tx.ReceiveQueue(); err != nil {
				return err
			}
		}
		if ready == 0 {
			return errors.New("nothing is left to receive")
		}
		for range receivedAtOne {
			began := time.Now()
			queue, err := tx.ReceiveQueue()
			if err != nil {
				return err
			}
			if _, err := tx.Unfinished(queue.Practice, 64); err != nil {
				return err
			}
			if ended, err := tx.EndQueue(queue.Practice); err != nil || ended {
				return errors.Join(err, errors.New("the queue has ended"))
			}
			if err := tx.ReleaseQueue(queue); err != nil {
				return err
			}
			took = append(took, time.Since(began))
		}
		return nil
	})
	if err != nil {
		return f, err
	}
	f = among(took)
	f.Rate = 1 / f.P50
	return f, nil
}
