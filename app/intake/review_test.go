package intake

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// couple is a desk with two records that look like one birth: 1 and 2.
type couple struct {
	*desk
	one, two Saved
}

func newCouple(t *testing.T) *couple {
	d := newDesk(t)
	c := &couple{desk: d}
	first := typed("1", "Okonkwo", 3420)
	first.Mother.Set(birth.Must("gravida"), birth.Value{Number: 2, Source: birth.Manual})
	c.one = d.save(d.provider, Entry{Draft: first, Custom: map[string]string{"tub": "yes"}})
	c.two = d.save(d.provider, Entry{Draft: typed("2", "OKONKWO", 3240)})
	require.True(t, c.two.Suspected)
	return c
}

// at returns the record with a chart number.
func (c *couple) at(chart string) (r store.Record) {
	c.Helper()
	require.NoError(c, c.db.View(context.Background(), func(v *store.View) error {
		found, err := v.RecordsByChart(c.caller.Practice, []string{chart})
		require.Len(c, found, 1)
		r = found[0]
		return err
	}))
	return r
}

// of is the pair as it stands: 2 goes, 1 stays.
func (c *couple) of() Pairing {
	one, two := c.at("1"), c.at("2")
	return Pairing{Stays: one.UUID, Goes: two.UUID, StaysBasis: one.Version, GoesBasis: two.Version}
}

// waiting counts the pairs that wait for a review.
func (c *couple) waiting() (n int) {
	c.Helper()
	require.NoError(c, c.db.View(context.Background(), func(v *store.View) (err error) {
		n, err = v.CountPairs(c.caller.Practice)
		return err
	}))
	return n
}

func (c *couple) says(chart string) BaseVersion {
	c.Helper()
	on, err := c.BaseVersion(context.Background(), c.caller.Practice, c.at(chart).UUID)
	require.NoError(c, err)
	return on
}

func (c *couple) weight(chart string) float64 {
	c.Helper()
	weight, _ := c.says(chart).Draft.Children[0].Get("birth_weight_g")
	return weight.Number
}

// send pushes a Bundle of a chart number about the same birth.
func (c *couple) send(chart string, weight int) Outcome {
	c.Helper()
	return c.push(strings.Replace(course(chart, weight), `"id":"m",`, `"id":"m","name":[{"family":"Okonkwo","given":["Amara"]}],`, 1))
}

// retract pushes the retraction of a chart number.
func (c *couple) retract(chart string) Outcome {
	c.Helper()
	return c.push(`{"resourceType":"Bundle","type":"document","identifier":{"value":"` + chart + `"},"entry":[
		{"resource":{"resourceType":"Composition","status":"entered-in-error"}}]}`)
}

func (c *couple) did(review int64, err error) int64 {
	c.Helper()
	require.NoError(c, err)
	require.NotZero(c, review)
	c.clean()
	return review
}

func TestTwoRecordsThatAreKeptAreNotFlaggedAgainUntilAFingerprintChanges(t *testing.T) {
	c := newCouple(t)
	require.Equal(t, 1, c.waiting())
	c.did(c.KeepBoth(c.provider, c.of()))
	require.Zero(t, c.waiting())
	require.False(t, c.at("2").Suspected)

	amend := func(chart, mother string, weight float64) Saved {
		r := c.at(chart)
		return c.save(c.provider, Entry{Draft: typed(chart, mother, weight), UUID: r.UUID, BaseVersion: r.Version})
	}
	require.False(t, amend("2", "Okonkwo", 3000).Suspected, "kept is remembered over an amendment")
	require.False(t, amend("1", "Okonkwo", 3100).Suspected)
	require.Zero(t, c.waiting())

	third := c.save(c.provider, Entry{Draft: typed("3", "Okonkwo", 3420)})
	require.True(t, third.Suspected, "another record is compared with both")
	require.Equal(t, 1, c.waiting(), "with the older one first")
	_, err := c.Void(c.provider, third.UUID, "no birth", 1)
	require.NoError(t, err)
	require.Zero(t, c.waiting())

	amend("2", "Haddad", 3000) // its fingerprint changes, and back
	_, err = c.Save(c.provider, Entry{Draft: typed("2", "Okonkwo", 3000), UUID: c.two.UUID, BaseVersion: c.at("2").Version})
	require.ErrorIs(t, err, ErrWouldDuplicate, "it is compared anew")
	_, err = c.Void(c.provider, c.one.UUID, "for now", c.at("1").Version)
	require.NoError(t, err)
	amend("2", "Okonkwo", 3000)
	restored, err := c.Restore(c.provider, c.one.UUID, "back")
	require.NoError(t, err)
	require.True(t, restored.Suspected, "what was kept is forgotten")
	require.Equal(t, 1, c.waiting())
	c.clean()
}

