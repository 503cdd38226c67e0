package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/longtest"
)

// recountedProviders counts the births of each provider by its definition.
func recountedProviders(t testing.TB, v *View, p PracticeID) []Identity {
	t.Helper()
	all, err := v.identities(`
		select`+identityColumns+`
		from providers s
		left join providers i on coalesce(i.survivor, i.id) = s.id
		left join attributions a on a.provider = i.id
		left join records r on r.id = a.record and r.content = a.version and r.state = 'active'
		where s.practice = ? and s.survivor is null
		group by s.id
		order by s.name, s.id`, p)
	require.NoError(t, err)
	return all
}

// providersAreRight requires that the list of providers equals a count of the records.
func providersAreRight(t testing.TB, db *DB, p PracticeID, about string) {
	t.Helper()
	view(t, db, func(v *View) error {
		found, _, err := v.Providers(p)
		require.NoError(t, err)
		require.Equal(t, recountedProviders(t, v, p), found, about)
		broken, err := v.brokenProviderCounts()
		require.Zero(t, broken, "%s: %s", about, providerCountsRule)
		return err
	})
}

// staffing makes random changes to births and to who took part in them.
type staffing struct {
	*rand.Rand
	p         PracticeID
	records   []Record
	providers []int64
	merged    map[int64]bool
}

// attend stores who took part in the present version of a record: often two identities, which
// may be one person.
func (s *staffing) attend(tx *Tx, r Record) error {
	var all []Attribution
	for n, at := range s.Perm(len(s.providers))[:s.IntN(min(3, len(s.providers)+1))] {
		all = append(all, Attribution{r.ID, r.Version, s.providers[at], n == 0 && s.IntN(3) > 0, birth.RoleMidwife})
	}
	return tx.AddAttributions(s.p, all)
}

func (s *staffing) change(tx *Tx) error {
	switch n := s.IntN(30); {
	case n == 0:
		id, err := tx.AddProvider(s.p, Provider{Identity: []byte(uuid.NewString()), Sealed: []byte("sealed"), Name: fmt.Sprint("Provider ", s.IntN(9)), Role: birth.RoleMidwife}, "")
		s.providers = append(s.providers, id)
		return err
	case n == 1 && len(s.providers) > 1:
		one, two := s.providers[s.IntN(len(s.providers))], s.providers[s.IntN(len(s.providers))]
		if s.merged[one] || s.merged[two] || one == two {
			return nil
		}
		s.merged[one] = true
		return tx.SetMerged(s.p, one, two)
	case n == 2:
		for provider := range s.merged {
			delete(s.merged, provider)
			return tx.SetMerged(s.p, provider, 0)
		}
		return nil
	case n < 15 || len(s.records) == 0:
		id, err := tx.NextRecordID()
		r := Record{ID: id, UUID: uuid.NewString(), State: birth.Active, Version: 1, Content: 1}
		s.records = append(s.records, r)
		return errors.Join(err, tx.AddRecords(s.p, []Record{r}), s.attend(tx, r))
	case n == 15:
		i := s.IntN(len(s.records))
		r := s.records[i]
		s.records = append(s.records[:i], s.records[i+1:]...)
		return tx.EraseRecords(s.p, []int64{r.ID})
	}
	r := &s.records[s.IntN(len(s.records))]
	if s.IntN(2) == 0 {
		r.State = []birth.State{birth.Active, birth.Voided, birth.Merged}[s.IntN(3)]
		return tx.UpdateRecord(s.p, *r)
	}
	r.Version++
	r.Content = r.Version
	if s.IntN(2) == 0 { // in either order
		return errors.Join(tx.UpdateRecord(s.p, *r), s.attend(tx, *r))
	}
	return errors.Join(s.attend(tx, *r), tx.UpdateRecord(s.p, *r))
}

