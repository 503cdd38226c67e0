package auth

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"birthregistry/store"
)

// User is a user acting in one practice, or the operator.
type User struct {
	ID          int64 // 0 for the operator
	Email, Name string
	Practice    store.Practice
	Role        Role
	Address     string // the network address of the request
	// Requires is the ID of the one identity provider with which the practice's users must sign in.
	// It is 0 if there is no such provider.
	Requires int64
	// LacksSecondFactor is set if the practice makes a second factor mandatory and the user has
	// none. The user can then do nothing except set up a second factor.
	LacksSecondFactor bool
	// Confirmed is set if the user has just signed in with the identity provider again, to confirm
	// an action. Confirm and ConfirmFully then need no password.
	Confirmed bool
	// Recent is set if the user proved their identity in this session less than ConfirmedFor ago,
	// by signing in without an identity provider or by confirming an action. ConfirmAccess then
	// asks for no password.
	Recent bool
	// Session identifies the session in which the user acts. It is "" outside the pages. Act
	// refuses to write for a session that has ended.
	Session string
	// Provider is the ID of the identity provider with which the session began, or 0.
	Provider int64
	// Proof is set if the user confirms an action with a passkey.
	Proof *Proof
	// HasPasskey is set if the user has a passkey.
	HasPasskey bool
}

// ErrForbidden means that the user's role doesn't allow an action.
var ErrForbidden = errors.New("auth: your role does not allow this; ask a practice admin")

// Operator returns the user on whose behalf the commands on the machine act. This user has every
// permission.
func Operator(p store.Practice) User {
	return User{Name: "operator", Practice: p, Role: operator}
}

// May reports whether the user has a permission in the practice.
func (u User) May(permission Permission) bool { return u.Role.May(permission) }

// Must returns ErrForbidden unless the user has the permission.
func (u User) Must(permission Permission) error {
	if u.May(permission) {
		return nil
	}
	return ErrForbidden
}

// Label returns the name of the user in the audit trail and in the versions of records.
func (u User) Label() string {
	return cmp.Or(u.Name, u.Email)
}

// ErrNoMembership means that a user is unknown or disabled, doesn't belong to the practice, or
// belongs to no practice at all.
var ErrNoMembership = errors.New("auth: no membership in the practice")

// UserIn returns a user with their role in a practice. several reports whether the user belongs to
// more than one practice. Each request for a page calls UserIn, so that the loss of a membership or
// permission takes effect with the next request. UserIn returns ErrNoMembership if the user has no
// active membership in the practice.
func (s *Service) UserIn(ctx context.Context, user int64, p store.PracticeID) (who User, several bool, err error) {
	u, memberships, err := s.account(ctx, user)
	if err != nil {
		return User{}, false, err
	}
	memberships = active(u, memberships)
	for _, m := range memberships {
		if m.Practice.ID == p {
			return asUser(u, m, ""), len(memberships) > 1, nil
		}
	}
	return User{}, false, ErrNoMembership
}

// Practices lists the practices that a user may work in.
func (s *Service) Practices(ctx context.Context, user int64) (all []store.Practice, err error) {
	u, memberships, err := s.account(ctx, user)
	for _, m := range active(u, memberships) {
		all = append(all, m.Practice)
	}
	return all, err
}

// account returns a user and their memberships. It returns ErrNoMembership if there is no
// such user.
func (s *Service) account(ctx context.Context, user int64) (u store.User, memberships []store.Membership, err error) {
	u, memberships, err = s.accountBy(ctx, func(v *store.View) (store.User, error) { return v.User(user) })
	return u, memberships, store.Translate(err, store.ErrNotFound, ErrNoMembership)
}

// accountBy returns the user whom find returns, and their memberships.
func (s *Service) accountBy(ctx context.Context, find func(*store.View) (store.User, error)) (u store.User, memberships []store.Membership, err error) {
	err = s.db.View(ctx, func(v *store.View) (err error) {
		if u, err = find(v); err == nil {
			memberships, err = v.MembershipsOf(u.ID)
		}
		return err
	})
	return u, memberships, err
}

// those returns the memberships for which satisfy returns true.
func those(memberships []store.Membership, satisfy func(store.Membership) bool) []store.Membership {
	return slices.DeleteFunc(slices.Clone(memberships), func(m store.Membership) bool { return !satisfy(m) })
}

// notDisabled returns the user's memberships that aren't disabled, even if they are pending
// invitations.
func notDisabled(u store.User, memberships []store.Membership) []store.Membership {
	return those(memberships, func(m store.Membership) bool { return u.DisabledAt == nil && m.DisabledAt == nil })
}

// accepted returns the memberships that aren't pending invitations. A practice that has only
// invited a user must learn nothing about them.
func accepted(memberships []store.Membership) []store.Membership {
	return those(memberships, func(m store.Membership) bool { return m.AcceptedAt != nil })
}

// active returns the memberships in practices in which the user may work now.
func active(u store.User, memberships []store.Membership) []store.Membership {
	return accepted(notDisabled(u, memberships))
}

// in returns the membership in the practice p, or none.
func in(memberships []store.Membership, p store.PracticeID) []store.Membership {
	return those(memberships, func(m store.Membership) bool { return m.Practice.ID == p })
}

// latest returns the membership in the practice in which the user worked last. memberships must not
// be empty.
func latest(memberships []store.Membership) store.Membership {
	return slices.MaxFunc(memberships, func(a, b store.Membership) int {
		at := func(t *time.Time) time.Time {
			if t == nil {
				return time.Time{}
			}
			return *t
		}
		return at(a.UsedAt).Compare(at(b.UsedAt))
	})
}

func asUser(u store.User, m store.Membership, address string) User {
	return User{
		ID: u.ID, Email: u.Email, Name: u.Name,
		Practice: m.Practice, Role: Role(m.Role), Address: address, Requires: m.Requires, HasPasskey: u.Passkeys > 0,
		LacksSecondFactor: m.Practice.SecondFactor && !u.SecondFactor(),
	}
}
