package auth

import (
	"context"
	"errors"
	"slices"

	"birthregistry/store"
)

// ProviderRequired is returned for a correct password or passkey of a user whose practices require
// an identity provider. It matches ErrOtherProvider (errors.Is).
type ProviderRequired struct{ Name string }

func (e ProviderRequired) Error() string {
	return "auth: your practice requires that you sign in with " + e.Name + "; use the button “Sign in with " + e.Name + "”"
}

// Is reports whether target is ErrOtherProvider.
func (e ProviderRequired) Is(target error) bool { return target == ErrOtherProvider }

// providerRequired returns the error for a user all of whose practices require an identity
// provider. The error is a ProviderRequired with the name of one of these providers. If no required
// provider is on the operator's list, it is ErrOtherProvider.
func (s *Service) providerRequired(ctx context.Context, u store.User, memberships []store.Membership) error {
	providers, err := store.Read(ctx, s.db, (*store.View).SSOProviders)
	for _, p := range providers {
		if slices.ContainsFunc(active(u, memberships), func(m store.Membership) bool { return m.Requires == p.ID }) {
			return ProviderRequired{p.Name}
		}
	}
	return errors.Join(ErrOtherProvider, err)
}

// Requiring lists those practices of a user that require sign-in with the given identity provider.
func (s *Service) Requiring(ctx context.Context, user, provider int64) (all []store.Practice, err error) {
	u, memberships, err := s.account(ctx, user)
	for _, m := range active(u, memberships) {
		if m.Requires == provider {
			all = append(all, m.Practice)
		}
	}
	return all, err
}

// These are reasons why SetSSOOnly fails.
var (
	// ErrNotLinked means that the admin's own account isn't linked to the provider, so the change
	// would lock the admin out.
	ErrNotLinked = errors.New("auth: your account isn't linked to this identity provider; sign out, sign in with it once, and come back")
	// ErrNoSuchProvider means that the chosen provider isn't listed, for example because it has
	// just been removed.
	ErrNoSuchProvider = errors.New("auth: this identity provider is not listed; choose another way")
)

// SetSSOOnly makes all users of a practice sign in with one identity provider. If provider is 0,
// passwords are allowed again. A session that began in another way ends with its next request.
//
// SetSSOOnly returns ErrForbidden unless the user may manage users. It returns ErrNotLinked if the
// user's own account isn't linked to the provider, ErrNoSuchProvider if the provider is unknown,
// and store.ErrNotFound if there is no such practice.
func (s *Service) SetSSOOnly(who User, provider int64) error {
	return s.ActIf(who, UserManage, func(tx *store.Tx) error {
		if _, err := tx.Practice(who.Practice.ID); err != nil {
			return err
		}
		action, name := "user.sso-any", ""
		if provider != 0 {
			action = "user.sso-only"
			var err error
			if name, err = mayRequire(tx, who, provider); err != nil {
				return err
			}
		}
		return errors.Join(tx.SetSSOOnly(who.Practice.ID, provider), s.Note(tx, who, action, name))
	})
}

// mayRequire returns the name of a provider that a user may require, or why they may not.
func mayRequire(tx *store.Tx, who User, provider int64) (name string, err error) {
	providers, err := tx.SSOProviders()
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(providers, func(p store.SSOProvider) bool { return p.ID == provider })
	if at < 0 {
		return "", ErrNoSuchProvider
	}
	if who.Role == operator {
		return providers[at].Name, nil
	}
	links, err := tx.SSOLinksOf(who.ID)
	if err == nil && !slices.ContainsFunc(links, func(l store.SSOLink) bool { return l.Provider == provider }) {
		err = ErrNotLinked
	}
	return providers[at].Name, err
}
