package store

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAListedEHRIsReadBackAndASecondEntryOfItsIssuerReplacesIt(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	first := EHR{
		Issuer: "https://ehr.example.org/fhir", Label: "Riverside", ClientID: "abc", Auth: AuthSecret, Secret: []byte("sealed"),
		Hosts: []string{"auth.example.org", "auth.example.org:8443"}, Scopes: "launch patient/*.r", Aud: "https://ehr.example.org/fhir/",
		Frames: []string{"https://ehr.example.org"}, Practice: p,
	}
	update(t, db, func(tx *Tx) error {
		id, replaced, err := tx.PutEHR(first)
		require.NoError(t, err)
		require.False(t, replaced)
		first.ID, first.CreatedAt = id, tx.Now
		_, _, err = tx.PutEHR(EHR{Issuer: "https://other.example.org/fhir", Auth: AuthPublic})
		return err
	})
	view(t, db, func(v *View) error {
		e, err := v.EHR(first.ID)
		require.Equal(t, first, e)
		return err
	})
	update(t, db, func(tx *Tx) error {
		id, replaced, err := tx.PutEHR(EHR{Issuer: first.Issuer, Label: "Again", Auth: AuthPublic})
		require.True(t, replaced)
		require.Equal(t, first.ID, id)
		return err
	})
	view(t, db, func(v *View) error {
		all, err := v.EHRs()
		require.Len(t, all, 2)
		require.Equal(t, "Again", all[0].Label)
		require.Empty(t, all[0].ClientID)
		require.Empty(t, all[0].Secret)
		require.Zero(t, all[0].Practice)
		return err
	})
	update(t, db, func(tx *Tx) error { return tx.RemoveEHR(first.Issuer) })
	require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.RemoveEHR(first.Issuer) }), ErrNotFound)
	view(t, db, func(v *View) error {
		_, err := v.EHR(first.ID)
		require.ErrorIs(t, err, ErrNotFound)
		return nil
	})
}

func TestAnEHRIsNotListedForAPracticeThatDoesNotExist(t *testing.T) {
	db := opened(t)
	require.ErrorIs(t, db.Update(func(tx *Tx) error {
		_, _, err := tx.PutEHR(EHR{Issuer: "https://ehr.example.org/fhir", Auth: AuthPublic, Practice: 9})
		return err
	}), ErrNotFound)
}

func TestALaunchCanBeCompletedOnceAndOnlyInItsOwnBrowser(t *testing.T) {
	db := opened(t)
	update(t, db, func(tx *Tx) error {
		return tx.AddLaunch(Launch{State: []byte("state"), Browser: []byte("mine"), Sealed: []byte("sealed")}, 9)
	})
	take := func(state, browser string) (l Launch, err error) {
		err = db.Update(func(tx *Tx) error {
			l, err = tx.TakeLaunch([]byte(state), []byte(browser))
			return err
		})
		return l, err
	}
	_, err := take("state", "yours")
	require.ErrorIs(t, err, ErrNotFound)
	_, err = take("other", "mine")
	require.ErrorIs(t, err, ErrNotFound)
	l, err := take("state", "mine")
	require.NoError(t, err, "another browser does not use it up")
	require.Equal(t, []byte("sealed"), l.Sealed)
	require.WithinDuration(t, time.Now(), l.CreatedAt, time.Minute)
	_, err = take("state", "mine")
	require.ErrorIs(t, err, ErrNotFound)
}

func TestOfTooManyLaunchesTheOldestAreDeleted(t *testing.T) {
	db := opened(t)
	for _, state := range []string{"a", "b", "c"} {
		update(t, db, func(tx *Tx) error {
			return tx.AddLaunch(Launch{State: []byte(state), Browser: []byte("x"), Sealed: []byte("x")}, 2)
		})
		time.Sleep(2 * time.Millisecond) // times are stored in milliseconds
	}
	update(t, db, func(tx *Tx) error {
		_, err := tx.TakeLaunch([]byte("a"), []byte("x"))
		require.ErrorIs(t, err, ErrNotFound)
		for _, state := range []string{"b", "c"} {
			_, err = tx.TakeLaunch([]byte(state), []byte("x"))
			require.NoError(t, err)
		}
		return nil
	})
}

func TestAPrefillHasOneOwnerAndLivesAsLongAsItsFormIsUsed(t *testing.T) {
	w := newFixture(t, opened(t))
	handle, waiting := []byte("handle"), []byte("waiting")
	own := func(handle []byte, user int64, keep int) (dropped int64) {
		update(t, w.DB, func(tx *Tx) (err error) {
			dropped, err = tx.OwnPrefill(handle, user, keep)
			return err
		})
		return dropped
	}
	update(t, w.DB, func(tx *Tx) error {
		require.NoError(t, tx.AddPrefill(waiting, []byte("sealed")))
		return tx.AddPrefill(handle, []byte("sealed"))
	})
	require.Zero(t, own(handle, w.admin, 1))
	require.ErrorIs(t, w.Update(func(tx *Tx) error {
		_, err := tx.OwnPrefill(handle, w.stranger, 1)
		return err
	}), ErrNotFound)
	view(t, w.DB, func(v *View) error {
		p, err := v.Prefill(handle)
		require.Equal(t, w.admin, p.Owner)
		require.WithinDuration(t, p.CreatedAt, p.UsedAt, time.Minute)
		other, err2 := v.Prefill(waiting)
		require.Zero(t, other.UsedAt)
		return errors.Join(err, err2)
	})
	sweep := func(unopened, unused time.Duration) (n int64) {
		update(t, w.DB, func(tx *Tx) (err error) {
			require.NoError(t, tx.UsePrefill(handle))
			n, err = tx.SweepPrefills(tx.Now.Add(unopened), tx.Now.Add(unused))
			return err
		})
		return n
	}
	require.Zero(t, sweep(-time.Minute, -time.Minute), "both are younger")
	require.EqualValues(t, 1, sweep(time.Minute, -time.Minute), "the one that nobody opened")
	time.Sleep(2 * time.Millisecond)
	update(t, w.DB, func(tx *Tx) error { return tx.AddPrefill(waiting, []byte("sealed")) })
	require.EqualValues(t, 1, own(waiting, w.admin, 1), "of one person's, the one used last is kept")
	require.EqualValues(t, 1, sweep(-time.Minute, time.Minute))
}