func TestTheBirthsOfProvidersEqualARecountAfterAnyChanges(t *testing.T) {
	t.Parallel()
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	s := staffing{Rand: rand.New(rand.NewPCG(7, 4)), p: p, merged: map[int64]bool{}}
	added, joined, deleted := 0, 0, 0
	steps := longtest.Times(t, 150, 300, "changes")
	for step := range steps {
		stored := asked(t, db, `select count(*) from provider_counts`)
		update(t, db, func(tx *Tx) (err error) {
			for range 1 + s.IntN(4) {
				err = errors.Join(err, s.change(tx))
			}
			return err
		})
		if step%9 == 0 {
			born(t, db, other, "2026-01", "midwife", "")
		}
		if asked(t, db, `select count(*) from provider_counts`) < stored {
			deleted++
		}
		providersAreRight(t, db, p, fmt.Sprint("step ", step))
		for done := s.IntN(3) == 0; !done; {
			update(t, db, func(tx *Tx) (err error) {
				_, done, err = tx.countProvidersOf(p, 0, 2)
				return err
			})
		}
		providersAreRight(t, db, p, fmt.Sprint("step ", step))
		added += asked(t, db, `select count(*) from provider_counts`)
		joined += asked(t, db, `select count(*) from provider_counts where ranges = ?`, joinedRanges)
	}
	require.Greater(t, added, steps, "stored counts that were added up")
	require.Greater(t, joined, steps/20, "stored counts that add up others")
	require.Greater(t, deleted, steps/8, "changes of what was counted")
}

func TestTheListOfProvidersReadsOnlyTheStoredCountsAndTheRecordsAfterThem(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	s := staffing{Rand: rand.New(rand.NewPCG(1, 1)), p: p, merged: map[int64]bool{}}
	read := func() (behind bool) {
		view(t, db, func(v *View) (err error) {
			_, behind, err = v.Providers(p)
			return err
		})
		return behind
	}
	uncounted := func() (records int) {
		view(t, db, func(v *View) error {
			stored, err := v.countedRanges(p)
			require.NoError(t, err)
			for _, gap := range between(stored) {
				records += asked(t, db, `select count(*) from records where practice = ? and id > ? and id <= ?`, p, gap.After, gap.Upto)
			}
			return nil
		})
		return records
	}
	add := func(n int) {
		update(t, db, func(tx *Tx) (err error) {
			id, err := tx.NextRecordID()
			for i := range n {
				r := Record{ID: id + int64(i), UUID: uuid.NewString(), State: birth.Active, Version: 1, Content: 1}
				err = errors.Join(err, tx.AddRecords(p, []Record{r}), s.attend(tx, r))
			}
			return err
		})
	}
	update(t, db, func(tx *Tx) error {
		id, err := tx.AddProvider(p, Provider{Identity: []byte("1"), Sealed: []byte("sealed"), Name: "Olive", Role: birth.RoleMidwife}, "")
		s.providers = []int64{id}
		return err
	})
	add(2*countedAtOnce + 50)
	require.True(t, read())
	require.Equal(t, 2*countedAtOnce+50, uncounted())
	db.CountProvidersLater(p)
	<-db.CountWake()
	countAll(t, db)
	require.Equal(t, 2, asked(t, db, `select count(*) from provider_counts`))
	require.False(t, read())
	require.Equal(t, 50, uncounted())
	providersAreRight(t, db, p, "counted")
	add(countedAtOnce - 51)
	require.False(t, read(), "fewer than are stored at once")
	add(1)
	require.True(t, read())
	update(t, db, func(tx *Tx) error { return tx.EraseRecords(p, []int64{3}) })
	require.Equal(t, 1, asked(t, db, `select count(*) from provider_counts`), "only the counts that it was in")
	require.Equal(t, 2*countedAtOnce-1, uncounted())
	require.True(t, read())
	db.CountProvidersLater(p)
	countAll(t, db)
	require.Equal(t, 3, asked(t, db, `select count(*) from provider_counts`))
	require.False(t, read())
	providersAreRight(t, db, p, "erased")
	update(t, db, func(tx *Tx) error { return tx.Forget(p, nil) })
	db.CountProvidersLater(p)
	countAll(t, db)
	require.Zero(t, asked(t, db, `select count(*) from provider_counts`))
}

func TestTheCheckFindsProviderCountsThatDoNotMatchTheRecords(t *testing.T) {
	for _, wrong := range []string{
		`update provider_counts set upto = upto - 1`, `update provider_counts set counts = x''`, `update provider_counts set counts = x'0202'`,
		`insert into provider_counts (practice, upto, after, counts) select practice, upto + 1, after, counts from provider_counts`,
	} {
		db := opened(t)
		staffed(t, db)
		require.NotContains(t, problems(t, db), providerCountsRule)
		raw(t, db, wrong)
		require.Contains(t, problems(t, db), providerCountsRule, wrong)
	}
}

