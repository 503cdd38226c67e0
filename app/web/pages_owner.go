package web

import (
	"fmt"

	"birthregistry/app/auth"
)

// owner names who a form was made for, in which practice.
func owner(who auth.User) string { return fmt.Sprintf("%d/%d", who.ID, who.Practice.ID) }

func elsewhere(who auth.User, made string) bool { return made != "" && made != owner(who) }

func nowIn(who auth.User) string {
	return "You are now in " + who.Practice.Name + " as " + who.Label() + "."
}
