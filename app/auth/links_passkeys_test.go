package auth

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

const newPassword = "otter lantern quilt seven"

func (g *gate) factors(user int64) Factors {
	g.t.Helper()
	f, err := g.SecondFactors(g.t.Context(), user)
	require.NoError(g.t, err)
	return f
}

func TestAResetSaysHowManyPasskeysItLeaves(t *testing.T) {
	g := opened(t)
	who := g.hooked(Viewer)
	link, err := g.AccountLink(olive, ResetOptions{})
	require.NoError(t, err)
	require.Equal(t, 1, link.Passkeys)
	done, err := g.Redeem(t.Context(), LinkUse{Code: link.Code, Password: newPassword, Address: here})
	require.NoError(t, err)
	require.Equal(t, 1, done.Passkeys)
	require.Equal(t, 1, g.factors(who.ID).Passkeys)
	for _, fresh := range []ResetOptions{{SecondFactor: true}, {Memberships: true}} {
		link, err = g.AccountLink(olive, fresh)
		require.NoError(t, err)
		require.Zero(t, link.Passkeys)
	}
}

func TestAResetDeletesThePasskeysIfItsUserWants(t *testing.T) {
	g := opened(t)
	who := g.hooked(Viewer)
	link, err := g.AccountLink(olive, ResetOptions{})
	require.NoError(t, err)
	done, err := g.Redeem(t.Context(), LinkUse{Code: link.Code, Password: newPassword, Address: here, DeletePasskeys: true})
	require.NoError(t, err)
	require.Zero(t, done.Passkeys)
	require.Equal(t, Factors{App: true, Codes: recoveryCodes}, g.factors(who.ID))
	require.Contains(t, g.noted(), "olive user.passkey-remove "+olive)
}

func TestAResetLinkRemovesNoSecondFactor(t *testing.T) {
	g := opened(t)
	who := g.hooked(Viewer)
	require.NoError(t, g.db.Update(func(tx *store.Tx) error { return tx.SetTOTP(who.ID, nil, 0) }))
	link, err := g.AccountLink(olive, ResetOptions{})
	require.NoError(t, err)
	_, err = g.Redeem(t.Context(), LinkUse{Code: link.Code, Password: newPassword, Address: here, DeletePasskeys: true})
	require.ErrorIs(t, err, ErrOnlyFactor)
	require.Equal(t, 1, g.factors(who.ID).Passkeys)
	_, err = g.signIn(t.Context(), olive, newPassword, here)
	require.ErrorIs(t, err, ErrSignIn, "the password didn't change either")
	_, err = g.Redeem(t.Context(), LinkUse{Code: link.Code, Password: newPassword, Address: here})
	require.NoError(t, err, "the link isn't used up")
}
