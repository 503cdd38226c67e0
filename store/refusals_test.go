package store

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func init() { unscoped["RevokedKeyByHash"] = "the key tells which practice it was" }

func refuse(t *testing.T, db *DB, p PracticeID, key int64, requests ...string) {
	t.Helper()
	update(t, db, func(tx *Tx) error {
		for _, id := range requests {
			if err := tx.AddRefusal(p, Refusal{APIKey: key, Status: 413, Code: "too-large", RequestID: id, Bytes: 33}); err != nil {
				return err
			}
		}
		return nil
	})
}

func refused(t *testing.T, db *DB, p PracticeID, before int64, limit int) (all []Refusal) {
	t.Helper()
	view(t, db, func(v *View) (err error) {
		all, err = v.Refusals(p, time.Now().Add(-RefusalsKeptFor), before, limit)
		return err
	})
	return all
}

func TestRefusalsOfAPracticeAreListedNewestFirstInPages(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	key, others := addKey(t, db, p, "hash"), addKey(t, db, other, "other")
	refuse(t, db, p, key, "a", "b", "c")
	refuse(t, db, other, others, "d")
	all := refused(t, db, p, 0, 2)
	require.Len(t, all, 2)
	require.Equal(t, Refusal{
		ID: all[0].ID, APIKey: key, Key: "nightly", At: all[0].At, Status: 413, Code: "too-large", RequestID: "c", Bytes: 33,
	}, all[0])
	require.WithinDuration(t, time.Now(), all[0].At, time.Minute)
	rest := refused(t, db, p, all[1].ID, 2)
	require.Len(t, rest, 1)
	require.Equal(t, "a", rest[0].RequestID)
	require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.AddRefusal(p, Refusal{APIKey: others}) }), ErrNotFound)
}

func TestTheNewestThousandRefusalsOfAPracticeAreKept(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	key, others := addKey(t, db, p, "hash"), addKey(t, db, other, "other")
	refuse(t, db, other, others, "theirs")
	var ids []string
	for n := range RefusalsKept + 5 {
		ids = append(ids, fmt.Sprint(n))
	}
	refuse(t, db, p, key, ids...)
	all := refused(t, db, p, 0, 2*RefusalsKept)
	require.Len(t, all, RefusalsKept)
	require.Equal(t, "5", all[RefusalsKept-1].RequestID)
	require.Len(t, refused(t, db, other, 0, 9), 1)
}

func TestOldRefusalsAreNotShownAndAreDeletedWithTheNextOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := opened(t)
		p := addPractice(t, db)
		key := addKey(t, db, p, "hash")
		refuse(t, db, p, key, "old", "older", "oldest")
		time.Sleep(RefusalsKeptFor + time.Hour)
		require.Empty(t, refused(t, db, p, 0, 9))
		refuse(t, db, p, key, "new", "newer")
		update(t, db, func(tx *Tx) error {
			var n int
			err := tx.one(`select count(*) from refused`, nil, &n)
			require.Equal(t, 2, n)
			return err
		})
	})
}

func TestARevokedKeyIsFoundSeparately(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	id := addKey(t, db, p, "hash")
	find := func() (k APIKey, err error) {
		err = db.View(t.Context(), func(v *View) error {
			k, err = v.RevokedKeyByHash([]byte("hash"))
			return err
		})
		return k, err
	}
	_, err := find()
	require.ErrorIs(t, err, ErrNotFound, "it is in force")
	update(t, db, func(tx *Tx) error { return tx.RevokeAPIKey(p, id) })
	k, err := find()
	require.NoError(t, err)
	require.Equal(t, id, k.ID)
	require.Equal(t, p, k.Practice)
}
