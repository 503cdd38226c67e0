package review

import (
	"errors"
	"fmt"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Identities of providers (spec, "Practitioner rules" 6). A merge has everything
// that one identity took part in read as another's, the survivor's; its undoing
// gives back exactly that, with what has come by that identity since. Both stand
// in the career logs of both. What is sent under a merged identity goes on to
// count as the survivor's, and changes neither the survivor's name nor their role.

// What a merge of providers can be refused for.
var (
	ErrSameProvider = errors.New("review: the two are one provider already")
	ErrMergedInto   = errors.New("review: one of the two was merged into another provider")
	ErrNotMerged    = errors.New("review: the provider is not merged into another")
)

// MergeProvider merges a provider, and all that were merged into it, into
// another one.
func (s *Service) MergeProvider(who auth.User, provider, into int64) error {
	if err := who.Must(auth.ProviderMerge); err != nil {
		return err
	}
	if provider == into {
		return ErrSameProvider
	}
	return s.db.Update(func(tx *store.Tx) error {
		p := who.Practice.ID
		for _, id := range []int64{provider, into} {
			found, err := tx.Provider(p, id)
			if err != nil {
				return err
			}
			if found.Survivor != 0 {
				return ErrMergedInto
			}
		}
		return errors.Join(
			tx.SetMerged(p, provider, into),
			tx.LogMerge(p, "merge", provider, into, who.ID),
			s.auth.Note(tx, who, "provider.merge", fmt.Sprintf("provider %d into %d", provider, into)),
		)
	})
}

// UnmergeProvider takes a merge back: the provider is one of its own again, with
// all that had been merged into it before.
func (s *Service) UnmergeProvider(who auth.User, provider int64) error {
	if err := who.Must(auth.ProviderMerge); err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error {
		p := who.Practice.ID
		found, err := tx.Provider(p, provider)
		if err != nil {
			return err
		}
		if found.MergedInto == 0 {
			return ErrNotMerged
		}
		return errors.Join(
			tx.SetMerged(p, provider, 0),
			tx.LogMerge(p, "unmerge", provider, found.MergedInto, who.ID),
			s.auth.Note(tx, who, "provider.unmerge", fmt.Sprintf("provider %d from %d", provider, found.MergedInto)),
		)
	})
}
