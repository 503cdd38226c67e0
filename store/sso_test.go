package store

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// useSSO runs the statements on identity providers and their links.
func useSSO(t *testing.T, w *fixture) {
	t.Helper()
	update(t, w.DB, func(tx *Tx) error {
		slug := fmt.Sprint("own-", w.p)
		provider := SSOProvider{Slug: slug, Issuer: "https://" + slug, ClientID: "registry"}
		_, _, err := tx.PutSSOProvider(provider)
		require.NoError(t, err)
		id, replaced, err := tx.PutSSOProvider(provider)
		require.NoError(t, err)
		require.True(t, replaced)
		subject := []byte(slug)
		require.NoError(t, tx.AddSSOLink(id, subject, w.admin))
		_, err = tx.SSOUser(id, subject)
		require.NoError(t, err)
		_, err = tx.SSOLinked(id, w.admin)
		require.NoError(t, err)
		links, err := tx.SSOLinksOf(w.admin)
		require.NoError(t, err)
		require.Len(t, links, 1)
		require.NoError(t, tx.DropSSOLink(w.admin, id))
		require.ErrorIs(t, tx.DropSSOLink(w.admin, id), ErrNotFound)
		_, err = tx.OpenInvitation(w.invited, w.p, tx.Now)
		require.NoError(t, err)
		_, err = tx.SSOProviders()
		require.NoError(t, err)
		require.NoError(t, tx.SetSSOOnly(w.p, id))
		_, err = tx.DropSSOLinks(w.admin)
		require.NoError(t, err)
		_, err = tx.SSOAccounts(id)
		require.NoError(t, err)
		_, err = tx.RemoveSSOProvider(id)
		return err
	})
}

func TestAnAccountHasOneSubjectOfAProviderAndASubjectOneAccount(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	link := func(subject string, user int64) (err error) {
		return db.Update(func(tx *Tx) error { return tx.AddSSOLink(w.identity, []byte(subject), user) })
	}
	require.NoError(t, link("one", w.admin))
	require.ErrorIs(t, link("one", w.stranger), ErrConflict, "the subject is linked")
	require.ErrorIs(t, link("two", w.admin), ErrConflict, "the account has a subject of the provider")
	view(t, db, func(v *View) error {
		user, err := v.SSOUser(w.identity, []byte("one"))
		require.Equal(t, w.admin, user)
		_, none := v.SSOUser(w.identity, []byte("two"))
		require.ErrorIs(t, none, ErrNotFound)
		return err
	})
}

func TestALinkThatTheProgramDidNotWriteLeadsNowhere(t *testing.T) {
	db := opened(t)
	signs(t, db)
	w := newFixture(t, db)
	raw(t, db, `insert into sso_links (provider, subject, user, linked_at) values (?, x'01', ?, 0)`, w.identity, w.admin)
	view(t, db, func(v *View) error {
		_, err := v.SSOUser(w.identity, []byte{1})
		require.ErrorIs(t, err, ErrNotFound)
		return nil
	})
}

func TestAProviderIsReplacedUnderItsNameButNeverGetsAnotherIssuer(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	put := func(slug, issuer string) (id int64, replaced bool, err error) {
		err = db.Update(func(tx *Tx) error {
			id, replaced, err = tx.PutSSOProvider(SSOProvider{Slug: slug, Issuer: issuer, ClientID: "new"})
			return err
		})
		return id, replaced, err
	}
	id, replaced, err := put("clinic", "https://id.example.org")
	require.NoError(t, err)
	require.True(t, replaced)
	require.Equal(t, w.identity, id)
	_, _, err = put("clinic", "https://other.example.org")
	require.ErrorIs(t, err, ErrConflict)
	_, _, err = put("other", "https://id.example.org")
	require.ErrorIs(t, err, ErrConflict)
}

func TestRemovingAProviderUnlinksItsAccountsAndAllowsPasswordsAgain(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	update(t, db, func(tx *Tx) error {
		require.NoError(t, tx.AddSSOLink(w.identity, []byte{1}, w.admin))
		return tx.SetSSOOnly(w.p, w.identity)
	})
	required := func() (provider int64) {
		view(t, db, func(v *View) error {
			memberships, err := v.MembershipsOf(w.admin)
			provider = memberships[0].Requires
			return err
		})
		return provider
	}
	require.Equal(t, w.identity, required())
	update(t, db, func(tx *Tx) error {
		_, err := tx.RemoveSSOProvider(w.identity)
		return err
	})
	require.Zero(t, required())
	view(t, db, func(v *View) error {
		_, err := v.SSOUser(w.identity, []byte{1})
		require.ErrorIs(t, err, ErrNotFound)
		return nil
	})
}

func TestAPracticeWhoseRequiredProviderWasDeletedInTheFileAdmitsNobody(t *testing.T) {
	db := opened(t)
	signs(t, db)
	w := newFixture(t, db)
	update(t, db, func(tx *Tx) error { return tx.SetSSOOnly(w.p, w.identity) })
	of := func() []Membership {
		all, err := Read(t.Context(), db, func(v *View) ([]Membership, error) { return v.MembershipsOf(w.admin) })
		require.NoError(t, err)
		return all
	}
	require.Len(t, of(), 1)
	require.Equal(t, w.identity, of()[0].Requires)
	raw(t, db, `delete from sso_only`)
	require.Empty(t, of())
}

func TestAPracticeWhoseSecondFactorWasMadeOptionalInTheFileAdmitsNobody(t *testing.T) {
	db := opened(t)
	signs(t, db)
	w := newFixture(t, db)
	update(t, db, func(tx *Tx) error { return tx.RequireSecondFactor(w.p, true) })
	of := func() []Membership {
		all, err := Read(t.Context(), db, func(v *View) ([]Membership, error) { return v.MembershipsOf(w.admin) })
		require.NoError(t, err)
		return all
	}
	require.Len(t, of(), 1)
	require.True(t, of()[0].Practice.SecondFactor)
	raw(t, db, `delete from second_factor_required`)
	require.Empty(t, of())
}

func TestRemovingAProviderEndsTheSessionsOfItsAccounts(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	sessions := func() (n int) {
		view(t, db, func(v *View) (err error) {
			n, err = only[int](v, `select count(*) from sessions where user = ?`, w.admin)
			return err
		})
		return n
	}
	update(t, db, func(tx *Tx) error { return tx.AddSSOLink(w.identity, []byte("one"), w.admin) })
	require.Equal(t, 1, sessions())
	update(t, db, func(tx *Tx) error {
		_, err := tx.RemoveSSOProvider(w.identity)
		return err
	})
	require.Zero(t, sessions())
}
