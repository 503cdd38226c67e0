package cost_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
	"birthregistry/store"
)

// births makes up a practice's births of the last twelve months.
func births(r *rand.Rand, first int64, n int) []store.Record {
	last, all := stats.LastYear(time.Now()).Last, make([]store.Record, n)
	o := birth.Outcome{Consent: true, Children: []birth.Newborn{{Method: birth.Cesarean}}}
	for i := range all {
		all[i] = store.Record{
			ID: first + int64(i), UUID: uuid.NewString(), State: birth.Active, Version: 1, Content: 1,
			Facts: birth.Facts{BirthMonth: (last - stats.Month(r.IntN(12))).String(), Outcome: o.Text()},
		}
	}
	return all
}

// addPeers adds n practices with a few births each, and twenty births to the installation's
// own practice.
func (s *installation) addPeers(n int) {
	s.Helper()
	r := rand.New(rand.NewPCG(5, 5))
	add := func(tx *store.Tx, p store.PracticeID, n int) error {
		id, err := tx.NextRecordID()
		return errors.Join(err, tx.AddRecords(p, births(r, id, n)))
	}
	require.NoError(s, s.DB.Update(func(tx *store.Tx) error { return add(tx, s.practice, 20) }))
	for n > 0 {
		some := min(n, 250) // per commit
		n -= some
		require.NoError(s, s.DB.Update(func(tx *store.Tx) error {
			for range some {
				p, err := tx.AddPractice("Peer", false, false)
				if err = errors.Join(err, add(tx, p, 4)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

func TestTheFiguresOfAMeasureCostNoMoreThanTwiceAsMuchWithFiveThousandPracticesAsWithOne(t *testing.T) {
	cost := func(peers int) work {
		s := newInstallation(t)
		s.addPeers(peers)
		const path = "/registry/statistics/:measure"
		page := s.open(path).Body.String() // does what is done only once
		if peers > 1 {
			require.Contains(t, page, fmt.Sprint("100%, ", humanize.Comma(int64(peers)), " practices, only records with consent"))
		}
		w := measure(func() { s.open(path) })
		t.Logf("%5d: %s", peers, w)
		require.NoError(t, s.Close())
		return w
	}
	one, many := cost(1).parts(), cost(5000).parts()
	for i, part := range many {
		require.LessOrEqual(t, float64(part.count), 2*float64(one[i].count), part.name)
	}
}
