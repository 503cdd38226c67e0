package intake

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// aged makes the fingerprints those of an earlier form: others, but the same where
// they were the same.
func (b *bed) aged() {
	b.Helper()
	b.raw("update fingerprints set print = unhex(hex(substr(print, 9)) || hex(substr(print, 1, 8)))", "update records set fingerprinted = null")
}

// prints are the fingerprints of all records.
func (b *bed) prints() (all map[int64][]birth.Fingerprint) {
	b.Helper()
	var ids []int64
	for _, r := range b.records() {
		ids = append(ids, r.ID)
	}
	require.NoError(b, b.db.View(context.Background(), func(v *store.View) (err error) {
		all, err = v.PrintsOf(b.caller.Practice, ids)
		return err
	}))
	return all
}

// renew renews the fingerprints and returns how far it was told to be.
func (b *bed) renew() (steps []string) {
	b.Helper()
	require.NoError(b, b.RenewFingerprints(context.Background(), func(done, total int) {
		steps = append(steps, fmt.Sprint(done, "/", total))
	}))
	return steps
}

func TestFingerprintsOnFileAreRecomputedByAStepThatIsCutOffAndGoesOnWhereItWas(t *testing.T) {
	b := newBed(t)
	var courses []string
	for n := range 340 {
		courses = append(courses, told(fmt.Sprint("c", n), fmt.Sprint("De La ", n), evening))
	}
	b.push(batch(courses...))
	want := b.prints()
	require.Len(t, want, 340)
	require.Empty(t, b.renew(), "those of records that are new are in the present form")
	b.aged()
	require.NotEqual(t, want, b.prints())

	ctx, cutOff := context.WithCancel(context.Background())
	var steps []string
	err := b.RenewFingerprints(ctx, func(done, total int) {
		if steps = append(steps, fmt.Sprint(done, "/", total)); done == 200 {
			cutOff()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []string{"0/340", "100/340", "200/340"}, steps)
	require.NotEqual(t, want, b.prints())
	b.restart()
	require.Equal(t, []string{"0/140", "100/140", "140/140"}, b.renew(), "what was done is kept")
	require.Equal(t, want, b.prints())
	require.Empty(t, b.renew())
	b.clean()
}

func TestPairsThatWereKeptAsTwoBirthsStaySoOverTheRecomputation(t *testing.T) {
	c := newCouple(t)
	c.did(c.KeepBoth(c.provider, c.of()))
	c.save(c.provider, Entry{Draft: typed("3", "Haddad", 3000)})
	c.save(c.provider, Entry{Draft: typed("4", "Haddad", 3000)})
	require.Equal(t, 1, c.waiting())
	marks := func() (all []bool) {
		for _, r := range c.records() {
			all = append(all, r.Suspected)
		}
		return all
	}
	before, prints := marks(), c.prints()
	c.aged()
	require.Len(t, c.renew(), 2)
	require.Equal(t, prints, c.prints())
	require.Equal(t, before, marks(), "no mark changes")
	require.Equal(t, 1, c.waiting())
	one := c.at("1")
	saved := c.save(c.provider, Entry{Draft: typed("1", "Okonkwo", 3100), UUID: one.UUID, BaseVersion: one.Version})
	require.False(t, saved.Suspected, "they are still known to be two births")
	require.False(t, c.send("2", 3000).Accepted[0].Suspected)
	require.Equal(t, 1, c.waiting())
	c.clean()
}

func TestRecordsThatOnlyNowLookAlikeWaitForAReview(t *testing.T) {
	b := newBed(t)
	b.push(told("a", "De La Cruz", evening))
	b.push(told("b", "DeLaCruz", evening))
	b.push(told("c", "De LaCruz", evening))
	b.push(batch(deletion("Bundle/c")))
	pairs := func() (n int) {
		require.NoError(t, b.db.View(context.Background(), func(v *store.View) (err error) {
			n, err = v.CountPairs(b.caller.Practice)
			return err
		}))
		return n
	}
	require.Equal(t, 1, pairs(), "as they are compared now")
	b.raw("update fingerprints set print = randomblob(16)", "update records set fingerprinted = null, suspected_duplicate = 0")
	require.Zero(t, pairs())
	b.renew()
	require.Equal(t, 1, pairs())
	for _, r := range b.records() {
		require.Equal(t, r.Chart == "b", r.Suspected, "the later one of two that count")
	}
	b.clean()
}

func TestARecordThatCannotBeReadKeepsItsFingerprintsAndStopsNothing(t *testing.T) {
	b := newBed(t)
	b.push(batch(told("a", "Okonkwo", evening), told("b", "Haddad", evening)))
	want := b.prints()
	b.aged()
	b.raw("update versions set patient = zeroblob(length(patient)) where record = 1")
	require.Len(t, b.renew(), 2)
	require.Equal(t, want[2], b.prints()[2])
	require.NotEqual(t, want[1], b.prints()[1])
	require.NotContains(t, b.log.String(), "Okonkwo")
	require.False(t, bytes.Contains(b.log.Bytes(), []byte("panic")))
}

func TestAMothersNameMatchesWhateverItsWhiteSpace(t *testing.T) {
	b := newBed(t)
	require.False(t, b.push(told("a", "De La Cruz", evening)).Accepted[0].Suspected)
	for n, name := range []string{"DeLaCruz", "de  la\\tcruz", "De\u00a0La\u3000Cruz", strings.ToUpper("delacruz")} {
		require.True(t, b.push(told(fmt.Sprint(n), name, evening)).Accepted[0].Suspected, name)
	}
	require.False(t, b.push(told("other", "De La Crus", evening)).Accepted[0].Suspected)
}
