package auth

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth/authtest"
	"birthregistry/store"
)

const base = "https://births.example.org"

// served is a gate whose installation has an address with a name.
func served(t testing.TB) *gate {
	g := opened(t)
	g.ServeAt(base)
	return g
}

func device(t testing.TB) *authtest.Authenticator {
	t.Helper()
	d, err := authtest.NewAuthenticator(base, "births.example.org")
	require.NoError(t, err)
	return d
}

// adds adds a device's passkey to an account and returns the recovery codes, if there are new ones.
func (g *gate) adds(who User, d *authtest.Authenticator) []string {
	g.t.Helper()
	c, err := g.StartPasskey(context.Background(), who)
	require.NoError(g.t, err)
	answer, err := d.Create(c.Options)
	require.NoError(g.t, err)
	codes, err := g.AddPasskey(context.Background(), who, c.Pending, answer, "My phone", g.session(who))
	require.NoError(g.t, err)
	return codes
}

// asked returns what is pending and the device's answer to it.
func (g *gate) asked(d *authtest.Authenticator) (pending, answer []byte) {
	g.t.Helper()
	c, err := g.AskForPasskey()
	require.NoError(g.t, err)
	answer, err = d.Get(c.Options)
	require.NoError(g.t, err)
	return c.Pending, answer
}

func (g *gate) enters(pending, answer []byte) (int64, error) {
	user, _, err := g.SignInWithPasskey(context.Background(), pending, answer, here)
	return user, err
}

func TestAPasskeySignsItsOwnerInWithoutAPassword(t *testing.T) {
	g := served(t)
	who, d := g.add(olive, Admin), device(t)
	require.Len(t, g.adds(who, d), recoveryCodes, "it is the first second factor")
	for range 2 { // the device doesn't count
		user, err := g.enters(g.asked(d))
		require.NoError(t, err)
		require.Equal(t, who.ID, user)
	}
	all, err := g.Passkeys(t.Context(), who.ID)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "My phone", all[0].Name)
	require.NotNil(t, all[0].UsedAt)
	require.NoError(t, g.DeletePasskey(who, all[0].ID))
	require.Equal(t, []string{
		"user.passkey-remove " + olive, "user.passkey-sign-in " + olive, "user.passkey-sign-in " + olive, "user.passkey-add " + olive,
	}, g.trail()[:4])
	factors, err := g.SecondFactors(t.Context(), who.ID)
	require.NoError(t, err)
	require.Equal(t, Factors{}, factors, "the recovery codes went with it")
}

// Every wrong answer gets the same error, ends in the audit trail and signs nobody in.
func TestAWrongAnswerOfAPasskeyIsRefused(t *testing.T) {
	wrongs := map[string]func(*gate, *authtest.Authenticator) (pending, answer []byte){
		"an unknown passkey": func(g *gate, _ *authtest.Authenticator) ([]byte, []byte) { return g.asked(device(g.t)) },
		"no challenge": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			_, answer := g.asked(d)
			return nil, answer
		},
		"another challenge": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			pending, _ := g.asked(d)
			_, answer := g.asked(d)
			return pending, answer
		},
		"another page": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			d.Origin = "https://births.example.com"
			return g.asked(d)
		},
		"another port": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			d.Origin += ":8443"
			return g.asked(d)
		},
		"another host": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			d.RP = "example.org"
			return g.asked(d)
		},
		"an owner who was not verified": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			d.Unverified = true
			return g.asked(d)
		},
		"a counter that stays": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			d.Count = 10
			_, err := g.enters(g.asked(d))
			require.NoError(g.t, err)
			d.Count-- // Get raises it to that of the last answer
			return g.asked(d)
		},
		"a counter that was lowered": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			d.Count = 10
			_, err := g.enters(g.asked(d))
			require.NoError(g.t, err)
			d.Count = 1
			return g.asked(d)
		},
		"another key": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			forged := device(g.t)
			forged.Credential, forged.Handle = d.Credential, d.Handle
			return g.asked(forged)
		},
		"another user's handle": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			d.Handle = g.handleOf(4711)
			return g.asked(d)
		},
		"no handle": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			d.Handle = nil
			return g.asked(d)
		},
		"no answer": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			pending, _ := g.asked(d)
			return pending, []byte(`{}`)
		},
		"a deleted passkey": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			require.NoError(g.t, g.DeletePasskey(g.who(olive, g.p), 1))
			return g.asked(d)
		},
		"a disabled account": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			_, err := g.DisableUser(olive)
			require.NoError(g.t, err)
			return g.asked(d)
		},
		"a disabled membership": func(g *gate, d *authtest.Authenticator) ([]byte, []byte) {
			g.add("admin@example.org", Admin)
			require.NoError(g.t, g.Disable(g.who("admin@example.org", g.p), g.id(olive)))
			return g.asked(d)
		},
	}
	for name, makes := range wrongs {
		t.Run(name, func(t *testing.T) {
			g := served(t)
			d := device(t)
			g.adds(g.add(olive, Viewer), d)
			pending, answer := makes(g, d)
			user, err := g.enters(pending, answer)
			require.ErrorIs(t, err, ErrPasskey)
			require.Zero(t, user)
			require.Contains(t, g.trail()[0], "user.sign-in-failed")
		})
	}
}

func TestAChallengeIsGoodForFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, d := served(t), device(t)
		g.adds(g.add(olive, Admin), d)
		pending, answer := g.asked(d)
		time.Sleep(PasskeyLife - time.Second)
		_, err := g.enters(pending, answer)
		require.NoError(t, err)
		pending, answer = g.asked(d)
		time.Sleep(PasskeyLife + time.Second)
		_, err = g.enters(pending, answer)
		require.ErrorIs(t, err, ErrPasskey)
	})
}

func TestWrongPasskeysSlowTheirNetworkDown(t *testing.T) {
	g := served(t)
	for range 20 {
		_, err := g.enters(g.asked(device(t)))
		require.ErrorIs(t, err, ErrPasskey)
	}
	_, err := g.enters(g.asked(device(t)))
	require.ErrorAs(t, err, new(Wait))
	_, err = g.SignIn(t.Context(), olive, wrong, Visitor{Address: here})
	require.ErrorAs(t, err, new(Wait), "as wrong passwords do")
}

func TestAPasskeyIsTheSecondFactorAfterThePassword(t *testing.T) {
	g := served(t)
	who, d, other := g.add(olive, Admin), device(t), device(t)
	codes := g.adds(who, d)
	g.adds(g.add("vera@example.org", Viewer), other)
	entry, err := g.SignIn(t.Context(), olive, password, Visitor{Address: here})
	require.NoError(t, err)
	require.True(t, entry.SecondFactor, "the password alone no longer signs in")
	ask := func(d *authtest.Authenticator) (pending, answer []byte) {
		c, err := g.AskUserForPasskey(t.Context(), who.ID)
		require.NoError(t, err)
		answer, err = d.Get(c.Options)
		require.NoError(t, err)
		return c.Pending, answer
	}
	pending, answer := ask(other)
	require.ErrorIs(t, g.VerifyPasskey(t.Context(), entry, pending, answer, here, nil), ErrPasskey, "somebody else's")
	_, alone := g.asked(d)
	require.ErrorIs(t, g.VerifyPasskey(t.Context(), entry, pending, alone, here, nil), ErrPasskey, "another challenge")
	pending, answer = ask(d)
	require.ErrorIs(t, g.VerifyPasskey(t.Context(), SignInResult{User: who.ID, Practice: g.p, PasswordStamp: "another password"}, pending, answer, here, nil), ErrNoMembership)
	require.NoError(t, g.VerifyPasskey(t.Context(), entry, pending, answer, here, nil))
	_, err = g.Service.Verify(t.Context(), entry, "123456", here, nil)
	require.ErrorIs(t, err, ErrCode, "there is no app")
	recovered, err := g.Service.Verify(t.Context(), entry, codes[0], here, nil)
	require.NoError(t, err)
	require.True(t, recovered)
}

func TestAPasskeyIsAddedOnceAndOnlyForItsChallenge(t *testing.T) {
	g := served(t)
	who, d := g.add(olive, Admin), device(t)
	c, err := g.StartPasskey(t.Context(), who)
	require.NoError(t, err)
	answer, err := d.Create(c.Options)
	require.NoError(t, err)
	add := func(who User, pending, answer []byte, name string) error {
		_, err := g.AddPasskey(t.Context(), who, pending, answer, name, g.session(who))
		return err
	}
	vera := g.add("vera@example.org", Viewer)
	require.ErrorIs(t, add(who, c.Pending, answer, " \t"), ErrPasskeyName)
	require.ErrorIs(t, add(vera, c.Pending, answer, "phone"), ErrNotAdded, "it was made for Olive")
	require.ErrorIs(t, add(who, nil, answer, "phone"), ErrNotAdded)
	again, err := g.StartPasskey(t.Context(), who)
	require.NoError(t, err)
	require.ErrorIs(t, add(who, again.Pending, answer, "phone"), ErrNotAdded, "another challenge")
	d.Unverified = true
	careless, err := d.Create(c.Options)
	require.NoError(t, err)
	require.ErrorIs(t, add(who, c.Pending, careless, "phone"), ErrNotAdded)
	require.NoError(t, add(who, c.Pending, answer, "phone"))
	d.Unverified = false
	second, err := g.StartPasskey(t.Context(), vera)
	require.NoError(t, err)
	answer, err = d.Create(second.Options)
	require.NoError(t, err)
	require.ErrorIs(t, add(vera, second.Pending, answer, "phone"), ErrPasskeyExists, "a credential has one owner")
}

