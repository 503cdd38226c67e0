package auth

import (
	"context"
	"errors"

	"birthregistry/store"
)

// The functions in this file list accounts or change an account as a whole. Only the operator's
// commands call them.

// Account is a user with their memberships, as the operator sees them.
type Account struct {
	store.User
	Memberships []store.Membership
	// SSO lists the names of the identity providers to which the account is linked.
	SSO []string
}

// Accounts lists all users.
func (s *Service) Accounts(ctx context.Context) (all []Account, err error) {
	err = s.db.View(ctx, func(v *store.View) error {
		users, err := v.Users()
		for _, u := range users {
			memberships, placesErr := v.MembershipsOf(u.ID)
			names, namesErr := v.SSONames(u.ID)
			err = errors.Join(err, placesErr, namesErr)
			all = append(all, Account{u, memberships, names})
		}
		return err
	})
	return all, err
}

// AddUser adds a user to a practice. If password is "", AddUser makes an invitation link, like
// Invite. Even a user who already has an account must then use the link, because the operator
// doesn't know who made the account. Any other password becomes the user's password, and the user
// is a member immediately, without a link. In that case, AddUser returns ErrHasPassword if the user
// already has a password. made reports whether AddUser has made a link.
func (s *Service) AddUser(p store.PracticeID, email, name string, role Role, password string) (link NewLink, made bool, err error) {
	who := Operator(store.Practice{ID: p})
	if password == "" {
		link, err = s.Invite(who, email, name, role)
		return link, err == nil, err
	}
	if err := knownRole(role); err != nil {
		return link, false, err
	}
	if email, err = normalEmail(email); err != nil {
		return link, false, err
	}
	if name, err = normalName(name, email); err != nil {
		return link, false, err
	}
	if err := CheckPassword(password, email); err != nil {
		return link, false, err
	}
	stored, err := s.limits.reserved.of(password)
	if err != nil {
		return link, false, err
	}
	return link, false, s.db.Update(func(tx *store.Tx) error {
		u, err := s.inviteUser(tx, who, email, name, role)
		if err != nil {
			return err
		}
		if u.Password != "" {
			return ErrHasPassword
		}
		return errors.Join(s.setPassword(tx, u.ID, stored, ""), tx.AcceptMembership(p, u.ID), s.Note(tx, who, "user.add", email+": "+string(role)))
	})
}

// ErrHasPassword means that a password was given for a user who already has one.
var ErrHasPassword = errors.New("auth: this person already has a password, which can't be replaced here; repeat the command without a password")

// ResetOptions selects what AccountLink removes from an account when it makes a link.
type ResetOptions struct {
	SecondFactor bool // remove the second factor and all passkeys, because the user has lost them
	// Memberships turns all memberships back into pending invitations. It also removes the passkeys
	// and the links to identity providers. It is for an account that a stranger may have created,
	// or in which a stranger may have accepted invitations.
	Memberships bool
}

// AccountLink makes a link for the user with the given email address. The link resets the password.
// If the user has no password, the link is an invitation instead. AccountLink also removes from the
// account what fresh selects, and then ends the user's sessions. It returns ErrDisabled if the user
// is disabled or has no enabled membership.
func (s *Service) AccountLink(email string, fresh ResetOptions) (link NewLink, err error) {
	err = s.changeAccount(email, "user.link", func(tx *store.Tx, u store.User, memberships []store.Membership) error {
		open := notDisabled(u, memberships)
		if len(open) == 0 {
			return ErrDisabled
		}
		if fresh.Memberships {
			_, err := tx.EndSessions(u.ID, "")
			_, unlinkErr := tx.DropSSOLinks(u.ID)
			if err := errors.Join(err, unlinkErr, tx.ReopenMemberships(u.ID), tx.DropPasskeys(u.ID), dropUnusedCodes(tx, u.ID)); err != nil {
				return err
			}
		}
		if fresh.SecondFactor {
			_, err := tx.EndSessions(u.ID, "")
			if err := errors.Join(err, dropSecondFactor(tx, u.ID)); err != nil {
				return err
			}
		}
		who := Operator(store.Practice{})
		if u.Password == "" {
			link, err = makeInvitation(tx, who, u.ID, open[0].Practice.ID)
		} else {
			link, err = makeReset(tx, who, u.ID)
		}
		if !fresh.Memberships && !fresh.SecondFactor {
			link.Passkeys = u.Passkeys
		}
		return err
	})
	return link, err
}

// DisableUser immediately removes all access of a user. orphaned lists the practices that lose
// their only admin.
func (s *Service) DisableUser(email string) (orphaned []store.Practice, err error) {
	err = s.changeAccount(email, "user.disable", func(tx *store.Tx, u store.User, memberships []store.Membership) error {
		orphaned = nil
		for _, membership := range active(u, memberships) {
			others, err := tx.OtherAdmins(membership.Practice.ID, u.ID)
			if err != nil {
				return err
			}
			if Role(membership.Role) == Admin && others == 0 {
				orphaned = append(orphaned, membership.Practice)
			}
		}
		_, err := tx.EndSessions(u.ID, "")
		return errors.Join(err, tx.VoidLinks(u.ID), tx.DisableUser(u.ID))
	})
	return orphaned, err
}

// EnableUser gives a disabled user their memberships back.
func (s *Service) EnableUser(email string) error {
	return s.changeAccount(email, "user.enable", func(tx *store.Tx, u store.User, _ []store.Membership) error {
		return tx.EnableUser(u.ID)
	})
}

// EndUserSessions ends all sessions of a user and returns how many there were.
func (s *Service) EndUserSessions(email string) (n int64, err error) {
	err = s.changeAccount(email, "user.end-sessions", func(tx *store.Tx, u store.User, _ []store.Membership) error {
		n, err = tx.EndSessions(u.ID, "")
		return err
	})
	return n, err
}

// changeAccount runs an operator's action on the account with the given email address, in a
// transaction. It records the action in the audit trail of each practice that the user has joined.
// If the user has no password, it also records the action in the trail of each practice that has
// invited them. It returns store.ErrNotFound if no user has this email address.
func (s *Service) changeAccount(email, action string, act func(*store.Tx, store.User, []store.Membership) error) error {
	email, err := normalEmail(email)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error {
		u, err := tx.UserByEmail(email)
		if err != nil {
			return err
		}
		memberships, err := tx.MembershipsOf(u.ID)
		if err != nil {
			return err
		}
		if err := act(tx, u, memberships); err != nil {
			return err
		}
		if u.Password != "" {
			memberships = accepted(memberships)
		}
		for _, membership := range memberships {
			if err := s.Note(tx, Operator(membership.Practice), action, u.Email); err != nil {
				return err
			}
		}
		return nil
	})
}
