package auth

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"birthregistry/store"
)

// LinkedProvider is an identity provider to which an account is linked.
type LinkedProvider struct {
	store.SSOProvider
	LinkedAt time.Time
}

// LinkedProviders lists the providers to which a user's account is linked, in the order in which
// they were linked.
func (s *Service) LinkedProviders(ctx context.Context, user int64) (all []LinkedProvider, err error) {
	err = s.db.View(ctx, func(v *store.View) error {
		links, err := v.SSOLinksOf(user)
		if err != nil || len(links) == 0 {
			return err
		}
		providers, err := v.SSOProviders()
		for _, l := range links {
			if n := slices.IndexFunc(providers, func(p store.SSOProvider) bool { return p.ID == l.Provider }); n >= 0 {
				all = append(all, LinkedProvider{providers[n], l.LinkedAt})
			}
		}
		return err
	})
	return all, err
}

// ErrOnlyWayIn means that an identity provider can't be unlinked, because the user would lock
// themselves out.
var ErrOnlyWayIn = errors.New("auth: without this identity provider you could not sign in to all of your practices; choose a password on your account page first")

// UnlinkProvider unlinks a user's account from an identity provider. It ends the user's other
// sessions, because somebody may have started them with that provider. It returns store.ErrNotFound
// if the account isn't linked to the provider, and ErrSessionEnded if the current session has
// ended. It returns ErrOnlyWayIn if the user could no longer sign in to one of their practices.
func (s *Service) UnlinkProvider(who User, provider int64) error {
	return s.Act(who, func(tx *store.Tx) error {
		u, err := tx.User(who.ID)
		if err != nil {
			return err
		}
		if err := tx.DropSSOLink(who.ID, provider); err != nil {
			return err
		}
		if err := s.keepAWayIn(tx, u); err != nil {
			return err
		}
		_, err = tx.EndSessions(who.ID, who.Session)
		return errors.Join(err, s.noteEverywhere(tx, u, who.Address, "user.sso-unlink"))
	})
}

// keepAWayIn returns ErrOnlyWayIn if a user who has unlinked a provider can no longer sign in to
// one of their practices. It returns nil if the user knows a password, because they can then link a
// provider again.
func (s *Service) keepAWayIn(tx *store.Tx, u store.User) error {
	if !s.limits.reserved.isUnknown(u.Password) {
		return nil
	}
	memberships, err := tx.MembershipsOf(u.ID)
	if err != nil {
		return err
	}
	links, err := tx.SSOLinksOf(u.ID)
	if err != nil {
		return err
	}
	passkey := u.Passkeys > 0 && s.party != nil
	for _, m := range active(u, memberships) {
		linked := slices.ContainsFunc(links, func(l store.SSOLink) bool { return m.Requires == 0 || m.Requires == l.Provider })
		if !linked && (m.Requires != 0 || !passkey) {
			return ErrOnlyWayIn
		}
	}
	return nil
}

// UnlinkIdentities unlinks an account from all identity providers and ends its sessions. It returns
// store.ErrNotFound if no account has this email address.
func (s *Service) UnlinkIdentities(email string) error {
	return s.changeAccount(email, "user.sso-unlink", func(tx *store.Tx, u store.User, _ []store.Membership) error {
		_, err := tx.DropSSOLinks(u.ID)
		if err == nil {
			_, err = tx.EndSessions(u.ID, "")
		}
		return err
	})
}

// unknownSalt is the salt in every hash whose password nobody knows. It identifies these hashes,
// because no other password gets this salt by chance.
var unknownSalt = []byte("nobody knows it.")

// unknown returns the PHC string of a random hash, whose password nobody knows.
func (h *hashing) unknown() string {
	random := make([]byte, sumSize)
	_, _ = rand.Read(random) // never fails
	return h.phc(unknownSalt, random)
}

// isUnknown reports whether a stored hash comes from unknown, so that nobody knows the password.
func (h *hashing) isUnknown(stored string) bool {
	salt, _, err := h.parsePHC(stored)
	return err == nil && bytes.Equal(salt, unknownSalt)
}
