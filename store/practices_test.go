package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAPracticeIsReadAsItWasAdded(t *testing.T) {
	db := opened(t)
	before := time.Now().Truncate(time.Millisecond)
	var sandbox, real Practice
	update(t, db, func(tx *Tx) error {
		id, err := tx.AddPractice("Sandbox ♥ O'Brien", true, false)
		if err != nil {
			return err
		}
		if sandbox, err = tx.Practice(id); err != nil {
			return err
		}
		if id, err = tx.AddPractice("Riverside", false, true); err != nil {
			return err
		}
		real, err = tx.Practice(id)
		return err
	})
	require.Equal(t, Practice{ID: sandbox.ID, Name: "Sandbox ♥ O'Brien", Sandbox: true, TimeZone: "UTC", CreatedAt: sandbox.CreatedAt}, sandbox)
	require.Equal(t, Practice{ID: real.ID, Name: "Riverside", EHRBeta: true, TimeZone: "UTC", CreatedAt: real.CreatedAt}, real)
	require.False(t, sandbox.CreatedAt.Before(before))
	require.Equal(t, time.UTC, sandbox.CreatedAt.Location())
	view(t, db, func(v *View) error {
		all, err := v.Practices()
		require.Equal(t, []Practice{sandbox, real}, all)
		_, none := v.Practice(77)
		require.ErrorIs(t, none, ErrNotFound)
		return err
	})
}

func TestTheBetaIsEnabledAndWithdrawn(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	for _, enabled := range []bool{false, true} {
		update(t, db, func(tx *Tx) error { return tx.SetEHRBeta(p, enabled) })
		view(t, db, func(v *View) error {
			practice, err := v.Practice(p)
			require.Equal(t, enabled, practice.EHRBeta)
			return err
		})
	}
	require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.SetEHRBeta(77, true) }), ErrNotFound)
}

func TestAPracticeHasATimeZone(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	update(t, db, func(tx *Tx) error { return tx.SetTimeZone(p, "America/New_York") })
	view(t, db, func(v *View) error {
		practice, err := v.Practice(p)
		require.Equal(t, "America/New_York", practice.Location().String())
		return err
	})
	require.Equal(t, time.UTC, Practice{TimeZone: "Moon/Base"}.Location())
	require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.SetTimeZone(77, "UTC") }), ErrNotFound)
}

func addKey(t *testing.T, db *DB, p PracticeID, hash string) (id int64) {
	t.Helper()
	update(t, db, func(tx *Tx) (err error) {
		id, err = tx.AddAPIKey(p, APIKey{
			Label: "nightly", Scopes: []string{"ingest:write", "ingest:read"}, Prefix: "rgk_1234", MintedBy: "operator",
		}, []byte(hash))
		return err
	})
	return id
}

func TestAKeyIsFoundByItsHashUntilItIsRevoked(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	id := addKey(t, db, p, "hash")
	find := func(hash string) (k APIKey, err error) {
		err = db.View(t.Context(), func(v *View) error {
			k, err = v.KeyByHash([]byte(hash))
			return err
		})
		return k, err
	}
	k, err := find("hash")
	require.NoError(t, err)
	require.Equal(t, APIKey{
		ID: id, Practice: p, Label: "nightly", Scopes: []string{"ingest:write", "ingest:read"}, Prefix: "rgk_1234",
		MintedBy: "operator", CreatedAt: k.CreatedAt,
	}, k)
	_, err = find("other")
	require.ErrorIs(t, err, ErrNotFound)

	at := time.Now().Add(time.Hour).Truncate(time.Millisecond).UTC()
	update(t, db, func(tx *Tx) error { return tx.TouchAPIKey(p, id, at) })
	k, err = find("hash")
	require.NoError(t, err)
	require.Equal(t, at, *k.LastUsedAt)

	update(t, db, func(tx *Tx) error { return tx.RevokeAPIKey(p, id) })
	_, err = find("hash")
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.RevokeAPIKey(p, id) }), ErrNotFound, "twice")
	view(t, db, func(v *View) error {
		all, err := v.APIKeys(p)
		require.Len(t, all, 1, "a revoked key stays listed")
		require.NotNil(t, all[0].RevokedAt)
		of, none := v.PracticeOfKey(id)
		require.NoError(t, none)
		require.Equal(t, p, of)
		_, none = v.PracticeOfKey(77)
		require.ErrorIs(t, none, ErrNotFound)
		return err
	})
}

func TestKeysAreListedByAgeAndTheirHashesAreUnique(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	var ids []int64
	for n := range 5 {
		ids = append(ids, addKey(t, db, p, fmt.Sprint(n)))
	}
	addKey(t, db, other, "of another")
	view(t, db, func(v *View) error {
		all, err := v.APIKeys(p)
		require.Len(t, all, len(ids))
		for n, k := range all {
			require.Equal(t, ids[n], k.ID)
		}
		return err
	})
	for _, taken := range []PracticeID{p, other} {
		err := db.Update(func(tx *Tx) error {
			_, err := tx.AddAPIKey(taken, APIKey{Label: "twice"}, []byte("0"))
			return err
		})
		require.ErrorIs(t, err, ErrConflict)
	}
}

func TestSecretsAreStoredOnceAndEpochsAreNumbered(t *testing.T) {
	db := opened(t)
	_, err := db.Secret("root")
	require.True(t, db.Missing(err))
	require.NoError(t, db.PutSecret("root", []byte("sealed")))
	require.ErrorIs(t, db.PutSecret("root", []byte("another")), ErrConflict)
	sealed, err := db.Secret("root")
	require.NoError(t, err)
	require.Equal(t, "sealed", string(sealed))

	_, err = db.Epoch(1)
	require.True(t, db.Missing(err))
	for n := int64(1); n < 4; n++ {
		id, err := db.PutEpoch(fmt.Append(nil, "header ", n), 0)
		require.NoError(t, err)
		require.Equal(t, n, id)
		header, err := db.Epoch(id)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("header ", n), string(header))
	}
	require.False(t, db.Missing(ErrClosed))
}
