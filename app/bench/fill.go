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

// fill adds records of the last five years to each of some practices of an installation
// that does not run, nearly all different, in no order of their chart numbers.
func (s *installation) fill(records int, practices ...store.PracticeID) error {
	return s.fillWith(synthetic, 0, records, practices...)
}

// fillWith is fill with the courses of care that invent makes up, from the number first to the
// number before until.
func (s *installation) fillWith(invent invention, first, until int, practices ...store.PracticeID) (err error) {
	a, err := app.Open(s.w.ctx, quiet(s.db))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Vault.Ready(); err != nil {
		return err
	}
	chance := rand.New(rand.NewPCG(2026, 100))
	for _, p := range practices {
		if err := newFiller(a, p).fill(s.w.ctx, invent, chance, first, until); err != nil {
			return err
		}
	}
	s.next = max(s.next, uint64(until))
	return nil
}

// fill adds the records from the number first to the number before until to one practice.
func (f *filler) fill(ctx context.Context, invent invention, chance *rand.Rand, first, until int) error {
	const chunk = 2000
	for ; first < until; first += chunk {
		all := make([]filed, 0, chunk)
		for n := first; n < min(until, first+chunk); n++ {
			r, err := f.ready(invent(chance, n), fmt.Sprintf("%012d", scattered(n)))
			if err != nil {
				return err
			}
			all = append(all, r)
		}
		err := f.a.DB.Update(func(tx *store.Tx) error {
			_, err := f.write(tx, all, 0, 0)
			return err
		})
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
	}
	return nil
}

// invention returns the nth invented course of care.
type invention func(chance *rand.Rand, n int) birth.Course

// synthetic is an invention of the last five years.
func synthetic(chance *rand.Rand, n int) birth.Course {
	m := stats.LastYear(time.Now()).Last - stats.Month(n%stats.MaxMonths)
	return birth.Mask(drafted(chance, n, time.Date(m.Year(), time.Month(m%12+1), 1+n%28, 0, 0, 0, 0, time.UTC)))
}

func drafted(chance *rand.Rand, n int, born time.Time) birth.Draft {
	d := apptest.Invent(chance, born).Draft()
	d.Mother.Set(birth.Must("mother_family_name"), birth.Value{Text: fmt.Sprint("Family ", n), Source: birth.FHIRPush})
	return d
}

// scattered returns the nth of the numbers below 10^12 in an order of their own, like
// that of charts, which is the worst for an index.
func scattered(n int) uint64 { return uint64(n) * 387_420_489 % 1_000_000_000_000 }

// filled returns an installation that doesn't run yet and has one practice with this many
// records.
func (w *workshop) filled(records int) (*installation, error) {
	s, err := w.provided(1)
	if err != nil {
		return nil, err
	}
	return s, s.fill(records, s.practices...)
}

// open runs fn on the opened installation, whether or not the program runs.
func (s *installation) open(ctx context.Context, fn func(a *app.App) error) error {
	a, err := app.Open(ctx, quiet(s.db))
	if err != nil {
		return err
	}
	return errors.Join(fn(a), a.Close())
}
