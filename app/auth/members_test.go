package auth

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

func (g *gate) member(admin User, email string) store.Member {
	g.t.Helper()
	all, err := g.Members(context.Background(), admin)
	require.NoError(g.t, err)
	for _, m := range all {
		if m.Email == email {
			return m
		}
	}
	require.FailNow(g.t, "no such member", email)
	return store.Member{}
}

func TestAnAdminDoesNotLearnThatTheOperatorHasDisabledTheAccountOfSomebodyInvited(t *testing.T) {
	g := opened(t)
	admin, otto := g.twoPractices()
	_, err := g.DisableUser(otto.Email)
	require.NoError(t, err)
	_, err = g.Invite(admin, otto.Email, "", Viewer)
	require.NoError(t, err)
	m := g.member(admin, otto.Email)
	require.True(t, m.Invited)
	require.False(t, m.Barred)
	link, err := g.Link(admin, m.User)
	require.NoError(t, err)
	_, err = g.RedeemLink(t.Context(), link.Code, wrong, here)
	require.Error(t, err)
	_, err = g.signIn(t.Context(), otto.Email, password, here)
	require.Error(t, err)
}

func TestAnInvitationIsAcceptedOnlyOnceAndWithinAWeek(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		admin := g.add(olive, Admin)
		link, err := g.Invite(admin, " Vera@Example.org ", "  Vera   Lindqvist ", Viewer)
		require.NoError(t, err)
		require.False(t, link.Reset)
		require.Equal(t, "/invite#"+link.Code, link.Path())
		require.Equal(t, 7*24*time.Hour, time.Until(link.Expires).Round(time.Minute))
		require.Equal(t, "user.invite vera@example.org: viewer", g.trail()[0])
		vera := g.member(admin, "vera@example.org")
		require.True(t, vera.Invited)
		require.NotNil(t, vera.InvitedUntil)
		require.Equal(t, "Vera Lindqvist", vera.Name)

		_, err = g.RedeemLink(t.Context(), link.Code, "too short", here)
		require.ErrorIs(t, err, ErrShortPassword)
		_, err = g.RedeemLink(t.Context(), link.Code, "vera@example.org", here)
		require.ErrorIs(t, err, ErrPlainPassword, "a refused password does not use the link up")
		time.Sleep(7*24*time.Hour - time.Second)
		email, err := g.RedeemLink(t.Context(), " "+strings.ToLower(link.Code)+"\n", password, here)
		require.NoError(t, err)
		require.Equal(t, "vera@example.org", email)
		require.Equal(t, "user.join vera@example.org", g.trail()[0])
		_, err = g.signIn(t.Context(), "vera@example.org", password, here)
		require.NoError(t, err)
		_, err = g.RedeemLink(t.Context(), link.Code, wrong, here)
		require.ErrorIs(t, err, ErrLinkUsed)
		_, err = g.signIn(t.Context(), "vera@example.org", password, here)
		require.NoError(t, err, "the password stays")

		late, err := g.Invite(admin, "late@example.org", "", Viewer)
		require.NoError(t, err)
		time.Sleep(7 * 24 * time.Hour)
		_, err = g.RedeemLink(t.Context(), late.Code, password, here)
		require.ErrorIs(t, err, ErrLinkExpired)
		require.Nil(t, g.member(admin, "late@example.org").InvitedUntil)
		for _, code := range []string{"", "x", strings.Repeat("A", 26), strings.Repeat("x", 1_000_000)} {
			_, err = g.RedeemLink(t.Context(), code, password, here)
			require.ErrorIs(t, err, ErrNoLink)
		}
		time.Sleep(31 * 24 * time.Hour)
		require.NoError(t, g.db.Update(Sweep))
		_, err = g.RedeemLink(t.Context(), late.Code, password, here)
		require.ErrorIs(t, err, ErrNoLink, "forgotten a month after it ran out")
	})
}

