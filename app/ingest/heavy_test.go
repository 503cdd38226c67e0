package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fhir"
	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/store"
)

// A course writes a row for every provider, child and transfer that it names. A chunk takes
// courses until they write enough rows together (decision 51).

func TestACourseOverALimitIsRejectedAndTheLimitNamed(t *testing.T) {
	b := fixture.New(t)
	out := b.Outcome(func() string {
		id := b.Accept(fixture.Batch(
			fixture.Many("1", birth.MaxProviders, birth.MaxChildren, birth.MaxTransfers),
			fixture.Many("2", birth.MaxProviders+1, 1, 0),
			fixture.Many("3", 0, birth.MaxChildren+1, 0),
			fixture.Many("4", 0, 1, birth.MaxTransfers+1),
			fixture.Birth(strings.Repeat("5", birth.MaxIdentifier), "Hale", fixture.Evening),
			fixture.Birth(strings.Repeat("6", birth.MaxIdentifier+1), "Quinn", fixture.Evening),
			fixture.BirthBy("7", "", "", strings.Repeat("7", birth.MaxIdentifier+1), "", "Lindqvist", "CPM"),
			fixture.BirthBy("8", "", "", "staff", strings.Repeat("8", birth.MaxIdentifier+1), "Lindqvist", "CPM"),
		))
		b.Drain()
		return id
	}())
	b.Reports(out, 2, 6)
	for _, r := range out.Rejected {
		problem := fhir.TooManyElements
		if r.Reference == "Bundle.entry[5]" {
			problem = fhir.BadChartNumber
			require.Contains(t, problem.Text, fmt.Sprint(" ", birth.MaxIdentifier, " "), "the bound is named")
		}
		require.Equal(t, problem.Text, r.Outcome.Issue[0].Diagnostics, r.Reference)
	}
	for _, bound := range []int{birth.MaxProviders, birth.MaxChildren, birth.MaxTransfers, birth.MaxIdentifier} {
		require.Contains(t, fhir.TooManyElements.Text, fmt.Sprint(" ", bound, " "), "the bound is named")
	}
	b.Clean()
}

func TestAChunkHoldsAsManyCoursesAsFillItsWrites(t *testing.T) {
	heavy, light := []string{}, []string{}
	for i := range 60 {
		heavy = append(heavy, fixture.Many(fmt.Sprint("heavy ", i), birth.MaxProviders, 1, 0))
		light = append(light, fixture.Birth(fmt.Sprint("light ", i), fmt.Sprint("Mother ", i), fixture.Evening))
	}
	for name, courses := range map[string][]string{"heavy": heavy, "light": light} {
		b := fixture.New(t)
		b.Accept(fixture.Batch(courses...))
		group, err := b.Ingest.NextGroup(b.Caller.Practice)
		require.NoError(t, err)
		require.False(t, ingest.IsLarge(group[0]), "%s: by its length it is a small one", name)
		chunks, read := make(chan ingest.Chunk), make(chan error, 1)
		go func() { read <- b.Ingest.ReadChunks(t.Context(), b.Caller.Practice, group[0], chunks) }()
		n := 0
		for c := range chunks {
			n++
			all := c.Changes()
			require.Less(t, changes.Rows(all[:len(all)-1]), store.FullChunk, name)
		}
		require.NoError(t, <-read)
		require.Equal(t, map[string]int{"heavy": 12, "light": 1}[name], n, name)
	}
}

func TestASmallBundleWithManyWritesIsProcessedChunkByChunk(t *testing.T) {
	b := fixture.New(t)
	var courses []string
	for i := range 20 {
		courses = append(courses, fixture.Many(fmt.Sprint(i), birth.MaxProviders, 1, 0))
	}
	before, id, behind := b.Accept(fixture.Birth("before", "Hale", fixture.Evening)), b.Accept(fixture.Batch(courses...)), b.Accept(fixture.Birth("behind", "Quinn", fixture.Evening))
	l := b.Queue()
	runJob := func() {
		_, err := b.Ingest.RunJob(t.Context(), l)
		require.NoError(t, err)
	}
	runJob()
	require.Equal(t, store.Completed, b.Receipt(before).Status)
	require.Equal(t, store.Processing, b.Receipt(id).Status, "it did not fit in the job of the first")
	group, err := b.Ingest.NextGroup(b.Caller.Practice)
	require.NoError(t, err)
	require.Zero(t, group[0].Attempts, "and waiting for the next job is no attempt")
	runJob()
	b.Reports(b.Outcome(id), 20, 0)
	require.NotEqual(t, store.Completed, b.Receipt(behind).Status)
	runJob()
	b.Reports(b.Outcome(behind), 1, 0)
	require.Len(t, b.Records(), 22)
	b.Clean()
}
