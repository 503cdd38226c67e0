package auth

import (
	"context"
	"errors"
	"time"

	"birthregistry/store"
)

// Single sign-on (decision 56) means that an identity provider proves who a person is, instead of a
// password. It makes nobody a member of a practice.
//
// A provider identifies each person by a subject, an ID that stays the same. A subject is linked to
// only one account, and signs in only to that account. It can be linked only to the account whose
// email address the provider has verified. First, the owner of the account must confirm the link on
// a page. They confirm with the account's password. If the account was only invited, they confirm
// by accepting the invitation.
//
// The confirmation prevents two attacks. A provider that vouches for somebody else's address can't
// enter an existing account. And if a stranger got hold of an invitation and made the account
// first, the owner of the address never joins practices with the stranger's account.

// Identity describes a person as an identity provider has identified them (package sso).
type Identity struct {
	Provider int64
	Subject  string
	// Email is the person's address, in lower case. It is "" unless the provider has verified the
	// address and may vouch for it.
	Email string
}

func (i Identity) subject() []byte { return hash(i.Subject) }

// These are the reasons why a sign-in with an identity provider is refused.
var (
	// ErrUnknownIdentity means that the identity gives access to no account. The error doesn't
	// reveal whether there is an account with the identity's address, or whether that account is
	// disabled.
	ErrUnknownIdentity = errors.New("auth: no account and no invitation has this identity")
	// ErrOtherProvider means that each practice of the user requires another way to sign in.
	ErrOtherProvider = errors.New("auth: your practice requires another way to sign in; ask the person who runs the registry")
)

// Known is the account that belongs to an identity.
type Known struct {
	SignInResult
	// Confirm is nil if the identity is already linked to an account. Otherwise the person must
	// confirm the link (LinkIdentity).
	Confirm *Confirmation
}

// Confirmation is what a person must confirm before their identity is linked to an account.
type Confirmation struct {
	Email, Name string
	// Password is set if the account has a password. The person then confirms the link with it.
	// Otherwise the person confirms by accepting the invitation to Practice as Role.
	Password bool
	Practice store.Practice
	Role     Role
}

// IdentifyUser returns the account to which an identity is linked. If there is no such account, it
// returns the account with the identity's verified email address, but doesn't link it.
//
// IdentifyUser returns ErrUnknownIdentity if it finds no account, or if the account's user can
// neither sign in nor accept an invitation. For a linked account, it returns ErrOtherProvider if
// all of the user's practices require another way to sign in.
func (s *Service) IdentifyUser(ctx context.Context, id Identity, from Visitor) (k Known, err error) {
	u, memberships, linked, err := s.accountOf(ctx, id)
	if err != nil {
		return k, err
	}
	if u.ID == 0 {
		return k, errors.Join(ErrUnknownIdentity, s.noteRefusal(u, nil, from.Address))
	}
	if !linked {
		c, err := s.confirmation(ctx, u, memberships)
		if err != nil {
			return k, errors.Join(err, s.noteRefusal(u, memberships, from.Address))
		}
		return Known{SignInResult: SignInResult{User: u.ID}, Confirm: &c}, nil
	}
	k.SignInResult, err = resultFor(u, memberships, id.Provider)
	if err != nil {
		return k, errors.Join(err, s.noteRefusal(u, memberships, from.Address))
	}
	return k, nil
}

// accountOf returns the account that belongs to an identity, or the zero User. linked reports
// whether the account is linked to the identity.
func (s *Service) accountOf(ctx context.Context, id Identity) (u store.User, memberships []store.Membership, linked bool, err error) {
	u, memberships, err = s.accountBy(ctx, func(v *store.View) (u store.User, err error) {
		user, err := v.SSOUser(id.Provider, id.subject())
		switch {
		case err == nil:
			linked = true
			return v.User(user)
		case errors.Is(err, store.ErrNotFound) && id.Email != "":
			return byAddress(v, id)
		}
		return u, err
	})
	if errors.Is(err, store.ErrNotFound) {
		return store.User{}, nil, false, nil
	}
	return u, memberships, linked, err
}

