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
// several. It is asked anew with every request, so that what was taken away is
// gone at once, whoever took it. It returns ErrNoPlace when the user is
// disabled, there or everywhere.
func (a *Access) Person(user int64, p store.PracticeID) (who Person, several bool, err error) {
	u, places, err := a.person(user)
	if err != nil {
		return Person{}, false, err
	}
	places = active(u, places)
	for _, place := range places {
		if place.Practice.ID == p {
			return as(u, place, ""), len(places) > 1, nil
		}
	}
	return Person{}, false, ErrNoPlace
}

// Practices lists the practices that a user may work in.
func (a *Access) Practices(user int64) (all []store.Practice, err error) {
	u, places, err := a.person(user)
	for _, place := range active(u, places) {
		all = append(all, place.Practice)
	}
	return all, err
}

// person returns a user and their places; ErrNoPlace without one.
func (a *Access) person(user int64) (u store.User, places []store.Membership, err error) {
	err = a.db.View(func(v *store.View) error {
		if u, err = v.User(user); err != nil {
			return err
		}
		places, err = v.MembershipsOf(user)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = ErrNoPlace
	}
	return u, places, err
}

// active are the places in which a user may work.
func active(u store.User, places []store.Membership) (open []store.Membership) {
	if u.DisabledAt != nil {
		return nil
	}
	for _, place := range places {
		if place.DisabledAt == nil {
			open = append(open, place)
		}
	}
	return open
}

func as(u store.User, place store.Membership, address string) Person {
	return Person{
		User: u.ID, Email: u.Email, Name: u.Name,
		Practice: place.Practice, Role: Role(place.Role), Address: address,
	}
}
