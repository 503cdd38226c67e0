package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

const (
	password = "correct horse battery"
	wrong    = "incorrect horse battery"
	here     = "192.0.2.1"
	olive    = "olive@example.org"
)

// add makes a person with the password a member of the practice.
func (g *gate) add(email string, role Role) User {
	g.t.Helper()
	_, _, err := g.AddUser(g.p, email, "", role, password)
	require.NoError(g.t, err)
	return g.who(email, g.p)
}

// who returns a person as a user of a practice.
func (g *gate) who(email string, p store.PracticeID) User {
	g.t.Helper()
	who, _, err := g.UserIn(context.Background(), g.id(email), p)
	require.NoError(g.t, err)
	return who
}

func (g *gate) id(email string) (id int64) {
	g.t.Helper()
	require.NoError(g.t, g.db.View(context.Background(), func(v *store.View) error {
		u, err := v.UserByEmail(email)
		id = u.ID
		return err
	}))
	return id
}

// trail lists the trail as "action object", newest first.
func (g *gate) trail() (all []string) {
	g.t.Helper()
	require.NoError(g.t, g.db.View(context.Background(), func(v *store.View) error {
		return v.Trail(func(row store.Audit) error {
			all = append([]string{row.Action + " " + row.Object}, all...)
			return nil
		})
	}))
	return all
}

// session stores a session of a user and returns its handle.
func (g *gate) session(who User) (handle string) {
	g.t.Helper()
	handle = rand.Text()
	require.NoError(g.t, g.db.Update(func(tx *store.Tx) error {
		return tx.PutSession(store.Session{
			Token: handle, User: who.ID, Practice: who.Practice.ID, Sealed: []byte("sealed"),
			CreatedAt: tx.Now, ExpiresAt: tx.Now.Add(AbsoluteEnd),
		})
	}))
	return handle
}

// factored turns on a person's second factor and returns its secret and recovery codes.
func (g *gate) factored(who User) (secret string, recovery []string) {
	g.t.Helper()
	secret = NewSecondFactor()
	recovery, err := g.EnableSecondFactor(who, secret, codeOf(g.t, secret, time.Now()), g.session(who))
	require.NoError(g.t, err)
	return secret, recovery
}

func codeOf(t testing.TB, secret string, at time.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, at)
	require.NoError(t, err)
	return code
}

func TestAUserSignsInWithAddressAndPassword(t *testing.T) {
	g := opened(t)
	who := g.add(olive, Admin)
	for _, typed := range []string{olive, "Olive@Example.ORG", "  olive@example.org "} {
		entry, err := g.signIn(t.Context(), typed, password, here)
		require.NoError(t, err)
		require.NotEmpty(t, entry.PasswordStamp)
		require.Equal(t, SignInResult{User: who.ID, Practice: g.p, PasswordStamp: entry.PasswordStamp}, entry)
	}
	require.Equal(t, "user.sign-in olive@example.org", g.trail()[0])
	require.Equal(t, Admin, who.Role)
	require.Equal(t, "olive", who.Name, "the part before the @ without a name")
	require.Equal(t, g.p, who.Practice.ID)
	members, err := g.Members(t.Context(), who)
	require.NoError(t, err)
	require.NotNil(t, members[0].SignedInAt)
}

func TestARefusedSignInDoesNotRevealTheReason(t *testing.T) {
	g := opened(t)
	g.add(olive, Admin)
	g.add("barred@example.org", Viewer)
	_, err := g.DisableUser("barred@example.org")
	require.NoError(t, err)
	away := g.add("away@example.org", Viewer)
	require.NoError(t, g.Disable(g.who(olive, g.p), away.ID))
	_, err = g.Invite(g.who(olive, g.p), "invited@example.org", "", Viewer)
	require.NoError(t, err)
	var texts []string
	for _, c := range [][2]string{
		{olive, wrong},
		{"nobody@example.org", password},
		{"barred@example.org", password},
		{"away@example.org", password},
		{"invited@example.org", password},
		{"invited@example.org", ""},
		{"", ""},
		{"", password},
		{olive, ""},
		{strings.Repeat("x", 10_000), password},
		{"nobody@example.org", strings.Repeat("x", 10_000)},
	} {
		entry, err := g.signIn(t.Context(), c[0], c[1], here)
		require.ErrorIs(t, err, ErrSignIn, c[0])
		require.Zero(t, entry)
		texts = append(texts, err.Error())
	}
	for _, text := range texts {
		require.Equal(t, texts[0], text)
	}
	for _, row := range g.trail() {
		require.NotContains(t, row, "nobody", "what nobody is called is not kept: it may be a password")
		require.NotContains(t, row, "xxx")
	}
	require.Contains(t, g.trail(), "user.sign-in-failed olive@example.org")
	require.Contains(t, g.trail(), "user.sign-in-failed ", "a try on nobody's account is kept without the address")
}

func TestAttemptsOnUnknownAccountsDoNotFloodTheTrail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		before := len(g.trail())
		for n := range 120 {
			_, err := g.signIn(t.Context(), fmt.Sprintf("nobody-%d@example.org", n), password, fmt.Sprintf("2001:db8:%x::1", n))
			require.ErrorIs(t, err, ErrSignIn)
			time.Sleep(time.Second)
		}
		require.LessOrEqual(t, len(g.trail())-before, 6)
		require.Greater(t, len(g.trail()), before)
	})
}

func TestASignInCostsOneHashWhetherOrNotTheAccountExists(t *testing.T) {
	g := opened(t)
	g.add(olive, Admin)
	g.add("barred@example.org", Viewer)
	_, err := g.DisableUser("barred@example.org")
	require.NoError(t, err)
	for _, email := range []string{olive, "nobody@example.org", "barred@example.org", "no address", ""} {
		before := g.limits.hashing.made.Load()
		_, err := g.signIn(t.Context(), email, wrong, here)
		require.ErrorIs(t, err, ErrSignIn)
		require.Equal(t, before+1, g.limits.hashing.made.Load(), "%s: else the time of the answer would reveal it", email)
	}
}

