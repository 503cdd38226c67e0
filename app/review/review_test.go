package review_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/app/records"
	"birthregistry/app/review"
	"birthregistry/store"
)

func TestTwoRecordsMarkedAsNotDuplicatesAreNotFlaggedAgainUntilAFingerprintChanges(t *testing.T) {
	c := fixture.NewPair(t)
	require.Equal(t, 1, c.Waiting())
	c.Did(c.Review.MarkNotDuplicates(c.Provider, c.Of()))
	require.Zero(t, c.Waiting())
	require.False(t, c.At("2").Suspected)

	amend := func(chart, mother string, weight float64) changes.Saved {
		r := c.At(chart)
		return c.Save(c.Provider, changes.Form{Draft: fixture.Typed(chart, mother, weight), UUID: r.UUID, BaseVersion: r.Version})
	}
	require.False(t, amend("2", "Okonkwo", 3000).Suspected, "kept is remembered over an amendment")
	require.False(t, amend("1", "Okonkwo", 3100).Suspected)
	require.Zero(t, c.Waiting())

	third := c.Save(c.Provider, changes.Form{Draft: fixture.Typed("3", "Okonkwo", 3420)})
	require.True(t, third.Suspected, "another record is compared with both")
	require.Equal(t, 1, c.Waiting(), "with the older one first")
	_, err := c.Changes.Void(c.Provider, third.UUID, "no birth", 1)
	require.NoError(t, err)
	require.Zero(t, c.Waiting())

	amend("2", "Haddad", 3000) // its fingerprint changes, and changes back
	_, err = c.Changes.Save(c.Provider, changes.Form{Draft: fixture.Typed("2", "Okonkwo", 3000), UUID: c.Two.UUID, BaseVersion: c.At("2").Version})
	require.ErrorIs(t, err, changes.ErrWouldDuplicate, "it is compared anew")
	_, err = c.Changes.Void(c.Provider, c.One.UUID, "for now", c.At("1").Version)
	require.NoError(t, err)
	amend("2", "Okonkwo", 3000)
	restored, err := c.Changes.Restore(c.Provider, c.One.UUID, "back")
	require.NoError(t, err)
	require.True(t, restored.Suspected, "what was kept is forgotten")
	require.Equal(t, 1, c.Waiting())
	c.Clean()
}

func TestKeepingBothCanBeUndone(t *testing.T) {
	c := fixture.NewPair(t)
	review := c.Did(c.Review.MarkNotDuplicates(c.Provider, c.Of()))
	out, err := c.Review.Undo(c.Provider, review)
	require.NoError(t, err)
	require.Equal(t, store.KeepBoth, out.Review.Decision)
	require.Equal(t, 1, c.Waiting())
	require.True(t, c.At("2").Suspected)
	_, err = c.Review.Undo(c.Provider, review)
	require.ErrorIs(t, err, changes.ErrState, "once")
	require.Equal(t, 1, c.At("2").Version, "no version is made")
	c.Clean()
}

func TestOneRecordOfAPairIsVoidedWithItsReasonAndRestored(t *testing.T) {
	c := fixture.NewPair(t)
	review := c.Did(c.Review.VoidOne(c.Provider, c.Of(), "typed twice"))
	require.Equal(t, birth.Voided, c.At("2").State)
	require.Equal(t, 2, c.At("2").Version)
	require.Equal(t, 1, c.At("1").Version)
	require.Zero(t, c.Waiting())
	out, err := c.Review.Undo(c.Provider, review)
	require.NoError(t, err)
	require.Equal(t, birth.Active, out.Goes.State)
	require.True(t, out.Goes.Suspected)
	require.Equal(t, 1, c.Waiting())
	require.EqualValues(t, 3240, c.Weight("2"))
	c.Clean()
}

func TestAVoidIsNotUndoneOnceTheRecordHasChanged(t *testing.T) {
	c := fixture.NewPair(t)
	review := c.Did(c.Review.VoidOne(c.Provider, c.Of(), "typed twice"))
	_, err := c.Changes.Restore(c.Provider, c.Two.UUID, "it is one")
	require.NoError(t, err)
	_, err = c.Review.Undo(c.Provider, review)
	require.ErrorIs(t, err, changes.ErrChanged)
	require.Equal(t, 3, c.At("2").Version)
}

