package intake

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

// push accepts a body and returns what became of it.
func (b *bed) push(body string) Outcome {
	b.Helper()
	id := b.accept(body)
	b.drain()
	return b.outcome(id)
}

func (b *bed) states() map[string]birth.State {
	b.Helper()
	states := map[string]birth.State{}
	for _, r := range b.records() {
		states[r.Chart] = r.State
	}
	return states
}

func TestADeletionVoidsTheRecordItNamesAndNoOther(t *testing.T) {
	b := newBed(t)
	b.push(batch(course("17", 3000), course("2026/17", 3100), course("urn:uuid:0a1b", 3200), course("0a1b", 3300), course("0c2d", 3400)))
	b.reports(b.push(batch(deletion("2026/17"))), 1, 0)
	require.Equal(t, birth.Active, b.states()["17"], "2026/17 is not 17")
	require.Equal(t, birth.Voided, b.states()["2026/17"])
	b.reports(b.push(batch(deletion("2025/17"))), 0, 1)
	require.Equal(t, birth.Active, b.states()["17"], "nor is 2025/17, which is nobody's")
	b.reports(b.push(batch(deletion("urn:uuid:0a1b"), deletion("urn:uuid:0c2d"))), 2, 0)
	require.Equal(t, map[string]birth.State{
		"17": birth.Active, "2026/17": birth.Voided, "urn:uuid:0a1b": birth.Voided, "0a1b": birth.Active, "0c2d": birth.Voided,
	}, b.states(), "a urn as it is written counts before what is left of it")
}

func TestDeletionsOfALargeBatchComeFirstAndOnceWhateverCrashes(t *testing.T) {
	b := newBed(t)
	const n, gone = 3000, 400
	var before []string
	for i := range gone {
		before = append(before, course(fmt.Sprintf("old%d", i), 3000))
	}
	b.push(batch(before...))
	doc := strings.TrimSuffix(large(n), "]}")
	for i := range gone {
		doc += "," + deletion(fmt.Sprintf("Bundle/old%d", i))
	}
	id := b.accept(doc + "," + deletion("Bundle/c5") + "]}")
	for range 3 {
		ctx, die := context.WithCancel(context.Background())
		seen := 0
		b.onItem = func(mapping.Item) {
			if seen++; seen == 600 {
				die()
			}
		}
		l := b.queue()
		group, err := b.nextGroup(b.caller.Practice)
		require.NoError(t, err)
		require.NoError(t, b.db.Update(func(tx *store.Tx) error { return tx.Start(b.caller.Practice, group[0].ID) }))
		require.Error(t, b.processLarge(ctx, l, group[0]))
		b.restart()
	}
	b.drain()
	out := b.outcome(id)
	b.reports(out, gone+n, 1)
	for i, a := range out.Accepted {
		switch {
		case i < gone:
			require.Equal(t, Accepted{Reference: fmt.Sprintf("Bundle.entry[%d]", n+i), Submission: a.Submission, Retracted: true, Version: 2}, a)
		default:
			require.Equal(t, Accepted{Reference: fmt.Sprintf("Bundle.entry[%d]", i-gone), Submission: a.Submission}, a)
		}
	}
	require.Equal(t, fmt.Sprintf("Bundle.entry[%d]", n+gone), out.Rejected[0].Reference, "c5 was not on file when it was to go")
	require.Equal(t, birth.Active, b.states()["c5"])
	b.clean()
}

func TestAStampThatLiesAheadGivesWayToTheOther(t *testing.T) {
	b := newBed(t)
	stamped := func(lastUpdated, timestamp string) string {
		return strings.Replace(course("a", 3000), `"type"`, `"meta":{"lastUpdated":"`+lastUpdated+`"},"timestamp":"`+timestamp+`","type"`, 1)
	}
	future := time.Now().AddDate(1, 0, 0).UTC().Format(time.RFC3339)
	b.reports(b.push(stamped(future, "2026-03-03T10:00:00Z")), 1, 0)
	require.Equal(t, time.Date(2026, 3, 3, 10, 0, 0, 0, time.UTC), b.records()[0].Stamp.UTC())
	out := b.push(stamped(future, "2026-03-02"))
	b.reports(out, 0, 1)
	require.Equal(t, []string{"Bundle.timestamp"}, out.Rejected[0].Outcome.Issue[0].Expression)
	b.reports(b.push(stamped(future, future)), 1, 0)
}

func TestARejectionPointsAtItsPlaceInWhatWasSubmitted(t *testing.T) {
	b := newBed(t)
	b.push(batch(told("a", "Okonkwo", evening), told("b", "Hale", night)))
	stamped := strings.Replace(told("c", "Osei", night), `"type"`, `"timestamp":"2026-03-0DAYT10:00:00Z","type"`, 1)
	b.push(strings.Replace(stamped, "DAY", "3", 1))
	out := b.push(batch(
		deletion("Bundle/nobody"), `{"request":{"method":"DELETE"},"fullUrl":"urn:uuid:nobody"}`, deletion(""),
		told("b", "Okonkwo", evening), retract("nobody"), strings.Replace(stamped, "DAY", "2", 1),
	))
	var got []string
	for _, r := range out.Rejected {
		got = append(got, r.Outcome.Issue[0].Details.Coding[0].Code+" "+r.Outcome.Issue[0].Expression[0])
	}
	require.Equal(t, []string{
		"unknown-chart Bundle.entry[0].request.url",
		"unknown-chart Bundle.entry[1].fullUrl",
		"no-chart-number Bundle.entry[2].request.url",
		"would-duplicate Bundle.entry[3].resource.identifier.value",
		"unknown-chart Bundle.entry[4].resource.identifier.value",
		"stale Bundle.entry[5].resource.timestamp",
	}, got)
}
