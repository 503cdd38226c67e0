package webhooks

import (
	"context"
	"errors"
	"slices"
	"time"

	"birthregistry/app/task"
	"birthregistry/store"
)

// How many deliveries are under way at a time, of one practice and in all. A receiver that
// never answers holds up those of its own practice only.
const (
	atOnceOfPractice = 2
	atOnce           = 64
)

// lookEvery is how often Run looks for deliveries that are due, and how long it rests after a
// failure of the database.
const lookEvery = time.Second

// flights are the deliveries that are under way.
type flights struct {
	of    map[store.PracticeID]map[int64]bool
	total int
	last  store.PracticeID // the last practice that was served
	ended chan flight
}

type flight struct {
	practice store.PracticeID
	row      int64
}

// Run sends deliveries until ctx ends. Only the serving process may call it.
func (s *Service) Run(ctx context.Context) {
	f := &flights{of: map[store.PracticeID]map[int64]bool{}, ended: make(chan flight)}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for ctx.Err() == nil {
		err := task.Do(s.log, "webhooks", func() error { return s.startDue(ctx, f) })
		if err != nil && ctx.Err() == nil {
			s.log.Error("deliveries of webhooks cannot be read; they wait", "cause", err)
		}
		select {
		case <-ctx.Done():
		case <-look.C:
		case one := <-f.ended:
			f.remove(one)
		}
	}
	for f.total > 0 {
		f.remove(<-f.ended)
	}
}

func (f *flights) remove(one flight) {
	delete(f.of[one.practice], one.row)
	if len(f.of[one.practice]) == 0 {
		delete(f.of, one.practice)
	}
	f.total--
}

// startDue starts the deliveries that are due and for which there is room. It begins after the
// practice that was served last, so that each has its turn.
func (s *Service) startDue(ctx context.Context, f *flights) error {
	if f.total == atOnce {
		return nil
	}
	now := time.Now()
	practices, err := store.Read(ctx, s.db, func(v *store.View) ([]store.PracticeID, error) { return v.PracticesToNotify(now) })
	if err != nil {
		return err
	}
	next, _ := slices.BinarySearch(practices, f.last+1)
	for _, p := range slices.Concat(practices[next:], practices[:next]) {
		busy := len(f.of[p])
		if f.total == atOnce {
			return nil
		}
		if busy == atOnceOfPractice {
			continue
		}
		due, err := store.Read(ctx, s.db, func(v *store.View) ([]store.Delivery, error) {
			return v.DueDeliveries(p, now, atOnceOfPractice+busy)
		})
		if err != nil {
			return err
		}
		for _, d := range due {
			if !f.of[p][d.Row] && len(f.of[p]) < atOnceOfPractice && f.total < atOnce {
				s.start(ctx, f, p, d)
			}
		}
		f.last = p
	}
	return nil
}

// start makes the next attempt of a delivery in a goroutine of its own.
func (s *Service) start(ctx context.Context, f *flights, p store.PracticeID, d store.Delivery) {
	if f.of[p] == nil {
		f.of[p] = map[int64]bool{}
	}
	f.of[p][d.Row] = true
	f.total++
	task.Go(s.log, "webhook", func() error {
		defer func() { f.ended <- flight{p, d.Row} }()
		s.deliver(ctx, p, d)
		return nil
	})
}

// deliver makes an attempt and records it. While that cannot be recorded, the delivery stays
// under way, so that a full disk doesn't send it again and again.
func (s *Service) deliver(ctx context.Context, p store.PracticeID, d store.Delivery) {
	answer, problem := 0, ProblemInternal
	err := task.Do(s.log, "webhook", func() (err error) {
		answer, problem, err = s.attempt(ctx, p, d)
		return err
	})
	if errors.Is(err, context.Canceled) { // the service stops: the next start sends it
		return
	}
	d = after(d, answer, problem, time.Now())
	if d.State == store.GivenUp && problem != ProblemOff {
		s.log.Warn("a webhook's message was given up after a day", "ingestion", d.Ingestion, "key", d.APIKey, "problem", problem, "answer", answer)
	}
	for reported := false; ; reported = true {
		err := s.db.Update(func(tx *store.Tx) error { return tx.SetDelivery(p, d) })
		if err == nil || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrClosed) { // or aged out, or forgotten
			return
		}
		if !reported {
			s.log.Error("a delivery cannot be recorded", "ingestion", d.Ingestion, "cause", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEvery):
		}
	}
}