func TestAResetEndsSessionsKeepsTheSecondFactorAndLastsAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		admin, vera := g.add(olive, Admin), g.add("vera@example.org", Viewer)
		g.factored(vera)
		g.open(vera, "a")
		g.open(admin, "b")
		first, err := g.Link(admin, vera.ID)
		require.NoError(t, err)
		require.True(t, first.Reset)
		require.Equal(t, "/reset#"+first.Code, first.Path())
		second, err := g.Link(admin, vera.ID)
		require.NoError(t, err)
		_, err = g.RedeemLink(t.Context(), first.Code, wrong, here)
		require.ErrorIs(t, err, ErrLinkReplaced)
		_, err = g.RedeemLink(t.Context(), second.Code, wrong, here)
		require.NoError(t, err)
		require.Equal(t, "user.reset vera@example.org", g.trail()[0])
		require.False(t, g.alive("a"))
		require.True(t, g.alive("b"), "another person's session")
		_, err = g.signIn(t.Context(), "vera@example.org", password, here)
		require.ErrorIs(t, err, ErrSignIn)
		entry, err := g.signIn(t.Context(), "vera@example.org", wrong, here)
		require.NoError(t, err)
		require.True(t, entry.SecondFactor, "a reset does not go around it")

		third, err := g.Link(admin, vera.ID)
		require.NoError(t, err)
		time.Sleep(time.Hour)
		_, err = g.RedeemLink(t.Context(), third.Code, password, here)
		require.ErrorIs(t, err, ErrLinkExpired)
		fourth, err := g.Link(admin, vera.ID)
		require.NoError(t, err)
		require.NoError(t, g.ChangePassword(vera, wrong, password, ""))
		_, err = g.RedeemLink(t.Context(), fourth.Code, wrong, here)
		require.ErrorIs(t, err, ErrLinkUsed, "void when the password was changed meanwhile")
		fifth, err := g.Link(admin, vera.ID)
		require.NoError(t, err)
		require.NoError(t, g.Disable(admin, vera.ID))
		_, err = g.RedeemLink(t.Context(), fifth.Code, wrong, here)
		require.Error(t, err, "no way in for who was disabled")
		_, err = g.Link(admin, vera.ID)
		require.ErrorIs(t, err, ErrDisabled)
	})
}

func TestOnlyAnAdminManagesUsersAndOnlyOfTheirPractice(t *testing.T) {
	g := opened(t)
	g.add(olive, Admin)
	vera := g.add("vera@example.org", Viewer)
	other := g.practice(false)
	_, _, err := g.AddUser(other, "otto@example.org", "", Admin, password)
	require.NoError(t, err)
	before := len(g.trail())
	acts := func(who User, user int64) map[string]error {
		_, link := g.Link(who, user)
		return map[string]error{
			"role": g.SetRole(who, user, Admin), "disable": g.Disable(who, user), "enable": g.Enable(who, user),
			"sessions": g.EndSessions(who, user), "factor": g.ResetSecondFactor(who, user), "link": link,
		}
	}
	for _, role := range []Role{Provider, Scribe, Viewer} {
		who := g.who("vera@example.org", g.p)
		who.Role = role
		for name, err := range acts(who, vera.ID) {
			require.ErrorIs(t, err, ErrForbidden, name)
		}
		_, err = g.Invite(who, "new@example.org", "", Viewer)
		require.ErrorIs(t, err, ErrForbidden)
		_, err = g.Members(t.Context(), who)
		require.ErrorIs(t, err, ErrForbidden)
	}
	for name, err := range acts(g.who("otto@example.org", other), vera.ID) {
		require.ErrorIs(t, err, store.ErrNotFound, "%s: another practice's person is nobody", name)
	}
	require.Len(t, g.trail(), before, "nothing was done")
	require.Equal(t, Viewer, g.who("vera@example.org", g.p).Role)
}

