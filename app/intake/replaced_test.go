package intake

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// waitingOnes are the chart numbers of the records that wait for somebody to see
// what a push has replaced.
func (c *couple) waitingOnes() (charts []string) {
	c.Helper()
	w, err := c.Waiting(context.Background(), c.caller.Practice)
	require.NoError(c, err)
	require.NoError(c, c.db.View(context.Background(), func(v *store.View) error {
		all, err := v.ReplacedRecords(c.caller.Practice, 9)
		for _, r := range all {
			charts = append(charts, r.Chart)
		}
		return err
	}))
	require.Len(c, charts, w.Replaced)
	return charts
}

// corrected is a record that was pushed as weighing 3000 g and corrected by hand to
// 3300 g.
func corrected(t *testing.T, stamp string) *couple {
	c := &couple{desk: newDesk(t)}
	c.push(stamped("1", 3000, stamp))
	handmade["amended"](c)
	require.Empty(t, c.waitingOnes())
	return c
}

func (c *couple) reinstate() Saved {
	c.Helper()
	r := c.at("1")
	saved, err := c.Reinstate(c.provider, r.UUID, r.Version)
	require.NoError(c, err)
	c.clean()
	return saved
}

func TestAPushWithoutAStampThatReplacesWhatAPersonEnteredIsAppliedAndListed(t *testing.T) {
	c := corrected(t, "")
	require.Empty(t, c.only(c.push(stamped("1", 3000, ""))))
	require.EqualValues(t, 3000, c.weight("1"), "it is applied")
	require.Equal(t, []string{"1"}, c.waitingOnes())
	require.Equal(t, 2, c.at("1").Replaced, "what can be brought back")
	c.clean()
}

func TestRestoreBringsBackWhatAPersonEnteredWithItsProvenance(t *testing.T) {
	c := corrected(t, "")
	before := c.says("1")
	c.push(stamped("1", 3000, ""))
	require.Equal(t, 4, c.reinstate().Version, "as a further version")
	require.Empty(t, c.waitingOnes())
	now := c.says("1")
	require.Equal(t, before.Draft, now.Draft)
	weight, _ := now.Draft.Children[0].Get("birth_weight_g")
	require.Equal(t, birth.Manual, weight.Source)
	date, _ := now.Draft.Children[0].Get("birth_date")
	require.Equal(t, birth.FHIRPush, date.Source, "what was pushed stays what was pushed")
	require.Equal(t, "stale", c.only(c.push(stamped("1", 3000, hence(-time.Minute)))), "it carries the moment as its stamp")
	require.Contains(t, c.trail(), "record.reinstate "+c.at("1").UUID)

	c.push(stamped("1", 3000, ""))
	require.Equal(t, []string{"1"}, c.waitingOnes(), "the next one is listed anew")
	require.Equal(t, 4, c.at("1").Replaced)
}

func TestAPushWithoutAStampThatRevivesWhatAPersonVoidedIsListedAndCanBeVoidedAgain(t *testing.T) {
	c := &couple{desk: newDesk(t)}
	c.push(stamped("1", 3000, hence(-time.Hour)))
	handmade["voided"](c)
	require.Empty(t, c.only(c.push(stamped("1", 3100, ""))))
	require.Equal(t, birth.Active, c.at("1").State)
	require.Equal(t, []string{"1"}, c.waitingOnes())
	saved := c.reinstate()
	require.Equal(t, birth.Voided, saved.State)
	require.EqualValues(t, 3000, c.weight("1"), "what it said then")
	require.Empty(t, c.waitingOnes())
	require.Equal(t, "stale", c.only(c.push(stamped("1", 3100, hence(-time.Minute)))))
}

