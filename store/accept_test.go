package store

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestAnAcceptedSubmissionIsQueuedWithItsBody(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	before := time.Now().Truncate(time.Millisecond)
	i := accept(t, db, p)
	require.Equal(t, Ingestion{ID: i.ID, PublicID: i.PublicID, Kind: BundleKind, Status: Queued, Size: 7, CreatedAt: i.CreatedAt}, i)
	require.False(t, i.CreatedAt.Before(before))
	view(t, db, func(v *View) error {
		for part, want := range []string{"sealed", "body"} {
			sealed, err := v.BufferPart(p, i.ID, part)
			require.NoError(t, err)
			require.Equal(t, want, string(sealed))
		}
		_, err := v.BufferPart(p, i.ID, 2)
		require.ErrorIs(t, err, ErrNotFound)
		_, err = v.Ingestion(p, uuid.NewString())
		require.ErrorIs(t, err, ErrNotFound)
		return nil
	})
}

func TestASubmissionIsStoredWholeOrNotAtAll(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	taken := accept(t, db, p)
	key := keyed(t, db, p)
	for _, n := range []NewIngestion{
		{PublicID: taken.PublicID, Idempotency: []byte("k"), Parts: [][]byte{{1}}},
		{PublicID: "x", Idempotency: []byte("k"), Parts: slices.Repeat([][]byte{{1}}, partsMax+1)},
		{PublicID: "y", Idempotency: []byte("k"), Parts: [][]byte{{1}, nil}}, // a part without content
		{PublicID: "z", Idempotency: []byte("k"), APIKey: 77, Parts: [][]byte{{1}}},
	} {
		require.Error(t, db.Update(func(tx *Tx) error {
			_, _, err := tx.Accept(p, n)
			return err
		}))
	}
	require.Equal(t, 1, asked(t, db, `select count(*) from ingestions`))
	require.Equal(t, 2, asked(t, db, `select count(*) from buffers`))
	view(t, db, func(v *View) error {
		_, err := v.Replay(p, key, []byte("k"))
		require.ErrorIs(t, err, ErrNotFound, "the key is not used up")
		return nil
	})
}

func TestNothingIsAcknowledgedOrReturnedUnderAKeyThatIsNotInForce(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	stranger := newFixture(t, db)
	update(t, db, func(tx *Tx) error { return tx.RevokeAPIKey(w.p, w.key) })
	for name, key := range map[string]int64{"revoked": w.key, "of another practice": stranger.key} {
		require.ErrorIs(t, db.Update(func(tx *Tx) error {
			_, _, err := tx.Accept(w.p, NewIngestion{PublicID: "new", APIKey: key, Parts: [][]byte{{1}}})
			return err
		}), ErrRevoked, name)
		require.ErrorIs(t, db.Update(func(tx *Tx) error {
			_, _, err := tx.Accept(w.p, NewIngestion{PublicID: "new", APIKey: key, Idempotency: []byte("idempotency"), Parts: [][]byte{{1}}})
			return err
		}), ErrRevoked, "%s, and the Idempotency-Key known", name)
		view(t, db, func(v *View) error {
			_, err := v.Replay(w.p, key, []byte("idempotency"))
			require.ErrorIs(t, err, ErrNotFound, name)
			_, err = v.IngestionForKey(w.p, key, w.ingestion.PublicID)
			require.ErrorIs(t, err, ErrNotFound, name)
			_, err = v.Ingestion(w.p, w.ingestion.PublicID)
			return err
		})
	}
	require.Zero(t, asked(t, db, `select count(*) from ingestions where public_id = 'new'`))
}

// REL-11 at the level of the store.
func TestREL_11_OfFiftyAcceptsWithOneKeyOneWinsAndAllGetItsID(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	const callers = 50
	key := keyed(t, db, p)
	ids, replays := make([]string, callers), make([]bool, callers)
	var wg sync.WaitGroup
	for n := range callers {
		wg.Go(func() {
			err := db.Update(func(tx *Tx) (err error) {
				ids[n], replays[n], err = tx.Accept(p, NewIngestion{
					APIKey: key, PublicID: fmt.Sprint("id ", n), Idempotency: []byte("key"), Size: 1, Parts: [][]byte{{1}},
				})
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	created := 0
	for n := range callers {
		require.Equal(t, ids[0], ids[n])
		if !replays[n] {
			require.Equal(t, fmt.Sprint("id ", n), ids[n], "the winner has its own id")
			created++
		}
	}
	require.Equal(t, 1, created)
	require.Equal(t, 1, asked(t, db, `select count(*) from ingestions`))
	require.Equal(t, 1, asked(t, db, `select count(*) from buffers`))
	update(t, db, func(tx *Tx) error { // idempotency keys are per practice
		id, replayed, err := tx.Accept(other, NewIngestion{PublicID: "of another", Idempotency: []byte("key"), Parts: [][]byte{{1}}})
		require.Equal(t, "of another", id)
		require.False(t, replayed)
		return err
	})
	view(t, db, func(v *View) error {
		id, err := v.Replay(p, key, []byte("key"))
		require.Equal(t, ids[0], id)
		return err
	})
}
