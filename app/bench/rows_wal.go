package main

import (
	"fmt"
	"os"
	"time"

	"birthregistry/app/task"
)

// These rows measure the WAL under sustained load.

const (
	walEnd    = "the WAL at the end"
	walMinute = "the WAL after a minute"
)

func walGroups(soak time.Duration) []group {
	return []group{{name: "wal", once: true, rows: []row{
		{fmt.Sprintf("WAL after %s of load", soak), walEnd, walMinute, bytes, atMost(2)},
	}, ways: func(w *workshop) (map[string]way, error) { return wal(w, soak) }}}
}

// wal posts 200 Bundles a second for the duration soak, and measures the size of the WAL. It
// compares the largest size in the last half minute with the largest size in the second half of the
// first minute.
func wal(w *workshop, soak time.Duration) (map[string]way, error) {
	s, err := w.installation(8)
	if err != nil {
		return nil, err
	}
	minute := min(time.Minute, soak/2)
	var first, last, load Figure
	run := func() error {
		p := s.post(course(lean), 64, soak)
		p.Warm, p.Every = 0, 0.32
		began := time.Now()
		posting := task.Go(quiet("").Log, "post", func() (err error) {
			load, err = s.run(p)
			return err
		})
		for {
			select {
			case err := <-posting:
				first.P50, first.P99, first.Rate = load.P50, load.P99, load.Rate
				last.P50, last.P99, last.Rate = load.P50, load.P99, load.Rate
				return err
			case <-time.After(minute / 120):
			}
			info, err := os.Stat(s.db + "-wal")
			if err != nil {
				continue // there is none yet
			}
			size, at := float64(info.Size()), time.Since(began)
			if at > minute/2 && at <= minute {
				first.Bytes = max(first.Bytes, size)
			}
			if at > soak-minute/2 {
				last.Bytes = max(last.Bytes, size)
			}
		}
	}
	return map[string]way{
		walEnd:    func() (Figure, error) { err := run(); return last, err },
		walMinute: func() (Figure, error) { return first, nil },
	}, nil
}
