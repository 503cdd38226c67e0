package smart

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pregnant returns a store with a chart in which every part matters: two due dates and a birth a
// year ago, each with another code and of another category.
func pregnant(t *testing.T) *chartStore {
	s := startStore(t)
	s.add("Condition", "c1", "")
	s.add("Encounter", "e1", "")
	s.add("Observation", "due", stating("11778-8", "exam", "2025-11-01")+`,"valueDateTime":"2026-05-20"`)
	s.add("Observation", "gravida", stating("11996-6", "social-history", "2025-11-01")+`,"valueInteger":2`)
	s.add("Observation", "born", stating("93857-1", "procedure", "2025-05-01")+`,"valueDateTime":"2025-05-01"`)
	s.add("Observation", "height", stating("8302-2", "vital-signs", "2025-11-01")+`,"valueQuantity":{"value":170,"code":"cm"}`)
	s.add("Observation", "weight", stating("29463-7", "vital-signs", "2026-04-25")+`,"valueQuantity":{"value":80,"code":"kg"}`)
	s.add("Observation", "glucose", stating("2345-7", "laboratory", "2026-04-25")+`,"valueQuantity":{"value":80,"code":"mg/dL"}`)
	return s
}

func (s *chartStore) ids(t *testing.T) (ids []string, c charted) {
	t.Helper()
	c, err := s.chartOf(t, context.Background(), "1")
	require.NoError(t, err)
	for _, o := range c.chart.Observations {
		ids = append(ids, o.ID)
	}
	slices.Sort(ids)
	return ids, c
}

func TestAServerThatSearchesPartOfAListIsDetectedAndAskedCodeByCode(t *testing.T) {
	for name, part := range map[string]func([]string) []string{
		"the first":     func(codes []string) []string { return codes[:1] },
		"the last":      func(codes []string) []string { return codes[len(codes)-1:] },
		"the last ten":  func(codes []string) []string { return codes[max(0, len(codes)-10):] },
		"the first ten": func(codes []string) []string { return codes[:min(10, len(codes))] },
		"none of many": func(codes []string) []string {
			if len(codes) > 1 {
				return nil
			}
			return codes
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := pregnant(t)
			s.codes = part
			ids, c := s.ids(t)
			require.Equal(t, []Conduct{PartOfLists}, c.conduct)
			require.Equal(t, []string{"born", "due", "gravida", "height", "weight"}, ids)
			require.Empty(t, c.chart.Partial)
			require.Empty(t, c.unread)
		})
	}
}

// Two searches, each with half of the list, find everything together.
func TestAServerThatSearchesMostOfAListIsAskedInTwoParts(t *testing.T) {
	for _, part := range []func([]string) []string{
		func(codes []string) []string { return codes[:min(30, len(codes))] },
		func(codes []string) []string { return codes[max(0, len(codes)-30):] },
	} {
		s := pregnant(t)
		s.codes = part
		ids, c := s.ids(t)
		require.Equal(t, []string{"born", "due", "gravida", "height", "weight"}, ids)
		require.Empty(t, c.chart.Partial)
	}
}

func TestAServerThatIgnoresCodesIsDetectedAndAskedByCategory(t *testing.T) {
	s := pregnant(t)
	s.ignoresCodes = true
	ids, c := s.ids(t)
	require.Equal(t, []Conduct{IgnoresCodes}, c.conduct)
	require.Equal(t, []string{"born", "due", "glucose", "gravida", "height", "weight"}, ids)
	require.Empty(t, c.chart.Partial)

	s = pregnant(t) // unrelated ones, whatever the search asks for
	s.codes = func([]string) []string { return []string{"2345-7"} }
	ids, c = s.ids(t)
	require.Equal(t, []Conduct{IgnoresCodes}, c.conduct)
	require.Equal(t, []string{"born", "due", "glucose", "gravida", "height", "weight"}, ids)

	s = pregnant(t) // nothing, whatever the search asks for
	s.codes = func([]string) []string { return nil }
	ids, c = s.ids(t)
	require.Equal(t, []Conduct{IgnoresCodes}, c.conduct)
	require.Equal(t, []string{"born", "due", "glucose", "gravida", "height", "weight"}, ids)
}

func TestAServerThatIgnoresCodesAndCategoriesIsReadAsAWhole(t *testing.T) {
	s := pregnant(t)
	s.ignoresCodes, s.ignoresCategory = true, true
	ids, c := s.ids(t)
	require.Equal(t, []Conduct{IgnoresCodes, IgnoresCategories}, c.conduct)
	require.Equal(t, []string{"born", "due", "glucose", "gravida", "height", "weight"}, ids)
	require.Empty(t, c.chart.Partial)
}

