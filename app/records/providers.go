package records

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"birthregistry/app/birth"
	"birthregistry/app/intake"
	"birthregistry/store"
)

// Person is a provider of a practice with everything that was merged into them.
type Person struct {
	store.Identity
	// Like are the ids of those who may be the same person: they have the same
	// NPI or the same name. It is a hint and nothing more: an NPI is never the key
	// (spec, "Practitioner rules" 2), and two who have different ones are two.
	Like []int64
}

// Why two providers may be the same person.
const (
	SameNPI  = "the same NPI"
	SameName = "the same name"
)

// People lists the providers of a practice by name, with who may be whom.
func (r *Records) People(ctx context.Context, p store.PracticeID) (people []Person, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		found, err := v.People(p)
		if err != nil {
			return err
		}
		people = peopleLike(found)
		return nil
	})
	return people, err
}

func peopleLike(found []store.Identity) []Person {
	people := make([]Person, len(found))
	byNPI, byName := map[string][]int{}, map[string][]int{}
	for n, i := range found {
		people[n].Identity = i
		if i.HasNPI {
			byNPI[string(i.NPI)] = append(byNPI[string(i.NPI)], n)
		}
		if name := nameKey(i.Name); name != "" {
			byName[name] = append(byName[name], n)
		}
	}
	for n := range people {
		me := &people[n]
		for _, m := range append(slices.Clone(byNPI[string(me.NPI)]), byName[nameKey(me.Name)]...) {
			if m != n && Likeness(me.Identity, found[m]) != "" && !slices.Contains(me.Like, found[m].ID) {
				me.Like = append(me.Like, found[m].ID)
			}
		}
	}
	return people
}

// Likeness says why two providers may be the same person; "" when nothing says so.
func Likeness(a, b store.Identity) string {
	switch {
	case a.HasNPI && b.HasNPI && string(a.NPI) == string(b.NPI):
		return SameNPI
	case a.HasNPI && b.HasNPI:
		return "" // an NPI is one person's
	case nameKey(a.Name) != "" && nameKey(a.Name) == nameKey(b.Name):
		return SameName
	}
	return ""
}

// nameKey makes names comparable: the words of "Lee, Jane" are those of "Jane Lee".
// A number tells two apart whose names were taken off, as "Midwife 1" and "Midwife 2".
func nameKey(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '\'' && r != '-'
	})
	slices.Sort(words)
	return strings.Join(words, " ")
}

// Profile is what a provider's page shows.
type Profile struct {
	store.Identity                // with the counts of all identities together
	Survivor       store.Identity // whom it was merged into; its zero value for nobody
	Identities     []Named        // the provider's own first
	Career         []store.CareerEntry
	Like, Others   []store.Identity // who may be the same person; everybody else there is
}

// Named is one of the identities of a provider, as it was sent.
type Named struct {
	store.Identity
	// Key is the stable id, its middle left out; "" when somebody typed the name.
	Key string
	// NPI is the end of the NPI, "" without one.
	NPI string
}

// Profile opens a provider; ErrNotFound when the practice has none with this id.
func (r *Records) Profile(ctx context.Context, p store.PracticeID, provider int64) (out Profile, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		identities, err := v.Identities(p, provider)
		if err != nil {
			return err
		}
		if len(identities) == 0 {
			return ErrNotFound
		}
		for _, i := range identities {
			key, npi, err := intake.OpenProvider(r.vault, p, i.Provider)
			if err != nil {
				return err
			}
			named := Named{Identity: i, Key: masked(key), NPI: tail(npi)}
			if birth.IsTyped(key) {
				named.Key = ""
			}
			out.Identities = append(out.Identities, named)
		}
		out.Identity = identities[0]
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
	if errors.Is(err, store.ErrNotFound) {
		err = ErrNotFound
	}
	return out, err
}

func (o *Profile) others(v *store.View, p store.PracticeID) error {
	found, err := v.People(p)
	if err != nil {
		return err
	}
	slices.SortStableFunc(found, func(a, b store.Identity) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	for _, i := range found {
		switch {
		case i.ID == o.ID:
		case Likeness(o.Identity, i) != "":
			o.Like = append(o.Like, i)
		default:
			o.Others = append(o.Others, i)
		}
	}
	return nil
}

// masked leaves out the middle of an id.
func masked(key string) string {
	runes := []rune(key)
	if len(runes) <= 6 {
		return key
	}
	return string(runes[:3]) + "…" + string(runes[len(runes)-3:])
}

// tail is the end of a number.
func tail(number string) string {
	if len(number) <= 4 {
		return number
	}
	return "…" + number[len(number)-4:]
}
