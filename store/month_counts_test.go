package store

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/longtest"
	"birthregistry/app/stats"
)

// countAll stores the counts of all months that have been asked for.
func countAll(t testing.TB, db *DB) {
	t.Helper()
	for more := true; more; {
		var err error
		more, err = db.CountStep()
		require.NoError(t, err)
	}
}

// recountedReport counts the births of a practice one by one.
func recountedReport(t testing.TB, v *View, p PracticeID, period stats.Period) *stats.Report {
	t.Helper()
	r := stats.NewReport(period)
	eachRecord(t, v, p, func(state birth.State, facts birth.Facts) {
		m, dated := stats.ParseMonth(facts.BirthMonth)
		switch in := dated && period.Has(m); {
		case state == birth.Active && !dated:
			r.Undated++
		case state == birth.Active:
			r.Add(facts.BirthMonth, facts.Attendant, facts.Outcome)
		case in && state == birth.Voided:
			r.Voided++
		case in:
			r.Merged++
		}
	})
	return r
}

// sameReport requires that two reports have the same figures.
func sameReport(t testing.TB, want, got *stats.Report, about string) {
	t.Helper()
	require.Equal(t, []int{want.Undated, want.Voided, want.Merged}, []int{got.Undated, got.Voided, got.Merged}, about)
	require.Equal(t, want.Total, got.Total, about)
	require.Equal(t, want.Splits, got.Splits, about)
	require.Equal(t, want.Months, got.Months, about)
}

// monthCountsAreRight requires that every stored count equals a count of the records.
func monthCountsAreRight(t testing.TB, db *DB) {
	t.Helper()
	view(t, db, func(v *View) error {
		broken, err := v.brokenMonthCounts()
		require.Zero(t, broken, monthCountsRule)
		return err
	})
}

func TestStatisticsEqualARecountAfterAnyChanges(t *testing.T) {
	t.Parallel()
	db := opened(t)
	c := changing{Rand: rand.New(rand.NewPCG(20, 26)), first: month(t, "2019-03"), months: 20, erases: true}
	for range 3 {
		c.practices = append(c.practices, addPractice(t, db))
	}
	used, deleted := 0, 0
	steps := longtest.Times(t, 350, 700, "changes")
	for step := range steps {
		before, of, regret := slices.Clone(c.records), slices.Clone(c.of), c.IntN(10) == 0
		stored := asked(t, db, `select count(*) from month_counts`)
		err := db.Update(func(tx *Tx) error {
			for range 1 + c.IntN(8) {
				if err := c.change(tx); err != nil {
					return err
				}
			}
			if regret {
				return errRegret
			}
			return nil
		})
		if regret {
			require.ErrorIs(t, err, errRegret)
			c.records, c.of = before, of
		} else {
			require.NoError(t, err)
		}
		if asked(t, db, `select count(*) from month_counts`) < stored {
			deleted++
		}
		for range 4 { // some months are counted, others not, and some only in part
			of := []string{"", (c.first + stats.Month(c.IntN(20))).String()}[min(1, c.IntN(9))]
			update(t, db, func(tx *Tx) error {
				_, _, err := tx.countMonth(c.practices[c.IntN(len(c.practices))], of, 0, 1+c.IntN(20))
				return err
			})
		}
		monthCountsAreRight(t, db)
		p, period := c.practices[c.IntN(len(c.practices))], stats.Period{First: c.first + stats.Month(c.IntN(18))}
		period.Last = period.First + stats.Month(c.IntN(10))
		view(t, db, func(v *View) error {
			counted, err := v.Counted(p, period.Trend().First, period)
			for _, b := range counted.births {
				if b.stored != nil && b.others != "" {
					used++
				}
			}
			got := stats.NewReport(period)
			counted.AddTo(got)
			sameReport(t, recountedReport(t, v, p, period), got, fmt.Sprint("step ", step))
			return err
		})
	}
	require.Greater(t, used, steps/2, "months of which a part was stored")
	require.Greater(t, deleted, steps/10, "changes of records that were counted")
}

