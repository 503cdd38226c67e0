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
	"birthregistry/app/figures"
	"birthregistry/store"
)

// shelve fills the first practice of a site that does not run with so many
// records of the last five years, hardly two of them alike, in no order of
// their chart numbers.
func (s *site) shelve(records int) (err error) {
	a, err := app.Open(s.w.ctx, quiet(s.db))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Vault.Ready(); err != nil {
		return err
	}
	f, chance := newFiling(a, s.practices[0]), rand.New(rand.NewPCG(2026, 100))
	const chunk = 2000
	for first := 0; first < records; first += chunk {
		all := make([]folder, 0, chunk)
		for n := first; n < min(records, first+chunk); n++ {
			r, err := f.ready(told(chance, n), fmt.Sprintf("%012d", scattered(n)))
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

// told makes up the n-th course of care.
func told(chance *rand.Rand, n int) birth.Course {
	m := figures.LastYear(time.Now()).Last - figures.Month(n%figures.MaxMonths)
	born := time.Date(m.Year(), time.Month(m%12+1), 1+n%28, 0, 0, 0, 0, time.UTC)
	d := apptest.Tell(chance, born).Draft()
	d.Mother.Set(birth.Must("mother_family_name"), birth.Value{Text: fmt.Sprint("Family ", n), Source: birth.FHIRPush})
	return birth.Mask(d)
}

// scattered gives numbers below 10^12 an order of their own: as charts come, and
// as an index likes them least.
func scattered(n int) uint64 { return uint64(n) * 387_420_489 % 1_000_000_000_000 }

// shelved starts a site of one practice with so many records on file.
func (w *workshop) shelved(records int) (*site, error) {
	s, err := w.provided(1)
	if err != nil {
		return nil, err
	}
	return s, s.shelve(records)
}

// open runs fn on the site's installation, beside the program or without it.
func (s *site) open(ctx context.Context, fn func(a *app.App) error) error {
	a, err := app.Open(ctx, quiet(s.db))
	if err != nil {
		return err
	}
	return errors.Join(fn(a), a.Close())
}
