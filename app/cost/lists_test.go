package cost_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// The births of one year were all changed after those of the other: from either end of the
// order, a list of one of them passes none of the other's.
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

// twoYears is an installation with so many births in each of two years.
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

// list returns what the first page of a list costs.
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
