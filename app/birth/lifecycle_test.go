package birth_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// instant returns the stamp of one instant.
func instant(t time.Time) birth.Stamp { return birth.Stamp{First: t, Last: t} }

var (
	earlier = time.Date(2026, 3, 3, 14, 30, 0, 0, time.UTC)
	later   = earlier.Add(time.Second)
)

// The records on file from which the table's rows start. A zero Current stands for none.
var (
	none   = birth.Current{}
	active = birth.Current{State: birth.Active, Version: 3, Stamp: earlier}
	voided = birth.Current{State: birth.Voided, Version: 4, Stamp: earlier}
	merged = birth.Current{State: birth.Merged, Version: 5, Stamp: earlier}
)

var (
	content    = birth.Change{Chart: "A-1", Stamp: instant(later)}
	outdated   = birth.Change{Chart: "A-1", Stamp: instant(earlier.Add(-time.Second))}
	retraction = birth.Change{Chart: "A-1", Retraction: true}
)

type decision struct {
	name    string
	current birth.Current
	of      birth.Change
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

// TestRecordLifecycle checks the rows of the spec's table "Record lifecycle" in its order.
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
			birth.Change{Chart: "A-2", Stamp: instant(later)},
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
			birth.Change{Chart: "A-1", Stamp: instant(earlier)},
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 4, State: birth.Active},
		},
		{
			"an equal instant in another offset is not stale",
			active,
			birth.Change{Chart: "A-1", Stamp: instant(earlier.In(time.FixedZone("", -5*3600)))},
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 4, State: birth.Active},
		},
		{
			"a submission without a stamp is not stale",
			active,
			birth.Change{Chart: "A-1"},
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
			birth.Change{Chart: "A-1", Stamp: outdated.Stamp, Retraction: true},
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

// Decision 20, about values that a person wrote.
func TestAPersonsVersionIsProtectedFromOlderPushes(t *testing.T) {
	saved := birth.Current{State: birth.Active, Version: 3, Stamp: earlier.Add(-time.Hour), Saved: earlier}
	voidedByHand := saved
	voidedByHand.State = birth.Voided
	pushed := func(at time.Time) birth.Change { return birth.Change{Chart: "A-1", Stamp: instant(at)} }
	decide(t, []decision{
		{
			"an older push is stale, though newer than what was pushed before",
			saved, pushed(earlier.Add(-time.Minute)),
			birth.Match{},
			birth.Decision{Action: birth.Reject, Reason: birth.Stale},
		},
		{
			"and does not undo a void",
			voidedByHand, pushed(earlier.Add(-time.Minute)),
			birth.Match{},
			birth.Decision{Action: birth.Reject, Reason: birth.Stale},
		},
		{
			"a newer one amends",
			saved, pushed(later),
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 4, State: birth.Active},
		},
		{
			"and revives",
			voidedByHand, pushed(later),
			birth.Match{},
			birth.Decision{Action: birth.Revive, Version: 4, State: birth.Active},
		},
		{
			"one without a stamp is applied, and not judged",
			saved,
			birth.Change{Chart: "A-1"},
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 4, State: birth.Active, Unjudged: true},
		},
		{
			"nor when it revives",
			voidedByHand,
			birth.Change{Chart: "A-1"},
			birth.Match{},
			birth.Decision{Action: birth.Revive, Version: 4, State: birth.Active, Unjudged: true},
		},
		{
			"nor is one of the same moment",
			saved, pushed(earlier),
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 4, State: birth.Active, Unjudged: true},
		},
		{
			"a person is not judged by stamps",
			birth.Current{State: birth.Active, Version: 3, Stamp: later, Saved: later},
			birth.Change{Chart: "A-1", Stamp: instant(earlier), Person: true},
			birth.Match{},
			birth.Decision{Action: birth.Amend, Version: 4, State: birth.Active},
		},
		{
			"a retraction does not obey what a person saved",
			saved, retraction,
			birth.Match{},
			birth.Decision{Action: birth.Void, Version: 4, State: birth.Voided},
		},
	})
}

