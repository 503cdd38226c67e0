package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// filledPractice is a practice with records of every kind, and another practice's among
// them. all is in the order of a list.
func filledPractice(t *testing.T, db *DB) (p PracticeID, all []Record) {
	t.Helper()
	p = addPractice(t, db)
	other := addPractice(t, db)
	states := []birth.State{birth.Active, birth.Active, birth.Active, birth.Voided, birth.Merged}
	sources := []birth.Source{birth.FHIRPush, birth.FHIRPush, birth.Manual, birth.CSV, birth.EHRPull}
	months := []string{"2026-03", "2026-02", "2025-12", "2025-03", ""}
	attendants := []string{"midwife", "", "nurse", "midwife", "other", "doula"}
	for n := range 210 {
		for _, of := range []PracticeID{p, other} {
			r := addRecord(t, db, of, fmt.Sprintf("%d-%d", of, n))
			r.State, r.Suspected, r.Source = states[n%11%5], n%9 == 0, sources[n%5]
			r.Facts = birth.Facts{
				BirthMonth: months[n%7%5], Attendant: attendants[n%6], Method: "vaginal_spontaneous", Missing: n % 4 % 3,
			}
			update(t, db, func(tx *Tx) error { return tx.UpdateRecord(of, r) })
			if n%10 == 0 {
				raw(t, db, `update records set chart = null where id = ?`, r.ID)
			}
			if of == p {
				all = append(all, stored(t, db, p, r.UUID))
			}
		}
	}
	slices.Reverse(all)
	return p, all
}

// filters are combinations of everything that can be asked for.
func filters(p PracticeID) (all []Filter) {
	for _, state := range []birth.State{"", birth.Active, birth.Voided, birth.Merged} {
		for _, source := range []birth.Source{"", birth.FHIRPush, birth.CSV} {
			for _, born := range []string{"", "2026-03", "2025", "1999"} {
				for _, attendant := range []string{"", "midwife", Unstated} {
					for n := range 4 {
						for _, chart := range []string{"", fmt.Sprintf("%d-1", p)} {
							all = append(all, Filter{state, source, born, attendant, n&1 > 0, n&2 > 0, chart})
						}
					}
				}
			}
		}
	}
	return all
}

// keeps says what a filter means.
func (f Filter) keeps(r Record) bool {
	attendant := r.Facts.Attendant
	if attendant == "" {
		attendant = Unstated
	}
	return (f.State == "" || r.State == f.State) && (f.Source == "" || r.Source == f.Source) &&
		strings.HasPrefix(r.Facts.BirthMonth, f.Born) && (f.Attendant == "" || attendant == f.Attendant) &&
		(!f.Suspected || r.Suspected) && (!f.Incomplete || r.Facts.Missing > 0) &&
		(f.Chart == "" || r.Chart != "" && strings.HasPrefix(r.Chart, f.Chart))
}

// walked pages through a list from one end to the other.
func walked(t *testing.T, db *DB, p PracticeID, f Filter, back bool) (all []Record) {
	t.Helper()
	const page = 7
	from := From{Back: back}
	for {
		var found []Record
		view(t, db, func(v *View) (err error) {
			found, err = v.List(p, f, from, page)
			return err
		})
		require.LessOrEqual(t, len(found), page)
		all = append(all, found...)
		if len(found) < page {
			return all
		}
		from = Behind(found[page-1])
		from.Back = back
	}
}

func TestEveryCombinationOfFiltersFindsWhatItSaysPageByPageInBothDirections(t *testing.T) {
	t.Parallel()
	db := opened(t)
	p, all := filledPractice(t, db)
	found := map[bool]int{}
	for _, f := range filters(p) {
		want := slices.DeleteFunc(slices.Clone(all), func(r Record) bool { return !f.keeps(r) })
		if f.Chart != "" {
			slices.SortFunc(want, func(a, b Record) int { return strings.Compare(a.Chart, b.Chart) })
		}
		require.Equal(t, want, append([]Record{}, walked(t, db, p, f, false)...), "%+v", f)
		slices.Reverse(want)
		require.Equal(t, want, append([]Record{}, walked(t, db, p, f, true)...), "%+v", f)
		view(t, db, func(v *View) error {
			n, err := v.Count(p, f)
			require.Len(t, want, n, "%+v", f)
			return err
		})
		found[len(want) > 0]++
	}
	require.Greater(t, found[true], 100, "the filters find something")
	require.Greater(t, found[false], 100)
}

func TestAChartNumberIsFoundWholeOrByItsBeginningAndNothingElseIs(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	for _, chart := range []string{"26", "26-1", "26-10", "26-2", "27", "2", "", "é1", "é\U0010FFFE", "26%", "26_", "26*"} {
		addRecord(t, db, p, chart)
		addRecord(t, db, other, chart)
	}
	charts := func(beginning string) (all []string) {
		for _, r := range walked(t, db, p, Filter{Chart: beginning}, false) {
			all = append(all, r.Chart)
		}
		return all
	}
	require.Equal(t, []string{"26-1", "26-10"}, charts("26-1"))
	require.Equal(t, []string{"26-10"}, charts("26-10"))
	require.Equal(t, []string{"26", "26%", "26*", "26-1", "26-10", "26-2", "26_"}, charts("26"))
	require.Equal(t, []string{"26%"}, charts("26%"), "no character stands for others")
	require.Equal(t, []string{"26_"}, charts("26_"))
	require.Equal(t, []string{"é1", "é\U0010FFFE"}, charts("é"))
	require.Empty(t, charts("28"))
	require.Empty(t, charts("\xff"))
}

func TestContentsAreThoseOfThePresentVersionAndOfThePracticeAlone(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	r, foreign := addRecord(t, db, p, "1"), addRecord(t, db, other, "1")
	update(t, db, func(tx *Tx) error {
		next := versionOf(r, "amend")
		next.Version, next.Content, next.Patient = 2, 2, []byte("second")
		r.Version, r.Content = 2, 2
		if err := tx.UpdateRecord(p, r); err != nil {
			return err
		}
		return tx.AddVersions(p, []Version{next})
	})
	view(t, db, func(v *View) error {
		found, err := v.Contents(p, []int64{r.ID, foreign.ID, 99})
		require.Equal(t, map[int64]Content{r.ID: {2, course.Clinical(), []byte("second")}}, found)
		return err
	})
}
