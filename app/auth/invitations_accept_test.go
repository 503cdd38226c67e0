package auth

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// twoPractices makes Olive the admin of one practice and Otto the admin of the other.
func (g *gate) twoPractices() (admin, otto User) {
	g.t.Helper()
	other := g.practice(false)
	_, _, err := g.AddUser(other, "otto@example.org", "", Admin, password)
	require.NoError(g.t, err)
	return g.add(olive, Admin), g.who("otto@example.org", other)
}

func TestCreatingAnAccountInAdvanceGivesNoAccessToAnotherPractice(t *testing.T) {
	g := opened(t)
	mallory, otto := g.twoPractices()
	const email = "newdoc@example.org"
	own, err := g.Invite(mallory, email, "Mallory", Viewer)
	require.NoError(t, err)
	_, err = g.RedeemLink(t.Context(), own.Code, "the attackers password", here)
	require.NoError(t, err)
	link, err := g.Invite(otto, email, "Nora Newdoc", Admin)
	require.NoError(t, err)

	user := g.id(email)
	_, _, err = g.UserIn(t.Context(), user, otto.Practice.ID)
	require.ErrorIs(t, err, ErrNoMembership)
	entry, err := g.signIn(t.Context(), email, "the attackers password", here)
	require.NoError(t, err)
	require.Equal(t, g.p, entry.Practice)
	_, err = g.AcceptInvitation(t.Context(), g.who(email, g.p), own.Code, Admin)
	require.ErrorIs(t, err, ErrLinkUsed)
	_, err = g.RedeemLink(t.Context(), link.Code, "the doctors own password", here)
	require.ErrorIs(t, err, ErrHasAccount)
	require.ErrorIs(t, g.SwitchPractice(t.Context(), g.who(email, g.p), otto.Practice.ID), ErrNoMembership)
	seen := g.member(otto, email)
	require.Equal(t, "Nora Newdoc", seen.Name, "what the account says of itself is not shown before it joins")
	require.True(t, seen.Invited)
	require.Nil(t, seen.SignedInAt)
	require.False(t, seen.Elsewhere)
	require.ErrorIs(t, g.SetRole(otto, otto.ID, Viewer), ErrLastAdmin, "an offer makes no admin")

	g.open(g.who(email, g.p), "attacker")
	reset, err := g.AccountLink(email, ResetOptions{Memberships: true, SecondFactor: true})
	require.NoError(t, err)
	require.False(t, g.alive("attacker"))
	_, err = g.signIn(t.Context(), email, "the attackers password", here)
	require.ErrorIs(t, err, ErrSignIn, "no place is left to sign in to")
	_, err = g.RedeemLink(t.Context(), reset.Code, "the doctors own password", here)
	require.NoError(t, err)
	_, err = g.RedeemLink(t.Context(), link.Code, "the attackers password", here)
	require.ErrorIs(t, err, ErrSignIn)
	_, err = g.RedeemLink(t.Context(), link.Code, "the doctors own password", here)
	require.NoError(t, err, "the invitation is good still")
	entry, err = g.signIn(t.Context(), email, "the doctors own password", here)
	require.NoError(t, err)
	require.Equal(t, otto.Practice.ID, entry.Practice)
	_, _, err = g.UserIn(t.Context(), user, g.p)
	require.ErrorIs(t, err, ErrNoMembership)
}

