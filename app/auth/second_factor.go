package auth

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// These constants are about the second factors that users type. One is a six-digit code from an
// authenticator app (RFC 6238, SHA-1, every 30 seconds), which is valid once. The other is one of
// ten recovery codes of 80 bits, of which only the hashes are stored. A passkey can be the second
// factor, too (passkeys.go).
const (
	factorSize    = 20 // bytes of the secret
	factorPeriod  = 30 // seconds
	recoveryCodes = 10
)

// factorSkew is how far the clock of an authenticator app may be off, in periods of factorPeriod
// seconds.
const factorSkew = 1

var codeForm = hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

var base32Text = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewSecondFactor returns a new secret for an authenticator app, in the form in which users type
// it.
func NewSecondFactor() string {
	secret := make([]byte, factorSize)
	_, _ = rand.Read(secret) // never fails
	return base32Text.EncodeToString(secret)
}

// SecondFactorURI returns the content of the QR code that an authenticator app
// reads.
func SecondFactorURI(secret, email string) string {
	const issuer = "Birth registry"
	query := "secret=" + secret + "&issuer=" + url.PathEscape(issuer)
	return "otpauth://totp/" + url.PathEscape(issuer+":"+email) + "?" + query
}

// EnableSecondFactor turns on an authenticator app as the user's second factor, if code proves that
// the app has the secret. It returns new recovery codes, which replace earlier ones and can't be
// shown again. It ends all of the user's sessions except the current one, whose handle is session.
// It returns ErrCode for a wrong code, and ErrSessionEnded if the current session has ended.
func (s *Service) EnableSecondFactor(who User, secret, code, session string) (codes []string, err error) {
	step, right := matchingStep(secret, tidy(code), time.Now())
	if !right {
		return nil, ErrCode
	}
	sealed, err := s.vault.SealOne(secondFactorPlace(who.ID), []byte(secret))
	if err != nil {
		return nil, err
	}
	codes, hashes := newRecoveryCodes()
	return codes, s.actIn(session, who, func(tx *store.Tx) error {
		_, err := tx.EndSessions(who.ID, session)
		return errors.Join(
			err, tx.SetTOTP(who.ID, sealed, step), tx.SetRecoveryCodes(who.ID, hashes),
			s.Note(tx, who, "user.totp", who.Email+": on"),
		)
	})
}

// DisableSecondFactor turns off a user's authenticator app. The user's passkeys stay. If the user
// has no passkey, the recovery codes are deleted, too.
func (s *Service) DisableSecondFactor(who User) error {
	return s.Act(who, func(tx *store.Tx) error {
		return errors.Join(tx.SetTOTP(who.ID, nil, 0), dropUnusedCodes(tx, who.ID), s.Note(tx, who, "user.totp", who.Email+": off"))
	})
}

// dropSecondFactor removes the authenticator app, the passkeys and the recovery codes of a user.
func dropSecondFactor(tx *store.Tx, user int64) error {
	return errors.Join(tx.SetTOTP(user, nil, 0), tx.DropPasskeys(user), tx.SetRecoveryCodes(user, nil))
}

// RenewRecoveryCodes replaces a user's recovery codes and returns the new ones,
// which cannot be shown again.
func (s *Service) RenewRecoveryCodes(who User) (codes []string, err error) {
	codes, hashes := newRecoveryCodes()
	return codes, s.Act(who, func(tx *store.Tx) error {
		return errors.Join(tx.SetRecoveryCodes(who.ID, hashes), s.Note(tx, who, "user.totp", who.Email+": new recovery codes"))
	})
}

// Factors are the second factors of a user.
type Factors struct {
	App      bool
	Passkeys int
	Codes    int // recovery codes left
}

// Any reports whether there is a second factor.
func (f Factors) Any() bool { return f.App || f.Passkeys > 0 }

// SecondFactors returns which second factors a user has.
func (s *Service) SecondFactors(ctx context.Context, user int64) (f Factors, err error) {
	err = s.db.View(ctx, func(v *store.View) error {
		u, err := v.User(user)
		if err != nil {
			return err
		}
		f.App, f.Passkeys = u.TOTP != nil, u.Passkeys
		f.Codes, err = v.RecoveryCodes(user)
		return err
	})
	return f, err
}

// useCode checks a code. It returns take, the function that uses the code up. take returns ErrCode
// if the code is wrong or has been used. recovered reports whether the code has the form of a
// recovery code.
func (s *Service) useCode(u store.User, code string) (take func(*store.Tx) error, recovered bool, err error) {
	code = tidy(code)
	refuse := func(*store.Tx) error { return ErrCode }
	if len(code) != codeForm.Digits.Length() {
		return func(tx *store.Tx) error {
			return store.Translate(tx.TakeRecoveryCode(u.ID, hash(code)), store.ErrNotFound, ErrCode)
		}, true, nil
	}
	if u.TOTP == nil { // the second factor is a passkey
		return refuse, false, nil
	}
	secret, err := s.vault.Open(secondFactorPlace(u.ID), u.TOTP)
	if err != nil {
		return refuse, false, err
	}
	step, right := matchingStep(string(secret), code, time.Now())
	if !right {
		return refuse, false, nil
	}
	return func(tx *store.Tx) error {
		return store.Translate(tx.TakeTOTPStep(u.ID, step), store.ErrNotFound, ErrCode)
	}, false, nil
}

// matchingStep returns the number of the period for which a code is valid. It tries the current
// period, and the factorSkew periods before and after it. found is false if the code is wrong.
func matchingStep(secret, code string, now time.Time) (step int64, found bool) {
	present := now.Unix() / factorPeriod
	for s := present - factorSkew; s <= present+factorSkew; s++ {
		if right, err := hotp.ValidateCustom(code, uint64(s), secret, codeForm); err == nil && right {
			step, found = s, true
		}
	}
	return step, found
}

// tidy removes the spaces and hyphens that make a code easier to read, and returns the letters in
// upper case.
func tidy(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "\t", "").Replace(code))
}

func newRecoveryCodes() (codes []string, hashes [][]byte) {
	for range recoveryCodes {
		random := make([]byte, 10)
		_, _ = rand.Read(random) // never fails
		text := base32Text.EncodeToString(random)
		codes = append(codes, text[:4]+"-"+text[4:8]+"-"+text[8:12]+"-"+text[12:])
		hashes = append(hashes, hash(text))
	}
	return codes, hashes
}

func secondFactorPlace(user int64) seal.Place {
	return seal.Place{Table: "users", Row: fmt.Sprint(user, "/totp")}
}
