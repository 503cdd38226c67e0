package cost_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/fhir"
	"birthregistry/store"
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

// A merge of 100,000 providers of one name once blocked every other writer for 17 s.
func TestAMergeOfAGroupHoldsTheWriterNoLongerHoweverManyProvidersItHas(t *testing.T) {
	held := func(courses int) int64 {
		s := newInstallation(t)
		for n := range courses {
			named := each(190, func(i int) string {
				return fmt.Sprintf(`{"resourceType":"Practitioner","id":"message-%d-%d","name":[{"text":"Ida Lindqvist"}]}`, n, i)
			})
			s.pushed(apptest.Course{Chart: fmt.Sprint(n), Mother: fmt.Sprint("Mother ", n), Extra: named}.Bundle())
		}
		w := measure(func() { require.NoError(t, s.Review.MergeGroup(s.admin, 1)) })
		t.Logf("%5d providers: %s; %d steps in its longest transaction", 190*courses, w, w.held)
		require.Len(t, s.identities(1), 190*courses)
		require.NoError(t, s.Close())
		return w.held
	}
	some := held(6)
	require.LessOrEqual(t, held(12), some+some/10)
}

// identities returns a provider with all providers that were merged into it.
func (s *installation) identities(provider int64) []store.Identity {
	s.Helper()
	all, err := store.Read(s.Context(), s.DB, func(v *store.View) ([]store.Identity, error) { return v.Identities(s.practice, provider) })
	require.NoError(s, err)
	return all
}
