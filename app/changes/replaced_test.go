package changes_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/store"
)

func TestAPushWithoutAStampThatReplacesWhatAPersonEnteredIsAppliedAndListed(t *testing.T) {
	c := fixture.Corrected(t, "")
	require.Empty(t, c.Only(c.Push(fixture.Stamped("1", 3000, ""))))
	require.EqualValues(t, 3000, c.Weight("1"), "it is applied")
	require.Equal(t, []string{"1"}, c.Replaced())
	require.Equal(t, 2, c.At("1").Replaced, "what can be brought back")
	c.Clean()
}

func TestRestoreBringsBackWhatAPersonEnteredWithItsProvenance(t *testing.T) {
	c := fixture.Corrected(t, "")
	before := c.Base("1")
	c.Push(fixture.Stamped("1", 3000, ""))
	require.Equal(t, 4, c.Reinstate().Version, "as a further version")
	require.Empty(t, c.Replaced())
	now := c.Base("1")
	require.Equal(t, before.Draft, now.Draft)
	weight, _ := now.Draft.Children[0].Get("birth_weight_g")
	require.Equal(t, birth.Manual, weight.Source)
	date, _ := now.Draft.Children[0].Get("birth_date")
	require.Equal(t, birth.FHIRPush, date.Source, "what was pushed stays what was pushed")
	require.Equal(t, "stale", c.Only(c.Push(fixture.Stamped("1", 3000, fixture.Hence(-time.Minute)))), "it carries the moment as its stamp")
	require.Contains(t, c.Trail(), "record.reinstate "+c.At("1").UUID)

	c.Push(fixture.Stamped("1", 3000, ""))
	require.Equal(t, []string{"1"}, c.Replaced(), "the next one is listed anew")
	require.Equal(t, 4, c.At("1").Replaced)
}

func TestAPushWithoutAStampThatRevivesWhatAPersonVoidedIsListedAndCanBeVoidedAgain(t *testing.T) {
	c := &fixture.Pair{Staffed: fixture.NewStaffed(t)}
	c.Push(fixture.Stamped("1", 3000, fixture.Hence(-time.Hour)))
	fixture.ByHand["voided"](c)
	require.Empty(t, c.Only(c.Push(fixture.Stamped("1", 3100, ""))))
	require.Equal(t, birth.Active, c.At("1").State)
	require.Equal(t, []string{"1"}, c.Replaced())
	saved := c.Reinstate()
	require.Equal(t, birth.Voided, saved.State)
	require.EqualValues(t, 3000, c.Weight("1"), "what it said then")
	require.Empty(t, c.Replaced())
	require.Equal(t, "stale", c.Only(c.Push(fixture.Stamped("1", 3100, fixture.Hence(-time.Minute)))))
}