func TestWhatIsListedIsWhatAPersonSaidAndNothingElse(t *testing.T) {
	text := func(body, from, to string) string {
		require.Contains(t, body, from)
		return strings.Replace(body, from, to, 1)
	}
	named := stamped("1", 3000, "")
	for name, c := range map[string]struct {
		do   func(c *couple)
		want bool
	}{
		"a push over a push": {func(c *couple) { c.push(stamped("1", 3000, "")); c.push(stamped("1", 2900, "")) }, false},
		"the same as the person said": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			handmade["amended"](c)
			c.push(stamped("1", 3300, ""))
		}, false},
		"more than the person said": {func(c *couple) {
			c.push(text(stamped("1", 3300, ""), `{"code":"8339-4"}`, `{"code":"none"}`))
			on := c.says("1")
			on.Draft.Mother.Set(birth.Must("gravida"), birth.Value{Number: 2, Source: birth.Manual})
			c.save(c.provider, Entry{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: on.Record.Version})
			gravida := `{"resource":{"resourceType":"Observation","code":{"coding":[{"code":"11996-6"}]},"valueInteger":2}}]}`
			c.push(strings.TrimSuffix(named, "]}") + "," + gravida)
		}, false},
		"what the person had taken away": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			on := c.says("1")
			on.Draft.Children[0].Drop("birth_weight_g")
			c.save(c.provider, Entry{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: on.Record.Version})
			c.push(stamped("1", 3000, ""))
		}, true},
		"a name": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			on := c.says("1")
			on.Draft.Mother.Set(birth.Must("mother_family_name"), birth.Value{Text: "Okonkwo-Hale", Source: birth.Manual})
			c.save(c.provider, Entry{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: on.Record.Version})
			c.push(stamped("1", 3000, ""))
		}, true},
		"who was there": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			on := c.says("1")
			on.Draft.Providers = typed("", "", 0).Providers
			c.save(c.provider, Entry{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: on.Record.Version})
			c.push(stamped("1", 3000, ""))
		}, true},
		"a record by hand": {func(c *couple) {
			c.save(c.provider, Entry{Draft: typed("1", "Okonkwo", 3300)})
			c.push(stamped("1", 3000, ""))
		}, true},
		"an import": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			handmade["imported"](c)
			c.push(stamped("1", 3000, ""))
		}, true},
		"a merge": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			handmade["merged"](c)
			c.push(stamped("1", 2900, ""))
		}, true},
		"a chart": {func(c *couple) {
			d := typed("1", "Okonkwo", 3300)
			d.Mother.Set(birth.Must("gravida"), birth.Value{Number: 2, Source: birth.EHRPull})
			c.save(c.provider, Entry{Draft: d})
			c.push(stamped("1", 3300, ""))
		}, true},
		"the same day": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			handmade["amended"](c)
			c.push(stamped("1", 3000, time.Now().UTC().Format(time.DateOnly)))
		}, true},
		"a newer push": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			handmade["amended"](c)
			c.push(stamped("1", 3000, hence(time.Hour)))
		}, false},
		"a revival of what a push retracted": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			c.retract("1")
			c.push(stamped("1", 2900, ""))
		}, false},
		"a retraction, then a revival": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			handmade["amended"](c)
			c.retract("1")
			c.push(stamped("1", 3000, ""))
		}, true},
		"a restored record": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			handmade["restored"](c)
			c.push(stamped("1", 2900, ""))
		}, false},
		"in one batch": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			handmade["amended"](c)
			c.push(batch(stamped("1", 3000, ""), stamped("2", 2000, ""), stamped("1", 2900, "")))
		}, true},
		"retracted and revived in one batch": {func(c *couple) {
			c.push(stamped("1", 3000, ""))
			c.push(batch(retract("1"), stamped("1", 2900, "")))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := &couple{desk: newDesk(t)}
			c.do(d)
			require.Equal(t, c.want, len(d.waitingOnes()) == 1)
			d.clean()
		})
	}
}