func TestKeepingBothCanBeUndone(t *testing.T) {
	c := newCouple(t)
	review := c.did(c.KeepBoth(c.provider, c.of()))
	out, err := c.Undo(c.provider, review)
	require.NoError(t, err)
	require.Equal(t, store.KeepBoth, out.Review.Decision)
	require.Equal(t, 1, c.waiting())
	require.True(t, c.at("2").Suspected)
	_, err = c.Undo(c.provider, review)
	require.ErrorIs(t, err, ErrState, "once")
	require.Equal(t, 1, c.at("2").Version, "no version is made")
	c.clean()
}

func TestOneOfTwoIsVoidedWithItsReasonAndBroughtBack(t *testing.T) {
	c := newCouple(t)
	review := c.did(c.VoidOne(c.provider, c.of(), "typed twice"))
	require.Equal(t, birth.Voided, c.at("2").State)
	require.Equal(t, 2, c.at("2").Version)
	require.Equal(t, 1, c.at("1").Version)
	require.Zero(t, c.waiting())
	out, err := c.Undo(c.provider, review)
	require.NoError(t, err)
	require.Equal(t, birth.Active, out.Goes.State)
	require.True(t, out.Goes.Suspected)
	require.Equal(t, 1, c.waiting())
	require.EqualValues(t, 3240, c.weight("2"))
	c.clean()
}

func TestAVoidThatWasOvertakenIsNotUndone(t *testing.T) {
	c := newCouple(t)
	review := c.did(c.VoidOne(c.provider, c.of(), "typed twice"))
	_, err := c.Restore(c.provider, c.two.UUID, "it is one")
	require.NoError(t, err)
	_, err = c.Undo(c.provider, review)
	require.ErrorIs(t, err, ErrChanged)
	require.Equal(t, 3, c.at("2").Version)
}

func TestAMergePutsTheTwoTogetherValueByValue(t *testing.T) {
	c := newCouple(t)
	c.did(c.Merge(c.provider, c.of(), "typed twice", map[string]bool{"child.0.birth_weight_g": true, birth.CustomPart + "tub": true}))
	one, two := c.at("1"), c.at("2")
	require.Equal(t, []any{birth.Active, 2, 2, false}, []any{one.State, one.Version, one.Content, one.Suspected})
	require.Equal(t, []any{birth.Merged, 2, 1, one.ID}, []any{two.State, two.Version, two.Content, two.MergedInto})
	require.EqualValues(t, 3240, c.weight("1"))
	require.EqualValues(t, 3240, c.weight("2"), "its history is kept")
	gravida, _ := c.says("1").Draft.Mother.Get("gravida")
	require.EqualValues(t, 2, gravida.Number, "what was not chosen stays")
	require.Empty(t, c.says("1").Custom["tub"], "own fields are chosen as well")
	require.Equal(t, "Lee", c.says("1").Draft.Providers[0].Name)
	require.Zero(t, c.waiting())
}

func TestAMergeInWhichNothingDiffersStillTellsBothHistories(t *testing.T) {
	c := newCouple(t)
	c.did(c.Merge(c.provider, c.of(), "", nil))
	require.Equal(t, 1, c.at("1").Content)
	require.Equal(t, 2, c.at("1").Version)
	require.Equal(t, []string{"duplicate.merge " + c.one.UUID, "duplicate.merge " + c.two.UUID}, c.trail()[2:])
}

