package auth

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pquerna/otp"
	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// Verify checks a second factor with the person's present password.
func (g *gate) Verify(user int64, code, address string) (bool, error) {
	g.t.Helper()
	u, _, err := g.Service.account(context.Background(), user)
	require.NoError(g.t, err)
	return g.Service.Verify(context.Background(), SignInResult{User: user, Practice: g.p, PasswordStamp: passwordStamp(u.Password)}, code, address, nil)
}

func TestAWaitingSecondStepEndsWhenThePasswordChanges(t *testing.T) {
	g := opened(t)
	admin, vera := g.add(olive, Admin), g.add("vera@example.org", Viewer)
	_, recovery := g.factored(vera)
	entry, err := g.signIn(t.Context(), "vera@example.org", password, here)
	require.NoError(t, err)
	link, err := g.Link(admin, vera.ID)
	require.NoError(t, err)
	_, err = g.RedeemLink(t.Context(), link.Code, wrong, here)
	require.NoError(t, err)
	_, err = g.Service.Verify(t.Context(), entry, recovery[0], here, nil)
	require.ErrorIs(t, err, ErrNoMembership)
	entry, err = g.signIn(t.Context(), "vera@example.org", wrong, here)
	require.NoError(t, err)
	_, err = g.Service.Verify(t.Context(), entry, recovery[0], here, nil)
	require.NoError(t, err, "the code was not used up by what was refused")
}

func TestASecondFactorIsAskedForAndEveryCodeWorksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		who := g.add(olive, Admin)
		secret, _ := g.factored(who)
		entry, err := g.signIn(t.Context(), olive, password, here)
		require.NoError(t, err)
		require.Equal(t, SignInResult{who.ID, g.p, true, entry.PasswordStamp}, entry)
		require.NotEqual(t, "user.sign-in olive@example.org", g.trail()[0], "nobody is in before the code")

		_, err = g.Verify(who.ID, codeOf(t, secret, time.Now()), here)
		require.ErrorIs(t, err, ErrCode, "the code that turned it on is used")
		time.Sleep(30 * time.Second)
		code := codeOf(t, secret, time.Now())
		recovered, err := g.Verify(who.ID, " "+code[:3]+" "+code[3:], here)
		require.NoError(t, err)
		require.False(t, recovered)
		require.Equal(t, "user.sign-in olive@example.org", g.trail()[0])
		_, err = g.Verify(who.ID, code, here)
		require.ErrorIs(t, err, ErrCode, "used")
		require.Equal(t, "user.sign-in-failed olive@example.org", g.trail()[0])
		_, err = g.Verify(who.ID, codeOf(t, secret, time.Now().Add(-30*time.Second)), here)
		require.ErrorIs(t, err, ErrCode, "older than one that was used")

		time.Sleep(time.Hour)
		for _, c := range []struct {
			off   time.Duration
			right bool
		}{{-60 * time.Second, false}, {60 * time.Second, false}, {-30 * time.Second, true}, {30 * time.Second, true}} {
			_, err = g.Verify(who.ID, codeOf(t, secret, time.Now().Add(c.off)), here)
			require.Equal(t, c.right, err == nil, "%v: a clock may be half a minute off: %v", c.off, err)
		}
	})
}

func TestOneCodeSignsInOnlyOneOfManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		who := g.add(olive, Admin)
		secret, recovery := g.factored(who)
		time.Sleep(time.Minute)
		for _, code := range []string{codeOf(t, secret, time.Now()), recovery[0]} {
			var in atomic.Int64
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if _, err := g.Verify(who.ID, code, here); err == nil {
						in.Add(1)
					}
				})
			}
			wg.Wait()
			require.Equal(t, int64(1), in.Load())
			time.Sleep(15 * time.Minute)
		}
	})
}

func TestTenRecoveryCodesWorkOnceEach(t *testing.T) {
	g := opened(t)
	who := g.add(olive, Admin)
	_, recovery := g.factored(who)
	require.Len(t, recovery, 10)
	for n, code := range recovery {
		require.Regexp(t, `^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$`, code)
		recovered, err := g.Verify(who.ID, " "+strings.ToLower(strings.ReplaceAll(code, "-", " ")), here)
		require.NoError(t, err)
		require.True(t, recovered)
		_, err = g.Verify(who.ID, code, here)
		require.ErrorIs(t, err, ErrCode)
		g.limits.secondFactors.forgive("1")
		factors, err := g.SecondFactors(t.Context(), who.ID)
		require.NoError(t, err)
		require.Equal(t, Factors{App: true, Codes: 9 - n}, factors)
	}
	first, err := g.RenewRecoveryCodes(who)
	require.NoError(t, err)
	second, err := g.RenewRecoveryCodes(who)
	require.NoError(t, err)
	_, err = g.Verify(who.ID, first[0], here)
	require.ErrorIs(t, err, ErrCode, "replaced")
	_, err = g.Verify(who.ID, second[0], here)
	require.NoError(t, err)
	other := g.add("vera@example.org", Viewer)
	g.factored(other)
	_, err = g.Verify(other.ID, second[1], here)
	require.ErrorIs(t, err, ErrCode, "somebody else's")
}