func TestOnlyWhatAPersonStatedIsListedAsReplaced(t *testing.T) {
	text := func(body, from, to string) string {
		require.Contains(t, body, from)
		return strings.Replace(body, from, to, 1)
	}
	named := fixture.Stamped("1", 3000, "")
	for name, c := range map[string]struct {
		do   func(c *fixture.Pair)
		want bool
	}{
		"a push over a push": {func(c *fixture.Pair) { c.Push(fixture.Stamped("1", 3000, "")); c.Push(fixture.Stamped("1", 2900, "")) }, false},
		"the same as the person said": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			fixture.ByHand["amended"](c)
			c.Push(fixture.Stamped("1", 3300, ""))
		}, false},
		"more than the person said": {func(c *fixture.Pair) {
			c.Push(text(fixture.Stamped("1", 3300, ""), `{"code":"8339-4"}`, `{"code":"none"}`))
			on := c.Base("1")
			on.Draft.Mother.Set(birth.Must("gravida"), birth.Value{Number: 2, Source: birth.Manual})
			c.Save(c.Provider, changes.Form{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: on.Record.Version})
			gravida := `{"resource":{"resourceType":"Observation","code":{"coding":[{"code":"11996-6"}]},"valueInteger":2}}]}`
			c.Push(strings.TrimSuffix(named, "]}") + "," + gravida)
		}, false},
		"what the person had taken away": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			on := c.Base("1")
			on.Draft.Children[0].Drop("birth_weight_g")
			c.Save(c.Provider, changes.Form{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: on.Record.Version})
			c.Push(fixture.Stamped("1", 3000, ""))
		}, true},
		"a name": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			on := c.Base("1")
			on.Draft.Mother.Set(birth.Must("mother_family_name"), birth.Value{Text: "Okonkwo-Hale", Source: birth.Manual})
			c.Save(c.Provider, changes.Form{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: on.Record.Version})
			c.Push(fixture.Stamped("1", 3000, ""))
		}, true},
		"who was there": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			on := c.Base("1")
			on.Draft.Providers = fixture.Typed("", "", 0).Providers
			c.Save(c.Provider, changes.Form{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: on.Record.Version})
			c.Push(fixture.Stamped("1", 3000, ""))
		}, true},
		"a record by hand": {func(c *fixture.Pair) {
			c.Save(c.Provider, changes.Form{Draft: fixture.Typed("1", "Okonkwo", 3300)})
			c.Push(fixture.Stamped("1", 3000, ""))
		}, true},
		"an import": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			fixture.ByHand["imported"](c)
			c.Push(fixture.Stamped("1", 3000, ""))
		}, true},
		"a merge": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			fixture.ByHand["merged"](c)
			c.Push(fixture.Stamped("1", 2900, ""))
		}, true},
		"a chart": {func(c *fixture.Pair) {
			d := fixture.Typed("1", "Okonkwo", 3300)
			d.Mother.Set(birth.Must("gravida"), birth.Value{Number: 2, Source: birth.EHRPull})
			c.Save(c.Provider, changes.Form{Draft: d})
			c.Push(fixture.Stamped("1", 3300, ""))
		}, true},
		"the same day": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			fixture.ByHand["amended"](c)
			c.Push(fixture.Stamped("1", 3000, time.Now().UTC().Format(time.DateOnly)))
		}, true},
		"a newer push": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			fixture.ByHand["amended"](c)
			c.Push(fixture.Stamped("1", 3000, fixture.Hence(time.Hour)))
		}, false},
		"a revival of what a push retracted": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			c.Retract("1")
			c.Push(fixture.Stamped("1", 2900, ""))
		}, false},
		"a retraction, then a revival": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			fixture.ByHand["amended"](c)
			c.Retract("1")
			c.Push(fixture.Stamped("1", 3000, ""))
		}, true},
		"a restored record": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			fixture.ByHand["restored"](c)
			c.Push(fixture.Stamped("1", 2900, ""))
		}, false},
		"in one batch": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			fixture.ByHand["amended"](c)
			c.Push(fixture.Batch(fixture.Stamped("1", 3000, ""), fixture.Stamped("2", 2000, ""), fixture.Stamped("1", 2900, "")))
		}, true},
		"retracted and revived in one batch": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("1", 3000, ""))
			c.Push(fixture.Batch(fixture.Retraction("1"), fixture.Stamped("1", 2900, "")))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := &fixture.Pair{Staffed: fixture.NewStaffed(t)}
			c.do(d)
			require.Equal(t, c.want, len(d.Replaced()) == 1)
			d.Clean()
		})
	}
}

func TestAReplacementIsResolvedOnlyByAPersonOrANewerPush(t *testing.T) {
	for name, way := range map[string]struct {
		do    func(c *fixture.Pair)
		waits bool
	}{
		"a further push without a stamp": {func(c *fixture.Pair) { c.Push(fixture.Stamped("1", 2900, "")) }, true},
		"an older push":                  {func(c *fixture.Pair) { c.Push(fixture.Stamped("1", 2900, fixture.Hence(-time.Hour))) }, true},
		"a newer push":                   {func(c *fixture.Pair) { c.Push(fixture.Stamped("1", 2900, fixture.Hence(time.Hour))) }, false},
		"an amendment by hand":           {func(c *fixture.Pair) { fixture.ByHand["amended"](c) }, false},
		"a void by hand":                 {func(c *fixture.Pair) { fixture.ByHand["voided"](c) }, false},
		"a retraction and what follows": {func(c *fixture.Pair) {
			c.Retract("1")
			require.Empty(t, c.Replaced(), "it counts no longer")
			c.Push(fixture.Stamped("1", 2900, ""))
		}, true},
		"a restore": {func(c *fixture.Pair) { fixture.ByHand["restored"](c) }, true},
		"to leave it as it is": {func(c *fixture.Pair) {
			r := c.At("1")
			require.NoError(t, c.Changes.LeaveReplaced(c.Admin, r.UUID, r.Version))
			require.Contains(t, c.Trail(), "record.leave "+r.UUID)
		}, false},
		"a merge into it": {func(c *fixture.Pair) {
			c.Push(fixture.Stamped("2", 3100, ""))
			_, err := c.Review.Merge(c.Provider, c.Of(), "", nil)
			require.NoError(t, err)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := fixture.Corrected(t, "")
			c.Push(fixture.Stamped("1", 3000, ""))
			way.do(c)
			require.Equal(t, way.waits, len(c.Replaced()) == 1)
			if way.waits {
				require.Equal(t, 2, c.At("1").Replaced, "what the person said, and no later push")
				c.Reinstate()
				require.EqualValues(t, 3300, c.Weight("1"))
			}
		})
	}
}

