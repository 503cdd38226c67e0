package ingest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

func TestADeletionVoidsTheRecordItNamesAndNoOther(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.Batch(fixture.Course("17", 3000), fixture.Course("2026/17", 3100), fixture.Course("urn:uuid:0a1b", 3200), fixture.Course("0a1b", 3300), fixture.Course("0c2d", 3400)))
	b.Reports(b.Push(fixture.Batch(fixture.Deletion("2026/17"))), 1, 0)
	require.Equal(t, birth.Active, b.States()["17"], "2026/17 is not 17")
	require.Equal(t, birth.Voided, b.States()["2026/17"])
	b.Reports(b.Push(fixture.Batch(fixture.Deletion("2025/17"))), 0, 1)
	require.Equal(t, birth.Active, b.States()["17"], "nor is 2025/17, which is nobody's")
	b.Reports(b.Push(fixture.Batch(fixture.Deletion("urn:uuid:0a1b"), fixture.Deletion("urn:uuid:0c2d"))), 2, 0)
	require.Equal(t, map[string]birth.State{
		"17": birth.Active, "2026/17": birth.Voided, "urn:uuid:0a1b": birth.Voided, "0a1b": birth.Active, "0c2d": birth.Voided,
	}, b.States(), "a urn as it is written counts before what is left of it")
}

func TestDeletionsOfALargeBatchComeFirstAndOnceWhateverCrashes(t *testing.T) {
	t.Parallel()
	b := fixture.New(t)
	const n, gone = 3000, 400
	var before []string
	for i := range gone {
		before = append(before, fixture.Course(fmt.Sprintf("old%d", i), 3000))
	}
	b.Push(fixture.Batch(before...))
	doc := strings.TrimSuffix(fixture.Large(n), "]}")
	for i := range gone {
		doc += "," + fixture.Deletion(fmt.Sprintf("Bundle/old%d", i))
	}
	id := b.Accept(doc + "," + fixture.Deletion("Bundle/c5") + "]}")
	for range 3 {
		ctx, die := context.WithCancel(context.Background())
		seen := 0
		b.Changes.OnItem = func(mapping.Item) {
			if seen++; seen == 600 {
				die()
			}
		}
		l := b.Queue()
		group, err := b.Ingest.NextGroup(b.Caller.Practice)
		require.NoError(t, err)
		require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.Start(b.Caller.Practice, group[0].ID) }))
		require.Error(t, b.Ingest.ProcessLarge(ctx, l.PracticeQueue, group[0]))
		b.Restart()
	}
	b.Drain()
	out := b.Outcome(id)
	b.Reports(out, gone+n, 1)
	for i, a := range out.Accepted {
		switch {
		case i < gone:
			require.Equal(t, ingest.Accepted{Reference: fmt.Sprintf("Bundle.entry[%d]", n+i), Submission: a.Submission, Retracted: true, Version: 2}, a)
		default:
			require.Equal(t, ingest.Accepted{Reference: fmt.Sprintf("Bundle.entry[%d]", i-gone), Submission: a.Submission}, a)
		}
	}
	require.Equal(t, fmt.Sprintf("Bundle.entry[%d]", n+gone), out.Rejected[0].Reference, "c5 was not on file when it was to go")
	require.Equal(t, birth.Active, b.States()["c5"])
	b.Clean()
}

func TestAStampInTheFutureGivesWayToTheOther(t *testing.T) {
	b := fixture.New(t)
	stamped := func(lastUpdated, timestamp string) string {
		return strings.Replace(fixture.Course("a", 3000), `"type"`, `"meta":{"lastUpdated":"`+lastUpdated+`"},"timestamp":"`+timestamp+`","type"`, 1)
	}
	future := time.Now().AddDate(1, 0, 0).UTC().Format(time.RFC3339)
	b.Reports(b.Push(stamped(future, "2026-03-03T10:00:00Z")), 1, 0)
	require.Equal(t, time.Date(2026, 3, 3, 10, 0, 0, 0, time.UTC), b.Records()[0].Stamp.UTC())
	out := b.Push(stamped(future, "2026-03-02"))
	b.Reports(out, 0, 1)
	require.Equal(t, []string{"Bundle.timestamp"}, out.Rejected[0].Outcome.Issue[0].Expression)
	b.Reports(b.Push(stamped(future, future)), 1, 0)
}

func TestARejectionPointsAtItsPlaceInWhatWasSubmitted(t *testing.T) {
	b := fixture.New(t)
	b.Push(fixture.Batch(fixture.Birth("a", "Okonkwo", fixture.Evening), fixture.Birth("b", "Hale", fixture.Night)))
	stamped := strings.Replace(fixture.Birth("c", "Osei", fixture.Night), `"type"`, `"timestamp":"2026-03-0DAYT10:00:00Z","type"`, 1)
	b.Push(strings.Replace(stamped, "DAY", "3", 1))
	out := b.Push(fixture.Batch(
		fixture.Deletion("Bundle/nobody"), `{"request":{"method":"DELETE"},"fullUrl":"urn:uuid:nobody"}`, fixture.Deletion(""),
		fixture.Birth("b", "Okonkwo", fixture.Evening), fixture.Retraction("nobody"), strings.Replace(stamped, "DAY", "2", 1),
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
