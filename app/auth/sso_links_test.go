package auth

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// provider lists an identity provider, without package sso.
func (g *gate) provider() (id int64) {
	g.t.Helper()
	require.NoError(g.t, g.db.Update(func(tx *store.Tx) (err error) {
		id, _, err = tx.PutSSOProvider(store.SSOProvider{Name: "Clinic ID", Slug: "clinic-id", Issuer: "https://id.example", ClientID: "registry"})
		return err
	}))
	return id
}

// linked links a subject to the account whose password its owner knows.
func (g *gate) linked(id Identity) {
	g.t.Helper()
	_, err := g.LinkIdentity(context.Background(), id, Confirmation{Password: true}, password, Visitor{Address: here})
	require.NoError(g.t, err)
	known, err := g.IdentifyUser(context.Background(), id, Visitor{Address: here})
	require.NoError(g.t, err)
	require.Nil(g.t, known.Confirm)
}

// Whoever knew the password may have linked an identity of their own.
func TestAResetUnlinksTheIdentityProviders(t *testing.T) {
	for name, reset := range map[string]func(*gate, User) (NewLink, error){
		"by an admin":     func(g *gate, of User) (NewLink, error) { return g.Link(g.add("vera@example.org", Admin), of.ID) },
		"by the operator": func(g *gate, of User) (NewLink, error) { return g.AccountLink(of.Email, ResetOptions{}) },
	} {
		t.Run(name, func(t *testing.T) {
			g := opened(t)
			who := g.add(olive, Admin)
			stranger := Identity{g.provider(), "mallory", olive}
			g.linked(stranger)
			link, err := reset(g, who)
			require.NoError(t, err)
			_, err = g.RedeemLink(t.Context(), link.Code, wrong, here)
			require.NoError(t, err)
			known, err := g.IdentifyUser(t.Context(), stranger, Visitor{Address: here})
			require.NoError(t, err)
			require.NotNil(t, known.Confirm, "the identity of a stranger is still linked")
			_, err = g.LinkIdentity(t.Context(), stranger, *known.Confirm, password, Visitor{Address: here})
			require.ErrorIs(t, err, ErrSignIn)
			require.Contains(t, g.trail(), "user.sso-unlink olive@example.org")
		})
	}
}

func TestReopeningTheMembershipsOfAnAccountUnlinksTheIdentityProviders(t *testing.T) {
	g := opened(t)
	g.add(olive, Admin)
	stranger := Identity{g.provider(), "mallory", ""}
	g.linked(Identity{stranger.Provider, stranger.Subject, olive})
	_, err := g.AccountLink(olive, ResetOptions{Memberships: true})
	require.NoError(t, err)
	// Not even when the owner has accepted their invitation again.
	require.NoError(t, g.db.Update(func(tx *store.Tx) error {
		u, err := tx.UserByEmail(olive)
		require.NoError(t, err)
		return tx.AcceptMembership(g.p, u.ID)
	}))
	_, err = g.IdentifyUser(t.Context(), stranger, Visitor{Address: here})
	require.ErrorIs(t, err, ErrUnknownIdentity)
}

// Guesses add up, whichever page asks for the password, and the practice sees them.
func TestAPasswordGuessedWhileConnectingAProviderCountsAsOneAtTheSignIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		who := g.add(olive, Admin)
		stranger := Identity{g.provider(), "mallory", olive}
		for range 4 {
			_, err := g.LinkIdentity(t.Context(), stranger, Confirmation{Password: true}, wrong, Visitor{Address: here})
			require.ErrorIs(t, err, ErrSignIn)
			require.Equal(t, "user.sign-in-failed olive@example.org", g.trail()[0])
		}
		_, err := g.LinkIdentity(t.Context(), stranger, Confirmation{Password: true}, password, Visitor{Address: here})
		require.ErrorAs(t, err, &Wait{})
		_, err = g.signIn(t.Context(), olive, password, here)
		require.ErrorAs(t, err, &Wait{})
		require.NoError(t, g.Confirm(t.Context(), who, password), "the owner's own confirmations don't wait")
	})
}

func TestAPasswordGuessedWithAnInvitationCountsAsOneAtTheSignInAndItsPracticeNotesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		admin, otto := g.twoPractices()
		g.add("vera@example.org", Admin)
		require.NoError(t, g.Disable(g.who("vera@example.org", g.p), admin.ID))
		link, err := g.Invite(otto, olive, "", Viewer)
		require.NoError(t, err)
		for range 4 {
			_, err := g.RedeemLink(t.Context(), link.Code, wrong, here)
			require.ErrorIs(t, err, ErrSignIn)
		}
		_, err = g.RedeemLink(t.Context(), link.Code, password, here)
		require.ErrorAs(t, err, &Wait{})
		_, err = g.signIn(t.Context(), olive, password, here)
		require.ErrorAs(t, err, &Wait{})
		noted := 0
		require.NoError(t, g.db.View(t.Context(), func(v *store.View) error {
			return v.Trail(func(row store.Audit) error {
				if row.Action == "user.sign-in-failed" && row.Practice == otto.Practice.ID {
					noted++
				}
				return nil
			})
		}))
		require.Equal(t, 4, noted)
	})
}

func TestAnIdentityIsLinkedOnlyAfterThePasskeyOfAnAccountThatAsksForOne(t *testing.T) {
	g := served(t)
	who, d := g.add(olive, Admin), device(t)
	g.adds(who, d)
	id := Identity{g.provider(), "olive", olive}
	entry, err := g.LinkIdentity(t.Context(), id, Confirmation{Password: true}, password, Visitor{Address: here})
	require.NoError(t, err)
	require.True(t, entry.SecondFactor)
	waits := func() bool {
		known, err := g.IdentifyUser(t.Context(), id, Visitor{Address: here})
		require.NoError(t, err)
		return known.Confirm != nil
	}
	require.True(t, waits())
	c, err := g.AskUserForPasskey(t.Context(), who.ID)
	require.NoError(t, err)
	answer, err := d.Get(c.Options)
	require.NoError(t, err)
	require.ErrorIs(t, g.VerifyPasskey(t.Context(), SignInResult{User: who.ID, Practice: g.p, PasswordStamp: "another password"}, c.Pending, answer, here, &id), ErrNoMembership)
	require.True(t, waits())
	require.NoError(t, g.VerifyPasskey(t.Context(), entry, c.Pending, answer, here, &id))
	require.False(t, waits())
}