func TestARestoredVoidIsNoLongerListed(t *testing.T) {
	c := &fixture.Pair{Staffed: fixture.NewStaffed(t)}
	c.Push(fixture.Stamped("1", 3000, ""))
	fixture.ByHand["voided"](c)
	c.Push(fixture.Stamped("1", 3100, ""))
	c.Retract("1")
	_, err := c.Changes.Restore(c.Provider, c.At("1").UUID, "it was a birth")
	require.NoError(t, err)
	require.Empty(t, c.Replaced())
}

func TestARestoreNeedsPermissionAndAnUnchangedRecord(t *testing.T) {
	c := fixture.Corrected(t, "")
	r := c.At("1")
	_, err := c.Changes.Reinstate(c.Provider, r.UUID, r.Version)
	require.ErrorIs(t, err, changes.ErrState, "nothing waits")
	require.ErrorIs(t, c.Changes.LeaveReplaced(c.Provider, r.UUID, r.Version), changes.ErrState)
	c.Push(fixture.Stamped("1", 3000, ""))
	r = c.At("1")
	for _, who := range []auth.User{c.Scribe, c.Viewer} {
		_, err := c.Changes.Reinstate(who, r.UUID, r.Version)
		require.ErrorIs(t, err, auth.ErrForbidden)
		require.ErrorIs(t, c.Changes.LeaveReplaced(who, r.UUID, r.Version), auth.ErrForbidden)
	}
	_, err = c.Changes.Reinstate(c.Provider, r.UUID, r.Version-1)
	require.ErrorIs(t, err, changes.ErrChanged)
	_, err = c.Changes.Reinstate(c.Provider, "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27", 1)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Equal(t, []string{"1"}, c.Replaced())
}

func TestRestoringABirthComparesItAgain(t *testing.T) {
	c := &fixture.Pair{Staffed: fixture.NewStaffed(t)}
	c.Save(c.Provider, changes.Form{Draft: fixture.Typed("1", "Okonkwo", 3300)})
	c.Push(strings.Replace(fixture.Stamped("1", 3000, ""), "Okonkwo", "Haddad", 1))
	require.False(t, c.Save(c.Provider, changes.Form{Draft: fixture.Typed("3", "Okonkwo", 3300)}).Suspected)
	require.True(t, c.Reinstate().Suspected)
	require.Equal(t, 1, c.Waiting())
}

func TestUndoingAMergeComparesTheRestoredBirthAgain(t *testing.T) {
	d := fixture.NewStaffed(t)
	twins := fixture.Typed("1", "Okonkwo", 2400)
	second := birth.Values{}
	second.Set(birth.Must("birth_date"), birth.Value{Text: "2026-03-03", Source: birth.Manual})
	twins.Children = append(twins.Children, second)
	c := &fixture.Pair{Staffed: d, One: d.Save(d.Provider, changes.Form{Draft: twins}), Two: d.Save(d.Provider, changes.Form{Draft: fixture.Typed("2", "Okonkwo", 3000)})}
	review := c.Did(c.Review.Merge(c.Provider, c.Of(), "", map[string]bool{birth.NewbornsPart: true}))
	third := fixture.Typed("3", "Okonkwo", 3000)
	third.Children[0].Set(birth.Must("birth_date"), birth.Value{Text: "2026-03-03", Source: birth.Manual})
	require.False(t, c.Save(c.Provider, changes.Form{Draft: third}).Suspected)
	_, err := c.Review.Undo(c.Provider, review)
	require.NoError(t, err)
	require.True(t, c.At("1").Suspected)
	require.Equal(t, 2, c.Waiting(), "with the second record, and with the third")
}