func TestStatisticsOfManyBirthsReadOnlyTheStoredCounts(t *testing.T) {
	db := opened(t)
	p, small := addPractice(t, db), addPractice(t, db)
	const births = countedAtOnce + 2*countsFrom
	add := func(p PracticeID, n int) {
		update(t, db, func(tx *Tx) error {
			id, err := tx.NextRecordID()
			var all []Record
			for i := range n {
				all = append(all, Record{
					ID: id + int64(i), UUID: fmt.Sprint("uuid ", id+int64(i)), State: birth.Active, Version: 1, Content: 1,
					Facts: birth.Facts{BirthMonth: "2026-01", Attendant: "midwife", Outcome: by(birth.Cesarean, true)},
				})
			}
			return errors.Join(err, tx.AddRecords(p, all))
		})
	}
	read := func(p PracticeID) (others int, behind []string) {
		view(t, db, func(v *View) error {
			period := stats.Period{First: month(t, "2026-01"), Last: month(t, "2026-12")}
			c, err := v.Counted(p, period.First, period)
			for _, b := range c.births {
				others += strings.Count(b.others, by(birth.Cesarean, true))
			}
			got := stats.NewReport(period)
			c.AddTo(got)
			sameReport(t, recountedReport(t, v, p, period), got, "")
			db.CountLater(p, c.Behind)
			behind = c.Behind
			return err
		})
		return others, behind
	}
	add(p, births)
	others, behind := read(p)
	require.Equal(t, births, others)
	require.Equal(t, []string{"2026-01"}, behind)
	<-db.CountWake()
	countAll(t, db)
	others, behind = read(p)
	require.Zero(t, others)
	require.Empty(t, behind)
	add(p, countsFrom-1)
	others, behind = read(p)
	require.Equal(t, countsFrom-1, others, "new records change no counts")
	require.Empty(t, behind)
	add(p, 1)
	_, behind = read(p)
	require.NotEmpty(t, behind)
	countAll(t, db)
	others, _ = read(p)
	require.Zero(t, others)
	add(small, countsFrom-1)
	_, behind = read(small)
	require.Empty(t, behind, "a small practice stores nothing")
}

func TestCountsOfAnotherVersionOfTheProgramAreNotUsed(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	born(t, db, p, "2026-01", "midwife", by(birth.Cesarean, true))
	update(t, db, func(tx *Tx) error {
		_, _, err := tx.countMonth(p, "2026-01", 0, 9)
		return err
	})
	var row countsRow
	view(t, db, func(v *View) error {
		return v.one(`select practice, month, upto, counts from month_counts`, nil, &row.practice, &row.of, &row.Upto, &row.stored)
	})
	counts, ok := row.counts()
	require.True(t, ok)
	earlier := slices.Clone(counts)
	earlier[0]++
	write := fmt.Sprintf(`update month_counts set counts = x'%x'`, row.store(earlier))
	raw(t, db, write)
	require.Equal(t, 1, reportOf(t, db, p, "2026-01", "2026-01", "2026-01").Total.Births)
	monthCountsAreRight(t, db)
	update(t, db, func(tx *Tx) error {
		_, _, err := tx.countMonth(p, "2026-01", 0, 9)
		return err
	})
	require.Equal(t, 1, reportOf(t, db, p, "2026-01", "2026-01", "2026-01").Total.Births)
	require.Equal(t, 1, asked(t, db, fmt.Sprintf(`select count(*) from month_counts where counts = x'%x'`, row.stored)))
}

