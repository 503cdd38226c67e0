package records_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/birth/birthtest"
	"birthregistry/app/changes"
	"birthregistry/app/stats"
	"birthregistry/store"
)

var year = stats.Period{First: monthOf("2025-07"), Last: monthOf("2026-06")}

func monthOf(text string) stats.Month {
	m, ok := stats.ParseMonth(text)
	if !ok {
		panic(text)
	}
	return m
}

// statistics counts a practice's year.
func (d *session) statistics(p store.PracticeID) everyNumber {
	d.T.Helper()
	practice := store.Practice{ID: p}
	require.NoError(d.T, d.App.DB.View(context.Background(), func(v *store.View) (err error) {
		practice, err = v.Practice(p)
		return err
	}))
	f, err := d.records.Statistics(context.Background(), practice, year)
	require.NoError(d.T, err)
	return described(f.Report)
}

// everyNumber is every number of a report, by its name.
type everyNumber map[string]stats.Tally

func described(r *stats.Report) everyNumber {
	all := everyNumber{}
	for i := range stats.Measures {
		m := &stats.Measures[i]
		all[m.ID] = r.Total.Tally(m)
		for _, split := range r.Splits {
			for g := range split.Groups {
				all[m.ID+" "+split.Key+" "+split.Groups[g].Key] = split.Groups[g].Tally(m)
			}
		}
		for g := range r.Months {
			all[m.ID+" "+r.Months[g].Key] = r.Months[g].Tally(m)
		}
	}
	return all
}

// file saves a course as a person does.
func (d *session) file(who auth.User, t birthtest.Invented) string {
	d.T.Helper()
	saved, err := d.App.Changes.Save(who, changes.Form{Draft: t.Draft()})
	require.NoError(d.T, err)
	return saved.UUID
}

func course(r *rand.Rand) birthtest.Invented {
	return birthtest.Invent(r, time.Date(2025, time.Month(5+r.IntN(16)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC))
}

// merge changes a record as the review of duplicates does.
func (d *session) merge(p store.PracticeID, loser string) {
	d.T.Helper()
	require.NoError(d.T, d.App.DB.Update(func(tx *store.Tx) error {
		r, err := tx.RecordByUUID(p, loser)
		if err != nil {
			return err
		}
		r.State = birth.Merged
		return tx.UpdateRecord(p, r)
	}))
}

func TestVoidingOrMergingARecordChangesEachFigureAsIfItHadNeverBeen(t *testing.T) {
	d := open(t)
	seen := false
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var p store.PracticeID
		require.NoError(t, d.App.DB.Update(func(tx *store.Tx) (err error) {
			p, err = tx.AddPractice("Fresh", false, false)
			return err
		}))
		who := d.carla
		who.Practice = store.Practice{ID: p}
		for range rapid.IntRange(0, 4).Draw(t, "others") {
			d.file(who, course(r))
		}
		before := d.statistics(p)
		id := d.file(who, course(r))
		with := d.statistics(p)
		seen = seen || fmt.Sprint(before) != fmt.Sprint(with)

		_, err := d.App.Changes.Void(who, id, "a mistake", 1)
		require.NoError(t, err)
		require.Equal(t, before, d.statistics(p), "voided: as if it had never been")
		_, err = d.App.Changes.Restore(who, id, "none after all")
		require.NoError(t, err)
		require.Equal(t, with, d.statistics(p), "restored: as it was")
		d.merge(p, id)
		require.Equal(t, before, d.statistics(p), "the loser of a merge is gone like a voided one")
	})
	require.True(t, seen, "records change figures")
}

func TestARecordThatIsPushedVoidedAndRevivedCountsByItsLastContent(t *testing.T) {
	d := open(t)
	light := apptest.Course{Chart: "26-1", Weight: 2400, Born: "2026-03-02"}
	low := func() stats.Tally { return d.statistics(d.Practice)["lbw"] }
	d.Push(light.Bundle())
	require.Equal(t, stats.Tally{Yes: 1, Known: 1, Base: 1}, low())
	light.Status = "entered-in-error"
	d.Push(light.Bundle())
	require.Equal(t, stats.Tally{}, low(), "it drops out immediately")
	heavy := apptest.Course{Chart: "26-1", Weight: 3400, Born: "2026-03-02"}
	d.Push(heavy.Bundle())
	require.Equal(t, stats.Tally{Known: 1, Base: 1}, low())
	heavy.Weight = 2300
	d.Push(heavy.Bundle())
	require.Equal(t, stats.Tally{Yes: 1, Known: 1, Base: 1}, low(), "an amendment counts once")
}