func TestNobodyJoinsAPracticeWithoutAccepting(t *testing.T) {
	g := opened(t)
	mallory, otto := g.twoPractices()
	_, _, err := g.AddUser(otto.Practice.ID, "vera@example.org", "Vera", Provider, password)
	require.NoError(t, err)
	before := len(g.trail())
	link, err := g.Invite(mallory, "vera@example.org", "Vee", Admin)
	require.NoError(t, err)
	fresh, err := g.Invite(mallory, "nobody@example.org", "Vee", Admin)
	require.NoError(t, err)
	require.Len(t, fresh.Code, len(link.Code), "the answer does not tell which address has an account")
	seen, unknown := g.member(mallory, "vera@example.org"), g.member(mallory, "nobody@example.org")
	unknown.User, unknown.Email, unknown.InvitedUntil = seen.User, seen.Email, seen.InvitedUntil
	require.Equal(t, unknown, seen)

	entry, err := g.signIn(t.Context(), "vera@example.org", password, here)
	require.NoError(t, err)
	require.Equal(t, otto.Practice.ID, entry.Practice)
	practices, err := g.Practices(t.Context(), entry.User)
	require.NoError(t, err)
	require.Len(t, practices, 1)
	_, err = g.signIn(t.Context(), "vera@example.org", wrong, here)
	require.ErrorIs(t, err, ErrSignIn)
	var noted int
	require.NoError(t, g.db.View(t.Context(), func(v *store.View) error {
		return v.Trail(func(row store.Audit) error {
			if row.ID > int64(before) && row.Practice == g.p {
				noted++
			}
			return nil
		})
	}))
	require.Equal(t, 2, noted, "the practice reads of its two invitations and of no sign-in")

	vera := g.who("vera@example.org", otto.Practice.ID)
	offer, err := g.Invitation(t.Context(), vera, link.Code)
	require.NoError(t, err)
	require.Equal(t, g.p, offer.Practice.ID)
	_, err = g.Invitation(t.Context(), otto, link.Code)
	require.ErrorIs(t, err, ErrOtherAccount)
	require.NoError(t, g.SetRole(mallory, vera.ID, Scribe))
	_, err = g.AcceptInvitation(t.Context(), vera, link.Code, offer.Role)
	require.ErrorIs(t, err, ErrInvitationChanged)
	_, err = g.AcceptInvitation(t.Context(), vera, link.Code, Scribe)
	require.NoError(t, err)
	require.Equal(t, "user.join vera@example.org", g.trail()[0])
	_, err = g.AcceptInvitation(t.Context(), vera, link.Code, Scribe)
	require.ErrorIs(t, err, ErrLinkUsed)
}

func TestASignInOpensThePracticeLastUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		admin, otto := g.twoPractices()
		link, err := g.Invite(otto, olive, "", Viewer)
		require.NoError(t, err)
		begins := func() store.PracticeID {
			time.Sleep(time.Second)
			entry, err := g.signIn(t.Context(), olive, password, here)
			require.NoError(t, err)
			return entry.Practice
		}
		require.Equal(t, g.p, begins())
		time.Sleep(time.Second)
		_, err = g.AcceptInvitation(t.Context(), admin, link.Code, Viewer)
		require.NoError(t, err)
		require.Equal(t, otto.Practice.ID, begins())
		require.NoError(t, g.SwitchPractice(t.Context(), admin, g.p))
		require.Equal(t, g.p, begins())
		require.NoError(t, g.SetRole(admin, g.add("second@example.org", Admin).ID, Admin))
		require.NoError(t, g.Disable(admin, admin.ID))
		require.Equal(t, otto.Practice.ID, begins(), "never in a place that was taken away")
	})
}

func TestTwoPracticesMayInviteOneUserAndEachLinkJoinsItsOwn(t *testing.T) {
	g := opened(t)
	admin, otto := g.twoPractices()
	first, err := g.Invite(admin, "new@example.org", "", Viewer)
	require.NoError(t, err)
	second, err := g.Invite(otto, "new@example.org", "New Name", Provider)
	require.NoError(t, err)
	_, err = g.RedeemLink(t.Context(), second.Code, password, here)
	require.NoError(t, err, "another practice's invitation does not replace it")
	who := g.who("new@example.org", otto.Practice.ID)
	require.Equal(t, "New Name", who.Name)
	_, _, err = g.UserIn(t.Context(), who.ID, g.p)
	require.ErrorIs(t, err, ErrNoMembership)
	_, err = g.RedeemLink(t.Context(), first.Code, wrong, here)
	require.ErrorIs(t, err, ErrHasAccount)
	_, err = g.AcceptInvitation(t.Context(), who, first.Code, Viewer)
	require.NoError(t, err)
	g.who("new@example.org", g.p)
}
