package cost_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/fhir"
)

// A course with 48,000 Practitioners once blocked every other writer while its rows were
// written (decision 51). The package app sends one to a process.
func TestACourseWithTooManyPractitionersCostsTheWriterTheSameHoweverManyThereAre(t *testing.T) {
	cost := func(n int) work {
		s := newInstallation(t)
		s.pushed(apptest.Course{Chart: "before"}.Bundle()) // does what is done only once
		bundle := apptest.Course{Chart: "A", Extra: each(n, practitioner)}.Bundle()
		w := measure(func() {
			out := s.push(bundle)
			require.Len(t, out.Rejected, 1)
			require.Equal(t, fhir.TooManyElements.Text, out.Rejected[0].Outcome.Issue[0].Diagnostics)
		})
		t.Logf("%6d: %s; %d steps in its longest transaction", n, w, w.held)
		require.NoError(t, s.Close())
		return w
	}
	few, all := cost(201), cost(48_000)
	require.LessOrEqual(t, all.held, 2*few.held)
	require.LessOrEqual(t, all.statements, 3*few.statements, "it is read part by part, a MiB each")
	require.LessOrEqual(t, all.allocated, few.allocated*48_000/201)
}
