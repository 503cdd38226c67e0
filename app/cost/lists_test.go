package cost_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// The births of one year were all changed after those of the other. Still, a list of one
// year's births must not pass the other year's, whichever end it starts from.
func TestAPageOfAYearTakesTheSameWorkWhereverItsBirthsAreInTheOrder(t *testing.T) {
	few, many := twoYears(t, 6000), twoYears(t, 12_000)
	for _, order := range []store.Order{store.ByCreation, store.ByBirth, store.ByChange} {
		for _, ascending := range []bool{false, true} {
			for _, born := range []string{"2025", "2026"} {
				f := store.Filter{Born: born, Order: order, Ascending: ascending}
				least := few.list(f)
				require.Less(t, many.list(f).steps, least.steps+least.steps/20, "%+v", f)
			}
		}
	}
}

// twoYears returns an installation with this many births in each of two years.
func twoYears(t *testing.T, births int) *installation {
	t.Helper()
	s := newInstallation(t)
	for i, year := range []string{"2025", "2026"} {
		s.write(func(tx *store.Tx) error {
			records := make([]store.Record, births)
			for n := range records {
				records[n] = store.Record{
					ID: int64(i*births + n + 1), UUID: fmt.Sprint(year, "-", n), State: birth.Active, Version: 1, Content: 1, Source: birth.CSV,
					Facts: birth.Facts{BirthMonth: fmt.Sprintf("%s-%02d", year, 1+n%12)},
				}
			}
			return tx.AddRecords(s.practice, records)
		})
	}
	return s
}

// list returns the cost of a list's first page.
func (s *installation) list(f store.Filter) work {
	s.Helper()
	return measure(func() {
		require.NoError(s, s.DB.View(s.Context(), func(v *store.View) error {
			found, err := v.List(s.practice, f, store.From{}, 51)
			require.Len(s, found, 51)
			return err
		}))
	})
}

// All records lack something, none of them the attendant: a list of those that lack it finds
// nothing, in whatever order it walks.
func TestAListThatFindsNothingStopsAndTakesTheSameWorkInAnyPractice(t *testing.T) {
	few, many := allLackSomething(t, 25_000), allLackSomething(t, 50_000)
	for _, order := range []store.Order{store.ByCreation, store.ByBirth, store.ByChange} {
		f := store.Filter{Missing: "attendant_type", Order: order}
		least := few.finds(f)
		require.Less(t, many.finds(f).steps, least.steps+least.steps/20, "%+v", f)
	}
}

// allLackSomething returns an installation with this many births that lack a key fact.
func allLackSomething(t *testing.T, births int) *installation {
	t.Helper()
	s := newInstallation(t)
	for first := 0; first < births; first += 5000 {
		s.write(func(tx *store.Tx) error {
			records := make([]store.Record, 5000)
			for n := range records {
				id := int64(first + n + 1)
				records[n] = store.Record{
					ID: id, UUID: fmt.Sprint(id), State: birth.Active, Version: 1, Content: 1, Source: birth.CSV,
					Facts: birth.Facts{BirthMonth: fmt.Sprintf("2026-%02d", 1+n%12), Attendant: "midwife", Missing: 1},
				}
			}
			return tx.AddRecords(s.practice, records)
		})
	}
	return s
}

// finds returns the cost of a page of a list that stops before it finds anything, and of its
// total.
func (s *installation) finds(f store.Filter) work {
	s.Helper()
	return measure(func() {
		require.NoError(s, s.DB.View(s.Context(), func(v *store.View) error {
			found, stopped, err := v.ListWithin(s.practice, f, store.From{}, 51)
			require.Empty(s, found)
			require.NotNil(s, stopped)
			_, more, err2 := v.CountWithin(s.practice, f, 1000)
			require.True(s, more)
			return errors.Join(err, err2)
		}))
	})
}
