package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/birth"
	"birthregistry/app/stats"
	"birthregistry/store"
)

// fill adds records of the last five years to the first practice of an installation
// that does not run, nearly all different, in no order of their chart numbers.
func (s *installation) fill(records int) (err error) {
	a, err := app.Open(s.w.ctx, quiet(s.db))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Vault.Ready(); err != nil {
		return err
	}
	f, chance := newFiller(a, s.practices[0]), rand.New(rand.NewPCG(2026, 100))
	const chunk = 2000
	for first := 0; first < records; first += chunk {
		all := make([]filed, 0, chunk)
		for n := first; n < min(records, first+chunk); n++ {
			r, err := f.ready(synthetic(chance, n), fmt.Sprintf("%012d", scattered(n)))
			if err != nil {
				return err
			}
			all = append(all, r)
		}
		err := a.DB.Update(func(tx *store.Tx) error {
			_, err := f.write(tx, all, 0, 0)
			return err
		})
		if err != nil || s.w.ctx.Err() != nil {
			return errors.Join(err, s.w.ctx.Err())
		}
	}
	s.next = uint64(records)
	return nil
}

// synthetic returns the nth invented course of care.
func synthetic(chance *rand.Rand, n int) birth.Course {
	m := stats.LastYear(time.Now()).Last - stats.Month(n%stats.MaxMonths)
	born := time.Date(m.Year(), time.Month(m%12+1), 1+n%28, 0, 0, 0, 0, time.UTC)
	d := apptest.Invent(chance, born).Draft()
	d.Mother.Set(birth.Must("mother_family_name"), birth.Value{Text: fmt.Sprint("Family ", n), Source: birth.FHIRPush})
	return birth.Mask(d)
}

// scattered returns the nth of the numbers below 10^12 in an order of their own, like
// that of charts, which is the worst for an index.
func scattered(n int) uint64 { return uint64(n) * 387_420_489 % 1_000_000_000_000 }

// filled returns an installation of one practice with some records, which does not
// run yet.
func (w *workshop) filled(records int) (*installation, error) {
	s, err := w.provided(1)
	if err != nil {
		return nil, err
	}
	return s, s.fill(records)
}

// open runs fn on the opened installation, whether or not the program runs.
func (s *installation) open(ctx context.Context, fn func(a *app.App) error) error {
	a, err := app.Open(ctx, quiet(s.db))
	if err != nil {
		return err
	}
	return errors.Join(fn(a), a.Close())
}