// staffed returns a practice of 30 births with stored counts of its providers.
func staffed(t *testing.T, db *DB) (PracticeID, *staffing) {
	t.Helper()
	p := addPractice(t, db)
	s := &staffing{Rand: rand.New(rand.NewPCG(3, 9)), p: p, merged: map[int64]bool{}}
	for len(s.records) < 30 {
		update(t, db, s.change)
	}
	s.count(t, db)
	return p, s
}

// count stores the counts of all records, ten in each row, as when a page has asked.
func (s *staffing) count(t *testing.T, db *DB) {
	t.Helper()
	s.countAtOnce(t, db, 10)
}

// countAtOnce stores the counts of all records, this many in each row.
func (s *staffing) countAtOnce(t *testing.T, db *DB, most int) {
	t.Helper()
	for upto, done := int64(0), false; !done; {
		update(t, db, func(tx *Tx) (err error) {
			upto, done, err = tx.countProvidersOf(s.p, upto, most)
			return err
		})
	}
}

func TestDamagedProviderCountsAreNeverAddedUpAndAreStoredAgain(t *testing.T) {
	db := opened(t)
	p, s := staffed(t, db)
	other := &staffing{p: addPractice(t, db)}
	var stored []byte
	view(t, db, func(v *View) error {
		return v.one(`select counts from provider_counts order by upto limit 1`, nil, &stored)
	})
	damaged := []string{
		`upto = upto - 1`, `upto = upto + 1`, `after = after + 1`, `after = 1000`, fmt.Sprint(`practice = `, other.p),
		fmt.Sprintf(`counts = x'%x00'`, stored), `counts = (select counts from provider_counts order by upto desc limit 1)`,
	}
	for cut := range stored {
		flipped := slices.Clone(stored)
		flipped[cut] ^= 1 << (cut % 8)
		damaged = append(damaged, fmt.Sprintf(`counts = x'%x'`, stored[:cut]), fmt.Sprintf(`counts = x'%x'`, flipped))
	}
	for _, damage := range damaged {
		rows := asked(t, db, `select count(*) from provider_counts`)
		raw(t, db, `update provider_counts set `+damage+` where upto = (select min(upto) from provider_counts)`)
		view(t, db, func(v *View) error {
			found, behind, err := v.Providers(p)
			require.NoError(t, err)
			require.True(t, behind, damage)
			require.Equal(t, recountedProviders(t, v, p), found, damage)
			broken, err := v.brokenProviderCounts()
			require.NotZero(t, broken, damage)
			return err
		})
		s.count(t, db)
		other.count(t, db)
		require.Equal(t, rows, asked(t, db, `select count(*) from provider_counts`), damage)
		providersAreRight(t, db, p, damage)
	}
}

// A damaged row may keep a trigger from finding the one that counts a record.
func TestOutdatedCountsOfProvidersAreNotUsedAfterARowIsDamaged(t *testing.T) {
	db := opened(t)
	p, s := staffed(t, db)
	raw(t, db, `
		update provider_counts set upto = (select min(upto) from provider_counts) - 1
		where upto = (select max(upto) from provider_counts)`)
	before := asked(t, db, `select count(*) from provider_counts`)
	update(t, db, func(tx *Tx) error { return tx.EraseRecords(p, []int64{s.records[0].ID}) })
	require.Equal(t, before, asked(t, db, `select count(*) from provider_counts`), "the trigger has missed the record's row")
	view(t, db, func(v *View) error {
		found, _, err := v.Providers(p)
		require.Equal(t, recountedProviders(t, v, p), found)
		return err
	})
	s.records = s.records[1:]
	s.count(t, db)
	providersAreRight(t, db, p, "counted again")
}

func TestProviderCountsOfAnotherQueryAreNotUsed(t *testing.T) {
	db := opened(t)
	p, s := staffed(t, db)
	now := providersHead
	t.Cleanup(func() { providersHead = now })
	providersHead = func() string { return "another!" }
	view(t, db, func(v *View) error {
		stored, usable, err := v.storedProviders(p, providerCounts{})
		require.False(t, usable)
		require.Empty(t, stored)
		return err
	})
	providersAreRight(t, db, p, "not used, and nothing broken")
	s.count(t, db)
	view(t, db, func(v *View) error {
		_, usable, err := v.storedProviders(p, providerCounts{})
		require.True(t, usable)
		return err
	})
	providersAreRight(t, db, p, "counted again")
}