func TestAMergeCombinesTwoRecordsValueByValue(t *testing.T) {
	c := fixture.NewPair(t)
	c.Did(c.Review.Merge(c.Provider, c.Of(), "typed twice", map[string]bool{"child.0.birth_weight_g": true, birth.CustomPart + "tub": true}))
	one, two := c.At("1"), c.At("2")
	require.Equal(t, []any{birth.Active, 2, 2, false}, []any{one.State, one.Version, one.Content, one.Suspected})
	require.Equal(t, []any{birth.Merged, 2, 1, one.ID}, []any{two.State, two.Version, two.Content, two.MergedInto})
	require.EqualValues(t, 3240, c.Weight("1"))
	require.EqualValues(t, 3240, c.Weight("2"), "its history is kept")
	gravida, _ := c.Base("1").Draft.Mother.Get("gravida")
	require.EqualValues(t, 2, gravida.Number, "what was not chosen stays")
	require.Empty(t, c.Base("1").Custom["tub"], "own fields are chosen as well")
	require.Equal(t, "Lee", c.Base("1").Draft.Providers[0].Name)
	require.Zero(t, c.Waiting())
}

func TestAMergeOfTwoEqualRecordsIsInBothHistories(t *testing.T) {
	c := fixture.NewPair(t)
	c.Did(c.Review.Merge(c.Provider, c.Of(), "", nil))
	require.Equal(t, 1, c.At("1").Content)
	require.Equal(t, 2, c.At("1").Version)
	require.Equal(t, []string{"duplicate.merge " + c.One.UUID, "duplicate.merge " + c.Two.UUID}, c.Trail()[2:])
}

func TestUndoingAMergeRestoresBothExactly(t *testing.T) {
	c := fixture.NewPair(t)
	before := [2]changes.BaseVersion{c.Base("1"), c.Base("2")}
	review := c.Did(c.Review.Merge(c.Provider, c.Of(), "typed twice", map[string]bool{
		"child.0.birth_weight_g": true, "mother.gravida": true, "people": true, birth.CustomPart + "tub": true,
	}))
	require.EqualValues(t, 3240, c.Weight("1"))
	out, err := c.Review.Undo(c.Provider, review)
	require.NoError(t, err)
	require.False(t, out.ChangedSince)
	for n, chart := range []string{"1", "2"} {
		now, was := c.Base(chart), before[n]
		require.Equal(t, was.Draft, now.Draft, chart)
		require.Equal(t, was.Custom, now.Custom, chart)
		require.Equal(t, 3, now.Record.Version)
		require.Equal(t, was.Record.Facts, now.Record.Facts)
		require.Equal(t, was.Record.Source, now.Record.Source)
		require.Equal(t, birth.Active, now.Record.State)
		require.Zero(t, now.Record.MergedInto)
	}
	require.Equal(t, 1, c.Waiting(), "the pair waits again")
	c.Clean()
	c.Did(c.Review.Merge(c.Provider, c.Of(), "", nil)) // and the pair can be decided again
}

func TestUndoingAMergeLeavesWhatWasChangedSince(t *testing.T) {
	c := fixture.NewPair(t)
	review := c.Did(c.Review.Merge(c.Provider, c.Of(), "", map[string]bool{"child.0.birth_weight_g": true}))
	one := c.At("1")
	c.Save(c.Provider, changes.Form{Draft: fixture.Typed("1", "Okonkwo", 3333), UUID: one.UUID, BaseVersion: one.Version})
	out, err := c.Review.Undo(c.Provider, review)
	require.NoError(t, err)
	require.True(t, out.ChangedSince)
	require.EqualValues(t, 3333, c.Weight("1"))
	require.Equal(t, birth.Active, c.At("2").State)
	c.Clean()
}