func TestAResetOfTheSecondFactorAlsoRemovesThePasskeys(t *testing.T) {
	for name, reset := range map[string]func(*gate, User) error{
		"by an admin": func(g *gate, vera User) error { return g.ResetSecondFactor(g.add(olive, Admin), vera.ID) },
		"by the operator": func(g *gate, vera User) error {
			_, err := g.AccountLink(vera.Email, ResetOptions{SecondFactor: true})
			return err
		},
		"of an account that somebody else may have made": func(g *gate, vera User) error {
			_, err := g.AccountLink(vera.Email, ResetOptions{Memberships: true})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, d := served(t), device(t)
			vera := g.add("vera@example.org", Viewer)
			g.adds(vera, d)
			require.NoError(t, reset(g, vera))
			_, err := g.enters(g.asked(d))
			require.ErrorIs(t, err, ErrPasskey)
			factors, err := g.SecondFactors(t.Context(), vera.ID)
			require.NoError(t, err)
			require.Equal(t, Factors{}, factors)
		})
	}
}

func TestAPasskeyStaysWhenThePasswordIsResetOrTheAppTurnedOff(t *testing.T) {
	g, d := served(t), device(t)
	who := g.add(olive, Admin)
	g.factored(who)
	require.Empty(t, g.adds(who, d), "the recovery codes of the app stay")
	require.NoError(t, g.DisableSecondFactor(who))
	link, err := g.AccountLink(olive, ResetOptions{})
	require.NoError(t, err)
	_, err = g.RedeemLink(t.Context(), link.Code, "otter lantern quilt seven", here)
	require.NoError(t, err)
	_, err = g.enters(g.asked(d))
	require.NoError(t, err)
	factors, err := g.SecondFactors(t.Context(), who.ID)
	require.NoError(t, err)
	require.Equal(t, Factors{Passkeys: 1, Codes: recoveryCodes}, factors)
}

func TestNumericAddressesHaveNoPasskeys(t *testing.T) {
	for _, at := range []string{"http://127.0.0.1:8080", "http://[::1]:8080", ""} {
		g := opened(t)
		g.ServeAt(at)
		require.Empty(t, g.PasskeyOrigin(), at)
		_, err := g.StartPasskey(t.Context(), g.add(olive, Admin))
		require.ErrorIs(t, err, ErrNoPasskeys)
		_, err = g.AskForPasskey()
		require.ErrorIs(t, err, ErrNoPasskeys)
	}
}

func TestNothingOfAPasskeysNameIsReadableInTheDatabase(t *testing.T) {
	g, d := served(t), device(t)
	who := g.add(olive, Admin)
	g.adds(who, d)
	require.NoError(t, g.db.View(t.Context(), func(v *store.View) error {
		all, err := v.PasskeysOf(who.ID)
		require.NotContains(t, string(all[0].Name), "phone")
		other := passkeyPlace([]byte("another credential"))
		_, openErr := g.vault.Open(other, all[0].Name)
		require.Error(t, openErr, "it is bound to its passkey")
		return errors.Join(err)
	}))
}

func TestAPasskeyIsBoundToTheAddressAtWhichItWasAdded(t *testing.T) {
	g, d := served(t), device(t)
	who := g.add(olive, Admin)
	g.adds(who, d)
	g.adds(who, device(t))
	old := device(t) // from before hosts were stored
	old.Handle = g.handleOf(who.ID)
	name, err := g.vault.Seal(passkeyPlace(old.Credential), []byte("Old"))
	require.NoError(t, err)
	require.NoError(t, g.db.Update(func(tx *store.Tx) error {
		return tx.AddPasskey(store.Passkey{User: who.ID, Credential: old.Credential, PublicKey: der(t, old.Key.Public()), Flags: 5, Name: name})
	}))
	for at, elsewhere := range map[string]string{
		base: "", base + ":8443": "", // browsers bind passkeys to the host alone
		"https://registry.example.org": "births.example.org", "https://192.0.2.1": "births.example.org",
	} {
		moved := New(g.db, g.vault)
		moved.ServeAt(at)
		all, err := moved.Passkeys(t.Context(), who.ID)
		require.NoError(t, err)
		require.Equal(t, []string{"My phone", "My phone", "Old"}, []string{all[0].Name, all[1].Name, all[2].Name})
		require.Equal(t, []string{elsewhere, elsewhere, ""}, []string{all[0].Elsewhere, all[1].Elsewhere, all[2].Elsewhere}, at)
		passkeys, users, err := moved.PasskeysElsewhere(t.Context())
		require.NoError(t, err)
		require.Equal(t, elsewhere != "", passkeys == 2 && users == 1, at)
		require.Equal(t, elsewhere == "", passkeys == 0 && users == 0, at)
	}
}

