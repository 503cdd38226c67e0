package store

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// joined returns a practice of this many births of ten providers, whose stored counts have one
// birth in each range.
func joined(t *testing.T, db *DB, births int) (PracticeID, *staffing) {
	t.Helper()
	p, s := staffed(t, db)
	update(t, db, func(tx *Tx) (err error) {
		for len(s.records) < births {
			id, failed := tx.NextRecordID()
			r := Record{ID: id, UUID: uuid.NewString(), State: birth.Active, Version: 1, Content: 1}
			s.records = append(s.records, r)
			err = errors.Join(err, failed, tx.AddRecords(p, []Record{r}), s.attend(tx, r))
		}
		_, failed := tx.exec(`delete from provider_counts`)
		return errors.Join(err, failed)
	})
	s.countAtOnce(t, db, 1)
	return p, s
}

func TestTheListOfProvidersReadsOneStoredRowForSixteenThousandRecords(t *testing.T) {
	db := opened(t)
	births := 10 * joinedRanges
	p, _ := joined(t, db, births+keptApart)
	require.Equal(t, 10+keptApart, asked(t, db, `select count(*) from provider_counts`))
	require.Equal(t, 10, asked(t, db, `select count(*) from provider_counts where ranges = ?`, joinedRanges))
	providersAreRight(t, db, p, "joined")
}

func TestACorrectionDeletesTheJoinedCountsItIsInAndNoOthers(t *testing.T) {
	db := opened(t)
	p, s := joined(t, db, 4*joinedRanges+keptApart)
	require.Equal(t, 4+keptApart, asked(t, db, `select count(*) from provider_counts`))
	update(t, db, func(tx *Tx) error { return tx.EraseRecords(p, []int64{s.records[20].ID}) })
	require.Equal(t, 3+keptApart, asked(t, db, `select count(*) from provider_counts`))
	providersAreRight(t, db, p, "erased")
	s.countAtOnce(t, db, 1)
	require.Equal(t, 3+keptApart+joinedRanges-1, asked(t, db, `select count(*) from provider_counts`), "fifteen are left, which are not joined")
	providersAreRight(t, db, p, "counted again")
	last := s.records[len(s.records)-1]
	update(t, db, func(tx *Tx) error { return tx.EraseRecords(p, []int64{last.ID}) })
	require.Equal(t, 3+keptApart+joinedRanges-2, asked(t, db, `select count(*) from provider_counts`), "the newest are apart")
	providersAreRight(t, db, p, "the newest erased")
}

func TestDamagedCountsOfProvidersAreNotJoined(t *testing.T) {
	t.Parallel()
	db := opened(t)
	p, s := joined(t, db, 2*joinedRanges+keptApart)
	require.Equal(t, 2+keptApart, asked(t, db, `select count(*) from provider_counts`))
	rnd := rand.New(rand.NewPCG(4, 9))
	for range 20 {
		raw(t, db, `delete from provider_counts`)
		step := func() (done bool) { // as if some had been counted before
			update(t, db, func(tx *Tx) (err error) {
				_, done, err = tx.countProvidersOf(p, 1, 1)
				return err
			})
			return done
		}
		for asked(t, db, `select count(*) from provider_counts`) < len(s.records) {
			step()
		}
		var upto int64
		var counts []byte
		view(t, db, func(v *View) error {
			return v.one(`select upto, counts from provider_counts order by upto limit 1 offset ?`, []any{joinedRanges + rnd.IntN(joinedRanges)}, &upto, &counts)
		})
		counts[rnd.IntN(len(counts))] ^= 1 << rnd.IntN(8)
		raw(t, db, `update provider_counts set counts = ? where upto = ?`, counts, upto)
		for !step() {
		}
		require.Equal(t, 1, asked(t, db, `select count(*) from provider_counts where ranges = ?`, joinedRanges), "the first sixteen")
		view(t, db, func(v *View) error {
			found, _, err := v.Providers(p)
			require.Equal(t, recountedProviders(t, v, p), found)
			return err
		})
		s.countAtOnce(t, db, 1)
		require.Equal(t, 2+keptApart, asked(t, db, `select count(*) from provider_counts`))
		providersAreRight(t, db, p, "counted again")
	}
}
