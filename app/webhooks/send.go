package webhooks

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"birthregistry/app/task"
	"birthregistry/store"
)

// How many deliveries may run at the same time: to the webhook of one API key, to all receivers
// whose last attempt was slow, and in total. Many receivers that never respond therefore don't
// delay other webhooks, neither those of the same practice nor those of other practices.
const (
	atOnceOfKey = 2
	slowAtOnce  = 32
	atOnce      = 64
)

// slowAfter is how long an attempt may take before the receiver counts as slow. A slow receiver
// gets only one delivery at a time, until an attempt is faster again.
const slowAfter = 2 * time.Second

// lookEvery is how often Run looks for deliveries that are due. If an attempt can't be recorded,
// deliver also waits this long before it tries again.
const lookEvery = time.Second

// resumeEvery is how often Run looks for deliveries that would wait too long because the clock was
// set back.
const resumeEvery = time.Minute

// flights holds the deliveries that are being sent.
type flights struct {
	of    map[int64]map[int64]bool // for each API key, the rows of its deliveries
	total int
	slow  map[int64]bool // the API keys whose receiver is slow
	last  int64          // the last API key that was served
	ended chan flight
}

type flight struct {
	key, row int64
	slow     bool
}

// room returns how many more deliveries to the webhook of an API key may be started now.
func (f *flights) room(key int64) int {
	if !f.slow[key] {
		return min(atOnce-f.total, atOnceOfKey-len(f.of[key]))
	}
	toSlow := 0
	for other := range f.slow {
		toSlow += len(f.of[other])
	}
	return min(atOnce-f.total, slowAtOnce-toSlow, 1-len(f.of[key]))
}

// Run sends deliveries until ctx ends. Only the process that serves requests may call it.
func (s *Service) Run(ctx context.Context) {
	f := &flights{of: map[int64]map[int64]bool{}, slow: map[int64]bool{}, ended: make(chan flight)}
	look := time.NewTicker(lookEvery)
	resume := time.NewTicker(resumeEvery)
	defer look.Stop()
	defer resume.Stop()
	for ctx.Err() == nil {
		err := task.Do(s.log, "webhooks", func() error { return s.startDue(ctx, f) })
		if err != nil && ctx.Err() == nil {
			s.log.Error("deliveries of webhooks cannot be read; they wait", "cause", err)
		}
		select {
		case <-ctx.Done():
		case <-look.C:
		case <-resume.C:
			if err := s.resume(ctx); err != nil && ctx.Err() == nil {
				s.log.Error("deliveries that wait for a clock that was set back cannot be resumed", "cause", err)
			}
		case one := <-f.ended:
			f.remove(one)
		}
	}
	for f.total > 0 {
		f.remove(<-f.ended)
	}
}

// resume makes deliveries due immediately if they would otherwise wait too long because the clock
// has been set back.
func (s *Service) resume(ctx context.Context) error {
	overlong, err := store.Read(ctx, s.db, func(v *store.View) ([]int64, error) { return v.OverlongDeliveries(time.Now()) })
	if err != nil || len(overlong) == 0 {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error { return tx.ResumeDeliveries(overlong) })
}

func (f *flights) remove(one flight) {
	delete(f.of[one.key], one.row)
	if len(f.of[one.key]) == 0 {
		delete(f.of, one.key)
	}
	f.total--
	if one.slow {
		f.slow[one.key] = true
	} else {
		delete(f.slow, one.key)
	}
}

// startDue starts deliveries that are due, as many as the limits allow. It begins after the API key
// that was served last, so that every key gets its turn. If the deliveries of one key can't be
// read, startDue still starts the deliveries of the other keys.
func (s *Service) startDue(ctx context.Context, f *flights) (err error) {
	if f.total == atOnce {
		return nil
	}
	now := time.Now()
	keys, err := store.Read(ctx, s.db, func(v *store.View) ([]store.KeyToNotify, error) { return v.KeysToNotify(now) })
	if err != nil {
		return err
	}
	next, _ := slices.BinarySearchFunc(keys, f.last+1, func(k store.KeyToNotify, id int64) int { return cmp.Compare(k.APIKey, id) })
	for _, k := range slices.Concat(keys[next:], keys[:next]) {
		if f.total == atOnce {
			break
		}
		if room := f.room(k.APIKey); room > 0 {
			f.last = k.APIKey
			err = errors.Join(err, s.startDueOf(ctx, f, k, room, now))
		}
	}
	return err
}

// startDueOf starts due deliveries of an API key. room is the maximum number of deliveries to
// start. startDueOf starts none while the disk may have lost the last commits (store.DB.Durable).
// Otherwise, a delivery could report the end of an ingestion that is then lost.
func (s *Service) startDueOf(ctx context.Context, f *flights, k store.KeyToNotify, room int, now time.Time) error {
	due, err := store.Read(ctx, s.db, func(v *store.View) ([]store.Delivery, error) {
		return v.DueDeliveries(k.Practice, k.APIKey, now, room+len(f.of[k.APIKey]))
	})
	if err == nil && len(due) > 0 {
		err = s.db.Durable()
	}
	if err != nil {
		return err
	}
	for _, d := range due {
		if room > 0 && !f.of[k.APIKey][d.Row] {
			s.start(ctx, f, k.Practice, d)
			room--
		}
	}
	return nil
}

// start makes the next attempt of a delivery in a new goroutine.
func (s *Service) start(ctx context.Context, f *flights, p store.PracticeID, d store.Delivery) {
	if f.of[d.APIKey] == nil {
		f.of[d.APIKey] = map[int64]bool{}
	}
	f.of[d.APIKey][d.Row] = true
	f.total++
	task.Go(s.log, "webhook", func() error {
		began := time.Now()
		defer func() { f.ended <- flight{d.APIKey, d.Row, time.Since(began) > slowAfter} }()
		s.deliver(ctx, p, d)
		return nil
	})
}

// deliver makes an attempt and records it. Until the attempt is recorded, the delivery counts as
// being sent. The service therefore doesn't send the message again and again if the disk is full.
func (s *Service) deliver(ctx context.Context, p store.PracticeID, d store.Delivery) {
	answer, problem := 0, ProblemInternal
	err := task.Do(s.log, "webhook", func() (err error) {
		answer, problem, err = s.attempt(ctx, p, d)
		return err
	})
	if errors.Is(err, context.Canceled) { // the service is stopping; it sends the message after its next start
		return
	}
	d = after(d, answer, problem, time.Now())
	if d.State == store.GivenUp && problem != ProblemOff {
		s.log.Warn("a webhook's message was given up after a day", "ingestion", d.Ingestion, "key", d.APIKey, "problem", problem, "answer", answer)
	}
	for reported := false; ; reported = true {
		err := s.db.Update(func(tx *store.Tx) error { return tx.SetDelivery(p, d) })
		if err == nil || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrClosed) { // ErrNotFound: the delivery has aged out, was forgotten, or was requested again
			return
		}
		if !reported {
			s.log.Error("a delivery cannot be recorded", "ingestion", d.Ingestion, "cause", err)
		}
		if task.Pause(ctx, lookEvery) != nil {
			return
		}
	}
}
