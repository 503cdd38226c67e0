package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/longtest"
)

// filledPractice fills one practice with records of every kind and mixes in another
// practice's. It returns the first one's ID and its records in list order.
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
			if n%20 == 0 { // the last change was long ago
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

// filters returns every combination of filter values.
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

// keeps reports whether a filter should match a record.
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

// misses reports whether the record lacks the field that the filter asks for.
func (f Filter) misses(r Record) bool {
	switch f.Missing {
	case "birth_month":
		return r.Facts.Missing > 0 && r.Facts.BirthMonth == ""
	case "attendant_type":
		return r.Facts.Missing > 0 && r.Facts.Attendant == ""
	}
	return r.Facts.Missing > 0 // no test record has an outcome
}

// walked pages through a list from one end to the other and returns its records.
func walked(t *testing.T, db *DB, p PracticeID, f Filter, back bool) (all []Record) {
	t.Helper()
	const page = 7
	from := From{Back: back}
	for {
		var found []Record
		var stopped *Record
		view(t, db, func(v *View) (err error) {
			found, stopped, err = v.ListWithin(p, f, from, page)
			return err
		})
		require.LessOrEqual(t, len(found), page)
		all = append(all, found...)
		switch {
		case stopped != nil:
			require.Less(t, len(found), page)
			from = Behind(*stopped)
		case len(found) < page:
			return all
		default:
			from = Behind(found[page-1])
		}
		from.Back = back
	}
}

func TestEveryCombinationOfFiltersFindsItsRecordsPageByPageInBothDirections(t *testing.T) {
	few, far := fewRecords, walkSteps
	t.Cleanup(func() { fewRecords, walkSteps = few, far })
	ways := [][2]int{{few, far}, {5, far}, {5, 24}} // by sorting, along an index, and in short walks
	for _, bounds := range longtest.Some(t, 1, ways, "ways to read a list") {
		fewRecords, walkSteps = bounds[0], bounds[1]
		everyCombination(t)
	}
}

func TestAListThatPassesManyRecordsStopsAndSaysWhere(t *testing.T) {
	far := walkSteps
	t.Cleanup(func() { walkSteps = far })
	walkSteps = 30
	db := opened(t)
	p := addPractice(t, db)
	var all []Record
	for n := range 100 {
		r := addRecord(t, db, p, fmt.Sprint(n))
		if n != 5 && n != 95 {
			r.State = birth.Voided
			update(t, db, func(tx *Tx) error { return tx.UpdateRecord(p, r) })
		}
		all = append(all, r)
	}
	f, from := Filter{State: birth.Active}, From{}
	for _, page := range []struct{ found, stopped int }{{95, 70}, {0, 40}, {0, 10}, {5, 0}} {
		view(t, db, func(v *View) error {
			found, stopped, err := v.ListWithin(p, f, from, 10)
			if page.found != 0 {
				require.Len(t, found, 1)
				require.Equal(t, all[page.found].UUID, found[0].UUID)
			} else {
				require.Empty(t, found)
			}
			if page.stopped == 0 {
				require.Nil(t, stopped, "the end")
				return err
			}
			require.Equal(t, all[page.stopped].UUID, stopped.UUID)
			from = Behind(*stopped)
			return err
		})
	}
	view(t, db, func(v *View) error {
		n, more, err := v.CountWithin(p, f, 10)
		require.Equal(t, 1, n)
		require.True(t, more, "it counts what it passed")
		found, err2 := v.List(p, f, From{}, 10)
		require.Len(t, found, 2, "an export goes to the end")
		return errors.Join(err, err2)
	})
}

func TestManySuspectedDuplicatesAreReadPageByPageAlongTheirIndex(t *testing.T) {
	few, far := fewRecords, walkSteps
	t.Cleanup(func() { fewRecords, walkSteps = few, far })
	fewRecords, walkSteps = 5, 20
	db := opened(t)
	p := addPractice(t, db)
	ids := lookalikes(t, db, p, birth.Fingerprint{9}, 3)
	f := Filter{Suspected: true}
	listed := func(records []Record) (all []int64) {
		for _, r := range records {
			all = append(all, r.ID)
		}
		slices.Reverse(all)
		return all
	}
	require.Equal(t, ids, listed(walked(t, db, p, f, false)), "both records of few pairs")

	ids = append(ids, lookalikes(t, db, p, birth.Fingerprint{8}, 40)...)
	marked := append(slices.Clone(ids[1:3]), ids[4:]...)
	require.Equal(t, marked, listed(walked(t, db, p, f, false)))
	view(t, db, func(v *View) error {
		looked, err := v.narrowed(p, f)
		require.Equal(t, f, looked, "no record is looked up beforehand")
		f.State = birth.Voided
		found, stopped, err2 := v.ListWithin(p, f, From{}, 7)
		require.Empty(t, found)
		require.Equal(t, marked[len(marked)-20], stopped.ID, "the walk along the index is bounded")
		return errors.Join(err, err2)
	})
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
			n, err := v.Count(p, f)
			require.Len(t, want, n, "%+v", f)
			if f.Chart == "" && err == nil && len(all) > 0 {
				err = placed(t, v, p, f, want, all[len(found)%len(all)])
			}
			return err
		})
		found[len(want) > 0]++
	}
	require.Greater(t, found[true], 100, "the filters find something")
	require.Greater(t, found[false], 100)
}

// placed compares the place of a record in a list with where the list, which comes backward,
// has it.
func placed(t *testing.T, v *View, p PracticeID, f Filter, backward []Record, r Record) error {
	t.Helper()
	if len(backward) > 0 {
		r = backward[len(backward)/3]
	}
	place, of, err := v.PlaceWithin(p, f, r, 1000)
	if len(backward) == 0 || place == 0 && walkSteps < 100 { // a short walk doesn't count to the end
		require.Zero(t, place, "%+v", f)
		return err
	}
	require.Equal(t, []int{len(backward) - len(backward)/3, len(backward)}, []int{place, of}, "%+v", f)
	return err
}

func TestTheRecordsOfALongListHaveNoPlace(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	var last Record
	for n := range 5 {
		last = addRecord(t, db, p, fmt.Sprint(n))
	}
	view(t, db, func(v *View) error {
		place, of, err := v.PlaceWithin(p, Filter{}, last, 6)
		require.Equal(t, []int{1, 5}, []int{place, of})
		unknown, _, err2 := v.PlaceWithin(p, Filter{}, last, 5)
		require.Zero(t, unknown, "there may be more than five")
		absent, _, err3 := v.PlaceWithin(p, Filter{State: birth.Voided}, last, 6)
		require.Zero(t, absent)
		return errors.Join(err, err2, err3)
	})
}

func TestOnlyAWholeChartNumberOrItsBeginningFindsARecord(t *testing.T) {
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

func TestContentsComeFromThePresentVersionAndOnlyFromThePractice(t *testing.T) {
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
