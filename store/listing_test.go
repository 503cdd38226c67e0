package store

import (
	"cmp"
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
			if r.ID%3 == 0 {
				update(t, db, func(tx *Tx) error {
					return tx.SetNames(of, RecordNames{Record: r.ID, All: []birth.NameWord{{1, 2}, {1, 3}}, Fresh: true})
				})
			}
			if n%20 == 0 { // changed long ago
				raw(t, db, `update records set updated_at = ? where id = ?`, n%3, r.ID)
			}
			if of == p {
				all[len(all)-1] = stored(t, db, p, r.UUID)
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
							f := Filter{State: state, Source: source, Born: born, Attendant: attendant, Suspected: n&1 > 0, Incomplete: n&2 > 0, Chart: chart}
							f.Order = []Order{ByCreation, ByBirth, ByChange}[len(all)%3]
							f.Missing = []string{"", "", "birth_month", "attendant_type", "birth_weight_g"}[len(all)%5]
							f.Ascending = len(all)%7 > 3
							if len(all)%11 == 0 {
								f.Words = [][]byte{{1}}
							}
							if len(all)%13 == 0 {
								f.Restricted, f.Only = true, []int64{3, 7, 11, 12, 13, 14, 15, 20, 21, 40, 41, 42, 80, 81, 99, 100, 101, 102, 103, 300}
							}
							all = append(all, f)
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
		(f.Missing == "" || f.misses(r)) && (len(f.Words) == 0 || r.ID%3 == 0) && (!f.Restricted || slices.Contains(f.Only, r.ID)) &&
		(f.Chart == "" || r.Chart != "" && strings.HasPrefix(r.Chart, f.Chart))
}

// misses says which field is not stated.
func (f Filter) misses(r Record) bool {
	switch f.Missing {
	case "birth_month":
		return r.Facts.Missing > 0 && r.Facts.BirthMonth == ""
	case "attendant_type":
		return r.Facts.Missing > 0 && r.Facts.Attendant == ""
	}
	return r.Facts.Missing > 0 // no test record states an outcome
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
	few := fewRecords
	t.Cleanup(func() { fewRecords = few })
	for _, fewRecords = range []int{few, 5} { // sorted, or along an index
		everyCombination(t)
	}
}

func everyCombination(t *testing.T) {
	t.Helper()
	db := opened(t)
	p, all := filledPractice(t, db)
	found := map[bool]int{}
	for _, f := range filters(p) {
		want := slices.DeleteFunc(slices.Clone(all), func(r Record) bool { return !f.keeps(r) })
		slices.SortFunc(want, func(a, b Record) int {
			if f.Chart != "" {
				return strings.Compare(a.Chart, b.Chart)
			}
			order := cmp.Compare(a.ID, b.ID)
			switch f.Order {
			case ByBirth:
				order = cmp.Or(strings.Compare(a.Facts.BirthMonth, b.Facts.BirthMonth), order)
			case ByChange:
				order = cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt), order)
			}
			if f.Ascending {
				return order
			}
			return -order
		})
		require.Equal(t, want, append([]Record{}, walked(t, db, p, f, false)...), "%+v", f)
		slices.Reverse(want)
		require.Equal(t, want, append([]Record{}, walked(t, db, p, f, true)...), "%+v", f)
		view(t, db, func(v *View) error {
			n, err := v.Count(p, f, 0)
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

func TestContentsAreOfThePresentVersionAndOnlyOfThePractice(t *testing.T) {
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
