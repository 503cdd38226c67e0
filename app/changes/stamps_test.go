package changes_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/store"
)

func TestAnOlderOrUnchangedPushDoesNotUndoWhatAPersonWroteAndANewerOneAmendsIt(t *testing.T) {
	for name, write := range fixture.ByHand {
		for _, ahead := range []time.Duration{-time.Hour, 5 * time.Hour} { // the sender's clock may run fast
			t.Run(fmt.Sprint(name, " ", ahead), func(t *testing.T) {
				c := &fixture.Pair{Staffed: fixture.NewStaffed(t)}
				first := fixture.Hence(ahead)
				require.Empty(t, c.Only(c.Push(fixture.Stamped("1", 3000, first))))
				write(c)
				was, reported := c.At("1"), c.Weight("1")

				require.Equal(t, "stale", c.Only(c.Push(fixture.Stamped("1", 3000, first))), "unchanged")
				require.Equal(t, "stale", c.Only(c.Push(fixture.Stamped("1", 2900, fixture.Hence(ahead-time.Hour)))), "older")
				now := c.At("1")
				require.Equal(t, was, now)
				require.Equal(t, reported, c.Weight("1"))

				require.Empty(t, c.Only(c.Push(fixture.Stamped("1", 2800, fixture.Hence(ahead+2*time.Hour)))), "newer")
				require.Equal(t, birth.Active, c.At("1").State)
				require.EqualValues(t, 2800, c.Weight("1"))
				c.Clean()
			})
		}
	}
}

func TestAnOlderPushDoesNotReplaceWhatAPersonRecorded(t *testing.T) {
	d := fixture.NewStaffed(t)
	saved := d.Save(d.Scribe, changes.Form{Draft: fixture.Typed("1", "Okonkwo", 3300)})
	require.Equal(t, "stale", d.Only(d.Push(fixture.Stamped("1", 3000, fixture.Hence(-time.Minute)))))
	require.Equal(t, 1, d.Records()[0].Version)
	require.Empty(t, d.Only(d.Push(fixture.Stamped("1", 3000, fixture.Hence(time.Minute)))))
	require.Equal(t, 2, d.Records()[0].Version)
	require.Equal(t, saved.UUID, d.Records()[0].UUID)
}

func TestAVersionThatAPersonMadeCarriesTheMomentOfSaving(t *testing.T) {
	c := &fixture.Pair{Staffed: fixture.NewStaffed(t)}
	c.Push(fixture.Stamped("1", 3000, fixture.Hence(-time.Hour)))
	fixture.ByHand["amended"](c)
	fixture.ByHand["voided"](c)
	require.NoError(t, c.DB.View(context.Background(), func(v *store.View) error {
		events, err := v.History(c.Caller.Practice, c.At("1").ID, 0, 9)
		require.Len(t, events, 3)
		for _, e := range events[:2] {
			require.Equal(t, e.At, e.Stamp)
		}
		require.Equal(t, events[0].Stamp, c.At("1").Saved)
		return err
	}))
}

func TestAnImportWhoseRowsChangeNothingChangesNoStamp(t *testing.T) {
	c := &fixture.Pair{Staffed: fixture.NewStaffed(t)}
	first := fixture.Hence(-time.Hour)
	c.Push(fixture.Stamped("1", 3000, first))
	c.Push(fixture.Stamped("2", 2000, ""))
	was := c.At("1")
	c.Imported(c.Person(auth.Provider), "chart_number,birth_weight_g\n1,3000\n2,2100\n")
	require.Equal(t, was, c.At("1"))
	require.Empty(t, c.Only(c.Push(fixture.Stamped("1", 3100, first))), "it amends as before")
	require.Equal(t, "stale", c.Only(c.Push(fixture.Stamped("2", 2000, fixture.Hence(-time.Minute)))))
}

func TestAnImportCarriesTheMomentOfItsConfirmation(t *testing.T) {
	c := &fixture.Pair{Staffed: fixture.NewStaffed(t)}
	c.Push(fixture.Stamped("1", 3000, fixture.Hence(-time.Hour)))
	who := c.Person(auth.Provider)
	i := c.Upload(who, "chart_number,birth_weight_g\n1,3300\n")
	require.NoError(t, c.Imports.Confirm(context.Background(), who, i.ID, false))
	time.Sleep(5 * time.Millisecond)
	changed := fixture.Hence(0) // the source changed it while the import waited
	time.Sleep(5 * time.Millisecond)
	c.Drain()
	require.EqualValues(t, 3300, c.Weight("1"))
	require.Empty(t, c.Only(c.Push(fixture.Stamped("1", 3400, changed))))
	require.EqualValues(t, 3400, c.Weight("1"))
}

func TestAPushedRetractionNeitherObeysNorChangesTheStamp(t *testing.T) {
	c := &fixture.Pair{Staffed: fixture.NewStaffed(t)}
	first := fixture.Hence(-time.Hour)
	c.Push(fixture.Stamped("1", 3000, first))
	fixture.ByHand["amended"](c)
	saved := c.At("1").Saved
	c.Reports(c.Retract("1"), 1, 0)
	require.Equal(t, birth.Voided, c.At("1").State)
	require.Equal(t, saved, c.At("1").Saved)
	require.Equal(t, "stale", c.Only(c.Push(fixture.Stamped("1", 3000, first))), "a revival obeys the guard")
}

func TestAMergedRecordIsStillAmendedByTheNightlyPush(t *testing.T) {
	c := &fixture.Pair{Staffed: fixture.NewStaffed(t)}
	first := fixture.Hence(-time.Hour)
	c.Push(fixture.Stamped("1", 3000, first))
	c.Push(fixture.Stamped("2", 3100, first))
	_, err := c.Review.Merge(c.Provider, c.Of(), "", nil)
	require.NoError(t, err)
	require.Empty(t, c.Only(c.Push(fixture.Stamped("2", 3100, first))))
	require.Equal(t, birth.Merged, c.At("2").State, "it stays merged (decision 26)")
}

func TestAStampWithoutAnOffsetIsReadInThePracticesTimeZone(t *testing.T) {
	b := fixture.New(t)
	require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.SetTimeZone(b.Caller.Practice, "America/New_York") }))
	require.Empty(t, b.Only(b.Push(fixture.Stamped("1", 3000, "2026-03-03T09:30:00"))))
	require.Equal(t, time.Date(2026, 3, 3, 14, 30, 0, 0, time.UTC), b.Records()[0].Stamp)
	require.Equal(t, "stale", b.Only(b.Push(fixture.Stamped("1", 3100, "2026-03-03T14:29:59Z"))))
	require.Equal(t, "stale", b.Only(b.Push(fixture.Stamped("1", 3100, "2026-03-03T09:29:00"))))
	require.Empty(t, b.Only(b.Push(fixture.Stamped("1", 3100, "2026-03-03"))), "the same day is not older")
	require.Equal(t, time.Date(2026, 3, 3, 14, 30, 0, 0, time.UTC), b.Records()[0].Stamp, "nor does it take the guard back")
	require.Equal(t, "stale", b.Only(b.Push(fixture.Stamped("1", 3100, "2026-03-02"))))
	require.Empty(t, b.Only(b.Push(fixture.Stamped("1", 3100, "2026-03"))))
	require.Empty(t, b.Only(b.Push(fixture.Stamped("1", 3100, "2026-03-03T22:00:00"))))
	require.Equal(t, "stale", b.Only(b.Push(fixture.Stamped("1", 3100, "2026-03-04T02:59:00Z"))), "which is that evening")
}
