package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// passkey is a passkey of a user as an authenticator makes it.
func passkey(user int64, credential string) Passkey {
	return Passkey{User: user, Credential: []byte(credential), PublicKey: []byte("public"), SignCount: 3, Flags: 5, Name: []byte("sealed")}
}

func TestACredentialBelongsToOneUser(t *testing.T) {
	db := opened(t)
	one, two := account(t, db, "petra@example.org"), account(t, db, "olive@example.org")
	update(t, db, func(tx *Tx) error { return tx.AddPasskey(passkey(one, "credential")) })
	require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.AddPasskey(passkey(two, "credential")) }), ErrConflict)
	require.NoError(t, db.View(t.Context(), func(v *View) error {
		u, err := v.UserOfPasskey([]byte("credential"))
		require.Equal(t, one, u.ID)
		require.Equal(t, 1, u.Passkeys)
		require.True(t, u.SecondFactor())
		_, none := v.UserOfPasskey([]byte("another"))
		require.ErrorIs(t, none, ErrNotFound)
		return err
	}))
	require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.DropPasskey(two, 1) }), ErrNotFound, "it is another's")
	update(t, db, func(tx *Tx) error { return tx.DropPasskey(one, 1) })
	require.Zero(t, asked(t, db, `select count(*) from passkeys`))
}

func TestTheCounterOfAPasskeyOnlyRises(t *testing.T) {
	db := opened(t)
	user := account(t, db, "petra@example.org")
	update(t, db, func(tx *Tx) error { return tx.AddPasskey(passkey(user, "credential")) })
	use := func(count uint32) error {
		return db.Update(func(tx *Tx) error { return tx.UsePasskey(1, count, 29) })
	}
	for _, c := range []struct {
		count uint32
		taken bool
	}{{3, false}, {0, false}, {4, true}, {4, false}, {9, true}, {8, false}} {
		err := use(c.count)
		require.Equal(t, c.taken, err == nil, "%d: %v", c.count, err)
	}
	update(t, db, func(tx *Tx) error {
		_, err := tx.exec(`update passkeys set sign_count = 0`)
		return err
	})
	require.NoError(t, use(0), "an authenticator without a counter")
	require.NoError(t, use(0))
	require.NoError(t, db.View(t.Context(), func(v *View) error {
		all, err := v.PasskeysOf(user)
		require.Len(t, all, 1)
		require.Equal(t, byte(29), all[0].Flags)
		require.NotNil(t, all[0].UsedAt)
		return err
	}))
}

func TestThePasskeysOfAnAccountThatStaysGoWithItsLastPractice(t *testing.T) {
	db := opened(t)
	own, other := addPractice(t, db), newFixture(t, db)
	user := account(t, db, "petra@example.org", own)
	update(t, db, func(tx *Tx) error { return tx.AddPasskey(passkey(user, "credential")) })
	raw(t, db, `update versions set user = ? where record = ?`, user, other.record.ID)
	forget(t, db, own)
	require.Equal(t, 1, accounts(t, db, "petra@example.org"), "the history of the other practice names her")
	require.Zero(t, asked(t, db, `select count(*) from passkeys where user = ?`, user))
}
