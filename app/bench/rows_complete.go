package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"birthregistry/store"
)

// From the POST to the receipt that says completed.

const (
	oursOne      = "POST to completed, one practice"
	oursMany     = "POST to completed, 64 practices"
	oursComplete = "POST to completed"
	poller       = "a 100 ms poller"
	oursDrain    = "the worker"
	oneByOne     = "one message, one transaction"
)

func completeGroups() []group {
	return []group{
		{name: "POST to completed, 64 callers", rows: []row{
			{"POST to completed, sustained, 64 callers, one practice", oursOne, pocketBase, rate, atLeast(3)},
			{"POST to completed, sustained, 64 callers, a practice each", oursMany, pocketBase, rate, atLeast(3)},
		}, ways: sustained},
		{name: "POST to completed, idle", rows: []row{
			{"POST to completed, idle, p50", oursComplete, poller, p50, atMost(1.0 / 20)},
		}, ways: idle},
		{name: "drain", rows: []row{
			{"single Bundles drained from a backlog", oursDrain, oneByOne, rate, atLeast(9)},
		}, ways: drain},
	}
}

// sustained counts what was posted over the time until the last of it is
// completed.
func sustained(w *workshop) (map[string]way, error) {
	body, long, ways := course(lean), w.scale.round, map[string]way{}
	for name, practices := range map[string]int{oursOne: 1, oursMany: 64} {
		s, err := w.site(practices)
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
	ways[pocketBase], err = w.pocketbase(body, 64, long)
	return ways, err
}

// idle has one caller who posts, waits until it is completed and posts again. It
// falls into step with the poller, which has then just looked: that costs it nearly
// all of its 100 ms, as in the measurement that the goal is from, where one who posts
// at any time would wait half of that.
func idle(w *workshop) (map[string]way, error) {
	body, long := course(lean), w.scale.round
	once := func(s *site) way {
		return func() (Figure, error) {
			p := s.post(body, 1, long)
			p.Complete = true
			return s.run(p)
		}
	}
	ours, err := w.site(1)
	if err != nil {
		return nil, err
	}
	theirs, err := w.plainSite(1)
	if err != nil {
		return nil, err
	}
	return map[string]way{oursComplete: once(ours), poller: once(theirs)}, nil
}

// plainSite is a site whose queue the plain worker works.
func (w *workshop) plainSite(practices int) (*site, error) {
	s, err := w.provided(practices)
	if err != nil {
		return nil, err
	}
	return s, s.servePlain()
}

func (s *site) servePlain() (err error) {
	s.process, err = s.w.start("", os.Args[0], "plain", s.db)
	return err
}

// drain makes a backlog of single Bundles of eight practices, and has it worked
// off by a process that finds it when it starts.
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
			if err := s.worked(w.ctx); err != nil {
				return f, err
			}
			f.Rate = float64(backlog) / time.Since(began).Seconds()
			return f, s.stop()
		}
	}
	return map[string]way{
		oursDrain: drained(w.scale.pick(20_000, 500), func() error { return s.serve() }),
		oneByOne:  drained(w.scale.pick(2_000, 100), s.servePlain),
	}, nil
}

// worked waits until nothing is unfinished.
func (s *site) worked(ctx context.Context) (err error) {
	db, err := store.Open(ctx, s.db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	began := time.Now()
	for _, p := range s.practices {
		for left := 1; left > 0; {
			err := db.View(ctx, func(v *store.View) error {
				waiting, err := v.Unfinished(p, 1)
				left = len(waiting)
				return err
			})
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, ctx.Err())
			}
			if time.Since(began) > 10*time.Minute {
				return fmt.Errorf("the backlog does not shrink; its log: %s", s.said())
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
	return nil
}