func TestWhatWaitsIsSettledByAPersonOrByANewerPushAndByNothingElse(t *testing.T) {
	for name, way := range map[string]struct {
		do    func(c *couple)
		waits bool
	}{
		"a further push without a stamp": {func(c *couple) { c.push(stamped("1", 2900, "")) }, true},
		"an older push":                  {func(c *couple) { c.push(stamped("1", 2900, hence(-time.Hour))) }, true},
		"a newer push":                   {func(c *couple) { c.push(stamped("1", 2900, hence(time.Hour))) }, false},
		"an amendment by hand":           {func(c *couple) { handmade["amended"](c) }, false},
		"a void by hand":                 {func(c *couple) { handmade["voided"](c) }, false},
		"a retraction and what follows": {func(c *couple) {
			c.retract("1")
			require.Empty(t, c.waitingOnes(), "it counts no longer")
			c.push(stamped("1", 2900, ""))
		}, true},
		"a restore": {func(c *couple) { handmade["restored"](c) }, true},
		"to leave it as it is": {func(c *couple) {
			r := c.at("1")
			require.NoError(t, c.LeaveReplaced(c.admin, r.UUID, r.Version))
			require.Contains(t, c.trail(), "record.leave "+r.UUID)
		}, false},
		"a merge into it": {func(c *couple) {
			c.push(stamped("2", 3100, ""))
			_, err := c.Merge(c.provider, c.of(), "", nil)
			require.NoError(t, err)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := corrected(t, "")
			c.push(stamped("1", 3000, ""))
			way.do(c)
			require.Equal(t, way.waits, len(c.waitingOnes()) == 1)
			if way.waits {
				require.Equal(t, 2, c.at("1").Replaced, "what the person said, and no later push")
				c.reinstate()
				require.EqualValues(t, 3300, c.weight("1"))
			}
		})
	}
}

func TestARestoredVoidIsNotListedAnyMore(t *testing.T) {
	c := &couple{desk: newDesk(t)}
	c.push(stamped("1", 3000, ""))
	handmade["voided"](c)
	c.push(stamped("1", 3100, ""))
	c.retract("1")
	_, err := c.Restore(c.provider, c.at("1").UUID, "it was a birth")
	require.NoError(t, err)
	require.Empty(t, c.waitingOnes())
}

func TestNothingIsBroughtBackThatNobodyMaySeeOrThatHasChanged(t *testing.T) {
	c := corrected(t, "")
	r := c.at("1")
	_, err := c.Reinstate(c.provider, r.UUID, r.Version)
	require.ErrorIs(t, err, ErrState, "nothing waits")
	require.ErrorIs(t, c.LeaveReplaced(c.provider, r.UUID, r.Version), ErrState)
	c.push(stamped("1", 3000, ""))
	r = c.at("1")
	for _, who := range []auth.User{c.scribe, c.viewer} {
		_, err := c.Reinstate(who, r.UUID, r.Version)
		require.ErrorIs(t, err, auth.ErrForbidden)
		require.ErrorIs(t, c.LeaveReplaced(who, r.UUID, r.Version), auth.ErrForbidden)
	}
	_, err = c.Reinstate(c.provider, r.UUID, r.Version-1)
	require.ErrorIs(t, err, ErrChanged)
	_, err = c.Reinstate(c.provider, "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27", 1)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Equal(t, []string{"1"}, c.waitingOnes())
}

func TestBringingBackComparesTheBirthAnew(t *testing.T) {
	c := &couple{desk: newDesk(t)}
	c.save(c.provider, Entry{Draft: typed("1", "Okonkwo", 3300)})
	c.push(strings.Replace(stamped("1", 3000, ""), "Okonkwo", "Haddad", 1))
	require.False(t, c.save(c.provider, Entry{Draft: typed("3", "Okonkwo", 3300)}).Suspected)
	require.True(t, c.reinstate().Suspected)
	require.Equal(t, 1, c.waiting())
}

func TestUndoingAMergeComparesWhatIsBroughtBackAnew(t *testing.T) {
	d := newDesk(t)
	twins := typed("1", "Okonkwo", 2400)
	second := birth.Values{}
	second.Set(birth.Must("birth_date"), birth.Value{Text: "2026-03-03", Source: birth.Manual})
	twins.Children = append(twins.Children, second)
	c := &couple{desk: d, one: d.save(d.provider, Entry{Draft: twins}), two: d.save(d.provider, Entry{Draft: typed("2", "Okonkwo", 3000)})}
	review := c.did(c.Merge(c.provider, c.of(), "", map[string]bool{birth.NewbornsPart: true}))
	third := typed("3", "Okonkwo", 3000)
	third.Children[0].Set(birth.Must("birth_date"), birth.Value{Text: "2026-03-03", Source: birth.Manual})
	require.False(t, c.save(c.provider, Entry{Draft: third}).Suspected)
	_, err := c.Undo(c.provider, review)
	require.NoError(t, err)
	require.True(t, c.at("1").Suspected)
	require.Equal(t, 2, c.waiting(), "with the second record, and with the third")
}
