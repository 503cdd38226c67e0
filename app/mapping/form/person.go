package form

import (
	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// person reads the nth person who was present. It is a provider from the practice's list, or a
// person whose name was typed. If no role was chosen for a typed person, the role is derived from
// the credentials.
func (r *reader) person(n int) birth.Provider {
	at := func(field string) birth.Path { return birth.Of(birth.ProviderList, n, field) }
	text := func(field string) string { return r.text(at(field).String()) }
	attending := text("attending") == mapping.Yes
	typed := mapping.TypedProvider(text("name"), text("credentials"), text("role"), attending)
	choice := text("provider")
	if choice == "" {
		return typed
	}
	known, ok := birth.Provider{}, false
	if r.chosen != nil {
		known, ok = r.chosen(choice)
	}
	switch {
	case !ok:
		r.problem(at("provider"), "Provider", "choose again, or type the name")
		return typed
	case typed.Name+text("credentials")+text("role") != "" && !typed.MayBe(known):
		r.problem(at("provider"), "Provider", "somebody else was typed as well. Choose a provider or type a name, not both")
	}
	known.Attending = attending
	return known
}

// Replace removes the nth person from a form, so that another person's name can be put there. If no
// person was chosen or named, Replace leaves the form unchanged, because the other fields were then
// filled in for the person who is still to be named.
func Replace(typed map[string][]string, n int) {
	at := func(field string) string { return birth.Of(birth.ProviderList, n, field).String() }
	if len(filledIn(typed[at("name")])) == 0 && len(filledIn(typed[at("provider")])) == 0 {
		return
	}
	for _, field := range []string{"provider", "name", "credentials", "role", "attending"} {
		delete(typed, at(field))
	}
}

// Choose replaces the nth person on a form with a provider from the practice's list. The argument
// choice is the value of the form's field for that provider.
func Choose(typed map[string][]string, n int, choice string) {
	for _, field := range []string{"name", "credentials", "role"} {
		delete(typed, birth.Of(birth.ProviderList, n, field).String())
	}
	typed[birth.Of(birth.ProviderList, n, "provider").String()] = []string{choice}
}
