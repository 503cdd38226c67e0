package intake

import (
	"errors"
	"fmt"

	"birthregistry/app/access"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// MergeGroup merges all identities of a practice that have a provider's NPI and
// name into the provider, and has whoever comes with both later join them: a sender
// that makes a new id for each message would else fill the directory with one person.
func (s *Service) MergeGroup(who access.Person, provider int64) error {
	if err := who.Must(access.ProviderMerge); err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error {
		p := who.Practice.ID
		people, err := tx.Names(p)
		if err != nil {
			return err
		}
		at := -1
		for n, i := range people {
			if i.ID == provider {
				at = n
			}
		}
		if at < 0 {
			return ErrMergedInto
		}
		npi, name := people[at].NPI, birth.NameKey(people[at].Name)
		if len(npi) == 0 && name == "" {
			return ErrSamePerson
		}
		var others []int64
		for n, i := range people {
			if n != at && string(i.NPI) == string(npi) && birth.NameKey(i.Name) == name {
				others = append(others, i.ID)
			}
		}
		return errors.Join(
			tx.MergeAll(p, others, provider, who.User),
			tx.SetJoined(p, npi, name, provider),
			s.access.Note(tx, who, "provider.group", fmt.Sprintf("%d providers into %d, and who comes later", len(others), provider)),
		)
	})
}

// EndGroup lets nobody join a provider any more who comes later.
func (s *Service) EndGroup(who access.Person, provider int64) error {
	if err := who.Must(access.ProviderMerge); err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error {
		err := tx.EndJoined(who.Practice.ID, provider)
		if errors.Is(err, store.ErrNotFound) {
			return ErrNotMerged
		}
		return errors.Join(err, s.access.Note(tx, who, "provider.ungroup", fmt.Sprintf("provider %d", provider)))
	})
}

// join has a new identity join the provider that an admin has said it is.
func (b *board) join(row *store.Provider) error {
	into, err := b.tx.JoinedBy(b.practice, row.NPI, birth.NameKey(row.Name))
	if err != nil || into == 0 {
		return err
	}
	if err := b.tx.SetMerged(b.practice, row.ID, into); err != nil {
		return err
	}
	found, err := b.tx.Provider(b.practice, row.ID)
	row.Survivor = found.Survivor
	return errors.Join(err, b.tx.LogMerge(b.practice, "merge", row.ID, into, 0))
}
