package records

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// Group is a provider of a practice together with all entries that seem to be the same person:
// entries that were merged into the provider, and entries with the same NPI and name. A sender that
// makes a new ID for each message creates many entries for one person. Their births are counted
// together, but the entries stay unmerged until a person merges them (spec, "Practitioner rules"
// 2).
type Group struct {
	store.Identity      // the entry with the most births, with the births of the whole group
	Members        int  // the number of entries in the group
	Like           bool // whether another group may be the same person
	own            int  // the number of births of the entry that is shown
}

// The reasons why two providers may be the same person.
const (
	SameNPI  = "the same NPI"
	SameName = "the same name"
)

// ProviderGroups returns the providers of a practice, sorted by name. Entries with the same NPI and
// name are one Group.
func (r *Records) ProviderGroups(ctx context.Context, p store.PracticeID) ([]Group, error) {
	var found []store.Identity
	var behind bool
	err := r.db.View(ctx, func(v *store.View) (err error) {
		found, behind, err = v.Providers(p)
		return err
	})
	if behind {
		r.db.CountProvidersLater(p)
	}
	return grouped(found), err
}

// FindProviders returns up to limit providers of a practice whose names match, sorted by name. A
// name matches if each word in typed is a word of the name or the beginning of one. Of providers
// with the same NPI and name, only one is returned.
func (r *Records) FindProviders(ctx context.Context, p store.PracticeID, typed string, limit int) (all []store.Provider, err error) {
	found, err := store.Read(ctx, r.db, func(v *store.View) ([]store.Provider, error) {
		return v.FindProviders(p, func(name string) bool { return birth.NameMatches(name, typed) }, mostFound)
	})
	seen := map[store.ProviderGroup]bool{}
	for _, one := range found {
		if g := one.Group(); !seen[g] && len(all) < limit {
			seen[g] = true
			all = append(all, one)
		}
	}
	return all, err
}

// mostFound is how many provider entries a search reads.
const mostFound = 1000

// Unnamed separates the groups with a name from those without one.
func Unnamed(all []Group) (named, unnamed []Group) {
	for _, g := range all {
		if strings.TrimSpace(g.Name) == "" {
			unnamed = append(unnamed, g)
		} else {
			named = append(named, g)
		}
	}
	return named, unnamed
}

// likeness is what the entries of one group have in common: the NPI and the name. An entry with
// neither belongs to no group, and is identified by its own ID.
type likeness struct {
	store.ProviderGroup
	id int64 // the ID of an entry that belongs to no group
}

func likenessOf(i store.Identity) likeness {
	l := likeness{ProviderGroup: i.Group()}
	if l.ProviderGroup == (store.ProviderGroup{}) {
		l.id = i.ID
	}
	return l
}

// grouped combines entries into groups, and keeps their order.
func grouped(found []store.Identity) (all []Group) {
	at := map[likeness]int{}
	for _, i := range found {
		key := likenessOf(i)
		n, known := at[key]
		if !known {
			at[key] = len(all)
			all = append(all, Group{Identity: i, Members: 1, own: i.Births})
			continue
		}
		g := &all[n]
		together := Group{Identity: g.Identity, Members: g.Members + 1, own: g.own}
		if i.Births > g.own {
			together.Identity, together.own = i, i.Births
		}
		together.Births, together.Attended = g.Births+i.Births, g.Attended+i.Attended
		if together.LastSeen = g.LastSeen; i.LastSeen.After(g.LastSeen) {
			together.LastSeen = i.LastSeen
		}
		*g = together
	}
	sameNPI, named, numbered := map[string]int{}, map[string]bool{}, map[string]bool{}
	for key := range at {
		sameNPI[key.NPI]++
		named[key.Name] = named[key.Name] || key.NPI == ""
		numbered[key.Name] = numbered[key.Name] || key.NPI != ""
	}
	for key, n := range at {
		if key.NPI != "" {
			all[n].Like = sameNPI[key.NPI] > 1 || key.Name != "" && named[key.Name]
		} else {
			all[n].Like = key.Name != "" && numbered[key.Name]
		}
	}
	return all
}

