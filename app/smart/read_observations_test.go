package smart

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestObservationsAreAskedForByEveryCodeInShortAddresses(t *testing.T) {
	s := startStore(t).full()
	s.add("Observation", "due", stating("11778-8", "exam", "2025-11-01")+`,"valueDateTime":"2026-05-20"`)
	_, _, err := s.read(t)
	require.NoError(t, err)
	asked := map[string]bool{}
	for _, q := range s.called("Observation") {
		require.Empty(t, q.Get("category"))
		require.Equal(t, "1", q.Get("patient"))
		require.Less(t, len(q.Encode()), 1900)
		for code := range strings.SplitSeq(q.Get("code"), ",") {
			code, is := strings.CutPrefix(code, "http://loinc.org|")
			require.True(t, is)
			asked[code] = true
		}
	}
	require.ElementsMatch(t, chartCodes, slices.Collect(maps.Keys(asked)))
	require.Len(t, s.called("Observation"), 7, "the list, twice; heights, smoking and weights")
}

func TestObservationsAreAskedForByCategoryWhereCodesAreRefused(t *testing.T) {
	for _, refusal := range []int{400, 403, 404, 500} {
		s := startStore(t).full()
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			refused := r.URL.Query().Has("code")
			if refused {
				w.WriteHeader(refusal)
			}
			return refused
		}
		chart, unread, err := s.read(t)
		require.NoError(t, err)
		require.Empty(t, unread)
		requireRead(t, chart, 1, 1, 1)
	}
}

// Some servers read a list of codes as one code, which no Observation has.
func TestObservationsAreAskedForByCategoryWhereCodesFindNothing(t *testing.T) {
	s := startStore(t).full()
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Has("code") {
			fmt.Fprint(w, searchset(""))
		}
		return r.URL.Query().Has("code")
	}
	chart, unread, err := s.read(t)
	require.NoError(t, err)
	require.Empty(t, unread)
	requireRead(t, chart, 1, 1, 1)
}

func TestOneRefusedCategoryLosesOnlyItself(t *testing.T) {
	s := startStore(t).full()
	s.add("Observation", "lab", `,"category":[{"coding":[{"code":"laboratory"}]}]`)
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		q := r.URL.Query()
		refused := q.Has("code") || q.Get("category") == "survey"
		if refused {
			w.WriteHeader(http.StatusForbidden)
		}
		return refused
	}
	chart, unread, err := s.read(t)
	require.NoError(t, err)
	require.Equal(t, []string{"Surveys and scores could not be read: the EHR refused them."}, unread)
	requireRead(t, chart, 1, 1, 2)
}

func TestAnObservationOfTwoCategoriesIsReadOnce(t *testing.T) {
	s := startStore(t)
	s.add("Observation", "both", strings.Replace(heightIn, `{"code":"vital-signs"}`, `{"code":"vital-signs"},{"code":"laboratory"}`, 1))
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Has("code") {
			w.WriteHeader(http.StatusBadRequest)
		}
		return r.URL.Query().Has("code")
	}
	chart, _, err := s.read(t)
	require.NoError(t, err)
	requireRead(t, chart, 0, 0, 1)
}

func TestAScopeThatTheEHRDidNotGrantIsReportedAndNotUsed(t *testing.T) {
	s := startStore(t).full()
	chart, unread, err := s.read(t, "launch", "patient/Patient.r", "patient/Observation.rs", "patient/Encounter.r")
	require.NoError(t, err)
	require.Equal(t, []string{
		"Diagnoses were not read: the EHR did not allow it.",
		"Visits were not read: the EHR did not allow it.",
	}, unread)
	requireRead(t, chart, 0, 0, 1)
	require.Empty(t, s.called("Condition"))
	require.Empty(t, s.called("Encounter"))
}

func TestScopesOfBothSMARTVersionsAreUnderstood(t *testing.T) {
	for scope, want := range map[string]bool{
		"patient/Condition.rs": true, "patient/Condition.read": true, "patient/*.read": true, "patient/*.cruds": true,
		"user/Condition.*": true, "patient/Condition.rs?category=x|problem-list-item": true, "system/Condition.s": true,
		"patient/Condition.r": false, "patient/Condition.write": false, "patient/Observation.rs": false,
		"launch": false, "patient/Condition": false, "other/Condition.rs": false, "Condition.rs": false,
		"patient/Condition.search": false, "": false,
	} {
		require.Equal(t, want, grants([]string{scope}, "Condition"), scope)
	}
	require.True(t, grants(nil, "Condition"))
}

func TestScopesForSomeCategoriesOnlyLeaveTheChartPartial(t *testing.T) {
	const of = "?category=http://terminology.hl7.org/CodeSystem/"
	for scopes, partial := range map[string]string{
		"patient/*.rs": "",
		"patient/Observation.rs patient/Condition.rs patient/Encounter.rs":                                                                                                                    "",
		"patient/Observation.rs patient/Encounter.rs patient/Condition.rs" + of + "condition-category|health-concern":                                                                         "Condition",
		"patient/*.rs patient/Condition.rs" + of + "condition-category|problem-list-item":                                                                                                     "",
		"patient/Observation.rs patient/Encounter.rs patient/Condition.rs" + of + "condition-category|problem-list-item patient/Condition.rs" + of + "condition-category|encounter-diagnosis": "",
		"patient/Observation.rs patient/Condition.rs patient/Encounter.rs?class=IMP":                                                                                                          "Encounter",
		"patient/Encounter.rs patient/Condition.rs patient/Observation.rs?category=vital-signs":                                                                                               "Observation",
		"patient/Encounter.rs patient/Condition.rs patient/Observation.rs?category=vital-signs patient/Observation.rs?category=survey " +
			"patient/Observation.rs" + of + "observation-category|laboratory patient/Observation.rs?category=social-history": "",
	} {
		s := startStore(t).full()
		c, err := s.chartOf(t, context.Background(), "1", strings.Fields(scopes)...)
		require.NoError(t, err)
		if partial == "" {
			require.Empty(t, c.chart.Partial, scopes)
			require.Empty(t, c.unread, scopes)
			continue
		}
		require.Equal(t, []string{partial}, c.chart.Partial, scopes)
		require.Len(t, c.unread, 1, scopes)
		require.Contains(t, c.unread[0], "were read only in part: the EHR allowed only some of them.")
	}
}

func TestABusyEHRIsNotAskedForEveryCategory(t *testing.T) {
	s := startStore(t).full()
	s.on("Observation", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	chart, unread, err := s.read(t)
	require.NoError(t, err)
	require.Equal(t, []string{"Measurements could not be read: the EHR was too busy."}, unread)
	requireRead(t, chart, 1, 1, 0)
	for _, q := range s.called("Observation") {
		require.False(t, q.Has("category"))
	}
}
