package auth

import (
	"context"
	"errors"
	"time"

	"birthregistry/store"
)

// The reasons why an invitation can't be accepted.
var (
	// ErrHasAccount means that the invited address already has an account. The recipient must sign
	// in to that account first. Otherwise a stranger who holds the invitation could get into the
	// account, or a stranger who made the account could get into the practice.
	ErrHasAccount = errors.New("auth: this address has an account already: sign in with it, then open this link again; " +
		"if you do not know its password, ask the person who runs the registry (birthregistry user reset)")
	ErrOtherAccount = errors.New("auth: this link is for another account; sign in with that one and open the link again")
)

// Invitation is the membership that a link offers.
type Invitation struct {
	Practice store.Practice
	Role     Role
}

// Invitation returns the membership that an invitation link offers the signed-in user. code is the
// link's code. Invitation returns one of the ErrLink errors if the link can't be used, and
// ErrOtherAccount if it was made for another account.
func (s *Service) Invitation(ctx context.Context, who User, code string) (o Invitation, err error) {
	err = s.db.View(ctx, func(v *store.View) error {
		o, _, err = invitationOf(v, who, code, time.Now())
		return err
	})
	return o, err
}

// AcceptInvitation makes the signed-in user a member of the practice that has invited them. code is
// the code of the invitation link, and role is the role that the user was shown. AcceptInvitation
// returns the errors of Service.Invitation, or ErrInvitationChanged if the invitation now has
// another role.
func (s *Service) AcceptInvitation(ctx context.Context, who User, code string, role Role) (o Invitation, err error) {
	err = s.Act(who, func(tx *store.Tx) error {
		var link store.Link
		if o, link, err = invitationOf(&tx.View, who, code, tx.Now); err != nil {
			return err
		}
		if o.Role != role {
			return ErrInvitationChanged
		}
		there := who
		there.Practice, there.Role = o.Practice, o.Role
		return errors.Join(
			tx.UseLink(link.ID), tx.AcceptMembership(o.Practice.ID, who.ID), s.Note(tx, there, "user.join", who.Email),
		)
	})
	return o, err
}

// ErrInvitationChanged means that the invitation is no longer the one that was shown.
var ErrInvitationChanged = errors.New("auth: the invitation has changed; open the link again")

func invitationOf(v *store.View, who User, code string, now time.Time) (o Invitation, link store.Link, err error) {
	link, u, err := usableLink(v, linkHash(code), now)
	if err != nil {
		return o, link, err
	}
	if u.ID != who.ID || link.Practice == 0 {
		return o, link, ErrOtherAccount
	}
	membership, err := membershipOf(v, link)
	return Invitation{membership.Practice, Role(membership.Role)}, link, err
}

// membershipOf returns the membership that an invitation offers. It returns ErrLinkExpired if the
// membership no longer exists.
func membershipOf(v *store.View, link store.Link) (store.Membership, error) {
	memberships, err := v.MembershipsOf(link.User)
	for _, membership := range memberships {
		if membership.Practice.ID == link.Practice {
			return membership, nil
		}
	}
	return store.Membership{}, errors.Join(err, ErrLinkExpired)
}

// SwitchPractice records that a user now works in the practice p. The user's next sign-in then
// opens that practice. SwitchPractice returns ErrNoMembership if the user doesn't belong to the
// practice.
func (s *Service) SwitchPractice(ctx context.Context, who User, p store.PracticeID) error {
	there, _, err := s.UserIn(ctx, who.ID, p)
	if err != nil {
		return err
	}
	there.Address = who.Address
	return s.Act(who, func(tx *store.Tx) error {
		return errors.Join(tx.UseMembership(p, who.ID), s.Note(tx, there, "user.switch", who.Email))
	})
}

// Resetting returns the email address of the account for which a reset link was made, and how many
// passkeys the account has. It returns one of the ErrLink errors if the link can't be used, and
// ErrNoLink if the link is an invitation.
func (s *Service) Resetting(ctx context.Context, code string) (email string, passkeys int, err error) {
	err = s.db.View(ctx, func(v *store.View) error {
		link, u, err := usableLink(v, linkHash(code), time.Now())
		if err == nil && link.Purpose != store.Reset {
			err = ErrNoLink
		}
		email, passkeys = u.Email, u.Passkeys
		return err
	})
	return email, passkeys, err
}

// Offer is an invitation as a person who is not signed in sees it.
type Offer struct {
	Invitation
	Name, Email string
	// Account is set if the person already has a password. They must then enter it to accept.
	Account bool
}

// Offer returns the membership that an invitation link offers. code is the link's code. Offer
// returns one of the ErrLink errors if the link can't be used, and ErrNoLink if it is a reset link.
func (s *Service) Offer(ctx context.Context, code string) (o Offer, err error) {
	err = s.db.View(ctx, func(v *store.View) error {
		link, u, err := usableLink(v, linkHash(code), time.Now())
		if err != nil {
			return err
		}
		if link.Purpose != store.Invite {
			return ErrNoLink
		}
		membership, err := membershipOf(v, link)
		o = Offer{
			Invitation: Invitation{Practice: membership.Practice, Role: Role(membership.Role)},
			Name:       membership.Called, Email: u.Email, Account: u.Password != "",
		}
		return err
	})
	return o, err
}
