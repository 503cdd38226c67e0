package changes_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/store"
)

func TestFingerprintsOnFileAreRecomputedByAStepThatResumesAfterAnInterruption(t *testing.T) {
	b := fixture.New(t)
	var courses []string
	for n := range 340 {
		courses = append(courses, fixture.Birth(fmt.Sprint("c", n), fmt.Sprint("De La ", n), fixture.Evening))
	}
	b.Push(fixture.Batch(courses...))
	want := b.Fingerprints()
	require.Len(t, want, 340)
	require.Empty(t, b.Renew(), "those of records that are new are in the present form")
	b.Aged()
	require.NotEqual(t, want, b.Fingerprints())

	ctx, cutOff := context.WithCancel(context.Background())
	var steps []string
	err := b.Changes.RenewFingerprints(ctx, func(done, total int) {
		if steps = append(steps, fmt.Sprint(done, "/", total)); done == 200 {
			cutOff()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []string{"0/340", "100/340", "200/340"}, steps)
	require.NotEqual(t, want, b.Fingerprints())
	b.Restart()
	require.Equal(t, []string{"0/140", "100/140", "140/140"}, b.Renew(), "what was done is kept")
	require.Equal(t, want, b.Fingerprints())
	require.Empty(t, b.Renew())
	b.Clean()
}

func TestPairsMarkedAsNotDuplicatesStayMarkedWhenFingerprintsAreRecomputed(t *testing.T) {
	c := fixture.NewPair(t)
	c.Did(c.Review.MarkNotDuplicates(c.Provider, c.Of()))
	c.Save(c.Provider, changes.Form{Draft: fixture.Typed("3", "Haddad", 3000)})
	c.Save(c.Provider, changes.Form{Draft: fixture.Typed("4", "Haddad", 3000)})
	require.Equal(t, 1, c.Waiting())
	marks := func() (all []bool) {
		for _, r := range c.Records() {
			all = append(all, r.Suspected)
		}
		return all
	}
	before, fingerprints := marks(), c.Fingerprints()
	c.Aged()
	require.Len(t, c.Renew(), 2)
	require.Equal(t, fingerprints, c.Fingerprints())
	require.Equal(t, before, marks(), "no mark changes")
	require.Equal(t, 1, c.Waiting())
	one := c.At("1")
	saved := c.Save(c.Provider, changes.Form{Draft: fixture.Typed("1", "Okonkwo", 3100), UUID: one.UUID, BaseVersion: one.Version})
	require.False(t, saved.Suspected, "they are still known to be two births")
	require.False(t, c.Send("2", 3000).Accepted[0].Suspected)
	require.Equal(t, 1, c.Waiting())
	c.Clean()
}

func TestRecordsThatNowShareAFingerprintWaitForAReview(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.Birth("a", "De La Cruz", fixture.Evening))
	b.Push(fixture.Birth("b", "DeLaCruz", fixture.Evening))
	b.Push(fixture.Birth("c", "De LaCruz", fixture.Evening))
	b.Push(fixture.Batch(fixture.Deletion("Bundle/c")))
	pairs := func() (n int) {
		require.NoError(t, b.DB.View(context.Background(), func(v *store.View) (err error) {
			n, err = v.CountPairs(b.Caller.Practice)
			return err
		}))
		return n
	}
	require.Equal(t, 1, pairs(), "as they are compared now")
	b.Raw("update fingerprints set print = randomblob(16)", "update records set fingerprinted = null, suspected_duplicate = 0")
	require.Zero(t, pairs())
	b.Renew()
	require.Equal(t, 1, pairs())
	for _, r := range b.Records() {
		require.Equal(t, r.Chart == "b", r.Suspected, "the later one of two that count")
	}
	b.Clean()
}

func TestARecordThatCannotBeReadKeepsItsFingerprintsAndStopsNothing(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.Batch(fixture.Birth("a", "Okonkwo", fixture.Evening), fixture.Birth("b", "Haddad", fixture.Evening)))
	want := b.Fingerprints()
	b.Aged()
	b.Raw("update versions set patient = zeroblob(length(patient)) where record = 1")
	require.Len(t, b.Renew(), 2)
	require.Equal(t, want[2], b.Fingerprints()[2])
	require.NotEqual(t, want[1], b.Fingerprints()[1])
	require.NotContains(t, b.Log.String(), "Okonkwo")
	require.False(t, bytes.Contains(b.Log.Bytes(), []byte("panic")))
}

func TestAMothersNameMatchesRegardlessOfWhiteSpace(t *testing.T) {
	b := fixture.New(t)
	require.False(t, b.Push(fixture.Birth("a", "De La Cruz", fixture.Evening)).Accepted[0].Suspected)
	for n, name := range []string{"DeLaCruz", "de  la\\tcruz", "De\u00a0La\u3000Cruz", strings.ToUpper("delacruz")} {
		require.True(t, b.Push(fixture.Birth(fmt.Sprint(n), name, fixture.Evening)).Accepted[0].Suspected, name)
	}
	require.False(t, b.Push(fixture.Birth("other", "De La Crus", fixture.Evening)).Accepted[0].Suspected)
}