func TestARightPasskeyThatIsNotEnoughNamesTheRequiredProvider(t *testing.T) {
	g, d := served(t), device(t)
	g.adds(g.add(olive, Viewer), d)
	require.NoError(t, g.db.Update(func(tx *store.Tx) error {
		provider, _, err := tx.PutSSOProvider(store.SSOProvider{Name: "Clinic", Slug: "clinic", Issuer: "https://id.example.org", ClientID: "registry"})
		return errors.Join(err, tx.SetSSOOnly(g.p, provider))
	}))
	for range 30 { // more than the wrong ones that a network may try
		user, err := g.enters(g.asked(d))
		require.ErrorAs(t, err, new(ProviderRequired))
		require.NotErrorIs(t, err, ErrPasskey)
		require.Zero(t, user)
	}
	require.Equal(t, "user.sign-in-failed "+olive, g.trail()[0])
	forged := device(t)
	forged.Credential, forged.Handle = d.Credential, d.Handle
	_, err := g.enters(g.asked(forged))
	require.ErrorIs(t, err, ErrPasskey)
	require.NotErrorIs(t, err, ErrOtherProvider, "a wrong answer doesn't name it")
}

func TestEveryPracticeOfAUserReadsThatAPasskeyWasAddedOrRemoved(t *testing.T) {
	g, d := served(t), device(t)
	who, second := g.add(olive, Admin), g.practice(false)
	require.NoError(t, g.db.Update(func(tx *store.Tx) error { return tx.AddMembership(second, who.ID, string(Viewer)) }))
	g.adds(who, d)
	require.NoError(t, g.DeletePasskey(who, 1))
	seen := map[store.PracticeID][]string{}
	require.NoError(t, g.db.View(t.Context(), func(v *store.View) error {
		return v.Trail(func(row store.Audit) error {
			if strings.HasPrefix(row.Action, "user.passkey") {
				seen[row.Practice] = append(seen[row.Practice], row.Action)
			}
			return nil
		})
	}))
	both := []string{"user.passkey-add", "user.passkey-remove"}
	require.Equal(t, map[store.PracticeID][]string{g.p: both, second: both}, seen)
}

// The user worked last in a practice that only a provider opens.
func TestASecondFactorSignsInToThePracticeThatThePasswordOpened(t *testing.T) {
	g, d := served(t), device(t)
	who, other := g.add(olive, Admin), g.practice(false)
	codes := g.adds(who, d)
	require.NoError(t, g.db.Update(func(tx *store.Tx) error {
		provider, _, err := tx.PutSSOProvider(store.SSOProvider{Name: "Clinic", Slug: "clinic", Issuer: "https://id.example.org", ClientID: "registry"})
		return errors.Join(err, tx.AddMembership(other, who.ID, string(Viewer)), tx.UseMembership(other, who.ID), tx.SetSSOOnly(other, provider))
	}))
	entry, err := g.SignIn(t.Context(), olive, password, Visitor{Address: here})
	require.NoError(t, err)
	require.Equal(t, g.p, entry.Practice)
	c, err := g.AskUserForPasskey(t.Context(), who.ID)
	require.NoError(t, err)
	answer, err := d.Get(c.Options)
	require.NoError(t, err)
	require.NoError(t, g.VerifyPasskey(t.Context(), entry, c.Pending, answer, here, nil))
	_, err = g.Service.Verify(t.Context(), entry, codes[0], here, nil)
	require.NoError(t, err)
	var practices []store.PracticeID
	require.NoError(t, g.db.View(t.Context(), func(v *store.View) error {
		return v.Trail(func(row store.Audit) error {
			if strings.HasSuffix(row.Action, "sign-in") {
				practices = append(practices, row.Practice)
			}
			return nil
		})
	}))
	require.Equal(t, []store.PracticeID{g.p, g.p}, practices)
}

func TestAPasskeyThatConfirmsIsCounted(t *testing.T) {
	g, d := served(t), device(t)
	who := g.add(olive, Admin)
	d.Count = 10
	g.adds(who, d)
	confirm := func() error {
		c, err := g.AskUserForPasskey(t.Context(), who.ID)
		require.NoError(t, err)
		answer, err := d.Get(c.Options)
		require.NoError(t, err)
		who.Proof = &Proof{c.Pending, answer}
		return g.ConfirmFully(t.Context(), who, "", "")
	}
	require.NoError(t, confirm())
	d.Count-- // Get raises it to that of the last answer
	require.ErrorIs(t, confirm(), ErrPasskey, "there may be two copies")
	require.Equal(t, "user.confirm-failed "+olive, g.trail()[0])
}