// Likeness returns the reason why two providers may be the same person, or "" if there is none.
func Likeness(a, b store.Identity) string {
	switch {
	case len(a.NPI) > 0 && bytes.Equal(a.NPI, b.NPI):
		return SameNPI
	case len(a.NPI) > 0 && len(b.NPI) > 0:
		return "" // each NPI belongs to one person
	case birth.NameKey(a.Name) != "" && birth.NameKey(a.Name) == birth.NameKey(b.Name):
		return SameName
	}
	return ""
}

// Profile holds what the page of a provider shows.
type Profile struct {
	store.Identity                  // the provider, with the births of all its entries
	Survivor       store.Identity   // the provider into which this one was merged, or the zero value
	Identities     []store.Identity // the entries of this provider, starting with its own
	Career         []store.CareerEntry
	Like, Others   []Group // the groups that may be the same person, and all other groups
	// Similar is the number of other providers in the same group (store.ProviderGroup). Joined is
	// set if new entries of the group are merged into this provider.
	Similar int
	Joined  bool
}

// Named is one of a provider's entries, as a sender or a person stated it.
type Named struct {
	store.Identity
	// Key is the stated identifier with its middle part hidden, or "" if a person typed the name.
	Key string
	// NPI is the end of the National Provider Identifier, or "" if none was stated.
	NPI string
}

// Named decrypts the identifiers of a provider's entries. A provider may have many thousands of
// entries, so the page of a provider decrypts only those that it shows.
func (r *Records) Named(p store.PracticeID, entries []store.Identity) (all []Named, err error) {
	for _, i := range entries {
		key, npi, err := OpenProvider(r.vault, p, i.Provider)
		if err != nil {
			return nil, err
		}
		named := Named{Identity: i, Key: masked(key), NPI: tail(npi)}
		if birth.IsTyped(key) {
			named.Key = ""
		}
		all = append(all, named)
	}
	return all, nil
}

// Profile returns what the page of a provider shows. It returns ErrNotFound if the practice has no
// provider with this ID.
func (r *Records) Profile(ctx context.Context, p store.PracticeID, provider int64) (out Profile, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		identities, err := v.Identities(p, provider)
		if err != nil {
			return err
		}
		if len(identities) == 0 {
			return ErrNotFound
		}
		out.Identity, out.Identities = identities[0], identities
		if out.Identity.Survivor != 0 {
			out.Survivor, err = v.Provider(p, out.Identity.Survivor)
			return err
		}
		if out.Births, out.Attended, err = v.CountBirths(p, provider); err != nil {
			return err
		}
		if out.Career, err = v.Career(p, provider); err != nil {
			return err
		}
		return out.others(v, p)
	})
	return out, store.Translate(err, store.ErrNotFound, ErrNotFound)
}

func (o *Profile) others(v *store.View, p store.PracticeID) (err error) {
	if o.Joined, err = v.IsJoined(p, o.ID); err != nil {
		return err
	}
	found, _, err := v.Providers(p)
	if err != nil {
		return err
	}
	providers := grouped(found)
	slices.SortStableFunc(providers, func(a, b Group) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	own := likenessOf(o.Identity)
	for _, g := range providers {
		switch {
		case likenessOf(g.Identity) == own:
			o.Similar = g.Members - 1
		case Likeness(o.Identity, g.Identity) != "":
			o.Like = append(o.Like, g)
		default:
			o.Others = append(o.Others, g)
		}
	}
	return nil
}

// masked returns an identifier with its middle part replaced by an ellipsis: "123…789". An
// identifier of up to six characters is returned unchanged.
func masked(key string) string {
	runes := []rune(key)
	if len(runes) <= 6 {
		return key
	}
	return string(runes[:3]) + "…" + string(runes[len(runes)-3:])
}

// tail returns the last four digits of a number. If the number is longer, the digits follow an
// ellipsis: "…6789".
func tail(number string) string {
	if len(number) <= 4 {
		return number
	}
	return "…" + number[len(number)-4:]
}