func TestUndoingAMergeRestoresBothExactly(t *testing.T) {
	c := newCouple(t)
	before := [2]BaseVersion{c.says("1"), c.says("2")}
	review := c.did(c.Merge(c.provider, c.of(), "typed twice", map[string]bool{
		"child.0.birth_weight_g": true, "mother.gravida": true, "people": true, birth.CustomPart + "tub": true,
	}))
	require.EqualValues(t, 3240, c.weight("1"))
	out, err := c.Undo(c.provider, review)
	require.NoError(t, err)
	require.False(t, out.Kept)
	for n, chart := range []string{"1", "2"} {
		now, was := c.says(chart), before[n]
		require.Equal(t, was.Draft, now.Draft, chart)
		require.Equal(t, was.Custom, now.Custom, chart)
		require.Equal(t, 3, now.Record.Version)
		require.Equal(t, was.Record.Facts, now.Record.Facts)
		require.Equal(t, was.Record.Source, now.Record.Source)
		require.Equal(t, birth.Active, now.Record.State)
		require.Zero(t, now.Record.MergedInto)
	}
	require.Equal(t, 1, c.waiting(), "the pair waits again")
	c.clean()
	c.did(c.Merge(c.provider, c.of(), "", nil)) // and can be decided again
}

func TestUndoingAMergeLeavesWhatWasChangedSince(t *testing.T) {
	c := newCouple(t)
	review := c.did(c.Merge(c.provider, c.of(), "", map[string]bool{"child.0.birth_weight_g": true}))
	one := c.at("1")
	c.save(c.provider, Entry{Draft: typed("1", "Okonkwo", 3333), UUID: one.UUID, BaseVersion: one.Version})
	out, err := c.Undo(c.provider, review)
	require.NoError(t, err)
	require.True(t, out.Kept)
	require.EqualValues(t, 3333, c.weight("1"))
	require.Equal(t, birth.Active, c.at("2").State)
	c.clean()
}

// Decision 26: else the next nightly push would undo the review.
func TestALaterPushToAMergedAwayChartNumberAmendsItWithoutBringingItBack(t *testing.T) {
	c := newCouple(t)
	c.did(c.Merge(c.provider, c.of(), "", nil))
	for n := range 3 {
		out := c.send("2", 3000+n)
		require.Len(t, out.Accepted, 1)
		require.True(t, out.Accepted[0].Amended)
		require.Equal(t, birth.Merged, c.at("2").State)
		require.EqualValues(t, 3000+n, c.weight("2"))
		require.Equal(t, c.at("1").ID, c.at("2").MergedInto)
	}
	require.Zero(t, c.waiting())
	var again []store.Review
	require.NoError(t, c.db.View(t.Context(), func(v *store.View) (err error) {
		again, err = v.SentAgain(c.caller.Practice, 0, 9)
		return err
	}))
	require.Len(t, again, 1, "the queue says so")
	out, err := c.Undo(c.provider, again[0].ID)
	require.NoError(t, err)
	require.Equal(t, birth.Active, out.Goes.State)
	require.EqualValues(t, 3002, c.weight("2"), "it comes back as it is now")
	c.clean()
}

func TestAMergedAwayRecordThatIsRetractedAndSentAgainStaysMerged(t *testing.T) {
	c := newCouple(t)
	review := c.did(c.Merge(c.provider, c.of(), "", nil))
	require.True(t, c.retract("2").Accepted[0].Retracted)
	require.Equal(t, birth.Voided, c.at("2").State)
	c.clean()
	require.Len(t, c.send("2", 3000).Accepted, 1)
	require.Equal(t, birth.Merged, c.at("2").State, "no push brings it back")
	require.Len(t, c.retract("2").Accepted, 1)
	_, err := c.Undo(c.provider, review)
	require.NoError(t, err)
	require.Equal(t, birth.Voided, c.at("2").State, "its own system retracted it")
	require.Zero(t, c.at("2").MergedInto)
	c.clean()
	require.Len(t, c.send("2", 3000).Accepted, 1)
	require.Equal(t, birth.Active, c.at("2").State)
	require.Equal(t, 1, c.waiting())
}