func TestAPracticeKeepsAnAdmin(t *testing.T) {
	g := opened(t)
	admin := g.add(olive, Admin)
	require.ErrorIs(t, g.SetRole(admin, admin.ID, Viewer), ErrLastAdmin)
	require.ErrorIs(t, g.Disable(admin, admin.ID), ErrLastAdmin)
	_, err := g.Invite(admin, "carla@example.org", "", Admin)
	require.NoError(t, err)
	require.ErrorIs(t, g.Disable(admin, admin.ID), ErrLastAdmin, "who is only invited is none yet")
	second := g.add("second@example.org", Admin)
	require.NoError(t, g.Disable(admin, second.ID))
	require.ErrorIs(t, g.Disable(admin, admin.ID), ErrLastAdmin, "nor is who is disabled")
	require.NoError(t, g.Enable(admin, second.ID))
	require.NoError(t, g.SetRole(admin, admin.ID, Provider))
	require.ErrorIs(t, g.SetRole(second, second.ID, Provider), ErrLastAdmin)
	require.Equal(t, "user.role olive@example.org: provider", g.trail()[0])
	orphaned, err := g.DisableUser("second@example.org")
	require.NoError(t, err, "the operator may: the account may be in wrong hands")
	require.Len(t, orphaned, 1)
	require.Equal(t, g.p, orphaned[0].ID)
}

func TestAnAdminHasNoPowerOverAnAccountThatAnotherPracticeReliesOn(t *testing.T) {
	g := opened(t)
	admin := g.add(olive, Admin)
	g.factored(g.add("vera@example.org", Viewer))
	other := g.practice(false)
	_, _, err := g.AddUser(other, "otto@example.org", "", Admin, password)
	require.NoError(t, err)
	otto := g.who("otto@example.org", other)
	link, err := g.Invite(otto, "vera@example.org", "Somebody", Provider) // an attempt to get at the account
	require.NoError(t, err)
	offered := g.member(otto, "vera@example.org")
	require.ErrorIs(t, g.ResetSecondFactor(otto, offered.User), ErrPending)
	again, err := g.Link(otto, offered.User)
	require.NoError(t, err)
	require.False(t, again.Reset, "who has not taken up the place is invited again, and nothing else")
	_, err = g.AcceptInvitation(t.Context(), g.who("vera@example.org", g.p), link.Code, Provider)
	require.ErrorIs(t, err, ErrLinkReplaced)
	_, err = g.AcceptInvitation(t.Context(), g.who("vera@example.org", g.p), again.Code, Provider)
	require.NoError(t, err)
	vera := g.who("vera@example.org", other)
	require.Equal(t, "vera", vera.Name, "and not to rename it")
	g.open(g.who("vera@example.org", g.p), "here")
	g.open(vera, "there")
	_, err = g.Link(otto, vera.ID)
	require.ErrorIs(t, err, ErrElsewhere)
	require.ErrorIs(t, g.ResetSecondFactor(otto, vera.ID), ErrElsewhere)
	require.NoError(t, g.EndSessions(otto, vera.ID))
	require.True(t, g.alive("here"))
	require.False(t, g.alive("there"))
	require.NoError(t, g.Disable(otto, vera.ID))
	g.who("vera@example.org", g.p)
	require.True(t, g.member(admin, "vera@example.org").App)
}

func (g *gate) members(p store.PracticeID) (all []store.Member) {
	g.t.Helper()
	require.NoError(g.t, g.db.View(context.Background(), func(v *store.View) (err error) {
		all, err = v.Members(p, time.Now())
		return err
	}))
	return all
}

