package review_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/app/review"
	"birthregistry/app/stats"
	"birthregistry/store"
)

// newMerge returns a pair whose record 2 was merged into record 1.
func newMerge(t *testing.T) (c *fixture.Pair, review int64) {
	c = fixture.NewPair(t)
	review = c.Did(c.Review.Merge(c.Provider, c.Of(), "", nil))
	require.Zero(t, queued(c))
	return c, review
}

// queued returns how many pairs the home page counts in the queue.
func queued(c *fixture.Pair) int {
	c.Helper()
	w, err := c.Ingest.Waiting(context.Background(), c.Caller.Practice)
	require.NoError(c, err)
	var again []store.Review
	require.NoError(c, c.DB.View(context.Background(), func(v *store.View) (err error) {
		again, err = v.Reopened(c.Caller.Practice, 9)
		return err
	}))
	require.Equal(c, w.Reopened, len(again))
	require.Equal(c, w.Pairs, c.Waiting())
	return w.Pairs + w.Reopened
}

// counted returns how many births the statistics count.
func counted(c *fixture.Pair) (n int) {
	c.Helper()
	require.NoError(c, c.DB.View(context.Background(), func(v *store.View) error {
		period := stats.Period{First: 2026 * 12, Last: 2026*12 + 11}
		counted, err := v.Counted(c.Caller.Practice, period.First, period)
		report := stats.NewReport(period)
		counted.AddTo(report)
		n = report.Total.Births
		return err
	}))
	return n
}

// third adds a third record of the same birth.
func third(c *fixture.Pair) review.Pair {
	c.Helper()
	c.Save(c.Provider, changes.Form{Draft: fixture.Typed("3", "Okonkwo", 3000)})
	one, three := c.At("1"), c.At("3")
	return review.Pair{Stays: three.UUID, Goes: one.UUID, StaysVersion: three.Version, GoesVersion: one.Version}
}

// The ways in which a record leaves the state "active", and the step that brings it back.
var leaving = map[string]struct{ leave, back func(c *fixture.Pair) }{
	"a retraction by push": {
		func(c *fixture.Pair) { c.Reports(c.Retract("1"), 1, 0) },
		func(c *fixture.Pair) { c.Reports(c.Push(fixture.Stamped("1", 3000, fixture.Hence(time.Hour))), 1, 0) },
	},
	"a void by a person": {
		func(c *fixture.Pair) {
			_, err := c.Changes.Void(c.Provider, c.At("1").UUID, "no birth", c.At("1").Version)
			require.NoError(c, err)
		},
		func(c *fixture.Pair) {
			_, err := c.Changes.Restore(c.Provider, c.At("1").UUID, "it was one")
			require.NoError(c, err)
		},
	},
	"a void in another review": {
		func(c *fixture.Pair) { c.Did(c.Review.VoidOne(c.Provider, third(c), "entered twice")) },
		func(c *fixture.Pair) {
			_, err := c.Changes.Restore(c.Provider, c.At("1").UUID, "they are two")
			require.NoError(c, err)
		},
	},
	"a further merge": {
		func(c *fixture.Pair) { c.Did(c.Review.Merge(c.Provider, third(c), "", nil)) },
		func(c *fixture.Pair) {
			var reviews []store.Review
			require.NoError(c, c.DB.View(context.Background(), func(v *store.View) (err error) {
				reviews, err = v.Reviews(c.Caller.Practice, 0, 1)
				return err
			}))
			_, err := c.Review.Undo(c.Provider, reviews[0].ID)
			require.NoError(c, err)
		},
	},
}

func TestWhenTheSurvivorOfAMergeIsNoLongerActiveThePairIsBackInTheQueueAndOnTheHomePage(t *testing.T) {
	for name, way := range leaving {
		t.Run(name, func(t *testing.T) {
			c, _ := newMerge(t)
			way.leave(c)
			require.Equal(t, 1, queued(c))
			c.Clean()

			way.back(c)
			require.Zero(t, queued(c)-c.Waiting(), "it counts again")
			require.Equal(t, birth.Merged, c.At("2").State)
			c.Clean()
		})
	}
}

func TestAMergeThatWaitsAgainCanBeUndoneAfterwards(t *testing.T) {
	for name, way := range leaving {
		t.Run(name, func(t *testing.T) {
			c, review := newMerge(t)
			way.leave(c)
			before := counted(c)
			out, err := c.Review.Undo(c.Provider, review)
			require.NoError(t, err)
			require.True(t, out.ChangedSince, "what stays is as it is now")
			require.Equal(t, before+1, counted(c), "no birth drops out of the statistics")
			require.Equal(t, birth.Active, c.At("2").State)
			require.Zero(t, queued(c)-c.Waiting())
			require.ErrorIs(t, c.Review.LeaveMerged(c.Provider, review), changes.ErrState)
			c.Clean()
		})
	}
}

func TestAMergeThatWasLeftAsItIsWaitsAgainOnlyIfItsSurvivorBecomesInactiveAgain(t *testing.T) {
	c, review := newMerge(t)
	require.ErrorIs(t, c.Review.LeaveMerged(c.Provider, review), changes.ErrState, "it does not wait")
	c.Retract("1")
	require.NoError(t, c.Review.LeaveMerged(c.Provider, review))
	require.Zero(t, queued(c))
	require.ErrorIs(t, c.Review.LeaveMerged(c.Provider, review), changes.ErrState)
	c.Retract("1")
	require.Zero(t, queued(c), "a retraction again changes nothing")
	c.Push(fixture.Stamped("1", 3000, fixture.Hence(time.Hour)))
	require.Zero(t, queued(c))
	c.Retract("1")
	require.Equal(t, 1, queued(c))
	_, err := c.Review.Undo(c.Provider, review)
	require.NoError(t, err, "and it can still be undone")
	c.Clean()
}

func TestNobodyIsAskedAboutAMergedRecordThatWasRetractedItself(t *testing.T) {
	c, _ := newMerge(t)
	c.Reports(c.Retract("2"), 1, 0)
	c.Reports(c.Retract("1"), 1, 0)
	require.Zero(t, queued(c), "neither would come back")
	c.Reports(c.Send("2", 3100), 1, 0)
	require.Equal(t, birth.Merged, c.At("2").State)
	require.Equal(t, 1, queued(c), "but for one that is sent again")
}

func TestInAChainOfMergesEveryMergeWaitsAgainWhenItsSurvivorBecomesInactive(t *testing.T) {
	c, first := newMerge(t)
	second := c.Did(c.Review.Merge(c.Provider, third(c), "", nil)) // 2 into 1, 1 into 3
	require.NoError(t, c.Review.LeaveMerged(c.Provider, first))
	require.Zero(t, queued(c))
	require.Equal(t, 1, counted(c))
	c.Reports(c.Retract("3"), 1, 0)
	require.Zero(t, counted(c))
	require.Equal(t, 1, queued(c), "1 into 3")
	_, err := c.Review.Undo(c.Provider, second)
	require.NoError(t, err)
	require.Equal(t, 1, counted(c))
	require.Zero(t, queued(c), "1 counts, and with it 2")
	c.Reports(c.Retract("1"), 1, 0)
	require.Equal(t, 1, queued(c), "2 into 1")
	c.Clean()
}

func TestUsersWhoMayNotDecideCannotLeaveAMergeAsItIs(t *testing.T) {
	c, review := newMerge(t)
	c.Retract("1")
	require.Error(t, c.Review.LeaveMerged(c.Viewer, review))
	require.Error(t, c.Review.LeaveMerged(c.Scribe, review))
	require.Equal(t, 1, queued(c))
}
