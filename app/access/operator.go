package access

import (
	"context"
	"errors"

	"birthregistry/store"
)

// What only the operator does, by the commands: on accounts as a whole.

// Account is a person with their places, as the operator sees them.
type Account struct {
	store.User
	Places []store.Membership
}

// Accounts lists everybody.
func (a *Access) Accounts(ctx context.Context) (all []Account, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		users, err := v.Users()
		for _, u := range users {
			places, placesErr := v.MembershipsOf(u.ID)
			err = errors.Join(err, placesErr)
			all = append(all, Account{u, places})
		}
		return err
	})
	return all, err
}

// AddUser offers the person with that address a place in a practice, by a link as
// Invite does, even where they have an account: the operator does not know either
// who made it. With a password, for somebody who has none, the place is theirs
// at once and there is no link.
func (a *Access) AddUser(p store.PracticeID, email, name string, role Role, password string) (link NewLink, made bool, err error) {
	who := Operator(store.Practice{ID: p})
	if password == "" {
		link, err = a.Invite(who, email, name, role)
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
	stored, err := a.doors.reserved.of(password)
	if err != nil {
		return link, false, err
	}
	return link, false, a.db.Update(func(tx *store.Tx) error {
		u, err := a.offer(tx, who, email, name, role)
		if err != nil {
			return err
		}
		if u.Password != "" {
			return ErrHasPassword
		}
		return errors.Join(a.setPassword(tx, u.ID, stored, ""), tx.AcceptMembership(p, u.ID), a.Note(tx, who, "user.add", email+": "+string(role)))
	})
}

// ErrHasPassword says that a password was given for somebody who has one.
var ErrHasPassword = errors.New("access: this person has signed in before and keeps their password; leave the password out")

// Fresh is what the operator takes away with a reset.
type Fresh struct {
	Factor bool // the second factor, when it is lost, too
	// Places makes mere offers of all places again: when somebody else may have
	// made the account, or taken places up with it.
	Places bool
}

// OperatorLink makes a link for anybody: a reset, or an invitation again for one
// who has no password. It takes away what was named, and ends the sessions then.
func (a *Access) OperatorLink(email string, fresh Fresh) (link NewLink, err error) {
	err = a.operate(email, "user.link", func(tx *store.Tx, u store.User, places []store.Membership) error {
		open := standing(u, places)
		if len(open) == 0 {
			return ErrDisabled
		}
		if fresh.Places {
			_, err := tx.EndSessions(u.ID, "")
			if err := errors.Join(err, tx.ReopenMemberships(u.ID)); err != nil {
				return err
			}
		}
		if fresh.Factor {
			_, err := tx.EndSessions(u.ID, "")
			if err := errors.Join(err, a.dropFactor(tx, u.ID)); err != nil {
				return err
			}
		}
		who := Operator(store.Practice{})
		if u.Password == "" {
			link, err = makeInvitation(tx, who, u.ID, open[0].Practice.ID)
		} else {
			link, err = makeReset(tx, who, u.ID)
		}
		return err
	})
	return link, err
}

// DisableUser keeps a person out everywhere, at once. orphaned are the practices
// that have no admin left.
func (a *Access) DisableUser(email string) (orphaned []store.Practice, err error) {
	err = a.operate(email, "user.disable", func(tx *store.Tx, u store.User, places []store.Membership) error {
		orphaned = nil
		for _, place := range active(u, places) {
			others, err := tx.OtherAdmins(place.Practice.ID, u.ID)
			if err != nil {
				return err
			}
			if Role(place.Role) == Admin && others == 0 {
				orphaned = append(orphaned, place.Practice)
			}
		}
		_, err := tx.EndSessions(u.ID, "")
		return errors.Join(err, tx.VoidLinks(u.ID), tx.DisableUser(u.ID))
	})
	return orphaned, err
}

// EnableUser lets a person in again, wherever they have a place.
func (a *Access) EnableUser(email string) error {
	return a.operate(email, "user.enable", func(tx *store.Tx, u store.User, _ []store.Membership) error {
		return tx.EnableUser(u.ID)
	})
}

// EndUserSessions ends all sessions of a person and returns how many there were.
func (a *Access) EndUserSessions(email string) (n int64, err error) {
	err = a.operate(email, "user.end-sessions", func(tx *store.Tx, u store.User, _ []store.Membership) error {
		n, err = tx.EndSessions(u.ID, "")
		return err
	})
	return n, err
}

// operate runs an act of the operator on an account, in a transaction, and
// notes it in every practice the person has taken a place up in, or without a
// password in all that offer one. It returns store.ErrNotFound when nobody has
// that address.
func (a *Access) operate(email, action string, act func(*store.Tx, store.User, []store.Membership) error) error {
	email, err := normalEmail(email)
	if err != nil {
		return err
	}
	return a.db.Update(func(tx *store.Tx) error {
		u, err := tx.UserByEmail(email)
		if err != nil {
			return err
		}
		places, err := tx.MembershipsOf(u.ID)
		if err != nil {
			return err
		}
		if err := act(tx, u, places); err != nil {
			return err
		}
		if u.Password != "" {
			places = joined(places)
		}
		for _, place := range places {
			if err := a.Note(tx, Operator(place.Practice), action, u.Email); err != nil {
				return err
			}
		}
		return nil
	})
}
