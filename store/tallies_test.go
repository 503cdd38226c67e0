package store

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/longtest"
	"birthregistry/app/stats"
)

func month(t testing.TB, text string) stats.Month {
	t.Helper()
	m, ok := stats.ParseMonth(text)
	require.True(t, ok, text)
	return m
}

func peersOf(t testing.TB, db *DB, p PracticeID, measure, first, last string) (peers stats.Peers) {
	t.Helper()
	view(t, db, func(v *View) (err error) {
		peers, err = v.Peers(p, stats.Lookup(measure), month(t, first), month(t, last))
		return err
	})
	return peers
}

// talliesAreRight requires that the tallies equal a count of the records.
func talliesAreRight(t testing.TB, db *DB) {
	t.Helper()
	view(t, db, func(v *View) error {
		broken, err := v.brokenTallies()
		require.Zero(t, broken, talliesRule)
		return err
	})
}

// by returns the outcome of a birth by a method.
func by(method birth.Method, consent bool) string {
	o := birth.Outcome{Consent: consent, Children: []birth.Newborn{{Method: method}}}
	return o.Text()
}

// someOutcome makes up an outcome in which each value is sometimes unknown.
func someOutcome(r *rand.Rand) string {
	tri := func() birth.Tri { return birth.Tri(r.IntN(3)) }
	o := birth.Outcome{Consent: r.IntN(4) > 0, Doula: tri(), Scarred: tri(), Labored: tri(), Loss: birth.Loss(r.IntN(4))}
	for range 1 + r.IntN(2) {
		o.Children = append(o.Children, birth.Newborn{Method: birth.Method(r.IntN(4)), Five: tri(), Ten: tri(), Weeks: 35 * r.IntN(2)})
	}
	return o.Text()
}

// recounted computes the pool by its definition: it counts each practice separately, from its
// records.
func recounted(t testing.TB, v *View, but PracticeID, m *stats.Measure, period stats.Period) (p stats.Peers) {
	t.Helper()
	practices, err := v.Practices()
	require.NoError(t, err)
	most := 0
	for _, other := range practices {
		if other.Sandbox || other.ID == but {
			continue
		}
		report := stats.NewReport(period)
		eachRecord(t, v, other.ID, func(state birth.State, facts birth.Facts) {
			var o birth.Outcome
			if o.Read(facts.Outcome); o.Consent && state == birth.Active {
				report.Add(facts.BirthMonth, facts.Attendant, facts.Outcome)
			}
		})
		tally := report.Total.Tally(m)
		if tally.Known > 0 {
			p.Practices++
		}
		p.Yes, p.Known, most = p.Yes+tally.Yes, p.Known+tally.Known, max(most, tally.Known)
	}
	p.Dominated = 2*most > p.Known
	return p
}

// changing makes random changes to records and remembers what should be on file.
type changing struct {
	*rand.Rand
	practices []PracticeID
	records   []Record
	of        []PracticeID
	first     stats.Month
	months    int  // records are of this many months from first on, or 90 with 0
	erases    bool // some changes erase a record
}

var errRegret = errors.New("regret")

// change creates a record or changes one: its content, month, consent or state.
func (c *changing) change(tx *Tx) error {
	facts := birth.Facts{BirthMonth: (c.first + stats.Month(c.IntN(cmp.Or(c.months, 90)))).String(), Outcome: someOutcome(c.Rand)}
	if c.months > 0 {
		facts.Attendant = []string{"", "midwife", "nurse", "doula"}[c.IntN(4)]
	}
	if c.IntN(20) == 0 {
		facts.BirthMonth = ""
	}
	if len(c.records) == 0 || c.IntN(4) == 0 {
		p := c.practices[min(c.IntN(len(c.practices)), c.IntN(len(c.practices)))] // some practices have more records than others
		id, err := tx.NextRecordID()
		r := Record{ID: id, UUID: uuid.NewString(), State: birth.Active, Version: 1, Content: 1, Facts: facts}
		c.records, c.of = append(c.records, r), append(c.of, p)
		return errors.Join(err, tx.AddRecords(p, []Record{r}))
	}
	i := c.IntN(len(c.records))
	if c.erases && c.IntN(12) == 0 {
		r, p := c.records[i], c.of[i]
		c.records, c.of = slices.Delete(c.records, i, i+1), slices.Delete(c.of, i, i+1)
		return tx.EraseRecords(p, []int64{r.ID})
	}
	r := &c.records[i]
	switch c.IntN(3) {
	case 0:
		r.Facts = facts
	case 1:
		r.State = []birth.State{birth.Voided, birth.Merged}[c.IntN(2)]
	default:
		r.State = birth.Active
	}
	return tx.UpdateRecord(c.of[i], *r)
}

