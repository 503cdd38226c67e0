package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/form"
	"birthregistry/app/records"
	"birthregistry/store"
	"birthregistry/views"
)

// Who was present is chosen from the practice's providers, those with the most births
// first, or typed if it is somebody else. A typed name that means a known provider is
// taken for that one, and the page says so. Where several could be meant, the page asks.

// directory is the practice's providers, as a form asks for them.
type directory struct {
	h        *Form
	ctx      context.Context
	practice store.PracticeID
	known    []records.KnownProvider
	read     bool
	// meant are the people about whom it was asked: the checks and the texts beside the
	// boxes ask about the same.
	meant map[birth.Provider]namesake
}

// namesake is the provider on file whom a typed person will be taken for; open is true if
// several could be meant.
type namesake struct {
	known store.Provider
	open  bool
}

// askedAbout returns whom a typed person means, nobody if that can't be read.
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

// offered returns the providers to choose from. If they can't be read, names are typed.
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

// skip leaves the providers unread, for an answer that lists none.
func (d *directory) skip() {
	if d != nil {
		d.read = true
	}
}

// parse reads the typed values.
func (f *birthForm) parse() { f.form = form.ReadWith(f.typed, f.base, f.chosen) }

// chosen returns the provider that a choice stands for: the one of the record that is
// amended, in the role on that day, or one of the practice.
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

// meant returns the provider on file whom the nth person of the form, if typed, will be
// taken for; open is true if several could be meant.
func (f *birthForm) meant(n int) (known store.Provider, open bool) {
	p := f.form.Draft.Providers[n]
	chosen := f.typed.Get(birth.Of(birth.ProviderList, n, "provider").String()) != ""
	if chosen || f.directory == nil || strings.TrimSpace(p.Name) == "" || p.Key != "" && !birth.IsTyped(p.Key) {
		return known, false
	}
	found := f.directory.askedAbout(p)
	return found.known, found.open
}

// namesakes warns of typed names where it stays open who is meant.
func (f *birthForm) namesakes() (found []birth.CheckFinding) {
	for n := range f.form.Draft.Providers {
		if _, open := f.meant(n); open {
			found = append(found, birth.CheckFinding{
				Rule: "namesake", About: []birth.Path{birth.Of(birth.ProviderList, n, "name")},
				Text: "A provider with this name is known, in another role or more than once. Choose who was meant, or confirm that this is somebody else",
			})
		}
	}
	return found
}

// nameRead says whom the nth person is taken for; "" for somebody new.
func (f *birthForm) nameRead(n int) string {
	switch known, open := f.meant(n); {
	case open:
		return "A provider with this name is known: choose who was meant, or this is somebody else"
	case known.ID != 0:
		return "= " + titled(known.Name, known.Credentials, known.Role) + ", who is known"
	}
	return ""
}

// titled names a provider with the credentials, or else the role.
func titled(name, credentials string, role birth.Role) string {
	switch {
	case credentials != "":
		return name + ", " + credentials
	case role != "" && role != birth.RoleOther:
		return name + ", " + lowerFirst(roleLabel(role))
	}
	return name
}

// mostOffered is how many providers the page lists in all: each person's list is shorter
// where there are several, so that the page stays small. Whoever isn't listed is typed.
const mostOffered = 200

// choose makes the list of providers of the nth of count people; false if there is nobody
// to choose.
func (m *fieldMaker) choose(n, count int) (views.FormField, bool) {
	out := m.field(birth.Of(birth.ProviderList, n, "provider").String(), "Provider", views.Pick)
	typed := m.typed.Get(out.Name)
	known := m.offered
	if len(known) == 0 && typed == "" {
		return out, false
	}
	id, _ := strconv.ParseInt(typed, 10, 64) // anything but a number is nobody's: ids begin with 1
	at := slices.IndexFunc(known, func(k records.KnownProvider) bool { return k.ID == id })
	most := min(len(known), max(mostOffered/count, 10))
	out.Choices = []views.Choice{{Value: "", Label: "Not stated", Chosen: typed == ""}}
	for i, k := range known {
		if i < most || i == at {
			out.Choices = append(out.Choices, views.Choice{Value: strconv.FormatInt(k.ID, 10), Label: offer(k), Chosen: i == at})
		}
	}
	if typed != "" && at < 0 { // of the record, or merged since
		label := "Unknown provider"
		if p, ok := m.chosen(typed); ok {
			label = titled(p.Name, p.Credentials, p.Role)
		}
		out.Choices = append(out.Choices, views.Choice{Value: typed, Label: label, Chosen: true})
	}
	return out, true
}

// offer names a provider with the births: Jane Rivers, CPM · 41 births.
func offer(k records.KnownProvider) string {
	births := plural(float64(k.Births), "birth")
	if k.Over {
		births = fmt.Sprintf("%d births or more", k.Births)
	}
	return titled(k.Name, k.Credentials, k.Role) + " · " + births
}

// choosePresent replaces the people of a filled form by choices, where the practice knows
// them under an id.
func choosePresent(filled map[string][]string, known []int64) {
	for n, id := range known {
		form.Choose(filled, n, strconv.FormatInt(id, 10))
	}
}