func TestObservationsWithoutACategoryLeaveTheChartPartial(t *testing.T) {
	s := pregnant(t)
	s.resources["Observation"][0] = strings.Replace(s.resources["Observation"][0], `"exam"`, `"local"`, 1)
	s.ignoresCodes = true
	ids, c := s.ids(t)
	require.Contains(t, ids, "due", "what came by code is not lost")
	require.Equal(t, []string{"Observation"}, c.chart.Partial)
	require.Equal(t, []string{"Measurements could be read only in part: the EHR does not find all of them by category."}, c.unread)
}

func TestAnyMissingPartMakesItsTypePartial(t *testing.T) {
	broken := `,"onsetDateTime":5`
	for name, c := range map[string]struct {
		change  func(s *chartStore)
		partial []string
	}{
		"nothing":                  {func(*chartStore) {}, nil},
		"Conditions are refused":   {func(s *chartStore) { s.on("Condition", status(403)) }, []string{"Condition"}},
		"Encounters fail":          {func(s *chartStore) { s.on("Encounter", status(500)) }, []string{"Encounter"}},
		"Observations are refused": {func(s *chartStore) { s.on("Observation", status(403)) }, []string{"Observation"}},
		"a Condition is broken":    {func(s *chartStore) { s.add("Condition", "c2", broken) }, []string{"Condition"}},
		"a strange Observation broken": {func(s *chartStore) {
			s.add("Observation", "o2", stating("11996-6", "exam", "2026-01-01")+`,"valueInteger":{}`)
		}, []string{"Observation"}},
		"one that nobody reads, broken": {func(s *chartStore) {
			s.add("Observation", "o2", stating("2345-7", "laboratory", "2026-01-01")+`,"valueDateTime":5`)
		}, nil},
		"the weights are refused": {func(s *chartStore) {
			s.before = func(w http.ResponseWriter, r *http.Request) bool {
				refused := strings.Contains(r.URL.Query().Get("code"), "29463-7")
				if refused {
					w.WriteHeader(http.StatusForbidden)
				}
				return refused
			}
		}, []string{"Observation"}},
		"the second page fails": {func(s *chartStore) {
			s.pageSize = 1
			s.add("Condition", "c2", "")
			s.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Query().Has("_getpages") {
					w.WriteHeader(http.StatusInternalServerError)
				}
				return r.URL.Query().Has("_getpages")
			}
		}, []string{"Condition", "Observation"}},
	} {
		s := pregnant(t)
		c.change(s)
		_, read := s.ids(t)
		require.Equal(t, c.partial, read.chart.Partial, name)
		require.Equal(t, len(c.partial) == 0, len(read.unread) == 0, name)
	}
	s := pregnant(t)
	read, err := s.chartOf(t, context.Background(), "1", "patient/Patient.r", "patient/Observation.rs")
	require.NoError(t, err)
	require.Equal(t, []string{"Condition", "Encounter"}, read.chart.Partial, "not granted")
}

// many adds n heights and n weights of the last n days to the store.
func (s *chartStore) many(t *testing.T, n int) *chartStore {
	t.Helper()
	day := "2026-05-02"
	for i := range n {
		s.add("Observation", fmt.Sprint("h", i), stating("8302-2", "vital-signs", day)+`,"valueQuantity":{"value":170,"code":"cm"}`)
		s.add("Observation", fmt.Sprint("w", i), stating("29463-7", "vital-signs", day)+`,"valueQuantity":{"value":80,"code":"kg"}`)
		day = before(day)
	}
	return s
}

func before(day string) string {
	at, _ := time.Parse(time.DateOnly, day)
	return at.AddDate(0, 0, -1).Format(time.DateOnly)
}

func TestAThousandMeasurementsTakeFewRequestsIfTheNewestCanBeRequested(t *testing.T) {
	s := pregnant(t).many(t, 500)
	s.pageSize, s.sorts = 20, true
	ids, c := s.ids(t)
	require.Empty(t, c.chart.Partial)
	require.Empty(t, c.unread)
	require.Contains(t, ids, "h0", "the newest")
	require.Contains(t, ids, "w0")
	require.LessOrEqual(t, len(s.calls), 20, "%d requests", len(s.calls))
	t.Logf("%d requests for %d Observations", len(s.calls), len(s.resources["Observation"]))
}

// If a server ignores the order or the dates, all its pages are read: the value that seems to
// be the newest may not be.
func TestASortOrderThatTheServerIgnoresIsNotReliedOn(t *testing.T) {
	s := pregnant(t).many(t, 60)
	slices.Reverse(s.resources["Observation"]) // the oldest first
	s.pageSize = 20
	ids, c := s.ids(t)
	require.Empty(t, c.chart.Partial)
	require.Contains(t, ids, "h0")
	require.Contains(t, ids, "h59")

	s = pregnant(t).many(t, 60)
	s.pageSize = 20
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		refused := r.URL.Query().Has("_sort") || r.URL.Query().Has("date")
		if refused {
			w.WriteHeader(http.StatusBadRequest)
		}
		return refused
	}
	ids, c = s.ids(t)
	require.Empty(t, c.chart.Partial, "asked again without")
	require.Contains(t, ids, "h0")
	require.Contains(t, ids, "w0")
}
