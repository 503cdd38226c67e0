package access

import (
	"context"
	"errors"
	"slices"
	"time"

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
func (a *Access) Person(ctx context.Context, user int64, p store.PracticeID) (who Person, several bool, err error) {
	u, places, err := a.person(ctx, user)
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
func (a *Access) Practices(ctx context.Context, user int64) (all []store.Practice, err error) {
	u, places, err := a.person(ctx, user)
	for _, place := range active(u, places) {
		all = append(all, place.Practice)
	}
	return all, err
}

// person returns a user and their places; ErrNoPlace without one.
func (a *Access) person(ctx context.Context, user int64) (u store.User, places []store.Membership, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
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

// standing are the places that nobody has taken away from a user, those offered
// included.
func standing(u store.User, places []store.Membership) (all []store.Membership) {
	if u.DisabledAt != nil {
		return nil
	}
	for _, place := range places {
		if place.DisabledAt == nil {
			all = append(all, place)
		}
	}
	return all
}

// joined are the places that a user has taken up. A practice that merely offers
// one learns nothing of the user.
func joined(places []store.Membership) (all []store.Membership) {
	for _, place := range places {
		if place.AcceptedAt != nil {
			all = append(all, place)
		}
	}
	return all
}

// active are the places in which a user may work.
func active(u store.User, places []store.Membership) []store.Membership {
	return joined(standing(u, places))
}

// latest is the place, of one or more, in which a user worked last.
func latest(places []store.Membership) store.Membership {
	return slices.MaxFunc(places, func(a, b store.Membership) int {
		at := func(t *time.Time) time.Time {
			if t == nil {
				return time.Time{}
			}
			return *t
		}
		return at(a.UsedAt).Compare(at(b.UsedAt))
	})
}

func as(u store.User, place store.Membership, address string) Person {
	return Person{
		User: u.ID, Email: u.Email, Name: u.Name,
		Practice: place.Practice, Role: Role(place.Role), Address: address,
	}
}
