package intake

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// newMerge is a couple of which 2 was merged into 1.
func newMerge(t *testing.T) (c *couple, review int64) {
	c = newCouple(t)
	review = c.did(c.Merge(c.provider, c.of(), "", nil))
	require.Zero(t, c.queued())
	return c, review
}

// queued counts what the home page says of the queue.
func (c *couple) queued() int {
	c.Helper()
	w, err := c.Waiting(context.Background(), c.caller.Practice)
	require.NoError(c, err)
	var again []store.Review
	require.NoError(c, c.db.View(context.Background(), func(v *store.View) (err error) {
		again, err = v.Reopened(c.caller.Practice, 9)
		return err
	}))
	require.Equal(c, w.Pairs-c.waiting(), len(again))
	return w.Pairs
}

// counted is how many births the statistics count.
func (c *couple) counted() (n int) {
	c.Helper()
	require.NoError(c, c.db.View(context.Background(), func(v *store.View) error {
		counted, err := v.Counted(c.caller.Practice, "2026-01", "2026-01", "2026-12")
		for _, b := range counted.Births {
			for range b.Outcomes() {
				n++
			}
		}
		return err
	}))
	return n
}

// third is a further record of the same birth.
func (c *couple) third() Pairing {
	c.Helper()
	c.save(c.provider, Entry{Draft: typed("3", "Okonkwo", 3000)})
	one, three := c.at("1"), c.at("3")
	return Pairing{Stays: three.UUID, Goes: one.UUID, StaysBasis: three.Version, GoesBasis: one.Version}
}

// The ways in which a record leaves 'active', and what it takes to bring it back.
var leaving = map[string]struct{ leave, back func(c *couple) }{
	"a retraction by push": {
		func(c *couple) { c.reports(c.retract("1"), 1, 0) },
		func(c *couple) { c.reports(c.push(stamped("1", 3000, hence(time.Hour))), 1, 0) },
	},
	"a void by a person": {
		func(c *couple) {
			_, err := c.Void(c.provider, c.at("1").UUID, "no birth", c.at("1").Version)
			require.NoError(c, err)
		},
		func(c *couple) {
			_, err := c.Restore(c.provider, c.at("1").UUID, "it was one")
			require.NoError(c, err)
		},
	},
	"a void in another review": {
		func(c *couple) { c.did(c.VoidOne(c.provider, c.third(), "entered twice")) },
		func(c *couple) {
			_, err := c.Restore(c.provider, c.at("1").UUID, "they are two")
			require.NoError(c, err)
		},
	},
	"a further merge": {
		func(c *couple) { c.did(c.Merge(c.provider, c.third(), "", nil)) },
		func(c *couple) {
			var reviews []store.Review
			require.NoError(c, c.db.View(context.Background(), func(v *store.View) (err error) {
				reviews, err = v.Reviews(c.caller.Practice, 0, 1)
				return err
			}))
			_, err := c.Undo(c.provider, reviews[0].ID)
			require.NoError(c, err)
		},
	},
}

func TestWhenTheSurvivorOfAMergeLeavesActiveThePairIsBackInTheQueueAndOnTheHomePage(t *testing.T) {
	for name, way := range leaving {
		t.Run(name, func(t *testing.T) {
			c, _ := newMerge(t)
			way.leave(c)
			require.Equal(t, 1, c.queued())
			c.clean()

			way.back(c)
			require.Zero(t, c.queued()-c.waiting(), "it counts again")
			require.Equal(t, birth.Merged, c.at("2").State)
			c.clean()
		})
	}
}

func TestAMergeThatWaitsAgainCanBeUndoneAfterwards(t *testing.T) {
	for name, way := range leaving {
		t.Run(name, func(t *testing.T) {
			c, review := newMerge(t)
			way.leave(c)
			before := c.counted()
			out, err := c.Undo(c.provider, review)
			require.NoError(t, err)
			require.True(t, out.Kept, "what stays is as it is now")
			require.Equal(t, before+1, c.counted(), "no birth drops out of the statistics")
			require.Equal(t, birth.Active, c.at("2").State)
			require.Zero(t, c.queued()-c.waiting())
			require.ErrorIs(t, c.LeaveMerged(c.provider, review), ErrState)
			c.clean()
		})
	}
}

func TestAMergeThatWaitsAgainIsLeftAsItIsUntilItsSurvivorLeavesAnotherTime(t *testing.T) {
	c, review := newMerge(t)
	require.ErrorIs(t, c.LeaveMerged(c.provider, review), ErrState, "it does not wait")
	c.retract("1")
	require.NoError(t, c.LeaveMerged(c.provider, review))
	require.Zero(t, c.queued())
	require.ErrorIs(t, c.LeaveMerged(c.provider, review), ErrState)
	c.retract("1")
	require.Zero(t, c.queued(), "a retraction again changes nothing")
	c.push(stamped("1", 3000, hence(time.Hour)))
	require.Zero(t, c.queued())
	c.retract("1")
	require.Equal(t, 1, c.queued())
	_, err := c.Undo(c.provider, review)
	require.NoError(t, err, "and it can still be undone")
	c.clean()
}

func TestNobodyIsAskedAboutAMergedRecordThatWasRetractedItself(t *testing.T) {
	c, _ := newMerge(t)
	c.reports(c.retract("2"), 1, 0)
	c.reports(c.retract("1"), 1, 0)
	require.Zero(t, c.queued(), "neither would come back")
	c.reports(c.send("2", 3100), 1, 0)
	require.Equal(t, birth.Merged, c.at("2").State)
	require.Equal(t, 1, c.queued(), "but for one that is sent again")
}

func TestOfAChainOfMergesEveryLinkIsBackWhenItsSurvivorLeaves(t *testing.T) {
	c, first := newMerge(t)
	second := c.did(c.Merge(c.provider, c.third(), "", nil)) // 2 into 1, 1 into 3
	require.NoError(t, c.LeaveMerged(c.provider, first))
	require.Zero(t, c.queued())
	require.Equal(t, 1, c.counted())
	c.reports(c.retract("3"), 1, 0)
	require.Zero(t, c.counted())
	require.Equal(t, 1, c.queued(), "1 into 3")
	_, err := c.Undo(c.provider, second)
	require.NoError(t, err)
	require.Equal(t, 1, c.counted())
	require.Zero(t, c.queued(), "1 counts, and with it 2")
	c.reports(c.retract("1"), 1, 0)
	require.Equal(t, 1, c.queued(), "2 into 1")
	c.clean()
}

func TestWhoMayNotDecideLeavesNoMergeAsItIs(t *testing.T) {
	c, review := newMerge(t)
	c.retract("1")
	require.Error(t, c.LeaveMerged(c.viewer, review))
	require.Error(t, c.LeaveMerged(c.scribe, review))
	require.Equal(t, 1, c.queued())
}