func TestGuessingCodesIsSlowedDownForALongTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		who := g.add(olive, Admin)
		secret, _ := g.factored(who)
		tried := 0
		for end := time.Now().Add(24 * time.Hour); time.Now().Before(end); {
			_, err := g.Verify(who.ID, "000000", here)
			var wait Wait
			if errors.As(err, &wait) {
				time.Sleep(wait.For)
				continue
			}
			require.ErrorIs(t, err, ErrCode)
			tried++
		}
		require.Less(t, tried, 120, "of a million in a day")
		time.Sleep(15 * time.Minute)
		_, err := g.Verify(who.ID, codeOf(t, secret, time.Now()), here)
		require.NoError(t, err, "slowed down, not locked out")
		_, err = g.Verify(who.ID, "000000", here)
		require.ErrorIs(t, err, ErrCode, "and the count begins anew")
	})
}

func TestEnteringThePasswordAgainForgivesNoGuessedCodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		who := g.add(olive, Admin)
		g.factored(who)
		for range 5 {
			_, err := g.Verify(who.ID, "000000", here)
			require.ErrorIs(t, err, ErrCode)
		}
		for range 10 {
			_, err := g.signIn(t.Context(), olive, password, here)
			require.NoError(t, err)
			_, err = g.Verify(who.ID, "000000", here)
			require.ErrorAs(t, err, new(Wait))
		}
	})
}

func TestASecondFactorIsTurnedOnOnlyWithItsCode(t *testing.T) {
	g := opened(t)
	who := g.add(olive, Admin)
	secret := NewSecondFactor()
	for _, code := range []string{"", "000000", "abcdef", codeOf(t, NewSecondFactor(), time.Now()), codeOf(t, secret, time.Now().Add(time.Hour))} {
		_, err := g.EnableSecondFactor(who, secret, code, "")
		require.ErrorIs(t, err, ErrCode)
	}
	_, err := g.EnableSecondFactor(who, "no secret", "000000", "")
	require.ErrorIs(t, err, ErrCode)
	factors, err := g.SecondFactors(t.Context(), who.ID)
	require.NoError(t, err)
	require.False(t, factors.Any())
	_, recovery := g.factored(who)
	require.NoError(t, g.DisableSecondFactor(who))
	entry, err := g.signIn(t.Context(), olive, password, here)
	require.NoError(t, err)
	require.False(t, entry.SecondFactor)
	_, err = g.Verify(who.ID, recovery[0], here)
	require.ErrorIs(t, err, ErrNoMembership, "its recovery codes are gone with it")
}

func TestTheSecretOfASecondFactorIsSealedToItsUser(t *testing.T) {
	g := opened(t)
	who, other := g.add(olive, Admin), g.add("vera@example.org", Viewer)
	secret, recovery := g.factored(who)
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(g.db.Path() + suffix)
		require.NoError(t, err)
		for _, text := range append([]string{secret, password}, recovery...) {
			require.False(t, bytes.Contains(content, []byte(text)))
			require.False(t, bytes.Contains(content, []byte(tidy(text))))
		}
	}
	require.NoError(t, g.db.Update(func(tx *store.Tx) error { // copied to another person's row, without the program
		u, err := tx.User(who.ID)
		if err != nil {
			return err
		}
		return tx.SetTOTP(other.ID, u.TOTP, 0)
	}))
	_, err := g.Verify(other.ID, codeOf(t, secret, time.Now().Add(30*time.Second)), here)
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrCode)
}

func TestAnAuthenticatorReadsTheURI(t *testing.T) {
	secret := NewSecondFactor()
	require.Len(t, secret, 32, "160 bits")
	require.NotEqual(t, secret, NewSecondFactor())
	for _, email := range []string{olive, "o'hara+x&y=z@example.org"} {
		key, err := otp.NewKeyFromURL(SecondFactorURI(secret, email))
		require.NoError(t, err)
		require.Equal(t, "totp", key.Type())
		require.Equal(t, secret, key.Secret())
		require.Equal(t, "Birth registry", key.Issuer())
		require.Equal(t, email, key.AccountName())
		require.Equal(t, uint64(30), key.Period())
		require.Equal(t, otp.DigitsSix, key.Digits())
		u, err := url.Parse(key.URL())
		require.NoError(t, err)
		require.Equal(t, "totp", u.Host)
	}
}
