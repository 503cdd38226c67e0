package changes_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/app/review"
	"birthregistry/store"
)

// After any sequence of actions, the queue lists each flagged record once, next to the oldest
// record that looks the same and wasn't marked as not a duplicate. So no pair is left out for
// good, every flag belongs to such a pair, and no merged record counts.
func TestTheReviewQueueIsRightAfterAnySequenceOfPushesAndDecisions(t *testing.T) {
	for seed := range uint64(6) {
		d := fixture.NewStaffed(t)
		w := &walk{Staffed: d, rand: rand.New(rand.NewPCG(seed, 26)), charts: 5}
		if seed%2 == 1 { // one more record of one birth than a lookup reads
			w.charts = 5 * changes.Witnesses
		}
		for step := range 250 {
			did := w.step()
			w.holds(fmt.Sprintf("seed %d, step %d: %s", seed, step, did))
		}
		d.Clean()
		require.Greater(t, w.decided, 5)
	}
}

type walk struct {
	*fixture.Staffed
	rand    *rand.Rand
	reviews []int64
	decided int
	charts  int
}

func (w *walk) step() string {
	chart, mother := fmt.Sprint(w.rand.IntN(w.charts)), []string{"Okonkwo", "Haddad"}[w.rand.IntN(2)]
	switch w.rand.IntN(8) {
	case 0, 1, 2:
		w.Push(fixture.BirthBy(chart, mother, "2026-03-02", "lee", "", "Lee", "CNM"))
		return "push " + chart + " " + mother
	case 3:
		w.Push(fixture.Retraction(chart))
		return "retract " + chart
	case 4:
		if len(w.reviews) > 0 {
			_, err := w.Review.Undo(w.Provider, w.reviews[w.rand.IntN(len(w.reviews))])
			if err != nil {
				require.True(w, err == changes.ErrState || err == changes.ErrChanged, err)
			}
			return fmt.Sprint("undo: ", err)
		}
	}
	pairs := w.pairs()
	if len(pairs) == 0 {
		return "nothing"
	}
	pair := pairs[w.rand.IntN(len(pairs))]
	byID := map[int64]store.Record{}
	for _, r := range w.Records() {
		byID[r.ID] = r
	}
	stays, goes := byID[pair.Older()], byID[pair.Newer()]
	if w.rand.IntN(2) == 0 {
		stays, goes = goes, stays
	}
	of := review.Pair{Stays: stays.UUID, Goes: goes.UUID, StaysVersion: stays.Version, GoesVersion: goes.Version}
	decisions := (&fixture.Pair{Staffed: w.Staffed}).Decisions()
	name := []string{"keep", "void", "merge"}[w.rand.IntN(3)]
	id, err := decisions[name](w.Provider, of)
	require.NoError(w, err)
	w.reviews = append(w.reviews, id)
	w.decided++
	return name + " " + goes.Chart + " next to " + stays.Chart
}

// pairs returns the queue, read in pages of two.
func (w *walk) pairs() (pairs []store.Pair) {
	w.Helper()
	var last store.Pair
	for more := true; more; {
		require.NoError(w, w.DB.View(context.Background(), func(v *store.View) error {
			page, err := v.Pairs(w.Caller.Practice, last, 2)
			if more = len(page) > 0; more {
				last = page[len(page)-1]
			}
			pairs = append(pairs, page...)
			return err
		}))
	}
	return pairs
}

// sorted returns pairs with the newer record first, by it.
func sorted(pairs []store.Pair) (all []store.Pair) {
	for _, pair := range pairs {
		all = append(all, store.Pair{Marked: pair.Newer(), Other: pair.Older()})
	}
	slices.SortFunc(all, func(a, b store.Pair) int {
		return cmp.Or(cmp.Compare(a.Marked, b.Marked), cmp.Compare(a.Other, b.Other))
	})
	return all
}

// holds compares the queue with the one that follows from the records.
func (w *walk) holds(when string) {
	w.Helper()
	p := w.Caller.Practice
	var similar, want []store.Pair
	require.NoError(w, w.DB.View(context.Background(), func(v *store.View) error {
		all, err := v.Records(p, 0, 100)
		require.NoError(w, err)
		ids := make([]int64, len(all))
		for i, r := range all {
			ids[i] = r.ID
			require.Equal(w, r.State == birth.Merged, r.MergedInto != 0 && r.State != birth.Voided, when)
		}
		fingerprints, err := v.FingerprintsOf(p, ids)
		require.NoError(w, err)
		kept, err := v.NotDuplicates(p, ids)
		require.NoError(w, err)
		paired, marked := map[int64]bool{}, map[int64]bool{}
		for _, newer := range all {
			for _, older := range all {
				shared := slices.ContainsFunc(fingerprints[newer.ID], func(print birth.Fingerprint) bool { return slices.Contains(fingerprints[older.ID], print) })
				if older.ID < newer.ID && shared && newer.State == birth.Active && older.State == birth.Active && !slices.Contains(kept[newer.ID], older.ID) {
					similar = append(similar, store.Pair{Marked: newer.ID, Other: older.ID})
					paired[newer.ID], paired[older.ID] = true, true
				}
			}
		}
		for _, r := range all {
			marked[r.ID] = r.State == birth.Active && r.Suspected
			require.False(w, marked[r.ID] && !paired[r.ID], "%s: %s is marked for nothing", when, r.Chart)
		}
		for _, pair := range similar {
			require.True(w, marked[pair.Marked] || marked[pair.Other], "%s: a pair that the queue never comes to", when)
		}
		for _, r := range all {
			for _, print := range fingerprints[r.ID] {
				if other := oldest(r.ID, print, similar, fingerprints); marked[r.ID] && other != 0 {
					want = append(want, store.Pair{Marked: r.ID, Other: other})
				}
			}
		}
		return nil
	}))
	require.Equal(w, slices.Compact(sorted(want)), sorted(w.pairs()), when)
	require.Equal(w, len(similar) == 0, len(want) == 0, "%s: the queue is through when nothing looks alike", when)
}

// oldest finds the oldest record with the same fingerprint as a record, or 0 if there is none.
func oldest(record int64, print birth.Fingerprint, similar []store.Pair, fingerprints map[int64][]birth.Fingerprint) (found int64) {
	for _, pair := range similar {
		other := pair.Other
		if other == record {
			other = pair.Marked
		} else if pair.Marked != record {
			continue
		}
		if slices.Contains(fingerprints[other], print) && (found == 0 || other < found) {
			found = other
		}
	}
	return found
}