func TestASecondFactorIsResetOnlyByThosePermitted(t *testing.T) {
	g := opened(t)
	admin, second, vera := g.add(olive, Admin), g.add("second@example.org", Admin), g.add("vera@example.org", Viewer)
	for _, who := range []User{admin, second, vera} {
		g.factored(who)
	}
	g.open(vera, "a")
	require.ErrorIs(t, g.ResetSecondFactor(admin, admin.ID), ErrOwn)
	require.ErrorIs(t, g.ResetSecondFactor(admin, second.ID), ErrAdminSecondFactor)
	require.True(t, g.member(admin, "vera@example.org").App)
	require.NoError(t, g.ResetSecondFactor(admin, vera.ID))
	require.False(t, g.member(admin, "vera@example.org").App)
	require.False(t, g.alive("a"))
	_, err := g.AccountLink("second@example.org", ResetOptions{})
	require.NoError(t, err)
	require.True(t, g.member(admin, "second@example.org").App)
	_, err = g.AccountLink("second@example.org", ResetOptions{SecondFactor: true})
	require.NoError(t, err)
	require.False(t, g.member(admin, "second@example.org").App)
}

func TestChangingAPasswordTakesThePresentOneAndEndsOtherSessions(t *testing.T) {
	g := opened(t)
	who := g.add(olive, Admin)
	g.open(who, "mine")
	g.open(who, "other")
	require.ErrorIs(t, g.ChangePassword(who, wrong, "a new and longer one", "mine"), ErrSignIn)
	require.Equal(t, "user.confirm-failed olive@example.org", g.trail()[0])
	require.ErrorIs(t, g.ChangePassword(who, password, "short", "mine"), ErrShortPassword)
	require.True(t, g.alive("other"))
	require.NoError(t, g.ChangePassword(who, password, "a new and longer one", "mine"))
	require.Equal(t, "user.password olive@example.org", g.trail()[0])
	require.True(t, g.alive("mine"))
	require.False(t, g.alive("other"))
	_, err := g.signIn(t.Context(), olive, "a new and longer one", here)
	require.NoError(t, err)
	for range 10 { // a stolen session must not allow guessing the password
		err = g.Confirm(t.Context(), who, wrong)
	}
	require.ErrorAs(t, err, new(Wait))
}

func TestTheAddressNameAndRoleOfAUserAreChecked(t *testing.T) {
	g := opened(t)
	admin := g.add(olive, Admin)
	for _, email := range []string{
		"", "vera", "vera@", "@example.org", "vera example.org", "Vera <vera@example.org>", "a@b, c@d",
		"vera@example.org\r\nBcc: x@y", "ve\u202era@example.org", strings.Repeat("x", 250) + "@example.org",
	} {
		_, err := g.Invite(admin, email, "", Viewer)
		require.ErrorIs(t, err, ErrBadEmail, "%q", email)
	}
	for _, name := range []string{"a\x00b", "a\u202eb", strings.Repeat("x", 101)} {
		_, err := g.Invite(admin, "vera@example.org", name, Viewer)
		require.ErrorIs(t, err, ErrBadName, "%q", name)
	}
	for _, role := range []Role{"", "queen", operator, "Admin"} {
		_, err := g.Invite(admin, "vera@example.org", "", role)
		require.ErrorIs(t, err, ErrBadRole, "%q: nobody rises to operator", role)
		require.ErrorIs(t, g.SetRole(admin, admin.ID, role), ErrBadRole)
	}
	_, err := g.Invite(admin, olive, "", Viewer)
	require.ErrorIs(t, err, ErrMember)
	require.Len(t, g.members(g.p), 1)
}

func TestTheTrailOfUserManagementIsIntactAndNamesWhoDidIt(t *testing.T) {
	g := opened(t)
	admin, vera := g.add(olive, Admin), g.add("vera@example.org", Viewer)
	require.NoError(t, g.SetRole(admin, vera.ID, Provider))
	require.NoError(t, g.SignOut(admin))
	var last store.Audit
	require.NoError(t, g.db.View(t.Context(), func(v *store.View) error {
		return v.Trail(func(row store.Audit) error {
			if row.Action == "user.role" {
				last = row
			}
			return nil
		})
	}))
	require.Equal(t, admin.ID, last.User)
	require.Equal(t, g.p, last.Practice)
	require.Equal(t, "olive", last.Actor)
	state, err := g.Trail.Verify(t.Context())
	require.NoError(t, err)
	require.Zero(t, state.Broken)
	require.Equal(t, 4, state.Entries)
}
