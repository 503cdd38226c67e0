package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// addIngestions stores one ingestion of a practice for each ending; the zero Ending leaves its
// ingestion in the queue.
func addIngestions(t *testing.T, db *DB, p PracticeID, key int64, ends ...Ending) (ids []string) {
	t.Helper()
	update(t, db, func(tx *Tx) error {
		for n, end := range ends {
			id := fmt.Sprintf("%d-%d", p, n)
			if _, _, err := tx.Accept(p, NewIngestion{PublicID: id, APIKey: key, Size: int64(n), Parts: [][]byte{{1}}}); err != nil {
				return err
			}
			ids = append(ids, id)
			if end.Status == "" {
				continue
			}
			i, err := tx.Ingestion(p, id)
			if err != nil {
				return err
			}
			end.Ingestion = i.ID
			if err := tx.Finish(p, end); err != nil {
				return err
			}
		}
		return nil
	})
	return ids
}

func completed(accepted, rejected int) Ending {
	return Ending{Status: Completed, Accepted: accepted, Rejected: rejected, Outcome: []byte("x")}
}

var failed = Ending{Status: Failed, Outcome: []byte("x"), Exception: "MappingPanic", CorrelationID: "support"}

func TestIngestionsComeNewestFirstInPages(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	key := addKey(t, db, p, "hash")
	ids := addIngestions(t, db, p, key, completed(1, 0), completed(0, 2), failed, completed(3, 1), Ending{})
	addIngestions(t, db, other, 0, failed, completed(1, 1))
	list := func(filter IngestionFilter, before int64, limit int) (all []ListedIngestion) {
		view(t, db, func(v *View) (err error) {
			all, err = v.Ingestions(p, filter, before, limit)
			return err
		})
		return all
	}
	names := func(all []ListedIngestion) (names []string) {
		for _, a := range all {
			names = append(names, a.PublicID)
		}
		return names
	}
	first := list(AnyIngestion, 0, 3)
	require.Equal(t, []string{ids[4], ids[3], ids[2]}, names(first))
	require.Equal(t, []string{ids[1], ids[0]}, names(list(AnyIngestion, first[2].ID, 3)))
	require.Equal(t, []string{ids[2]}, names(list(FailedOnly, 0, 9)))
	require.Equal(t, []string{ids[3], ids[1]}, names(list(WithRejects, 0, 9)))
	require.Equal(t, []string{ids[1]}, names(list(WithRejects, first[1].ID, 9)))
	require.Equal(t, []string{ids[4]}, names(list(UnderWay, 0, 9)))
	require.ErrorIs(t, db.View(t.Context(), func(v *View) error {
		_, err := v.Ingestions(p, "nonsense", 0, 9)
		return err
	}), ErrNotFound)

	require.Equal(t, "nightly", first[0].Key)
	require.Equal(t, Failed, first[2].Status)
	require.Equal(t, "MappingPanic", first[2].Exception)
	require.Equal(t, "support", first[2].CorrelationID)
	require.False(t, first[2].CompletedAt.IsZero())
	require.True(t, first[0].CompletedAt.IsZero())
	require.Empty(t, first[1].Outcome, "a list holds no outcome")
	require.Equal(t, []int{3, 1}, []int{first[1].Accepted, first[1].Rejected})
}

func TestAFileThatWasImportedIsNotAmongTheIngestionsOfSystems(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	ids := addIngestions(t, db, p, 0, completed(1, 1), failed)
	update(t, db, func(tx *Tx) error {
		_, err := tx.exec(`update ingestions set kind = 'csv'`)
		return err
	})
	view(t, db, func(v *View) error {
		for filter := range ingestions {
			all, err := v.Ingestions(p, filter, 0, 9)
			require.NoError(t, err)
			require.Empty(t, all)
		}
		w, err := v.NeedsAttention(p, time.Time{})
		require.Equal(t, NeedsAttention{}, w)
		_, none := v.ListedIngestion(p, ids[0])
		require.ErrorIs(t, none, ErrNotFound)
		return err
	})
}

func TestAnIngestionIsFoundByItsPublicIDInItsPracticeOnly(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	id := addIngestions(t, db, p, 0, completed(2, 1))[0]
	view(t, db, func(v *View) error {
		a, err := v.ListedIngestion(p, id)
		require.Equal(t, id, a.PublicID)
		require.Equal(t, 2, a.Accepted)
		require.Empty(t, a.Key, "no key brought it")
		require.False(t, a.Idempotent)
		_, none := v.ListedIngestion(other, id)
		require.ErrorIs(t, none, ErrNotFound)
		return err
	})
}