func TestWhatIsDecidedIsWhatWasLookedAt(t *testing.T) {
	c := newCouple(t)
	of := c.of()
	c.save(c.provider, Entry{Draft: typed("1", "Okonkwo", 3333), UUID: of.Stays, BaseVersion: 1})
	for name, decide := range c.decisions() {
		_, err := decide(c.provider, of)
		require.ErrorIs(t, err, ErrChanged, name)
		_, err = decide(c.provider, Pairing{Stays: of.Stays, Goes: of.Stays, StaysBasis: 2, GoesBasis: 2})
		require.ErrorIs(t, err, ErrNotAlike, name)
	}
	other := c.save(c.provider, Entry{Draft: typed("3", "Haddad", 3333)})
	of.Goes, of.StaysBasis = other.UUID, 2
	for name, decide := range c.decisions() {
		_, err := decide(c.provider, of)
		require.ErrorIs(t, err, ErrNotAlike, name)
	}
	c.did(c.VoidOne(c.provider, c.of(), "twice"))
	for name, decide := range c.decisions() {
		_, err := decide(c.provider, c.of())
		require.ErrorIs(t, err, ErrState, name)
	}
}

// decisions are the three that can be taken.
func (c *couple) decisions() map[string]func(auth.User, Pairing) (int64, error) {
	return map[string]func(auth.User, Pairing) (int64, error){
		"keep":  c.KeepBoth,
		"void":  func(who auth.User, of Pairing) (int64, error) { return c.VoidOne(who, of, "twice") },
		"merge": func(who auth.User, of Pairing) (int64, error) { return c.Merge(who, of, "", nil) },
	}
}

func TestOnlyWhoMayResolvesAndOnlyInTheOwnPractice(t *testing.T) {
	c := newCouple(t)
	review := c.did(c.KeepBoth(c.admin, c.of()))
	elsewhere := c.admin
	require.NoError(t, c.db.Update(func(tx *store.Tx) error {
		id, err := tx.AddPractice("Hillside", false, false)
		elsewhere.Practice.ID = id
		return err
	}))
	for name, decide := range c.decisions() {
		for _, who := range []auth.User{c.scribe, c.viewer} {
			_, err := decide(who, c.of())
			require.ErrorIs(t, err, auth.ErrForbidden, name)
		}
		_, err := decide(elsewhere, c.of())
		require.ErrorIs(t, err, store.ErrNotFound, name)
	}
	_, err := c.Undo(c.viewer, review)
	require.ErrorIs(t, err, auth.ErrForbidden)
	_, err = c.Undo(elsewhere, review)
	require.ErrorIs(t, err, store.ErrNotFound)
}

func TestAMergeThatWouldSayWhatCannotBeIsRefused(t *testing.T) {
	d := newDesk(t)
	c := &couple{desk: d}
	one, two := typed("1", "Okonkwo", 3420), typed("2", "Okonkwo", 3240)
	one.Mother.Set(birth.Must("last_live_birth_date"), birth.Value{Text: "2026-02-15", Source: birth.Manual})
	two.Children = append(two.Children, nil) // a twin, with a wrong date
	two.Children[1].Set(birth.Must("birth_date"), birth.Value{Text: "2026-02-01", Source: birth.Manual})
	c.one, c.two = d.save(d.provider, Entry{Draft: one}), d.save(d.provider, Entry{Draft: two})
	before := d.trail()
	_, err := c.Merge(c.provider, c.of(), "", map[string]bool{birth.NewbornsPart: true})
	var impossible *ImpossibleError
	require.ErrorAs(t, err, &impossible)
	require.Len(t, impossible.Findings, 1)
	require.NotContains(t, impossible.Error()+impossible.Findings[0].Text, "2026")
	require.Equal(t, before, d.trail())
	require.Equal(t, birth.Active, c.at("2").State, "nothing was done")
	require.Equal(t, 1, c.waiting())
	c.did(c.Merge(c.provider, c.of(), "", nil))
}

func TestAPairOfAThirdRecordWaitsAfterAMerge(t *testing.T) {
	c := newCouple(t)
	c.save(c.provider, Entry{Draft: typed("3", "Okonkwo", 3420)})
	require.Equal(t, 2, c.waiting(), "2 and 3, each beside 1")
	c.did(c.Merge(c.provider, c.of(), "", nil))
	require.Equal(t, 1, c.waiting(), "1 and 3 are left")
}

func TestARetractionTakesTheMarkOffTheRecordThatItLookedLike(t *testing.T) {
	c := newCouple(t)
	require.Len(t, c.retract("1").Accepted, 1)
	require.False(t, c.at("2").Suspected)
	require.Zero(t, c.waiting())
}