// Decision 26: otherwise the next nightly push would undo the review.
func TestALaterPushToAMergedAwayChartNumberAmendsItWithoutBringingItBack(t *testing.T) {
	c := fixture.NewPair(t)
	c.Did(c.Review.Merge(c.Provider, c.Of(), "", nil))
	for n := range 3 {
		out := c.Send("2", 3000+n)
		require.Len(t, out.Accepted, 1)
		require.True(t, out.Accepted[0].Amended)
		require.Equal(t, birth.Merged, c.At("2").State)
		require.EqualValues(t, 3000+n, c.Weight("2"))
		require.Equal(t, c.At("1").ID, c.At("2").MergedInto)
	}
	require.Zero(t, c.Waiting())
	var again []store.Review
	require.NoError(t, c.DB.View(t.Context(), func(v *store.View) (err error) {
		again, err = v.SentAgain(c.Caller.Practice, 0, 9)
		return err
	}))
	require.Len(t, again, 1, "the queue says so")
	out, err := c.Review.Undo(c.Provider, again[0].ID)
	require.NoError(t, err)
	require.Equal(t, birth.Active, out.Goes.State)
	require.EqualValues(t, 3002, c.Weight("2"), "it comes back as it is now")
	c.Clean()
}

func TestAMergedAwayRecordThatIsRetractedAndSentAgainStaysMerged(t *testing.T) {
	c := fixture.NewPair(t)
	review := c.Did(c.Review.Merge(c.Provider, c.Of(), "", nil))
	require.True(t, c.Retract("2").Accepted[0].Retracted)
	require.Equal(t, birth.Voided, c.At("2").State)
	c.Clean()
	require.Len(t, c.Send("2", 3000).Accepted, 1)
	require.Equal(t, birth.Merged, c.At("2").State, "no push brings it back")
	require.Len(t, c.Retract("2").Accepted, 1)
	_, err := c.Review.Undo(c.Provider, review)
	require.NoError(t, err)
	require.Equal(t, birth.Voided, c.At("2").State, "its own system retracted it")
	require.Zero(t, c.At("2").MergedInto)
	c.Clean()
	require.Len(t, c.Send("2", 3000).Accepted, 1)
	require.Equal(t, birth.Active, c.At("2").State)
	require.Equal(t, 1, c.Waiting())
}

func TestADecisionHoldsOnlyForTheVersionsThatTheUserSaw(t *testing.T) {
	c := fixture.NewPair(t)
	of := c.Of()
	c.Save(c.Provider, changes.Form{Draft: fixture.Typed("1", "Okonkwo", 3333), UUID: of.Stays, BaseVersion: 1})
	for name, decide := range c.Decisions() {
		_, err := decide(c.Provider, of)
		require.ErrorIs(t, err, changes.ErrChanged, name)
		_, err = decide(c.Provider, review.Pair{Stays: of.Stays, Goes: of.Stays, StaysVersion: 2, GoesVersion: 2})
		require.ErrorIs(t, err, review.ErrNotDuplicates, name)
	}
	other := c.Save(c.Provider, changes.Form{Draft: fixture.Typed("3", "Haddad", 3333)})
	of.Goes, of.StaysVersion = other.UUID, 2
	for name, decide := range c.Decisions() {
		_, err := decide(c.Provider, of)
		require.ErrorIs(t, err, review.ErrNotDuplicates, name)
	}
	c.Did(c.Review.VoidOne(c.Provider, c.Of(), "twice"))
	for name, decide := range c.Decisions() {
		_, err := decide(c.Provider, c.Of())
		require.ErrorIs(t, err, changes.ErrState, name)
	}
}

