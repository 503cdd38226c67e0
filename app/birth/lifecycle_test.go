package birth_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

var (
	earlier = time.Date(2026, 3, 3, 14, 30, 0, 0, time.UTC)
	later   = earlier.Add(time.Second)
)

// The stored records the table starts from. A zero Current is "none".
var (
	none   = birth.Current{}
	active = birth.Current{State: birth.Active, Version: 3, Stamp: earlier}
	voided = birth.Current{State: birth.Voided, Version: 4, Stamp: earlier}
	merged = birth.Current{State: birth.Merged, Version: 5, Stamp: earlier}
)

var (
	content    = birth.Submission{Chart: "A-1", Stamp: later}
	outdated   = birth.Submission{Chart: "A-1", Stamp: earlier.Add(-time.Second)}
	retraction = birth.Submission{Chart: "A-1", Retraction: true}
)

type decision struct {
	name    string
	current birth.Current
	of      birth.Submission
	match   birth.Match
	want    birth.Decision
}

func decide(t *testing.T, table []decision) {
	t.Helper()
	for _, d := range table {
		t.Run(d.name, func(t *testing.T) {
			require.Equal(t, d.want, birth.Decide(d.current, d.of, d.match))
		})
	}
}

// The rows of the spec's table "Record lifecycle", in its order.
func TestRecordLifecycle(t *testing.T) {
	decide(t, []decision{
		{
			"none, a Bundle with a new identifier.value: active, version 1",
			none, content,
			birth.Match{},
			birth.Decision{Action: birth.Create, Version: 1, State: birth.Active},
		},
		{
			"none, a Bundle with a new identifier.value whose fingerprint matches another record: accepted and flagged",
			none, content,
			birth.Match{Any: true, Changed: true},
			birth.Decision{Action: birth.Create, Version: 1, State: birth.Active, Suspected: true},
		},
		{
			"an active record, same identifier.value, not older: active, version advanced",
			active, content,
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 4, State: birth.Active},
		},
		{
			"an active record, same identifier.value, older stamp: rejected as a conflict, unchanged",
			active, outdated,
			birth.Match{},
			birth.Decision{Action: birth.Reject, Reason: birth.Stale},
		},
		{
			"an active record, same identifier.value, would match a different record: rejected as a conflict, not merged",
			active, content,
			birth.Match{Any: true, Changed: true},
			birth.Decision{Action: birth.Reject, Reason: birth.WouldDuplicate},
		},
		{
			"an active record, retraction by chart number: voided",
			active, retraction,
			birth.Match{},
			birth.Decision{Action: birth.Void, Version: 4, State: birth.Voided},
		},
		{
			"a voided record, retraction again: no-op",
			voided, retraction,
			birth.Match{},
			birth.Decision{Action: birth.NoOp, Version: 4, State: birth.Voided},
		},
		{
			"none, retraction of an unknown chart number: rejected as not-found",
			none, retraction,
			birth.Match{},
			birth.Decision{Action: birth.Reject, Reason: birth.UnknownChart},
		},
		{
			"a voided record, same identifier.value: revived, next version",
			voided, content,
			birth.Match{},
			birth.Decision{Action: birth.Revive, Version: 5, State: birth.Active},
		},
		{
			"any, a different new chart number matching an existing fingerprint: new active record, flagged",
			none,
			birth.Submission{Chart: "A-2", Stamp: later},
			birth.Match{Any: true},
			birth.Decision{Action: birth.Create, Version: 1, State: birth.Active, Suspected: true},
		},
	})
}

