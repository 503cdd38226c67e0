package auth

import (
	"errors"

	"birthregistry/store"
)

// A practice may require a second factor of its users. A user without one may then do nothing in
// the practice but set one up. A session that began with an identity provider is exempt: the
// provider proves who the user is and decides which factors it asks for (decision 56). API keys are
// not affected.

// ErrNoSecondFactor means that an admin who has no second factor has tried to require one of the
// practice's users.
var ErrNoSecondFactor = errors.New("auth: you have no second factor yourself; add a passkey or an authenticator app on your account page first")

// RequireSecondFactor sets whether the user's practice requires a second factor of all its users.
// The change takes effect with each user's next request. RequireSecondFactor returns ErrForbidden
// unless the user may manage users, ErrNoSecondFactor if required is set but the user has no second
// factor, and store.ErrNotFound if there is no such practice.
func (s *Service) RequireSecondFactor(who User, required bool) error {
	return s.ActIf(who, UserManage, func(tx *store.Tx) error {
		if _, err := tx.Practice(who.Practice.ID); err != nil {
			return err
		}
		action := "user.second-factor-optional"
		if required {
			action = "user.second-factor-required"
			if err := hasSecondFactor(tx, who); err != nil {
				return err
			}
		}
		return errors.Join(s.Note(tx, who, action, ""), tx.RequireSecondFactor(who.Practice.ID, required))
	})
}

// hasSecondFactor returns ErrNoSecondFactor if a user has no second factor. The operator doesn't
// need a second factor.
func hasSecondFactor(tx *store.Tx, who User) error {
	if who.Role == operator {
		return nil
	}
	u, err := tx.User(who.ID)
	if err == nil && !u.SecondFactor() {
		err = ErrNoSecondFactor
	}
	return err
}
