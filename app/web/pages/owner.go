package pages

import (
	"fmt"

	"birthregistry/app/auth"
)

// Owner identifies the user and the practice that a form was made for.
func Owner(who auth.User) string { return fmt.Sprintf("%d/%d", who.ID, who.Practice.ID) }

// IsForAnother reports whether a form was made for another user or practice. who is the user who
// sends the form, and made is the form's Owner. A form without an owner may be sent by anybody.
func IsForAnother(who auth.User, made string) bool { return made != "" && made != Owner(who) }

// NowIn returns the message that names the practice in which a user now works, and the user.
func NowIn(who auth.User) string {
	return "You are now in " + who.Practice.Name + ", signed in as " + who.Label() + "."
}