func TestStampsGuardAgainstStaleUpdates(t *testing.T) {
	without := birth.Current{State: birth.Active, Version: 1}
	decide(t, []decision{
		{
			"an equal stamp is not stale",
			active,
			birth.Submission{Chart: "A-1", Stamp: earlier},
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 4, State: birth.Active},
		},
		{
			"an equal instant in another offset is not stale",
			active,
			birth.Submission{Chart: "A-1", Stamp: earlier.In(time.FixedZone("", -5*3600))},
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 4, State: birth.Active},
		},
		{
			"a submission without a stamp is not stale",
			active,
			birth.Submission{Chart: "A-1"},
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 4, State: birth.Active},
		},
		{
			"a record without a stamp takes any update",
			without, outdated,
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 2, State: birth.Active},
		},
		{
			"a retraction does not obey the stamp",
			active,
			birth.Submission{Chart: "A-1", Stamp: outdated.Stamp, Retraction: true},
			birth.Match{},
			birth.Decision{Action: birth.Void, Version: 4, State: birth.Voided},
		},
		{
			"a revival obeys the stamp of the last content",
			voided, outdated,
			birth.Match{},
			birth.Decision{Action: birth.Reject, Reason: birth.Stale},
		},
		{
			"a stale update is stale before it is a duplicate",
			active, outdated,
			birth.Match{Any: true, Changed: true},
			birth.Decision{Action: birth.Reject, Reason: birth.Stale},
		},
	})
}

func TestAStampFarInTheFutureIsDropped(t *testing.T) {
	now := earlier
	require.Equal(t, now.Add(24*time.Hour), birth.UsableStamp(now.Add(24*time.Hour), now), "a day ahead is kept")
	require.Zero(t, birth.UsableStamp(now.Add(24*time.Hour+time.Nanosecond), now), "more than a day ahead is not")
	require.Equal(t, now.AddDate(-80, 0, 0), birth.UsableStamp(now.AddDate(-80, 0, 0), now), "the past is kept")
	require.Zero(t, birth.UsableStamp(time.Time{}, now))
}

func TestDuplicatesOfAnAmendment(t *testing.T) {
	decide(t, []decision{
		{
			"a flagged pair can be corrected when its fingerprints did not change, and stays flagged",
			active, content,
			birth.Match{Any: true},
			birth.Decision{Action: birth.Amend, Version: 4, State: birth.Active, Suspected: true},
		},
		{
			"a revival that matches a different record is accepted and flagged",
			voided, content,
			birth.Match{Any: true, Changed: true},
			birth.Decision{Action: birth.Revive, Version: 5, State: birth.Active, Suspected: true},
		},
	})
}

func TestMergedRecords(t *testing.T) {
	decide(t, []decision{
		{
			"a later push to a merged record's chart number amends it without bringing it back",
			merged, content,
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 6, State: birth.Merged},
		},
		{
			"it does so although it matches the record it was merged into",
			merged, content,
			birth.Match{Any: true, Changed: true},
			birth.Decision{Action: birth.Amend, Version: 6, State: birth.Merged, Suspected: true},
		},
		{
			"an older push to it is stale",
			merged, outdated,
			birth.Match{},
			birth.Decision{Action: birth.Reject, Reason: birth.Stale},
		},
		{
			"a retraction of it voids it",
			merged, retraction,
			birth.Match{},
			birth.Decision{Action: birth.Void, Version: 6, State: birth.Voided},
		},
	})
}

func TestARetractionWithoutAChartNumberIsRejected(t *testing.T) {
	want := birth.Decision{Action: birth.Reject, Reason: birth.NoChart}
	require.Equal(t, want, birth.Decide(none, birth.Submission{Retraction: true}, birth.Match{}))
}

func TestVersionsOnlyAdvanceAndRejectionsChangeNothing(t *testing.T) {
	for _, current := range []birth.Current{none, active, voided, merged} {
		for _, of := range []birth.Submission{content, outdated, retraction, {Stamp: later}, {Retraction: true}} {
			for _, match := range []birth.Match{{}, {Any: true}, {Any: true, Changed: true}} {
				d := birth.Decide(current, of, match)
				switch d.Action {
				case birth.Reject:
					require.Equal(t, birth.Decision{Action: birth.Reject, Reason: d.Reason}, d)
					require.NotZero(t, d.Reason)
				case birth.NoOp:
					require.Equal(t, current.Version, d.Version)
					require.Equal(t, current.State, d.State)
				default:
					require.Equal(t, current.Version+1, d.Version)
					require.Zero(t, d.Reason)
				}
				require.NotEmpty(t, d.Action.String())
			}
		}
	}
}