// byAddress returns the account with the identity's email address. It returns store.ErrNotFound if
// the account is linked to another subject of the same provider, because the provider may have
// given the address to somebody else.
func byAddress(v *store.View, id Identity) (store.User, error) {
	u, err := v.UserByEmail(id.Email)
	if err != nil {
		return store.User{}, err
	}
	other, err := v.SSOLinked(id.Provider, u.ID)
	if err == nil && other {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.User{}, err
	}
	return u, nil
}

// resultFor returns the result of a sign-in with an identity provider. If provider is 0, it is a
// sign-in with a password or a passkey. The user's identity must be proven already. resultFor
// returns ErrUnknownIdentity if the user may work in no practice, and ErrOtherProvider if all of
// their practices require another way to sign in.
func resultFor(u store.User, memberships []store.Membership, provider int64) (SignInResult, error) {
	working := active(u, memberships)
	if len(working) == 0 {
		return SignInResult{}, ErrUnknownIdentity
	}
	open := admitted(working, provider)
	if len(open) == 0 {
		return SignInResult{}, ErrOtherProvider
	}
	return SignInResult{u.ID, latest(open).Practice.ID, u.SecondFactor(), passwordStamp(u.Password)}, nil
}

// admitted returns those of the memberships whose practice accepts a sign-in with the given
// identity provider. If provider is 0, the sign-in is with a password or a passkey.
func admitted(memberships []store.Membership, provider int64) []store.Membership {
	return those(memberships, func(m store.Membership) bool { return m.Requires == 0 || m.Requires == provider })
}

// confirmation returns what the owner of an account must confirm before an identity is linked to
// the account. It returns ErrUnknownIdentity if the owner can neither sign in nor accept an
// invitation.
func (s *Service) confirmation(ctx context.Context, u store.User, memberships []store.Membership) (c Confirmation, err error) {
	c = Confirmation{Email: u.Email, Name: u.Name, Password: u.Password != ""}
	if c.Password {
		if len(active(u, memberships)) == 0 {
			return c, ErrUnknownIdentity
		}
		return c, nil
	}
	var m store.Membership
	err = s.db.View(ctx, func(v *store.View) (err error) {
		_, m, err = invitationIn(v, u, memberships, time.Now())
		return err
	})
	if err != nil {
		return c, err
	}
	c.Name, c.Practice, c.Role = m.Called, m.Practice, Role(m.Role)
	return c, nil
}

// invitationIn returns the first invitation that a user without a password can accept. It returns
// ErrUnknownIdentity if there is none.
func invitationIn(v *store.View, u store.User, memberships []store.Membership, now time.Time) (link int64, m store.Membership, err error) {
	for _, m := range notDisabled(u, memberships) {
		if m.AcceptedAt != nil {
			continue
		}
		link, err := v.OpenInvitation(u.ID, m.Practice.ID, now)
		if err == nil {
			return link, m, nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return 0, m, err
		}
	}
	return 0, m, ErrUnknownIdentity
}

// LinkIdentity links an identity to the account with the identity's verified email address. The
// owner of the account must confirm the link with the account's password. If the account has no
// password because its owner was only invited, they confirm by accepting the invitation, whose
// practice and role are in shown.
//
// LinkIdentity returns the errors of IdentifyUser, ErrSignIn for a wrong password, ErrBadName,
// ErrInvitationChanged and Wait. If r asks for a second factor, nothing is linked yet. Verify or
// VerifyPasskey then links the identity.
func (s *Service) LinkIdentity(ctx context.Context, id Identity, shown Confirmation, password string, from Visitor) (r SignInResult, err error) {
	u, memberships, linked, err := s.accountOf(ctx, id)
	if err != nil {
		return r, err
	}
	if linked { // in another window
		return resultFor(u, memberships, id.Provider)
	}
	if u.ID == 0 {
		return r, ErrUnknownIdentity
	}
	if u.Password == "" {
		return s.joinWith(ctx, id, u, shown, from)
	}
	if !shown.Password {
		return r, ErrInvitationChanged
	}
	right, err := s.checkUnsigned(ctx, u, password, from)
	if err != nil {
		return r, err
	}
	if !right {
		return r, errors.Join(ErrSignIn, s.noteRefusal(u, memberships, from.Address))
	}
	if r, err = resultFor(u, memberships, id.Provider); err != nil || r.SecondFactor {
		return r, err
	}
	return r, s.db.Update(func(tx *store.Tx) error {
		if now, err := tx.User(u.ID); err != nil || now.Password != u.Password || now.SecondFactor() {
			return errors.Join(ErrSignIn, err)
		}
		return s.link(tx, &id, u, from.Address)
	})
}

