package access

import (
	"errors"

	"birthregistry/store"
)

// Invite gives the person with that address a place in the practice of who. One
// who is new is invited, by the link; one who has signed in before needs none:
// made is false, and they find the practice beside their others.
func (a *Access) Invite(who Person, email, name string, role Role) (link NewLink, made bool, err error) {
	if err := who.Must(UserManage); err != nil {
		return link, false, err
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
	err = a.db.Update(func(tx *store.Tx) error {
		u, err := a.place(tx, who, email, name, role)
		if err != nil {
			return err
		}
		if made = u.Password == ""; made {
			link, err = makeLink(tx, who, u)
		}
		return errors.Join(err, a.Note(tx, who, "user.invite", email+": "+string(role)))
	})
	return link, made, err
}

// place finds or makes a person and gives them a place in the practice.
func (a *Access) place(tx *store.Tx, who Person, email, name string, role Role) (u store.User, err error) {
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
	err = tx.AddMembership(who.Practice.ID, u.ID, string(role))
	if errors.Is(err, store.ErrConflict) {
		return u, ErrMember
	}
	if err != nil || u.Password != "" || who.Role == operator {
		return u, err
	}
	// Whoever holds the link of the other practice would have this place, too.
	return u, forbid(tx, who, u.ID, func(m store.Member) bool { return m.Elsewhere }, ErrPending)
}

// forbid returns why when the person is a member of whom it is true.
func forbid(tx *store.Tx, who Person, user int64, is func(store.Member) bool, why error) error {
	m, err := tx.Member(who.Practice.ID, user, tx.Now)
	if err == nil && is(m) {
		err = why
	}
	return err
}
