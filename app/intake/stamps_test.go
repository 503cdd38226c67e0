package intake

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// stamped is a course with a source stamp, "" for none.
func stamped(chart string, weight int, stamp string) string {
	named := strings.Replace(course(chart, weight), `"id":"m",`, `"id":"m","name":[{"family":"Okonkwo","given":["Amara"]}],`, 1)
	if stamp == "" {
		return named
	}
	return strings.Replace(named, `"type"`, `"timestamp":"`+stamp+`","type"`, 1)
}

// hence is a stamp that lies so far from now.
func hence(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339Nano) }

// only returns the problem that the only item of an outcome is rejected with, ""
// when it is accepted.
func (b *bed) only(out Outcome) string {
	b.Helper()
	if len(out.Accepted) == 1 {
		b.reports(out, 1, 0)
		return ""
	}
	b.reports(out, 0, 1)
	return out.Rejected[0].Outcome.Issue[0].Details.Coding[0].Code
}

// The ways in which a person writes a record that was pushed as weighing 3000 g.
var handmade = map[string]func(c *couple){
	"amended": func(c *couple) {
		on := c.says("1")
		on.Draft.Children[0].Set(birth.Must("birth_weight_g"), birth.Value{Number: 3300, Source: birth.Manual})
		c.save(c.provider, Entry{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: on.Record.Version})
	},
	"voided": func(c *couple) {
		_, err := c.Void(c.provider, c.at("1").UUID, "entered twice", c.at("1").Version)
		require.NoError(c, err)
	},
	"restored": func(c *couple) {
		c.retract("1")
		_, err := c.Restore(c.provider, c.at("1").UUID, "it was right")
		require.NoError(c, err)
	},
	"imported": func(c *couple) { c.imported(c.person(auth.Provider), "chart_number,birth_weight_g\n1,3300\n") },
	"merged": func(c *couple) {
		c.push(stamped("2", 3100, ""))
		_, err := c.Merge(c.provider, c.of(), "", map[string]bool{"child.0.birth_weight_g": true})
		require.NoError(c, err)
	},
	"unmerged": func(c *couple) {
		c.push(stamped("2", 3100, ""))
		review, err := c.Merge(c.provider, c.of(), "", nil)
		require.NoError(c, err)
		_, err = c.Undo(c.provider, review)
		require.NoError(c, err)
	},
	"voided as one of two": func(c *couple) {
		c.push(stamped("2", 3100, ""))
		of := c.of()
		of.Stays, of.Goes, of.StaysBasis, of.GoesBasis = of.Goes, of.Stays, of.GoesBasis, of.StaysBasis
		_, err := c.VoidOne(c.provider, of, "entered twice")
		require.NoError(c, err)
	},
}

func TestWhatAPersonWroteIsNotUndoneByAnOlderOrUnchangedPushAndANewerOneAmends(t *testing.T) {
	for name, write := range handmade {
		for _, ahead := range []time.Duration{-time.Hour, 5 * time.Hour} { // the sender's clock may run fast
			t.Run(fmt.Sprint(name, " ", ahead), func(t *testing.T) {
				c := &couple{desk: newDesk(t)}
				first := hence(ahead)
				require.Empty(t, c.only(c.push(stamped("1", 3000, first))))
				write(c)
				was, said := c.at("1"), c.weight("1")

				require.Equal(t, "stale", c.only(c.push(stamped("1", 3000, first))), "unchanged")
				require.Equal(t, "stale", c.only(c.push(stamped("1", 2900, hence(ahead-time.Hour)))), "older")
				now := c.at("1")
				require.Equal(t, was, now)
				require.Equal(t, said, c.weight("1"))

				require.Empty(t, c.only(c.push(stamped("1", 2800, hence(ahead+2*time.Hour)))), "newer")
				require.Equal(t, birth.Active, c.at("1").State)
				require.EqualValues(t, 2800, c.weight("1"))
				c.clean()
			})
		}
	}
}

func TestWhatAPersonRecordedIsNotReplacedByAnOlderPush(t *testing.T) {
	d := newDesk(t)
	saved := d.save(d.scribe, Entry{Draft: typed("1", "Okonkwo", 3300)})
	require.Equal(t, "stale", d.only(d.push(stamped("1", 3000, hence(-time.Minute)))))
	require.Equal(t, 1, d.records()[0].Version)
	require.Empty(t, d.only(d.push(stamped("1", 3000, hence(time.Minute)))))
	require.Equal(t, 2, d.records()[0].Version)
	require.Equal(t, saved.UUID, d.records()[0].UUID)
}

