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