func TestFiguresAcrossPracticesEqualARecountAfterThousandsOfChanges(t *testing.T) {
	t.Parallel()
	db := opened(t)
	c := changing{Rand: rand.New(rand.NewPCG(13, 5)), first: month(t, "2019-03")}
	for n := range 12 {
		c.practices = append(c.practices, addPractice(t, db))
		if n == 3 {
			raw(t, db, `update practices set is_sandbox = 1 where id = ?`, c.practices[n])
		}
	}
	given, dominated := 0, 0
	changes := longtest.Times(t, 3000, 10_000, "changes")
	for done, next := 0, 500; done < changes; {
		before, of, regret := slices.Clone(c.records), slices.Clone(c.of), c.IntN(10) == 0
		err := db.Update(func(tx *Tx) error {
			for range 1 + c.IntN(20) {
				if err := c.change(tx); err != nil {
					return err
				}
				done++
			}
			if regret {
				return errRegret
			}
			return nil
		})
		if regret {
			require.ErrorIs(t, err, errRegret)
			c.records, c.of = before, of
			continue
		}
		require.NoError(t, err)
		if done < next {
			continue
		}
		next += 500
		talliesAreRight(t, db)
		view(t, db, func(v *View) error {
			for range 60 {
				m := &stats.Measures[c.IntN(len(stats.Measures))]
				period := stats.Period{First: c.first + stats.Month(c.IntN(90)-5)}
				period.Last = period.First + stats.Month(c.IntN(stats.MaxMonths))
				but := c.practices[c.IntN(len(c.practices))]
				got, err := v.Peers(but, m, period.First, period.Last)
				require.NoError(t, err)
				require.Equal(t, recounted(t, v, but, m, period), got, "%s of %s but for %d", m.ID, period.Label(), but)
				if _, ok := got.Pooled(); ok {
					given++
				}
				if got.Dominated {
					dominated++
				}
			}
			return nil
		})
	}
	require.Greater(t, given, changes/150, "figures that are given")
	require.Greater(t, dominated, changes/1000, "pools of which one practice holds most")
}

func TestAPoolContainsTheOtherLivePracticesRecordsWithConsent(t *testing.T) {
	db := opened(t)
	p, other, sandbox := addPractice(t, db), addPractice(t, db), addPractice(t, db)
	raw(t, db, `update practices set is_sandbox = 1 where id = ?`, sandbox)
	for _, practice := range []PracticeID{p, other, sandbox} {
		born(t, db, practice, "2026-01", "midwife", by(birth.Cesarean, true))
		born(t, db, practice, "2026-02", "", by(birth.Unassisted, true))
		born(t, db, practice, "2026-01", "", by(birth.Cesarean, false))
		born(t, db, practice, "2026-01", "", by(birth.Cesarean, true), func(r *Record) { r.State = birth.Voided })
		born(t, db, practice, "2026-05", "", by(birth.Cesarean, true))
	}
	require.Equal(t, stats.Peers{Yes: 1, Known: 2, Practices: 1, Dominated: true}, peersOf(t, db, p, "cesarean", "2026-01", "2026-03"))
	require.Zero(t, asked(t, db, `select count(*) from tallies where practice = ?`, sandbox))
	talliesAreRight(t, db)
}

func TestHalfOfAPoolIsNotMoreThanHalf(t *testing.T) {
	for most, dominated := range map[int]bool{4: false, 5: true} {
		db := opened(t)
		p := addPractice(t, db)
		for _, n := range []int{1, 1, most, 1, 1} {
			other := addPractice(t, db)
			for i := range n {
				born(t, db, other, fmt.Sprintf("2026-%02d", 1+i), "", by(birth.Cesarean, true))
			}
		}
		got := peersOf(t, db, p, "cesarean", "2026-01", "2026-12")
		require.Equal(t, stats.Peers{Yes: 4 + most, Known: 4 + most, Practices: 5, Dominated: dominated}, got)
	}
}

func TestEachJobOfACommitTalliesItsOwnRowsAndAFailedOneNothing(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	counting := func(err error) *job {
		return &job{fn: func(tx *Tx) error {
			id, failed := tx.NextRecordID()
			return errors.Join(failed, tx.AddRecords(other, []Record{{
				ID: id, UUID: uuid.NewString(), State: birth.Active, Version: 1, Content: 1,
				Facts: birth.Facts{BirthMonth: "2026-01", Outcome: by(birth.Cesarean, true)},
			}}), err)
		}}
	}
	jobs := []*job{counting(nil), counting(errRegret), counting(nil)}
	require.NoError(t, db.writer.transact(jobs))
	require.Equal(t, 2, peersOf(t, db, p, "cesarean", "2026-01", "2026-01").Known)
	talliesAreRight(t, db)
}

func TestMissingTalliesAreFilledInWhenTheFileIsOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	db := openedAt(t, path)
	r := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		p := addPractice(t, db)
		for i := range 20 {
			born(t, db, p, fmt.Sprintf("2026-%02d", 1+i%12), "", someOutcome(r))
		}
	}
	talliesAreRight(t, db)
	before := asked(t, db, `select count(*) from tallies`)
	for _, left := range []string{
		`delete from tallies; delete from tally_totals; delete from tally_returns; update practices set tallied = 0`,
		`update practices set tallied = 0 where id > 1`, // some tallies exist already, and tallying those again changes nothing
	} {
		raw(t, db, left)
		require.NoError(t, db.Close())
		db = openedAt(t, path)
		talliesAreRight(t, db)
		require.Equal(t, before, asked(t, db, `select count(*) from tallies`))
		require.Zero(t, asked(t, db, `select count(*) from practices where tallied = 0`))
	}
}

func TestTheCheckFindsTalliesThatDoNotMatchTheRecords(t *testing.T) {
	for _, wrong := range []string{
		`update tallies set counts = (select o.counts from tallies o where o.month > tallies.month) where month = (select min(month) from tallies)`,
		`delete from tallies`, `delete from tally_totals`, `update tally_totals set counts = x'02'`, `delete from tally_returns`,
		`update tally_returns set last = last + 1`, `insert into tally_totals values (1, x'02')`,
		`update records set outcome = '` + by(birth.Unassisted, true) + `'`, `update records set birth_month = '2026-07'`,
	} {
		db := opened(t)
		p := addPractice(t, db)
		born(t, db, p, "2026-01", "", by(birth.Cesarean, true))
		born(t, db, p, "2026-02", "", by(birth.Unassisted, true))
		raw(t, db, wrong)
		problems := map[string]string{}
		require.NoError(t, db.Check(t.Context(), func(check, problem string) { problems[check] = problem }))
		require.NotEmpty(t, problems[talliesRule], wrong)
	}
}
