package intake

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// A course writes what it names: providers, children, transfers. A chunk is as many
// courses as write a full chunk together (decision 51).

// much is a course with so many of each.
func much(chart string, providers, children, transfers int) string {
	var more strings.Builder
	for i := range providers {
		fmt.Fprintf(&more, `,{"resource":{"resourceType":"Practitioner","id":"%s-p%d"}}`, chart, i)
	}
	for i := range children - 1 {
		fmt.Fprintf(&more, `,{"resource":{"resourceType":"Patient","id":"c%d","meta":{"profile":["x/Patient-child-vr"]},"birthDate":"2026-03-%02d"}}`, i, i%27+1)
	}
	for range transfers {
		more.WriteString(`,{"resource":{"resourceType":"Encounter","status":"finished","type":[{"text":"Intrapartum transfer"}]}}`)
	}
	return strings.TrimSuffix(told(chart, "Okonkwo "+chart, evening), "]}") + more.String() + "]}"
}

func TestACourseOverABoundIsRejectedWithTheBoundNamed(t *testing.T) {
	b := newBed(t)
	out := b.outcome(func() string {
		id := b.accept(batch(
			much("1", birth.MaxProviders, birth.MaxChildren, birth.MaxTransfers),
			much("2", birth.MaxProviders+1, 1, 0),
			much("3", 0, birth.MaxChildren+1, 0),
			much("4", 0, 1, birth.MaxTransfers+1),
			told(strings.Repeat("5", birth.MaxIdentifier), "Hale", evening),
			told(strings.Repeat("6", birth.MaxIdentifier+1), "Quinn", evening),
			attended("7", strings.Repeat("7", birth.MaxIdentifier+1), "", "Lindqvist", "CPM"),
			attended("8", "staff", strings.Repeat("8", birth.MaxIdentifier+1), "Lindqvist", "CPM"),
		))
		b.drain()
		return id
	}())
	b.reports(out, 2, 6)
	for _, r := range out.Rejected {
		require.Equal(t, fhir.TooManyElements.Text, r.Outcome.Issue[0].Diagnostics)
	}
	for _, bound := range []int{birth.MaxProviders, birth.MaxChildren, birth.MaxTransfers, birth.MaxIdentifier} {
		require.Contains(t, fhir.TooManyElements.Text, fmt.Sprint(" ", bound, " "), "the bound is named")
	}
	b.clean()
}

func TestAChunkIsAsManyCoursesAsWriteAFullOneTogether(t *testing.T) {
	heavy, light := []string{}, []string{}
	for i := range 60 {
		heavy = append(heavy, much(fmt.Sprint("heavy ", i), birth.MaxProviders, 1, 0))
		light = append(light, told(fmt.Sprint("light ", i), fmt.Sprint("Mother ", i), evening))
	}
	for name, courses := range map[string][]string{"heavy": heavy, "light": light} {
		b := newBed(t)
		b.accept(batch(courses...))
		group, err := b.nextGroup(b.caller.Practice)
		require.NoError(t, err)
		require.False(t, isLarge(group[0]), "%s: by its length it is a small one", name)
		chunks, read := make(chan chunk), make(chan error, 1)
		go func() { read <- b.readChunks(t.Context(), b.caller.Practice, group[0], chunks) }()
		n := 0
		for c := range chunks {
			n++
			last := c.subs[len(c.subs)-1]
			require.Less(t, rowsWritten(c.subs)-last.rows(), store.FullChunk, name)
		}
		require.NoError(t, <-read)
		require.Equal(t, map[string]int{"heavy": 12, "light": 1}[name], n, name)
	}
}

func TestASmallBundleThatWritesMuchIsWorkedChunkByChunk(t *testing.T) {
	b := newBed(t)
	var courses []string
	for i := range 20 {
		courses = append(courses, much(fmt.Sprint(i), birth.MaxProviders, 1, 0))
	}
	before, id, behind := b.accept(told("before", "Hale", evening)), b.accept(batch(courses...)), b.accept(told("behind", "Quinn", evening))
	l := b.queue()
	runJob := func() {
		_, err := b.RunJob(t.Context(), l)
		require.NoError(t, err)
	}
	runJob()
	require.Equal(t, store.Completed, b.receipt(before).Status)
	require.Equal(t, store.Processing, b.receipt(id).Status, "it had no room beside the first")
	group, err := b.nextGroup(b.caller.Practice)
	require.NoError(t, err)
	require.Zero(t, group[0].Attempts, "and waiting for the next job is no attempt")
	runJob()
	b.reports(b.outcome(id), 20, 0)
	require.NotEqual(t, store.Completed, b.receipt(behind).Status)
	runJob()
	b.reports(b.outcome(behind), 1, 0)
	require.Len(t, b.records(), 22)
	b.clean()
}
