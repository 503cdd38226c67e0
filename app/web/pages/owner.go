package pages

import (
	"fmt"

	"birthregistry/app/auth"
)

// Owner identifies the user and the practice that a form was made for.
func Owner(who auth.User) string { return fmt.Sprintf("%d/%d", who.ID, who.Practice.ID) }

func IsForAnother(who auth.User, made string) bool { return made != "" && made != Owner(who) }

func NowIn(who auth.User) string {
	return "You are now in " + who.Practice.Name + " as " + who.Label() + "."
}