func TestAMergedRecordThatIsPushedAgainStaysOutOfTheFigures(t *testing.T) {
	d := open(t)
	c := apptest.Course{Chart: "26-1", Weight: 2400, Born: "2026-03-02"}
	d.Push(c.Bundle())
	d.merge(d.Practice, d.id("26-1"))
	c.Weight = 2300
	d.Push(c.Bundle())
	require.Zero(t, d.statistics(d.Practice)["lbw"])
}

func TestFiguresAcrossPracticesLeaveOutSandboxesAndRecordsWithoutConsent(t *testing.T) {
	d := open(t)
	practice := func(sandbox bool) auth.User {
		who := d.carla
		require.NoError(t, d.App.DB.Update(func(tx *store.Tx) (err error) {
			who.Practice.Sandbox = sandbox
			who.Practice.ID, err = tx.AddPractice("Peer", sandbox, false)
			return err
		}))
		return who
	}
	r := rand.New(rand.NewPCG(7, 7))
	birthAt := func(who auth.User, method string, consent bool) string {
		c := birthtest.Invent(r, time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC))
		c.Consent, c.Children = consent, c.Children[:1]
		c.Children[0].Method = method
		return d.file(who, c)
	}
	pooled := func() (stats.Pooled, bool) {
		f, err := d.records.Measure(t.Context(), store.Practice{ID: d.Practice}, year, stats.Lookup("cesarean"))
		require.NoError(t, err)
		return f.Peers.Pooled()
	}
	var peers []auth.User
	var one string
	for range stats.MinPeers {
		who := practice(false)
		peers = append(peers, who)
		for n := range 10 {
			id := birthAt(who, []string{"cesarean", "vaginal_spontaneous"}[min(n, 1)], true)
			if n == 0 {
				one = id
			}
		}
	}
	got, ok := pooled()
	require.True(t, ok)
	require.Equal(t, stats.Pooled{Percent: 10, Practices: 5}, got)

	sandbox := practice(true)
	for range 20 {
		birthAt(sandbox, "cesarean", true)
		birthAt(peers[0], "cesarean", false)
	}
	birthAt(auth.User{ID: d.carla.ID, Role: auth.Admin, Practice: store.Practice{ID: d.Practice}}, "cesarean", true)
	again, ok := pooled()
	require.True(t, ok)
	require.Equal(t, got, again, "neither the sandbox's, nor those without consent, nor one's own")
	own := d.statistics(peers[0].Practice.ID)["cesarean"]
	require.Equal(t, 21, own.Yes, "consent does not limit the practice's own figures")

	_, err := d.App.Changes.Void(peers[4], one, "a mistake", 1)
	require.NoError(t, err)
	after, ok := pooled()
	require.True(t, ok)
	require.Equal(t, 8, after.Percent, "4 of 49: a voided record leaves figures across practices at once")

	f, err := d.records.Measure(t.Context(), sandbox.Practice, year, stats.Lookup("cesarean"))
	require.NoError(t, err)
	require.Nil(t, f.Peers, "a sandbox sees no figure of a live practice")
}

func TestBirthsByTypeIncludingOtherAndNotRecordedAddUpToTheTotal(t *testing.T) {
	d := open(t)
	r := rand.New(rand.NewPCG(3, 3))
	for _, role := range []string{"midwife", "other", ""} {
		c := birthtest.Invent(r, time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC))
		c.Attendant = role
		d.file(d.carla, c)
	}
	f, err := d.records.Statistics(t.Context(), store.Practice{ID: d.Practice}, year)
	require.NoError(t, err)
	births := map[string]int{}
	require.Equal(t, stats.ByAttendant, f.Splits[0].Key)
	for _, g := range f.Splits[0].Groups {
		births[g.Key] = g.Births
	}
	require.Equal(t, map[string]int{"midwife": 1, "doula": 0, "nurse": 0, "assistant": 0, "other": 1, stats.Unstated: 1}, births)
	require.Equal(t, 3, f.Total.Births)
}
