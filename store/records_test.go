package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// stored reads a record from the database.
func stored(t testing.TB, db *DB, p PracticeID, uuid string) (r Record) {
	t.Helper()
	view(t, db, func(v *View) (err error) {
		r, err = v.RecordByUUID(p, uuid)
		return err
	})
	return r
}

func TestARecordIsReadAsItWasStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t)
		p := addPractice(t, db)
		r := Record{
			ID: 1, UUID: uuid.NewString(), Chart: "chart", State: birth.Active, Version: 1, Content: 1,
			Stamp: time.Date(2026, 3, 2, 4, 18, 0, 123456789, time.UTC), IGVersion: "2.0.0", Suspected: true,
		}
		bare := Record{ID: 2, UUID: uuid.NewString(), State: birth.Active, Version: 1, Content: 1}
		update(t, db, func(tx *Tx) error {
			r.CreatedAt, r.UpdatedAt, bare.CreatedAt, bare.UpdatedAt = tx.Now, tx.Now, tx.Now, tx.Now
			return tx.AddRecords(p, []Record{r, bare})
		})
		require.Equal(t, r, stored(t, db, p, r.UUID))
		require.Equal(t, bare, stored(t, db, p, bare.UUID))

		time.Sleep(time.Hour)
		r.State, r.Version, r.Content, r.Stamp, r.IGVersion, r.Suspected = birth.Voided, 3, 2, time.Time{}, "", false
		r.UpdatedAt = r.CreatedAt.Add(time.Hour)
		update(t, db, func(tx *Tx) error { return tx.UpdateRecord(p, r) })
		require.Equal(t, r, stored(t, db, p, r.UUID))
		r.ID = 77
		require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.UpdateRecord(p, r) }), ErrNotFound)
	})
}

func TestTwoRecordsWhoseNumbersReadAlikeAreListedBothWays(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	for _, chart := range []string{"B-000001", "B-000002", "B-000002", "B-000003"} {
		r := addRecord(t, db, p, "x "+uuid.NewString())
		given := len(chart) > 0 && r.ID%2 == 0
		raw(t, db, `update records set chart = ?, given = ? where id = ?`, chart, given, r.ID)
	}
	walk := func(back bool) (seen []string) {
		view(t, db, func(v *View) error {
			for from := (From{Back: back}); ; {
				page, err := v.List(p, Filter{Chart: "B-"}, from, 1)
				if err != nil || len(page) == 0 {
					return err
				}
				seen = append(seen, fmt.Sprint(page[0].Chart, " ", page[0].Given))
				from = Behind(page[0])
				from.Back = back
			}
		})
		return seen
	}
	want := []string{"B-000001 false", "B-000002 false", "B-000002 true", "B-000003 true"}
	require.Equal(t, want, walk(false))
	slices.Reverse(want)
	require.Equal(t, want, walk(true))
	view(t, db, func(v *View) error {
		two, err := v.RecordsByChart(p, []string{"B-000002"})
		require.Len(t, two, 2)
		return err
	})
}

func TestStampsAreStoredToTheNanosecondAndAbsurdOnesNotAtAll(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	for stamp, kept := range map[time.Time]bool{
		time.Date(1678, 1, 1, 0, 0, 0, 1, time.UTC):                          true,
		time.Date(2261, 12, 31, 23, 59, 59, 999999999, time.UTC):             true,
		time.Date(1969, 12, 31, 23, 59, 59, 999999999, time.UTC):             true,
		time.Unix(0, 0).UTC():                                                true,
		time.Date(2026, 3, 2, 4, 18, 0, 5, time.FixedZone("", -5*3600)):      true,
		time.Date(1677, 1, 1, 0, 0, 0, 0, time.UTC):                          false,
		time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC):                          false,
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC):                     false,
		time.Date(1678, 1, 1, 0, 0, 0, 0, time.FixedZone("", 14*3600)):       true,
		time.Date(2261, 12, 31, 23, 59, 59, 0, time.FixedZone("", -12*3600)): true,
	} {
		r := addRecord(t, db, p, "")
		r.Stamp = stamp
		update(t, db, func(tx *Tx) error { return tx.UpdateRecord(p, r) })
		want := time.Time{}
		if kept {
			want = stamp.UTC()
		}
		require.Equal(t, want, stored(t, db, p, r.UUID).Stamp, "%v", stamp)
	}
}

