package records_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/review"
	"birthregistry/app/stats"
	"birthregistry/store"
)

// pooled returns what another practice sees of the session's practice, after requiring that
// the check finds no difference between the tallies and the records.
func (d *session) pooled(other store.PracticeID) stats.Peers {
	d.T.Helper()
	f, err := d.records.Measure(d.T.Context(), store.Practice{ID: other}, year, stats.Lookup("lbw"))
	require.NoError(d.T, err)
	findings, err := d.App.Check(d.T.Context())
	require.NoError(d.T, err)
	for _, found := range findings {
		require.Empty(d.T, found.Problem, found.Check)
	}
	return *f.Peers
}

// act takes one random step in the session and returns what it did, or "" if the step was not
// possible.
func (d *session) act(r *rand.Rand, pushed *[]string) (done string) {
	d.T.Helper()
	at := func() string { return (*pushed)[r.IntN(len(*pushed))] }
	is := func(name string, err error) string {
		if err != nil {
			return ""
		}
		return name
	}
	switch what := r.IntN(9); {
	case what < 2 || len(*pushed) < 6:
		c := apptest.Course{Chart: fmt.Sprint("26-", len(*pushed)), Mother: fmt.Sprint("Okonkwo ", r.IntN(4)), Weight: 2300 + 100*r.IntN(4)}
		d.Push(c.Bundle())
		*pushed = append(*pushed, c.Chart)
		d.amend(c.Chart, func(e *changes.Form) { e.Draft.Consent = birth.Consent{Granted: true} })
		return "create"
	case what == 2:
		id := d.id(at())
		return is("void", second(d.App.Changes.Void(d.carla, id, "a mistake", d.version(id))))
	case what == 3:
		return is("restore", second(d.App.Changes.Restore(d.carla, d.id(at()), "none after all")))
	case what < 6:
		base, err := d.App.Changes.BaseVersion(d.T.Context(), d.Practice, d.id(at()))
		if err != nil {
			return ""
		}
		e := changes.Form{Draft: base.Draft, UUID: base.Record.UUID, BaseVersion: base.Record.Version}
		if e.Draft.Consent.Granted = !e.Draft.Consent.Granted; what == 5 {
			state(&e.Draft.Children[0], "birth_weight_g", birth.Value{Number: float64(2300 + 100*r.IntN(4))})
		}
		return is("amend", second(d.App.Changes.Save(d.carla, e)))
	case what < 8:
		return is("merge", d.mergeSome())
	}
	return is("undo", d.undoSome())
}

func second[T any](_ T, err error) error { return err }

func (d *session) version(id string) (version int) {
	d.T.Helper()
	require.NoError(d.T, d.App.DB.View(d.T.Context(), func(v *store.View) error {
		record, err := v.RecordByUUID(d.Practice, id)
		version = record.Version
		return err
	}))
	return version
}

// mergeSome merges the first pair in the queue.
func (d *session) mergeSome() error {
	var of review.Pair
	err := d.App.DB.View(d.T.Context(), func(v *store.View) error {
		pairs, err := v.Pairs(d.Practice, store.Pair{}, 1)
		if err != nil || len(pairs) == 0 {
			return store.ErrNotFound
		}
		two, err := v.RecordsByID(d.Practice, []int64{pairs[0].Older(), pairs[0].Newer()})
		if err != nil {
			return err
		}
		of = review.Pair{Stays: two[0].UUID, StaysVersion: two[0].Version, Goes: two[1].UUID, GoesVersion: two[1].Version}
		return nil
	})
	if err != nil {
		return err
	}
	return second(d.App.Review.Merge(d.carla, of, "", nil))
}

// undoSome undoes the last decision that stands.
func (d *session) undoSome() error {
	last := int64(0)
	err := d.App.DB.View(d.T.Context(), func(v *store.View) error {
		reviews, err := v.Reviews(d.Practice, 0, 50)
		for _, review := range reviews {
			if review.UndoneAt == nil && last == 0 {
				last = review.ID
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return second(d.App.Review.Undo(d.carla, last))
}

func TestFiguresAcrossPracticesMatchTheRecordsWhateverPeopleDo(t *testing.T) {
	d := open(t)
	var other store.PracticeID
	require.NoError(t, d.App.DB.Update(func(tx *store.Tx) (err error) {
		other, err = tx.AddPractice("Lakeside", false, false)
		return err
	}))
	r := rand.New(rand.NewPCG(8, 3))
	var pushed []string
	changed, before := map[string]int{}, stats.Peers{}
	for range 150 {
		what := d.act(r, &pushed)
		after := d.pooled(other)
		if after != before {
			changed[what]++
		}
		before = after
	}
	for _, what := range []string{"create", "void", "restore", "amend", "merge", "undo"} {
		require.NotZero(t, changed[what], "a %s that changes the figure: %v", what, changed)
	}
	require.Zero(t, changed[""], "what is not done changes nothing")
}