// link links an identity to the account of u, who has confirmed it. It does nothing if id is nil,
// or if the identity is already linked to the account. It returns ErrUnknownIdentity if the
// identity is linked to another account, or if its verified email address isn't the account's
// address.
func (s *Service) link(tx *store.Tx, id *Identity, u store.User, address string) error {
	if id == nil {
		return nil
	}
	owner, err := tx.SSOUser(id.Provider, id.subject())
	switch {
	case err == nil && owner == u.ID:
		return nil
	case err == nil || errors.Is(err, store.ErrNotFound) && u.Email != id.Email:
		return ErrUnknownIdentity
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	return errors.Join(addLink(tx, *id, u.ID), s.noteEverywhere(tx, u, address, "user.sso-link"))
}

// joinWith links an identity to an account that was only invited, and accepts the invitation. From
// then on, the account has a password that nobody knows, until a reset link sets another password.
func (s *Service) joinWith(ctx context.Context, id Identity, u store.User, shown Confirmation, from Visitor) (r SignInResult, err error) {
	name, err := normalName(shown.Name, u.Email)
	if err != nil {
		return r, err
	}
	password := s.limits.reserved.unknown()
	err = s.db.Update(func(tx *store.Tx) error {
		now, err := tx.User(u.ID)
		if err != nil {
			return err
		}
		memberships, err := tx.MembershipsOf(u.ID)
		if err != nil {
			return err
		}
		link, m, err := invitationIn(&tx.View, now, memberships, tx.Now)
		switch {
		case err != nil:
			return err
		case now.Password != "" || m.Practice.ID != shown.Practice.ID || Role(m.Role) != shown.Role:
			return ErrInvitationChanged
		case m.Requires != 0 && m.Requires != id.Provider:
			return ErrOtherProvider
		}
		now.Name = name
		who := asUser(now, m, from.Address)
		r = SignInResult{u.ID, m.Practice.ID, u.SecondFactor(), passwordStamp(password)}
		return errors.Join(
			tx.UseLink(link), s.setPassword(tx, u.ID, password, ""), tx.SetName(u.ID, name), tx.AcceptMembership(m.Practice.ID, u.ID),
			addLink(tx, id, u.ID),
			s.Note(tx, who, "user.join", u.Email), s.Note(tx, who, "user.sso-link", u.Email),
		)
	})
	return r, err
}

// addLink links an identity to a user. It returns ErrUnknownIdentity if the subject or the account
// has been linked in the meantime.
func addLink(tx *store.Tx, id Identity, user int64) error {
	return store.Translate(tx.AddSSOLink(id.Provider, id.subject(), user), store.ErrConflict, ErrUnknownIdentity)
}

// CompleteSSO records the sign-in of a user whose identity is linked and who has no second
// factor. It returns ErrNoMembership if the user may no longer sign in, or has a second factor now.
func (s *Service) CompleteSSO(ctx context.Context, of SignInResult, provider int64, address string) error {
	u, memberships, err := s.account(ctx, of.User)
	if err != nil {
		return err
	}
	if len(admitted(active(u, memberships), provider)) == 0 || u.SecondFactor() {
		return ErrNoMembership
	}
	return s.completeSignIn(u, admitted(memberships, provider), address, "user.sign-in", func(*store.Tx) error { return nil })
}
