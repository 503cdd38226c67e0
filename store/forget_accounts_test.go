package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// account adds an account with a membership in each of the practices.
func account(t *testing.T, db *DB, email string, practices ...PracticeID) (id int64) {
	t.Helper()
	update(t, db, func(tx *Tx) (err error) {
		id, err = tx.AddUser(email, "Petra")
		for _, p := range practices {
			if err == nil {
				err = tx.AddMembership(p, id, "provider")
			}
		}
		return err
	})
	return id
}

func forget(t *testing.T, db *DB, practices ...PracticeID) {
	t.Helper()
	for _, p := range practices {
		update(t, db, func(tx *Tx) error { return tx.Forget(p, nil) })
	}
	for _, p := range practices {
		forgetAll(t, db, p)
	}
}

func accounts(t *testing.T, db *DB, email string) int {
	return asked(t, db, `select count(*) from users where email = ?`, email)
}

func TestAnAccountWhosePracticesAreForgottenTogetherGoesWithTheLast(t *testing.T) {
	db := opened(t)
	one, two := addPractice(t, db), addPractice(t, db)
	account(t, db, "petra@example.org", one, two)
	forget(t, db, one, two)
	require.Zero(t, accounts(t, db, "petra@example.org"))
}

// A practice that was imported may name a former member who had an account here already.
func TestAnAccountThatOnlyTheHistoryOfAnotherPracticeNamesGoesWithThatPractice(t *testing.T) {
	db := opened(t)
	own, other := addPractice(t, db), newFixture(t, db)
	user := account(t, db, "petra@example.org", own)
	raw(t, db, `update versions set user = ? where record = ?`, user, other.record.ID)
	forget(t, db, own)
	require.Equal(t, 1, accounts(t, db, "petra@example.org"), "the history of the other practice names her")
	require.Zero(t, asked(t, db, `select count(*) from users where id = ? and password is not null`, user))
	forget(t, db, other.p)
	require.Zero(t, accounts(t, db, "petra@example.org"))
}

func TestAnAccountThatDoesSomethingWhileItsPracticeIsForgottenIsDeletedAnyway(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	user := account(t, db, "petra@example.org", p)
	update(t, db, func(tx *Tx) error { return tx.Forget(p, nil) })
	code := func(int64, []byte, []byte) string { return "" }
	for stage := range ForgetStages {
		for more := true; more; {
			update(t, db, func(tx *Tx) (err error) {
				more, err = tx.ForgetRows(p, stage, code)
				return err
			})
		}
		if asked(t, db, `select count(*) from audit where user = ?`, user) == 0 && asked(t, db, `select count(*) from users where id = ?`, user) == 1 {
			raw(t, db, `insert into audit (at, practice, user, actor, action, object, address, mac) values (0, null, ?, '', 'user.password', '', '', x'01')`, user)
		}
	}
	require.Equal(t, 1, accounts(t, db, "petra@example.org"))
	require.Equal(t, 1, asked(t, db, `select count(*) from memberships where user = ?`, user), "it waits for the next round")
	forgetAll(t, db, p)
	require.Zero(t, accounts(t, db, "petra@example.org"))
}
