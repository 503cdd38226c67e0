package web

import (
	"fmt"

	"birthregistry/app/access"
)

// owner names who a form was made for, in which practice.
func owner(who access.Person) string { return fmt.Sprintf("%d/%d", who.User, who.Practice.ID) }

func elsewhere(who access.Person, made string) bool { return made != "" && made != owner(who) }

func nowIn(who access.Person) string {
	return "You are now in " + who.Practice.Name + " as " + who.Label() + "."
}