func TestRecordsAreFoundByTheirExactChartNumber(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	charts := []string{
		"A-1", "a-1", "007", "7", "1e3", "0x10", "null", "true", `"quoted"`, `back\slash`, "tab\tnew\nline", "Ünï ♥ 𝄞", "%_*?", "'; drop table records; --",
		" inner  space ", "<&>", "\u2028", "\ufffd", "nul\x00inside", "nul", strings.Repeat("x", 5000), "[1]", "{}",
	}
	of := map[string]string{}
	for _, chart := range charts {
		of[chart] = addRecord(t, db, p, chart).UUID
		addRecord(t, db, other, chart)
	}
	addRecord(t, db, p, "")
	addRecord(t, db, p, "")
	view(t, db, func(v *View) error {
		for _, wanted := range [][]string{charts, charts[:1], {"A-1", "unknown", "not UTF-8 \xff", ""}} {
			found, err := v.RecordsByChart(p, wanted)
			require.NoError(t, err)
			got := map[string]string{}
			for _, r := range found {
				got[r.Chart] = r.UUID
			}
			want := map[string]string{}
			for _, chart := range wanted {
				if of[chart] != "" {
					want[chart] = of[chart]
				}
			}
			require.Equal(t, want, got)
			require.Len(t, found, len(want), "each once")
		}
		none, err := v.RecordsByChart(p, nil)
		require.Empty(t, none)
		return err
	})
	require.ErrorIs(t, db.Update(func(tx *Tx) error {
		return tx.AddRecords(p, []Record{{ID: 999, UUID: "new", Chart: "A-1", State: birth.Active}})
	}), ErrConflict, "chart numbers are unique within a practice")
}

func TestRecordsAreListedNewestFirstPageByPage(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	var want, got []string
	for n := range 10 {
		want = append([]string{addRecord(t, db, p, fmt.Sprint(n)).Chart}, want...)
		addRecord(t, db, other, fmt.Sprint(n))
	}
	after := int64(0)
	view(t, db, func(v *View) error {
		for {
			page, err := v.Records(p, after, 3)
			if err != nil || len(page) == 0 {
				return err
			}
			require.LessOrEqual(t, len(page), 3)
			for _, r := range page {
				got = append(got, r.Chart)
			}
			after = page[len(page)-1].ID
		}
	})
	require.Equal(t, want, got)
}

func TestAnyNumberOfRecordsIsStoredAtOnce(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	total := 0
	for _, n := range []int{0, 1, 2, 3, 31, 32, 33, 63, 100} {
		update(t, db, func(tx *Tx) error {
			next, err := tx.NextRecordID()
			require.NoError(t, err)
			require.Equal(t, int64(total+1), next)
			all, versions := make([]Record, n), make([]Version, n)
			for i := range all {
				id := next + int64(i)
				all[i] = Record{ID: id, UUID: fmt.Sprint("uuid ", id), Chart: fmt.Sprint("chart ", id), State: birth.Active, Version: 1, Content: 1}
				versions[i] = versionOf(all[i], "create")
			}
			if err := tx.AddRecords(p, all); err != nil {
				return err
			}
			return tx.AddVersions(p, versions)
		})
		total += n
	}
	view(t, db, func(v *View) error {
		all, err := v.Records(p, 0, 1000)
		require.Len(t, all, total)
		for i, r := range all {
			id := total - i
			require.Equal(t, int64(id), r.ID)
			require.Equal(t, fmt.Sprint("uuid ", id), r.UUID)
			require.Equal(t, fmt.Sprint("chart ", id), r.Chart)
		}
		return err
	})
}

func TestFingerprintsFindOnlyActiveRecords(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	one, two, voided, foreign := addRecord(t, db, p, "1"), addRecord(t, db, p, "2"), addRecord(t, db, p, "3"), addRecord(t, db, other, "1")
	a, b, c := birth.Fingerprint{0xa, 0, 1}, birth.Fingerprint{0xb, 0xff}, birth.Fingerprint{0xc}
	voided.State = birth.Voided
	update(t, db, func(tx *Tx) error {
		if err := tx.UpdateRecord(p, voided); err != nil {
			return err
		}
		err := tx.SetFingerprints(p, RecordFingerprints{one.ID, []birth.Fingerprint{a, b}, true, true}, RecordFingerprints{two.ID, []birth.Fingerprint{b}, true, true},
			RecordFingerprints{voided.ID, []birth.Fingerprint{a, c}, false, false})
		if err != nil {
			return err
		}
		return tx.SetFingerprints(other, RecordFingerprints{foreign.ID, []birth.Fingerprint{a, b, c}, true, false})
	})
	live := func(most int, fingerprints ...birth.Fingerprint) (found map[birth.Fingerprint][]int64) {
		view(t, db, func(v *View) (err error) {
			found, err = v.ActiveByFingerprint(p, fingerprints, most)
			return err
		})
		return found
	}
	require.Equal(t, map[birth.Fingerprint][]int64{a: {one.ID}, b: {one.ID, two.ID}}, live(0, a, b, c, birth.Fingerprint{0xd}))
	require.Equal(t, map[birth.Fingerprint][]int64{a: {one.ID}, b: {one.ID}}, live(1, a, b, c), "of each no more than are asked for")
	require.Empty(t, live(0))
	view(t, db, func(v *View) error {
		fingerprints, err := v.FingerprintsOf(p, []int64{one.ID, voided.ID, foreign.ID, 77})
		require.Equal(t, map[int64][]birth.Fingerprint{one.ID: {a, b}, voided.ID: {a, c}}, fingerprints)
		return err
	})
	update(t, db, func(tx *Tx) error {
		return tx.SetFingerprints(p, RecordFingerprints{one.ID, []birth.Fingerprint{c}, true, false}, RecordFingerprints{two.ID, nil, true, false})
	})
	require.Equal(t, map[birth.Fingerprint][]int64{c: {one.ID}}, live(0, a, b, c))
}