func TestAVersionThatAPersonMadeCarriesTheMomentOfSaving(t *testing.T) {
	c := &couple{desk: newDesk(t)}
	c.push(stamped("1", 3000, hence(-time.Hour)))
	handmade["amended"](c)
	handmade["voided"](c)
	require.NoError(t, c.db.View(context.Background(), func(v *store.View) error {
		events, err := v.History(c.caller.Practice, c.at("1").ID, 0, 9)
		require.Len(t, events, 3)
		for _, e := range events[:2] {
			require.Equal(t, e.At, e.Stamp)
		}
		require.Equal(t, events[0].Stamp, c.at("1").Saved)
		return err
	}))
}

func TestAnImportWhoseRowsChangeNothingMovesNoStamp(t *testing.T) {
	c := &couple{desk: newDesk(t)}
	first := hence(-time.Hour)
	c.push(stamped("1", 3000, first))
	c.push(stamped("2", 2000, ""))
	was := c.at("1")
	c.imported(c.person(auth.Provider), "chart_number,birth_weight_g\n1,3000\n2,2100\n")
	require.Equal(t, was, c.at("1"))
	require.Empty(t, c.only(c.push(stamped("1", 3100, first))), "it amends as before")
	require.Equal(t, "stale", c.only(c.push(stamped("2", 2000, hence(-time.Minute)))))
}

func TestAnImportCarriesTheMomentInWhichItWasConfirmed(t *testing.T) {
	c := &couple{desk: newDesk(t)}
	c.push(stamped("1", 3000, hence(-time.Hour)))
	who := c.person(auth.Provider)
	i := c.upload(who, "chart_number,birth_weight_g\n1,3300\n")
	require.NoError(t, c.Confirm(context.Background(), who, i.ID, false))
	time.Sleep(5 * time.Millisecond)
	changed := hence(0) // at the source, while the import waited
	time.Sleep(5 * time.Millisecond)
	c.drain()
	require.EqualValues(t, 3300, c.weight("1"))
	require.Empty(t, c.only(c.push(stamped("1", 3400, changed))))
	require.EqualValues(t, 3400, c.weight("1"))
}

func TestARetractionByPushNeitherObeysNorMovesTheStamp(t *testing.T) {
	c := &couple{desk: newDesk(t)}
	first := hence(-time.Hour)
	c.push(stamped("1", 3000, first))
	handmade["amended"](c)
	saved := c.at("1").Saved
	c.reports(c.retract("1"), 1, 0)
	require.Equal(t, birth.Voided, c.at("1").State)
	require.Equal(t, saved, c.at("1").Saved)
	require.Equal(t, "stale", c.only(c.push(stamped("1", 3000, first))), "a revival obeys the guard")
}

func TestARecordThatWasMergedAwayIsStillAmendedByTheNightlyPush(t *testing.T) {
	c := &couple{desk: newDesk(t)}
	first := hence(-time.Hour)
	c.push(stamped("1", 3000, first))
	c.push(stamped("2", 3100, first))
	_, err := c.Merge(c.provider, c.of(), "", nil)
	require.NoError(t, err)
	require.Empty(t, c.only(c.push(stamped("2", 3100, first))))
	require.Equal(t, birth.Merged, c.at("2").State, "it stays merged (decision 26)")
}

func TestAStampWithoutAnOffsetIsOneOfThePracticesTimeZone(t *testing.T) {
	b := newBed(t)
	require.NoError(t, b.db.Update(func(tx *store.Tx) error { return tx.SetTimeZone(b.caller.Practice, "America/New_York") }))
	require.Empty(t, b.only(b.push(stamped("1", 3000, "2026-03-03T09:30:00"))))
	require.Equal(t, time.Date(2026, 3, 3, 14, 30, 0, 0, time.UTC), b.records()[0].Stamp)
	require.Equal(t, "stale", b.only(b.push(stamped("1", 3100, "2026-03-03T14:29:59Z"))))
	require.Equal(t, "stale", b.only(b.push(stamped("1", 3100, "2026-03-03T09:29:00"))))
	require.Empty(t, b.only(b.push(stamped("1", 3100, "2026-03-03"))), "the same day is not older")
	require.Equal(t, time.Date(2026, 3, 3, 14, 30, 0, 0, time.UTC), b.records()[0].Stamp, "nor does it take the guard back")
	require.Equal(t, "stale", b.only(b.push(stamped("1", 3100, "2026-03-02"))))
	require.Empty(t, b.only(b.push(stamped("1", 3100, "2026-03"))))
	require.Empty(t, b.only(b.push(stamped("1", 3100, "2026-03-03T22:00:00"))))
	require.Equal(t, "stale", b.only(b.push(stamped("1", 3100, "2026-03-04T02:59:00Z"))), "which is that evening")
}
