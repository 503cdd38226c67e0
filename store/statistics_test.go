package store

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
)

// born creates a record with facts.
func born(t testing.TB, db *DB, p PracticeID, month, attendant, outcome string, change ...func(*Record)) (r Record) {
	t.Helper()
	r = addRecord(t, db, p, fmt.Sprint(month, attendant, outcome, asked(t, db, `select count(*) from records`)))
	r.Facts = birth.Facts{BirthMonth: month, Attendant: attendant, Outcome: outcome}
	for _, c := range change {
		c(&r)
	}
	update(t, db, func(tx *Tx) error { return tx.UpdateRecord(p, r) })
	return r
}

// reportOf returns the report of some months and of those before them from since on.
func reportOf(t testing.TB, db *DB, p PracticeID, since, first, last string) *stats.Report {
	t.Helper()
	r := stats.NewReport(stats.Period{First: month(t, first), Last: month(t, last)})
	view(t, db, func(v *View) error {
		c, err := v.Counted(p, month(t, since), r.Period)
		c.AddTo(r)
		return err
	})
	return r
}

// eachRecord visits the records of a practice.
func eachRecord(t testing.TB, v *View, p PracticeID, visit func(birth.State, birth.Facts)) {
	t.Helper()
	require.NoError(t, v.each(`select state, coalesce(birth_month, ''), coalesce(attendant, ''), coalesce(outcome, '') from records where practice = ?`,
		func(rows *sql.Rows) error {
			var state birth.State
			var facts birth.Facts
			err := rows.Scan(&state, &facts.BirthMonth, &facts.Attendant, &facts.Outcome)
			visit(state, facts)
			return err
		}, p))
}

// groupsOf lists the groups that have births, each with their number.
func groupsOf(groups []stats.Group) (all []string) {
	for _, g := range groups {
		if g.Births > 0 {
			all = append(all, fmt.Sprint(g.Key, " ", g.Births))
		}
	}
	return all
}

func TestActiveRecordsCountInTheirMonthsAndNoOthers(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	is := func(state birth.State) func(*Record) { return func(r *Record) { r.State = state } }
	born(t, db, p, "2026-01", "midwife", "aa")
	born(t, db, p, "2026-01", "midwife", "bb")
	born(t, db, p, "2026-01", "", "aa")
	born(t, db, p, "2026-03", "nurse", "")
	born(t, db, p, "2026-04", "nurse", "late")
	born(t, db, p, "2025-12", "nurse", "early")
	born(t, db, p, "", "nurse", "undated")
	born(t, db, p, "2026-02", "midwife", "cc", is(birth.Voided))
	born(t, db, p, "2026-02", "midwife", "cc", is(birth.Merged))
	born(t, db, p, "2025-11", "midwife", "cc", is(birth.Voided))
	born(t, db, p, "2026-03", "midwife", "dd")
	born(t, db, other, "2026-01", "midwife", "theirs")

	c := reportOf(t, db, p, "2026-01", "2026-01", "2026-03")
	require.Equal(t, []string{"2026-01 3", "2026-03 2"}, groupsOf(c.Months))
	require.Equal(t, []string{"midwife 3", "nurse 1", "unstated 1"}, groupsOf(c.Splits[0].Groups))
	require.Equal(t, []int{5, 1, 1, 1}, []int{c.Total.Births, c.Undated, c.Voided, c.Merged})
	wide := reportOf(t, db, p, "2025-11", "2026-03", "2026-03")
	require.Equal(t, []string{"2025-12 1", "2026-01 3", "2026-03 2"}, groupsOf(wide.Months), "what leads up to the months")
	require.Equal(t, 2, wide.Total.Births)
	require.Zero(t, wide.Voided, "what was left out is of the months alone")
}

func TestAFileOfAnEarlierVersionHasItsOutcomesDerivedWhenItIsOpened(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "registry.db")
	const before = 8 // the schema before outcomes
	old := migratedTo(t, path, before)
	_, err := old.Exec(`insert into practices (id, name, created_at) values (1, 'Riverside', 1)`)
	require.NoError(t, err)
	const records = derivedAtOnce + 7 // more than one transaction's worth
	for id := range records {
		doc := `{"mother":{"blood_loss_ml":{"value":1200,"source":"csv"}},"care":{},"children":[{"birth_weight_g":{"value":2400,"source":"csv"}}],"consent":{"granted":true}}`
		if id == 3 {
			doc = `not readable`
		}
		_, err = old.Exec(`insert into records (id, uuid, practice, state, version, content, created_at, updated_at, birth_month)
			values (?, ?, 1, 'active', 1, 1, 1, 1, '2026-01')`, id+1, fmt.Sprint("uuid ", id))
		require.NoError(t, err)
		_, err = old.Exec(`insert into versions (record, version, content, change, source, clinical, patient, created_at)
			values (?, 1, 1, 'create', 'csv', ?, x'', 1)`, id+1, doc)
		require.NoError(t, err)
	}
	db := openedAt(t, path)
	require.Zero(t, asked(t, db, `select count(*) from records where outcome is null`))
	require.Equal(t, int64(1), int64(asked(t, db, `select count(*) from records where outcome = ''`)), "it counts, and nothing is known of it")
	c := reportOf(t, db, 1, "2026-01", "2026-01", "2026-01")
	require.Equal(t, records, c.Total.Births)
	for _, measure := range []string{"pph_1000", "lbw"} {
		require.Equal(t, records-1, c.Total.Tally(stats.Lookup(measure)).Yes, measure)
	}
	require.Zero(t, asked(t, db, `select count(*) from practices where tallied = 0`))
	peers := peersOf(t, db, addPractice(t, db), "pph_1000", "2026-01", "2026-01")
	require.Equal(t, stats.Peers{Yes: records - 1, Known: records - 1, Practices: 1, Dominated: true}, peers)
}