func TestADayOrAMonthIsComparedAtItsOwnPrecision(t *testing.T) {
	zone := time.FixedZone("", -5*3600)
	onFile := birth.Current{State: birth.Active, Version: 3, Stamp: time.Date(2026, 3, 3, 14, 30, 0, 0, zone)}
	for text, stale := range map[string]bool{
		"2026-03-03": false, "2026-03-02": true, "2026-03": false, "2026-02": true, "2026": false, "2025": true, "2026-03-04": false,
		"2026-03-03T14:30:00": false, "2026-03-03T14:29:59": true, "2026-03-03T14:30:00Z": true, "2026-03-03T19:30:00Z": false,
	} {
		stamp, ok := birth.ParseStamp(text, zone)
		require.True(t, ok, text)
		d := birth.Decide(onFile, birth.Change{Chart: "A-1", Stamp: stamp}, birth.Match{})
		require.Equal(t, stale, d.Action == birth.Reject, text)
	}
}

func TestAStampOnTheDayOfAPersonsChangeIsNotJudged(t *testing.T) {
	saved := birth.Current{State: birth.Active, Version: 3, Saved: time.Date(2026, 3, 3, 14, 30, 0, 0, time.UTC)}
	for text, unjudged := range map[string]bool{"2026-03-03": true, "2026-03": true, "2026-03-04": false} {
		stamp, _ := birth.ParseStamp(text, time.UTC)
		require.Equal(t, unjudged, birth.Decide(saved, birth.Change{Chart: "A-1", Stamp: stamp}, birth.Match{}).Unjudged, text)
	}
}

func TestAStampIsReadAsStated(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	at := func(text string) time.Time {
		instant, ok := birth.Instant(text)
		require.True(t, ok, text)
		return instant.UTC()
	}
	for text, want := range map[string]birth.Stamp{
		"2026-03-03T09:30:00-05:00": instant(at("2026-03-03T14:30:00Z")),
		"2026-03-03T09:30:00":       instant(at("2026-03-03T14:30:00Z")),
		"2026-07-03T09:30":          instant(at("2026-07-03T13:30:00Z")),
		"2026-03-03":                {First: at("2026-03-03T05:00:00Z"), Last: at("2026-03-04T05:00:00Z").Add(-1)},
		"2026-03":                   {First: at("2026-03-01T05:00:00Z"), Last: at("2026-04-01T04:00:00Z").Add(-1)},
		"2026":                      {First: at("2026-01-01T05:00:00Z"), Last: at("2027-01-01T05:00:00Z").Add(-1)},
	} {
		got, ok := birth.ParseStamp(text, zone)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "yesterday", "2026-02-30", "2026-13", "2026-3-3", "2026-03-03T25:00:00Z", "0000"} {
		got, ok := birth.ParseStamp(text, zone)
		require.False(t, ok, text)
		require.True(t, got.IsZero(), text)
	}
}

func TestAPersonsVersionGetsALaterStampThanTheOneItReplaces(t *testing.T) {
	require.Equal(t, later, birth.Saving(later, earlier))
	require.Equal(t, later.Add(1), birth.Saving(earlier, later), "the sender's clock runs fast")
	require.Equal(t, later.Add(1), birth.Saving(later, later))
}

func TestAStampFarInTheFutureIsDropped(t *testing.T) {
	now := earlier
	require.True(t, instant(now.Add(24*time.Hour)).Usable(now), "a day ahead is kept")
	require.False(t, instant(now.Add(24*time.Hour+time.Nanosecond)).Usable(now), "more than a day ahead is not")
	require.True(t, instant(now.AddDate(-80, 0, 0)).Usable(now), "the past is kept")
	require.False(t, birth.Stamp{}.Usable(now))
	month, _ := birth.ParseStamp(now.Format("2006-01"), time.UTC)
	require.True(t, month.Usable(now), "the month that it is has begun")
}

func TestAnAmendmentIsCheckedForDuplicates(t *testing.T) {
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

func TestMergedRecordsStayMerged(t *testing.T) {
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
	require.Equal(t, want, birth.Decide(none, birth.Change{Retraction: true}, birth.Match{}))
}

func TestVersionsOnlyAdvanceAndRejectionsChangeNothing(t *testing.T) {
	for _, current := range []birth.Current{none, active, voided, merged} {
		for _, of := range []birth.Change{content, outdated, retraction, {Stamp: instant(later)}, {Retraction: true}} {
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
