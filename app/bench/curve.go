package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
)

// This file measures how the times of the rows grow with the number of records and practices (the
// flag -scale). These rows have no goals, so they can't fail.

// amount is the size of one installation of the curve. The measured practice has births records.
// Every other practice has only a few records.
type amount struct{ practices, births int }

// birthsOfOthers is how many records each practice has that isn't measured.
const birthsOfOthers = 20

// curveAmounts returns two series of amounts. In records, one practice has a growing number of
// records. In practices, the number of practices grows, and the measured practice always has the
// same number of records. Both series begin with the same amount.
func curveAmounts(s scale) (records, practices []amount) {
	if s.quick {
		return []amount{{1, 20}, {1, 200}, {1, 1_000}, {1, 2_000}}, []amount{{1, 20}, {2, 20}, {5, 20}}
	}
	return []amount{{1, 1_000}, {1, 10_000}, {1, 100_000}, {1, 1_000_000}}, []amount{{1, 1_000}, {100, 1_000}, {5_000, 1_000}}
}

// measureCurve fills the installations, measures them and returns the curve.
func measureCurve(w *workshop) (*curve, error) {
	defer w.tidy() //nolint:errcheck // a process that could not be ended ends with the run
	records, practices := curveAmounts(w.scale)
	c := &curve{records: records, practices: practices, times: map[amount]map[string]float64{}}
	filled, err := w.fillCurve(records, practices[1:])
	if err != nil {
		return nil, err
	}
	for round := range w.scale.rounds {
		for _, of := range c.amounts() {
			fmt.Fprintf(os.Stderr, "round %d: %s …\n", round+1, of)
			took, err := filled[of].growthRound()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", of, err)
			}
			c.add(of, took)
		}
	}
	for _, of := range c.amounts() {
		fmt.Fprintf(os.Stderr, "check and backup: %s …\n", of)
		took, err := filled[of].wholeFile()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of, err)
		}
		c.add(of, took)
	}
	return c, nil
}

func (a amount) String() string {
	if a.practices == 1 {
		return humanize.Comma(int64(a.births)) + " records"
	}
	return humanize.Comma(int64(a.practices)) + " practices"
}

// fillCurve returns an installation for each amount. It adds records to one installation step by
// step, and copies the installation at each amount of records. For each amount of practices, it
// adds practices to a copy of the smallest installation.
func (w *workshop) fillCurve(records, practices []amount) (map[amount]*installation, error) {
	s, err := w.provided(1)
	if err != nil {
		return nil, err
	}
	filled := map[amount]*installation{}
	for n, of := range records {
		began, before := time.Now(), s.next
		if err := s.fill(recorded, int(s.next), of.births, s.practices...); err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "filled with %s in %s\n", humanize.Comma(int64(s.next-before)), spent(time.Since(began)))
		s.filled, filled[of] = of.births, s
		if n == len(records)-1 {
			break
		}
		if s, err = s.copied(); err != nil {
			return nil, err
		}
	}
	for _, of := range practices {
		began := time.Now()
		s, err := filled[records[0]].copied()
		if err != nil {
			return nil, err
		}
		if err := s.provide(of.practices - 1); err != nil {
			return nil, err
		}
		if err := s.fill(recorded, 0, birthsOfOthers, s.practices[1:]...); err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "filled %s in %s\n", of, spent(time.Since(began)))
		filled[of] = s
	}
	return filled, nil
}

// copied returns another installation, whose folder is a copy of this installation's folder. This
// installation must not be running.
func (s *installation) copied() (*installation, error) {
	folder, err := s.w.tempFolder()
	if err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(s.w.ctx, "cp", "-a", s.folder+"/.", folder).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("copy an installation: %w: %s", err, out)
	}
	other := *s
	other.folder, other.db = folder, filepath.Join(folder, filepath.Base(s.db))
	return &other, nil
}

// These constants describe the invented records. providersEach is how many providers each practice
// has. familyNames and givenNames are how many different names there are. One record in
// duplicateEvery is a possible duplicate of the record before it.
const (
	providersEach  = 20
	familyNames    = 1000
	givenNames     = 200
	duplicateEvery = 200
)

// motherOf returns the names of the nth invented mother. No other mother has the last word of
// given.
func motherOf(n int) (family, given string) {
	chance := rand.New(rand.NewPCG(7, uint64(n)))
	return fmt.Sprintf("Family%03d", chance.IntN(familyNames)), fmt.Sprintf("Given%03d Unique%d", chance.IntN(givenNames), n)
}

// recorded returns the nth invented course of care (see invention). The birth is in the last five
// years, with an attendant and the mother's names.
func recorded(chance *rand.Rand, n int) birth.Draft {
	mother := n
	if n%duplicateEvery == 1 {
		mother = n - 1
	}
	m := stats.LastYear(time.Now()).Last - stats.Month(mother%stats.MaxMonths)
	d := drafted(chance, n, time.Date(m.Year(), time.Month(m%12+1), 1+mother%28, 0, 0, 0, 0, time.UTC))
	family, given := motherOf(mother)
	d.Mother.Set(birth.Must("mother_family_name"), birth.Value{Text: family, Source: birth.FHIRPush})
	d.Mother.Set(birth.Must("mother_given_names"), birth.Value{Text: given, Source: birth.FHIRPush})
	d.Providers = []birth.Provider{{
		Key: fmt.Sprint("urn:staff|", n%providersEach), Name: fmt.Sprint("Provider ", n%providersEach), Role: birth.RoleMidwife, Attending: true, Source: birth.FHIRPush,
	}}
	return d
}