func TestOnlyUsersWithThePermissionResolveAndOnlyInTheirPractice(t *testing.T) {
	c := fixture.NewPair(t)
	review := c.Did(c.Review.MarkNotDuplicates(c.Admin, c.Of()))
	elsewhere := c.Admin
	require.NoError(t, c.DB.Update(func(tx *store.Tx) error {
		id, err := tx.AddPractice("Hillside", false, false)
		elsewhere.Practice.ID = id
		return err
	}))
	for name, decide := range c.Decisions() {
		for _, who := range []auth.User{c.Scribe, c.Viewer} {
			_, err := decide(who, c.Of())
			require.ErrorIs(t, err, auth.ErrForbidden, name)
		}
		_, err := decide(elsewhere, c.Of())
		require.ErrorIs(t, err, store.ErrNotFound, name)
	}
	_, err := c.Review.Undo(c.Viewer, review)
	require.ErrorIs(t, err, auth.ErrForbidden)
	_, err = c.Review.Undo(elsewhere, review)
	require.ErrorIs(t, err, store.ErrNotFound)
}

func TestAMergeWithContradictoryValuesIsRefused(t *testing.T) {
	d := fixture.NewStaffed(t)
	c := &fixture.Pair{Staffed: d}
	one, two := fixture.Typed("1", "Okonkwo", 3420), fixture.Typed("2", "Okonkwo", 3240)
	one.Mother.Set(birth.Must("last_live_birth_date"), birth.Value{Text: "2026-02-15", Source: birth.Manual})
	two.Children = append(two.Children, nil) // a twin with a wrong date
	two.Children[1].Set(birth.Must("birth_date"), birth.Value{Text: "2026-02-01", Source: birth.Manual})
	c.One, c.Two = d.Save(d.Provider, changes.Form{Draft: one}), d.Save(d.Provider, changes.Form{Draft: two})
	before := d.Trail()
	_, err := c.Review.Merge(c.Provider, c.Of(), "", map[string]bool{birth.NewbornsPart: true})
	var impossible *review.ImpossibleError
	require.ErrorAs(t, err, &impossible)
	require.Len(t, impossible.Findings, 1)
	require.NotContains(t, impossible.Error()+impossible.Findings[0].Text, "2026")
	require.Equal(t, before, d.Trail())
	require.Equal(t, birth.Active, c.At("2").State, "nothing was done")
	require.Equal(t, 1, c.Waiting())
	c.Did(c.Review.Merge(c.Provider, c.Of(), "", nil))
}

func TestAPairWithAThirdRecordStillWaitsAfterAMerge(t *testing.T) {
	c := fixture.NewPair(t)
	c.Save(c.Provider, changes.Form{Draft: fixture.Typed("3", "Okonkwo", 3420)})
	require.Equal(t, 2, c.Waiting(), "2 and 3, each next to 1")
	c.Did(c.Review.Merge(c.Provider, c.Of(), "", nil))
	require.Equal(t, 1, c.Waiting(), "1 and 3 are left")
}

func TestARetractionUnflagsTheOtherRecordOfThePair(t *testing.T) {
	c := fixture.NewPair(t)
	require.Len(t, c.Retract("1").Accepted, 1)
	require.False(t, c.At("2").Suspected)
	require.Zero(t, c.Waiting())
}

func TestAMergeIsFoundHoweverManyDecisionsFollowed(t *testing.T) {
	c := fixture.NewPair(t)
	c.Did(c.Review.Merge(c.Provider, c.Of(), "", nil))
	for n := range records.ReviewSize + 1 {
		other := c.Save(c.Provider, changes.Form{Draft: fixture.Typed(fmt.Sprint("other ", n), "Okonkwo", 3420)})
		one := c.At("1")
		c.Did(c.Review.MarkNotDuplicates(c.Provider, review.Pair{Stays: one.UUID, Goes: other.UUID, StaysVersion: one.Version, GoesVersion: other.Version}))
	}
	read := records.New(c.DB, c.Vault)
	practice := c.Caller.Practice
	one, err := read.Show(t.Context(), practice, c.One.UUID, 0, true)
	require.NoError(t, err)
	around, err := read.Around(t.Context(), practice, one)
	require.NoError(t, err)
	require.Len(t, around.Merges, 1)
	both, err := read.SideBySide(t.Context(), practice, c.One.UUID, c.Two.UUID)
	require.NoError(t, err)
	require.NotNil(t, both.Merge)
}
