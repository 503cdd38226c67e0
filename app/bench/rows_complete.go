package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"birthregistry/store"
)

// These rows measure the time from the POST until the receipt has the status completed.

const (
	serviceOnePractice   = "POST to completed, one practice"
	serviceManyPractices = "POST to completed, 64 practices"
	serviceComplete      = "POST to completed"
	medplum              = "Medplum's FHIR server, in memory"
	poller               = "a 100 ms poller"
	serviceSteady        = "200 Bundles a second"
	oneCore              = "one core, never idle"
	serviceDrain         = "the worker"
	oneByOne             = "one message, one transaction"
)

var completeGroups = []group{
	{name: "POST to completed, 64 callers", rows: []row{
		{"POST to completed, sustained, 64 callers, one practice", serviceOnePractice, pocketBase, rate, atLeast(3)},
		{"POST to completed, sustained, 64 callers, a practice each", serviceManyPractices, pocketBase, rate, atLeast(1.5)},
		{"POST to completed, sustained, 64 callers, one practice", serviceOnePractice, medplum, rate, atLeast(10)},
	}, ways: sustained},
	{name: "POST to completed, idle", rows: []row{
		{"POST to completed, idle, p50", serviceComplete, poller, p50, atMost(0.035)},
	}, ways: idle},
	{name: "200 Bundles a second", rows: []row{
		{"200 Bundles a second to completed, processor time", serviceSteady, oneCore, cores, atMost(0.25)},
	}, ways: steady},
	{name: "drain", rows: []row{
		{"single Bundles drained from a backlog", serviceDrain, oneByOne, rate, atLeast(9)},
	}, ways: drain},
}

// sustained returns ways of measuring how fast the service accepts and processes Bundles. The rate
// is the number of posted Bundles, divided by the time until the last of them is completed.
func sustained(w *workshop) (map[string]way, error) {
	body, long, ways := course(lean), w.scale.round, map[string]way{}
	for name, practices := range map[string]int{serviceOnePractice: 1, serviceManyPractices: 64} {
		s, err := w.installation(practices)
		if err != nil {
			return nil, err
		}
		ways[name] = func() (Figure, error) {
			p := s.post(body, 64, long)
			p.Drain = true
			return s.run(p)
		}
	}
	var err error
	if ways[pocketBase], err = w.pocketbase(body, 64, long); err != nil {
		return nil, err
	}
	ways[medplum], err = w.medplum(body, 64, long)
	return ways, err
}

// idle measures a single caller, which posts a Bundle, waits until the Bundle is completed, and
// posts the next one. The reference is plainWorker, which looks for Bundles every 100 ms. The
// caller always posts just after plainWorker has looked, so it waits almost all of the 100 ms. A
// caller that posts at random times would wait half as long. The goal in the table was set with the
// caller that is used here.
func idle(w *workshop) (map[string]way, error) {
	body, long := course(lean), w.scale.round
	once := func(s *installation) way {
		return func() (Figure, error) {
			p := s.post(body, 1, long)
			p.Complete = true
			return s.run(p)
		}
	}
	service, err := w.installation(1)
	if err != nil {
		return nil, err
	}
	reference, err := w.plainInstallation(1)
	if err != nil {
		return nil, err
	}
	return map[string]way{serviceComplete: once(service), poller: once(reference)}, nil
}

// steady measures how much processor time it takes to accept and process single Bundles that are
// posted at regular intervals.
func steady(w *workshop) (map[string]way, error) {
	s, err := w.installation(8)
	if err != nil {
		return nil, err
	}
	return map[string]way{
		serviceSteady: func() (f Figure, err error) {
			p := s.post(course(lean), 64, 2*w.scale.round)
			p.Warm, p.Every, p.Drain = 0, 64/200.0, true
			before, err := s.worked()
			if err != nil {
				return f, err
			}
			began := time.Now()
			if f, err = s.run(p); err != nil {
				return f, err
			}
			took := time.Since(began)
			after, err := s.worked()
			f.Cores = (after - before).Seconds() / took.Seconds()
			return f, err
		},
		oneCore: func() (Figure, error) { return Figure{Cores: 1}, nil },
	}, nil
}

// plainInstallation starts an installation whose queue is processed by plainWorker.
func (w *workshop) plainInstallation(practices int) (*installation, error) {
	s, err := w.provided(practices)
	if err != nil {
		return nil, err
	}
	return s, s.servePlain()
}

func (s *installation) servePlain() (err error) {
	s.process, err = s.w.start("", os.Args[0], "plain", s.db)
	return err
}

// drain measures how fast a process that has just started processes a backlog. The backlog consists
// of single Bundles from eight practices.
func drain(w *workshop) (map[string]way, error) {
	s, err := w.provided(8)
	if err != nil {
		return nil, err
	}
	drained := func(backlog uint64, serve func() error) way {
		return func() (f Figure, err error) {
			if err := s.serve("--workers", "0"); err != nil {
				return f, err
			}
			p := s.post(course(lean), 64, time.Minute)
			p.Warm, p.Most = 0, backlog
			if _, err := s.run(p); err != nil {
				return f, err
			}
			if err := s.stop(); err != nil {
				return f, err
			}
			began := time.Now()
			if err := serve(); err != nil {
				return f, err
			}
			if err := s.drained(w.ctx); err != nil {
				return f, err
			}
			f.Rate = float64(backlog) / time.Since(began).Seconds()
			return f, s.stop()
		}
	}
	return map[string]way{
		serviceDrain: drained(w.scale.pick(20_000, 500), func() error { return s.serve() }),
		oneByOne:     drained(w.scale.pick(2_000, 100), s.servePlain),
	}, nil
}

// drained waits until the queue is empty.
func (s *installation) drained(ctx context.Context) (err error) {
	db, err := store.Open(ctx, s.db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	began := time.Now()
	for _, p := range s.practices {
		for left := 1; left > 0; {
			waiting, err := store.Read(ctx, db, func(v *store.View) ([]store.Ingestion, error) { return v.Unfinished(p, 1) })
			left = len(waiting)
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, ctx.Err())
			}
			if time.Since(began) > 10*time.Minute {
				return fmt.Errorf("the queue is not empty after 10 minutes; the service's log: %s", s.output())
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
	return nil
}
