package auth

import (
	"errors"

	"birthregistry/store"
)

// Invite offers the user with an email address a membership in the admin's practice. It makes a
// link whose code is shown once. The membership is pending and grants nothing until the user
// accepts it with the link. A user who has an account must also be signed in to it, or enter its
// password. The result doesn't reveal whether the address has an account. Invite returns ErrMember
// if the user already has a membership in the practice, even a pending one. It returns all
// mistakes in what was entered, joined: ErrBadEmail or ErrEmailLetter, ErrBadName and ErrBadRole.
func (s *Service) Invite(who User, email, name string, role Role) (link NewLink, err error) {
	if err := who.Must(UserManage); err != nil {
		return link, err
	}
	email, wrongEmail := normalEmail(email)
	name, wrongName := normalName(name, email)
	if err := errors.Join(wrongEmail, wrongName, knownRole(role)); err != nil {
		return link, err
	}
	err = s.Act(who, func(tx *store.Tx) error {
		u, err := s.inviteUser(tx, who, email, name, role)
		if err != nil {
			return err
		}
		link, err = makeInvitation(tx, who, u.ID, who.Practice.ID)
		return errors.Join(err, s.Note(tx, who, "user.invite", email+": "+string(role)))
	})
	return link, err
}

// inviteUser finds or adds a user, and gives the user a pending membership in the practice. It
// returns ErrMember if the user already has a membership there.
func (s *Service) inviteUser(tx *store.Tx, who User, email, name string, role Role) (u store.User, err error) {
	if _, err := tx.Practice(who.Practice.ID); err != nil {
		return u, err
	}
	u, err = tx.UserByEmail(email)
	if errors.Is(err, store.ErrNotFound) {
		u = store.User{Email: email, Name: name}
		u.ID, err = tx.AddUser(email, name)
	}
	if err != nil {
		return u, err
	}
	return u, store.Translate(tx.OfferMembership(who.Practice.ID, u.ID, string(role), name), store.ErrConflict, ErrMember)
}
