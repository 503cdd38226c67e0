package pages

import (
	"fmt"

	"birthregistry/app/auth"
)

// Owner returns a string that identifies a user and the practice in which they work. Each form
// contains the Owner for whom it was made.
func Owner(who auth.User) string { return fmt.Sprintf("%d/%d", who.ID, who.Practice.ID) }

// IsForAnother reports whether a form was made for another user or practice. who is the user who
// sends the form, and made is the Owner in the form. A form with the Owner "" may be sent by
// anybody.
func IsForAnother(who auth.User, made string) bool { return made != "" && made != Owner(who) }

// NowIn returns a message that states in which practice a user now works, and as whom they are
// signed in.
func NowIn(who auth.User) string {
	return "You are now in " + who.Practice.Name + ", signed in as " + who.Label() + "."
}
