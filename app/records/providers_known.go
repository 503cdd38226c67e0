package records

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// KnownProvider is a provider whom a form offers for selection.
type KnownProvider struct {
	ID                int64
	Name, Credentials string
	Role              birth.Role
	// Births is the number of births in which the provider took part. Over is set if there may be
	// more births than that.
	Births int
	Over   bool
}

// KnownProviders returns the named providers of a practice. Those with the most births come first.
// Entries with the same NPI, name and role count as one provider.
func (r *Records) KnownProviders(ctx context.Context, p store.PracticeID) (known []KnownProvider, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		found, most, err := v.KnownProviders(p)
		known = offered(found, most)
		return err
	})
	slices.SortStableFunc(known, func(a, b KnownProvider) int {
		return cmp.Or(b.Births-a.Births, cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
	})
	return known, err
}

// Chosen returns the provider with the given ID, whom a person has chosen in a form, with the
// provider's key and NPI. It returns ErrNotFound if the practice has no such provider.
func (r *Records) Chosen(ctx context.Context, p store.PracticeID, id int64) (birth.Provider, error) {
	row, err := store.Read(ctx, r.db, func(v *store.View) (store.Provider, error) { return v.ProviderChosen(p, id) })
	if err != nil {
		return birth.Provider{}, store.Translate(err, store.ErrNotFound, ErrNotFound)
	}
	key, npi, err := OpenProvider(r.vault, p, row)
	return birth.Provider{Key: key, NPI: npi, Name: row.Name, Credentials: row.Credentials, Role: row.Role}, err
}

// offered combines entries with the same NPI, name and role into one provider, which has the ID of
// the entry with the most births. The argument most is the number up to which an entry's births are
// counted.
func offered(found []store.Identity, most int) (known []KnownProvider) {
	slices.SortStableFunc(found, func(a, b store.Identity) int { return b.Births - a.Births })
	type same struct {
		store.ProviderGroup
		role birth.Role
	}
	at := map[same]int{}
	for _, i := range found {
		key := same{i.Group(), i.Role}
		n, again := at[key]
		if !again {
			n = len(known)
			at[key] = n
			known = append(known, KnownProvider{ID: i.ID, Name: i.Name, Credentials: i.Credentials, Role: i.Role})
		}
		known[n].Births += i.Births
		known[n].Over = known[n].Over || i.Births == most
	}
	return known
}
