package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"birthregistry/app"
	"birthregistry/app/birth"
	"birthregistry/app/birth/birthtest"
	"birthregistry/app/changes"
	"birthregistry/app/mapping"
	"birthregistry/app/stats"
	"birthregistry/store"
)

// invention is a function that returns the nth invented course of care.
type invention func(chance *rand.Rand, n int) birth.Draft

// synthetic returns the nth invented course of care (see invention). The birth is in the last five
// years.
func synthetic(chance *rand.Rand, n int) birth.Draft {
	m := stats.LastYear(time.Now()).Last - stats.Month(n%stats.MaxMonths)
	return drafted(chance, n, time.Date(m.Year(), time.Month(m%12+1), 1+n%28, 0, 0, 0, 0, time.UTC))
}

func drafted(chance *rand.Rand, n int, born time.Time) birth.Draft {
	d := birthtest.Invent(chance, born).Draft()
	d.Mother.Set(birth.Must("mother_family_name"), birth.Value{Text: fmt.Sprint("Family ", n), Source: birth.FHIRPush})
	return d
}

// fill adds invented courses of care, numbered from first to until-1, to each of the given
// practices. Almost all courses are different, and their chart numbers are unordered. The
// installation must not be running.
func (s *installation) fill(invent invention, first, until int, practices ...store.PracticeID) error {
	chance := rand.New(rand.NewPCG(2026, 100))
	err := s.open(s.w.ctx, func(a *app.App) error {
		for _, p := range practices {
			if err := fillPractice(s.w.ctx, a, p, invent, chance, first, until); err != nil {
				return err
			}
		}
		return nil
	})
	s.next = max(s.next, uint64(until))
	return err
}

func fillPractice(ctx context.Context, a *app.App, p store.PracticeID, invent invention, chance *rand.Rand, first, until int) error {
	if err := a.Vault.Ready(); err != nil {
		return err
	}
	const chunk = 2000
	for ; first < until; first += chunk {
		var all []changes.Change
		for n := first; n < min(until, first+chunk); n++ {
			d := invent(chance, n)
			d.Chart = fmt.Sprintf("%012d", scattered(n))
			all = append(all, a.Changes.Prepare(p, birth.FHIRPush, mapping.Item{Draft: &d}, 0))
		}
		err := a.DB.Update(func(tx *store.Tx) error {
			_, err := accepted(a.Changes.Apply(tx, p, changes.Batch{Changes: all}))
			return err
		})
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
	}
	return nil
}

// accepted returns the results of the only batch. It returns an error if a change in the batch was
// rejected.
func accepted(batches [][]changes.Result, err error) ([]changes.Result, error) {
	if err != nil {
		return nil, err
	}
	for _, r := range batches[0] {
		if r.Problem != nil {
			return nil, r.Problem
		}
	}
	return batches[0], nil
}

// scattered returns the nth number of an unordered series of numbers below 10^12. Chart numbers are
// made from these numbers, because unordered numbers are the worst case for an index.
func scattered(n int) uint64 { return uint64(n) * 387_420_489 % 1_000_000_000_000 }

// filled returns an installation with one practice, which has the given number of records. The
// installation isn't running yet.
func (w *workshop) filled(records int) (*installation, error) {
	s, err := w.provided(1)
	if err != nil {
		return nil, err
	}
	return s, s.fill(synthetic, 0, records, s.practices...)
}

// open opens the installation, calls fn with it, and closes it. The program may be running at the
// same time.
func (s *installation) open(ctx context.Context, fn func(a *app.App) error) error {
	a, err := app.Open(ctx, quiet(s.db))
	if err != nil {
		return err
	}
	return errors.Join(fn(a), a.Close())
}