func TestWrongPasswordsAreSlowedDownAndNobodyIsLockedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		g.add(olive, Admin)
		for _, email := range []string{olive, "nobody@example.org"} { // the answer is the same
			for n := range 4 {
				_, err := g.signIn(t.Context(), email, wrong, here)
				require.ErrorIs(t, err, ErrSignIn, n)
			}
			var wait Wait
			_, err := g.signIn(t.Context(), email, password, here)
			require.ErrorAs(t, err, &wait, "not even the right one, from there")
			require.Equal(t, 2, wait.Seconds())
		}
		for range 500 { // a person tries again and again
			var wait Wait
			if _, err := g.signIn(t.Context(), olive, wrong, here); errors.As(err, &wait) {
				time.Sleep(time.Second)
			}
			_, err := g.signIn(t.Context(), olive, password, "203.0.113.9")
			require.NoError(t, err, "the owner is in at once, from another network")
		}
		time.Sleep(5 * time.Minute)
		_, err := g.signIn(t.Context(), olive, password, here)
		require.NoError(t, err, "and from the same within minutes")
		_, err = g.signIn(t.Context(), olive, wrong, here)
		require.ErrorIs(t, err, ErrSignIn, "and the count begins anew")
	})
}

func TestAnAttackerWithManyNetworksIsSlowedDownAndTheOwnerIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		g.add(olive, Admin)
		_, err := g.signIn(t.Context(), olive, password, "203.0.113.9")
		require.NoError(t, err)
		looked := 0
		for n := range 400 {
			_, err := g.signIn(t.Context(), olive, wrong, fmt.Sprintf("2001:db8:%x::1", n))
			if errors.Is(err, ErrSignIn) {
				looked++
			}
		}
		require.LessOrEqual(t, looked, 110)
		_, err = g.signIn(t.Context(), olive, password, "2001:db8:ffff::1")
		require.ErrorAs(t, err, new(Wait), "a network that nobody knows waits")
		_, err = g.signIn(t.Context(), olive, password, "203.0.113.9")
		require.NoError(t, err, "where they signed in before they are in")
		time.Sleep(time.Hour)
		_, err = g.signIn(t.Context(), olive, password, "2001:db8:ffff::1")
		require.NoError(t, err, "the count fades")
	})
}

func TestOneNetworkIsSlowedDownAcrossAllAccounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		g.add(olive, Admin)
		refused := 0
		for n := range 100 {
			_, err := g.signIn(t.Context(), fmt.Sprintf("nobody-%d@example.org", n), password, fmt.Sprintf("2001:db8::%x", n))
			if errors.As(err, new(Wait)) {
				refused++
			}
		}
		require.Equal(t, 80, refused, "twenty tries, then one at a time")
		var wait Wait
		_, err := g.signIn(t.Context(), olive, password, "2001:db8::abcd")
		require.ErrorAs(t, err, &wait, "the same /64")
		_, err = g.signIn(t.Context(), olive, password, "2001:db8:0:1::1")
		require.NoError(t, err, "another one is not concerned")
		time.Sleep(wait.For)
		_, err = g.signIn(t.Context(), olive, password, "2001:db8::abcd")
		require.NoError(t, err)
		for range 25 {
			_, err = g.signIn(t.Context(), olive, password, "203.0.113.1")
			require.NoError(t, err, "a clinic behind one address signs in as it likes")
		}
	})
}

func TestARemovedUserIsSignedOutWithTheNextRequest(t *testing.T) {
	g := opened(t)
	admin := g.add(olive, Admin)
	other := g.practice(false)
	vera := g.add("vera@example.org", Viewer)
	link, _, err := g.AddUser(other, "vera@example.org", "", Provider, "")
	require.NoError(t, err)
	_, err = g.AcceptInvitation(t.Context(), vera, link.Code, Provider)
	require.NoError(t, err)
	practices, err := g.Practices(t.Context(), vera.ID)
	require.NoError(t, err)
	require.Len(t, practices, 2)

	require.NoError(t, g.SetRole(admin, vera.ID, Scribe))
	require.Equal(t, Scribe, g.who("vera@example.org", g.p).Role)
	require.Equal(t, Provider, g.who("vera@example.org", other).Role, "a role is one practice's")

	require.NoError(t, g.Disable(admin, vera.ID))
	_, _, err = g.UserIn(t.Context(), vera.ID, g.p)
	require.ErrorIs(t, err, ErrNoMembership)
	g.who("vera@example.org", other) // she is still a member there
	practices, err = g.Practices(t.Context(), vera.ID)
	require.NoError(t, err)
	require.Len(t, practices, 1)
	require.NoError(t, g.Enable(admin, vera.ID))
	g.who("vera@example.org", g.p)

	_, err = g.DisableUser("vera@example.org")
	require.NoError(t, err)
	for _, p := range []store.PracticeID{g.p, other} {
		_, _, err = g.UserIn(t.Context(), vera.ID, p)
		require.ErrorIs(t, err, ErrNoMembership)
	}
	require.NoError(t, g.EnableUser("vera@example.org"))
	g.who("vera@example.org", g.p)

	_, _, err = g.UserIn(t.Context(), vera.ID, 77)
	require.ErrorIs(t, err, ErrNoMembership, "no place in that practice")
	_, _, err = g.UserIn(t.Context(), 77, g.p)
	require.ErrorIs(t, err, ErrNoMembership)
}
