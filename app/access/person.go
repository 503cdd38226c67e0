package access

import (
	"errors"

	"birthregistry/store"
)

// Person is who acts, in one practice.
type Person struct {
	User        int64 // 0 for the operator
	Email, Name string
	Practice    store.Practice
	Role        Role
	Address     string // where the request came from
}

// ErrForbidden says that the person's role does not allow it.
var ErrForbidden = errors.New("access: your role does not allow this; ask a practice admin")

// Operator is who types the commands on the machine itself.
func Operator(p store.Practice) Person {
	return Person{Name: "operator", Practice: p, Role: operator}
}

// May reports whether the person has a permission in the practice.
func (p Person) May(permission Permission) bool { return p.Role.May(permission) }

// Must returns ErrForbidden unless the person has the permission.
func (p Person) Must(permission Permission) error {
	if p.May(permission) {
		return nil
	}
	return ErrForbidden
}

// Label is how the audit trail and the versions name the person.
func (p Person) Label() string {
	if p.Name != "" {
		return p.Name
	}
	return p.Email
}

// ErrNoPlace says that a user has no place in the practice, or none anywhere
// any more.
var ErrNoPlace = errors.New("access: no place in the practice")

// Person returns who a user is in a practice, and whether they belong to
// several. It returns ErrNoPlace when the user is disabled, there or everywhere.
func (a *Access) Person(user int64, p store.PracticeID) (who Person, several bool, err error) {
	var u store.User
	var places []store.Membership
	err = a.db.View(func(v *store.View) (err error) {
		if u, err = v.User(user); err != nil {
			return err
		}
		places, err = v.MembershipsOf(user)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Person{}, false, ErrNoPlace
	}
	if err != nil {
		return Person{}, false, err
	}
	live := 0
	for _, place := range places {
		if place.DisabledAt != nil {
			continue
		}
		live++
		if place.Practice.ID == p {
			who = Person{User: user, Email: u.Email, Name: u.Name, Practice: place.Practice, Role: Role(place.Role)}
		}
	}
	if who.User == 0 || u.DisabledAt != nil {
		return Person{}, false, ErrNoPlace
	}
	return who, live > 1, nil
}
