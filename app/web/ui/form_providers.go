package ui

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/form"
	"birthregistry/app/records"
	"birthregistry/store"
	"birthregistry/views"
)

// The user chooses the people who were present from a list of the practice's providers, or types
// their names. The list begins with the providers who have the most births. If a typed name matches
// one known provider, the form uses this provider and states so. If the match isn't certain, the
// page asks the user to choose.

// directory holds the practice's providers while a request is handled. It reads them when the form
// first needs them.
type directory struct {
	h        *Form
	ctx      context.Context
	practice store.PracticeID
	known    []records.KnownProvider
	read     bool
	// meant caches which known provider is meant by each provider that the user typed, because both
	// the checks and the texts next to the boxes need it.
	meant map[birth.Provider]namesake
}

// namesake is the provider on file whom a typed provider matches. open is true if the name is on
// file, but the match isn't certain.
type namesake struct {
	known store.Provider
	open  bool
}

// askedAbout returns the provider on file whom a typed provider matches. If the providers can't be
// read, it returns no match. It asks the database only once about each typed provider.
func (d *directory) askedAbout(typed birth.Provider) namesake {
	if found, asked := d.meant[typed]; asked {
		return found
	}
	known, open, err := d.h.changes.Meant(d.ctx, d.practice, typed)
	found := namesake{known, open && err == nil}
	if d.meant == nil {
		d.meant = map[birth.Provider]namesake{}
	}
	d.meant[typed] = found
	return found
}

// offered returns the providers from whom the user can choose. If they can't be read, it returns
// none, and the user types the names.
func (d *directory) offered() []records.KnownProvider {
	if d == nil {
		return nil
	}
	if !d.read {
		d.known, _ = d.h.records.KnownProviders(d.ctx, d.practice)
		d.read = true
	}
	return d.known
}

// skip makes offered return no providers, without reading the database. It is for a response that
// lists no providers.
func (d *directory) skip() {
	if d != nil {
		d.read = true
	}
}

// parse parses the typed values, and looks for impossible and improbable ones.
func (f *birthForm) parse() {
	f.form = form.ReadWith(f.typed, f.base, f.chosen)
	if f.amends() {
		f.form.Draft.Chart = f.chart // a chart number never changes
	}
	now := time.Now().In(f.who.Practice.Location())
	f.checked = append(birth.Check(f.form.Draft, now), birth.CheckClock(f.form.Draft, now)...)
}

// chosen returns the provider whom the user has chosen from the list. If the record that is being
// amended has this provider, chosen returns what the record states about the provider, such as the
// role. Otherwise it looks for a provider of the practice, and returns false if there is none.
func (f *birthForm) chosen(choice string) (birth.Provider, bool) {
	if p, ok := f.present[choice]; ok {
		return p, true
	}
	id, err := strconv.ParseInt(choice, 10, 64)
	if err != nil || f.directory == nil {
		return birth.Provider{}, false
	}
	p, err := f.directory.h.records.Chosen(f.directory.ctx, f.directory.practice, id)
	return p, err == nil
}

// meant returns the provider on file whom the nth person in the form matches, if the user typed the
// person's name. open is true if the name is on file, but the match isn't certain.
func (f *birthForm) meant(n int) (known store.Provider, open bool) {
	p := f.form.Draft.Providers[n]
	chosen := f.typed.Get(birth.Of(birth.ProviderList, n, "provider").String()) != ""
	if chosen || f.directory == nil || strings.TrimSpace(p.Name) == "" || p.Key != "" && !birth.IsTyped(p.Key) {
		return known, false
	}
	found := f.directory.askedAbout(p)
	return found.known, found.open
}

// namesakes returns a warning for each typed name that matches a provider on file, if the match
// isn't certain.
func (f *birthForm) namesakes() (found []birth.CheckFinding) {
	for n := range f.form.Draft.Providers {
		if _, open := f.meant(n); open {
			found = append(found, birth.CheckFinding{
				Rule: "namesake", About: []birth.Path{birth.Of(birth.ProviderList, n, "name")},
				Text: "A provider with this name is on file in another role, or more than once. Choose the provider, or confirm that this is somebody else",
			})
		}
	}
	return found
}

// nameRead returns a message that says which provider on file the nth person matches. If the match
// isn't certain, it asks the user to choose. If the person is new, or was chosen from the list,
// nameRead returns "".
func (f *birthForm) nameRead(n int) string {
	switch known, open := f.meant(n); {
	case open:
		return "A provider with this name is on file. Choose the provider, or confirm that this is somebody else"
	case known.ID != 0:
		return "= " + titled(known.Name, known.Credentials, known.Role) + " (on file)"
	}
	return ""
}

// titled returns a provider's name with the credentials. If there are no credentials, it returns
// the name with the role.
func titled(name, credentials string, role birth.Role) string {
	name = views.Isolated(name)
	switch {
	case credentials != "":
		return name + ", " + credentials
	case role != "" && role != birth.RoleOther:
		return name + ", " + lowerFirst(roleLabel(role))
	}
	return name
}

// mostOffered is about how many providers all lists of a page have together. If the form has
// several people, each person's list is shorter, so that the page stays small. Users can type the
// name of a provider who isn't in the list.
const mostOffered = 200

// choose returns the list from which the user chooses the nth provider of the form. count is how
// many providers the form has. If the practice has no providers, and the form has no earlier
// choice, choose returns false.
func (m *fieldMaker) choose(n, count int) (views.FormField, bool) {
	out := m.field(birth.Of(birth.ProviderList, n, "provider").String(), "Provider", views.Pick)
	typed := m.typed.Get(out.Name)
	known := m.offered
	if len(known) == 0 && typed == "" {
		return out, false
	}
	id, _ := strconv.ParseInt(typed, 10, 64) // anything but a number matches no ID, since IDs begin with 1
	at := slices.IndexFunc(known, func(k records.KnownProvider) bool { return k.ID == id })
	most := min(len(known), max(mostOffered/count, 10))
	out.Choices = []views.Choice{{Value: "", Label: "Not stated", Chosen: typed == ""}}
	for i, k := range known {
		if i < most || i == at {
			out.Choices = append(out.Choices, views.Choice{Value: strconv.FormatInt(k.ID, 10), Label: offer(k), Chosen: i == at})
		}
	}
	if typed != "" && at < 0 { // a provider of the record, or one that has been merged since then
		label := "Unknown provider"
		if p, ok := m.chosen(typed); ok {
			label = titled(p.Name, p.Credentials, p.Role)
		}
		out.Choices = append(out.Choices, views.Choice{Value: typed, Label: label, Chosen: true})
	}
	return out, true
}

// offer describes a provider in the list of choices, such as "Jane Rivers, CPM · 41 births".
func offer(k records.KnownProvider) string {
	births := plural(float64(k.Births), "birth")
	if k.Over {
		births = views.Number(k.Births) + " births or more"
	}
	return titled(k.Name, k.Credentials, k.Role) + " · " + births
}