func TestDamagedMonthCountsAreNeverAddedUpAndAreStoredAgain(t *testing.T) {
	t.Parallel()
	db := opened(t)
	p := addPractice(t, db)
	for range countsFrom + 1 {
		born(t, db, p, "2026-01", "midwife", by(birth.Cesarean, true))
	}
	right := reportOf(t, db, p, "2026-01", "2026-01", "2026-01")
	count := func() {
		update(t, db, func(tx *Tx) error {
			_, _, err := tx.countMonth(p, "2026-01", 0, 2*countsFrom)
			return err
		})
	}
	count()
	var stored []byte
	view(t, db, func(v *View) error { return v.one(`select counts from month_counts`, nil, &stored) })
	var damaged []string
	for cut := range stored {
		damaged = append(damaged, fmt.Sprintf(`counts = x'%x'`, stored[:cut]))
		flipped := slices.Clone(stored)
		flipped[cut] ^= 1 << (cut % 8)
		damaged = append(damaged, fmt.Sprintf(`counts = x'%x'`, flipped))
	}
	damaged = append(
		damaged, fmt.Sprintf(`counts = x'%x00'`, stored), `upto = upto - 1`, `upto = 1`, `upto = upto + 1000`,
		fmt.Sprintf(`counts = x'%x'`, append(slices.Clone(stored[:len(stored)-3]), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 1, 1)),
	)
	for _, damage := range damaged {
		raw(t, db, `update month_counts set `+damage)
		view(t, db, func(v *View) error {
			broken, err := v.brokenMonthCounts()
			require.Equal(t, 1, broken, damage)
			return err
		})
		view(t, db, func(v *View) error {
			c, err := v.Counted(p, month(t, "2026-01"), stats.Period{First: month(t, "2026-01"), Last: month(t, "2026-01")})
			require.Equal(t, []string{"2026-01"}, c.Behind, damage)
			return err
		})
		sameReport(t, right, reportOf(t, db, p, "2026-01", "2026-01", "2026-01"), damage)
		count()
		monthCountsAreRight(t, db)
	}
}

func TestEveryChangeOfARecordReachesTheTriggersOfTheStoredCounts(t *testing.T) {
	db := opened(t)
	var triggers []string
	view(t, db, func(v *View) (err error) {
		triggers, err = all(v, `select name from sqlite_schema where type = 'trigger' and tbl_name = 'records' and name like 'month_counts_%' order by name`,
			func(name *string, rows *sql.Rows) error { return rows.Scan(name) })
		return err
	})
	require.Equal(t, []string{"month_counts_added", "month_counts_changed", "month_counts_removed"}, triggers)
	sources, err := filepath.Glob("../*/*.go")
	require.NoError(t, err)
	migrations, err := filepath.Glob("../migrations/*.sql")
	require.NoError(t, err)
	replaces := regexp.MustCompile(`(?i)\b(replace\s+into|(insert|update)\s+or\s+replace(\s+into)?)\s+records\b`)
	require.Regexp(t, replaces, "insert or replace into records (id)")
	own := 0
	for _, file := range append(sources, migrations...) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.HasSuffix(file, "month_counts_test.go") {
			own++
			continue
		}
		require.NotRegexp(t, replaces, string(text), "%s: SQLite runs no delete trigger for rows that it replaces, so the counts of the row's month would stay", file)
	}
	require.Equal(t, 1, own)
}

func TestALeftOverRowOfCountsDoesNotStopForgetting(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	raw(t, db, fmt.Sprintf(`insert into month_counts values (%d, '2025-09', 50, x'00')`, p))
	update(t, db, func(tx *Tx) error { return tx.Forget(p, nil) })
	require.Zero(t, asked(t, db, `select count(*) from month_counts`))
	raw(t, db, `delete from practices`) // no row refers to it any more
}

func TestTheCheckFindsMonthCountsThatDoNotMatchTheRecords(t *testing.T) {
	for _, wrong := range []string{
		`update month_counts set upto = upto - 1`, `update month_counts set month = '2026-03'`,
		`update month_counts set counts = substr(counts, 1, 5)`,
	} {
		db := opened(t)
		p := addPractice(t, db)
		born(t, db, p, "2026-01", "midwife", by(birth.Cesarean, true))
		born(t, db, p, "2026-01", "midwife", by(birth.Cesarean, true))
		update(t, db, func(tx *Tx) error {
			_, _, err := tx.countMonth(p, "2026-01", 0, 9)
			return err
		})
		monthCountsAreRight(t, db)
		raw(t, db, wrong)
		problems := map[string]string{}
		require.NoError(t, db.Check(t.Context(), func(check, problem string) { problems[check] = problem }))
		require.NotEmpty(t, problems[monthCountsRule], wrong)
	}
}

func TestNothingIsCountedForAPracticeThatIsBeingForgotten(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	born(t, db, p, "2026-01", "midwife", by(birth.Cesarean, true))
	db.CountLater(p, []string{"2026-01"})
	update(t, db, func(tx *Tx) error { return tx.Forget(p, nil) })
	countAll(t, db)
	require.Zero(t, asked(t, db, `select count(*) from month_counts`))
}
